"""What the commands that import have in common."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db.models import F

from projects.models import Membership, Project, slug_of_letters


def user_named(username: str | None) -> AbstractUser | None:
    if username is None:
        return None
    user = get_user_model().objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username}.")
    return user


def project_named(slug: str, *, create_as: str | None, by: AbstractUser | None) -> Project:
    """The project; if there is none, a new one of this name that `by` leads."""
    project = Project.objects.filter(slug=slug).first()
    if project:
        return project
    if not create_as:
        slugs = Project.objects.order_by(F("slug")).values_list("slug", flat=True)[:20]
        raise CommandError(f"There is no project {slug}. There are: {', '.join(slugs) or 'none'}.")
    try:
        slug_of_letters(slug)
    except ValidationError as error:
        raise CommandError(f"{slug} is no slug: {error.messages[0]}") from None
    project = Project.objects.create(name=create_as, slug=slug)
    if by:
        Membership.objects.create(project=project, user=by, role=Membership.Role.LEAD)
    return project
