"""Actions on raters."""

from typing import Any

from django.db import IntegrityError, transaction

from core.keys import MAX_KEY
from core.prepared import Param, PreparedQuery
from projects.models import Project
from raters.models import Rater

MAX_TRIES = 1000
_RATER = PreparedQuery(lambda: Rater.objects.filter(project=Param("project"), user=Param("user")))


def rater_of(project: Project, user: Any) -> Rater:
    """Return the user's rater in the project, created when first needed."""
    return known_rater(project, user) or _new_rater(project, user)


def known_rater(project: Project, user: Any) -> Rater | None:
    rater = _RATER.first(project=project.pk, user=user.pk)
    if rater is not None:
        rater.project = project
    return rater


def _new_rater(project: Project, user: Any) -> Rater:
    """Create a rater named after the user; an imported rater with that name is separate until a lead links the two."""
    for number in range(1, MAX_TRIES):
        key = user.username if number == 1 else f"{user.username[: MAX_KEY - 5]}-{number}"
        try:
            with transaction.atomic():
                return Rater.objects.create(project=project, user=user, key=key)
        except IntegrityError:
            if made := known_rater(project, user):
                return made
    raise ValueError(f"there are too many raters called {user.username!r} in {project.slug!r}")
