"""Current questions and those deleted when their import was undone: everything that a project's history names."""

from collections.abc import Collection

from projects.models import FormerQuestion, Project, Question

# IDs of all questions that labels of a project ever had.
EVER = """
SELECT id FROM projects_question WHERE project_id = %(project)s
UNION ALL SELECT id FROM projects_formerquestion WHERE project_id = %(project)s
"""


def keys_of(ids: Collection[int]) -> dict[int, str]:
    """Return the current or former key of each question, by ID."""
    found = dict(Question.objects.filter(pk__in=ids).values_list("pk", "key"))
    former = FormerQuestion.objects.filter(pk__in=set(ids) - found.keys()) if set(ids) - found.keys() else []
    return found | {each.pk: f"{each.key} (deleted)" for each in former}


def ever_in(project: Project) -> dict[int, str]:
    """Return the keys of all questions that labels of the project ever had, by ID."""
    former = dict(project.former_questions.values_list("pk", "key"))
    return former | dict(project.questions.values_list("pk", "key"))


def ids_ever(project: Project, question: int | None = None, *, kind: str | None = None) -> list[int]:
    """Return the IDs of all questions, or of those that ever had the key of this one; optionally only of one kind."""
    keys = ever_in(project)
    found = [pk for pk, key in keys.items() if question is None or key == keys.get(question)]
    if kind is None:
        return found
    of_kind = {
        pk
        for questions in (project.questions, project.former_questions)
        for pk in questions.filter(kind=kind).values_list("pk", flat=True)
    }
    return [pk for pk in found if pk in of_kind]
