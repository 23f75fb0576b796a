"""A codebook is changed by one at a time, and neither under an import nor under a label that is being saved."""

from django.db import connection

from projects.imports.turns import take_turn
from projects.models import Project, Question
from projects.refusals import ProjectClosed

# A person waits for an answer; an import that is under way may take minutes.
PATIENCE = "5s"


def opened(project_id: int) -> Project:
    """The project, kept for a change of its codebook until the transaction ends; raises ProjectClosed."""
    project = Project(pk=project_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [PATIENCE])
    take_turn(project)
    # Whoever saves a label shares this row until the label is written.
    project = Project.objects.select_for_update(no_key=True).get(pk=project_id)
    if project.is_closed or project.is_codebook_closed:
        raise ProjectClosed("The codebook is closed. To change it, open it in the project settings.")
    return project


def kept(question: Question) -> Question:
    """The question as it is now, for a change of it; no label of it can be written meanwhile."""
    opened(question.project_id)
    return Question.objects.select_for_update().select_related("project").get(pk=question.pk)
