"""Information about a project for other apps."""

from django.db.models import Max

from projects.models import GuidelinesVersion, Project


def current_guidelines_version(project: Project | int) -> int:
    """Return the number of the guidelines version for labels made now; 0 if there are none yet."""
    versions = GuidelinesVersion.objects.filter(project=project)
    return versions.aggregate(last=Max("number"))["last"] or 0
