"""Who may reach which work: one's own alone."""

from projects.access import AnyUser, project_to
from projects.roles import Right
from raters.actions import rater_of
from raters.models import Rater


def rater_to_label(user: AnyUser, slug: str) -> Rater:
    """The user as a rater of the project, for one who may label in it."""
    return rater_of(project_to(user, slug, Right.LABEL), user)
