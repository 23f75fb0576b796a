"""Questions with those that went with the import that created them: whatever the history of a project names."""

from collections.abc import Collection

from projects.models import FormerQuestion, Question

# Ids of all questions that labels of a project ever had.
EVER = """
SELECT id FROM projects_question WHERE project_id = %(project)s
UNION ALL SELECT id FROM projects_formerquestion WHERE project_id = %(project)s
"""


def keys_of(ids: Collection[int]) -> dict[int, str]:
    """By id, the key that a question has, or had."""
    found = dict(Question.objects.filter(pk__in=ids).values_list("pk", "key"))
    former = FormerQuestion.objects.filter(pk__in=set(ids) - found.keys()) if set(ids) - found.keys() else []
    return found | {each.pk: f"{each.key} (deleted)" for each in former}
