"""What others need to know of a project."""

from django.db.models import Max

from projects.models import GuidelinesVersion, Project


def current_guidelines_version(project: Project | int) -> int:
    """The number of the guidelines that a label of now is made under; 0 before any were written."""
    versions = GuidelinesVersion.objects.filter(project=project)
    return versions.aggregate(last=Max("number"))["last"] or 0
