"""Locks for changing a codebook: one change at a time, and not during an import or while a label is being saved."""

from django.db import connection

from projects.imports.import_lock import acquire_import_lock
from projects.models import Project, Question
from projects.refusals import ProjectClosed

# A person waits for the response, and a running import may take minutes.
PATIENCE = "5s"


def opened(project_id: int) -> Project:
    """Lock a project for changes to its codebook until the transaction ends. Raises ProjectClosed."""
    project = Project(pk=project_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [PATIENCE])
    acquire_import_lock(project)
    # Saving a label holds a share lock on this row until the label is written.
    project = Project.objects.select_for_update(no_key=True).get(pk=project_id)
    if project.is_closed or project.is_codebook_closed:
        raise ProjectClosed("The codebook is closed. To change it, open it in the project settings.")
    return project


def locked_question(question: Question) -> Question:
    """Return the current question, locked for a change; its labels cannot be written meanwhile."""
    opened(question.project_id)
    return Question.objects.select_for_update().select_related("project").get(pk=question.pk)
