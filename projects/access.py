"""Who may reach which project: 404 for one who may not know of it, 403 for one who may see but not do."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from projects.models import Membership, Project
from projects.roles import NEEDED_TO_KNOW, RIGHTS, RIGHTS_TO_SEE, Right

AnyUser = AbstractBaseUser | AnonymousUser


def projects_of(user: AnyUser) -> QuerySet[Project]:
    """The projects that the user is a member of."""
    return Project.objects.filter(memberships__user=user.pk)


def role_in(user: AnyUser, project: Project) -> str | None:
    membership = Membership.objects.filter(project=project, user=user.pk).only("role").first()
    return membership.role if membership else None


def rights_in(user: AnyUser, project: Project) -> frozenset[Right]:
    return RIGHTS.get(role_in(user, project) or "", frozenset())


def project_to(user: AnyUser, slug: str, right: Right) -> Project:
    """The project, for a user who holds the right in it."""
    membership = Membership.objects.select_related("project").filter(project__slug=slug, user=user.pk).first()
    if membership is None:
        raise Http404("No such project.")
    rights = RIGHTS.get(membership.role, frozenset())
    if right in rights:
        return membership.project
    needed = NEEDED_TO_KNOW.get(right)
    if right in RIGHTS_TO_SEE or (needed is not None and needed not in rights):
        raise Http404("No such page.")
    raise PermissionDenied(f"Your role in this project may not {right.value}.")


def require_owner(user: AnyUser) -> None:
    """What concerns the whole server is for its owners: superusers."""
    if not getattr(user, "is_superuser", False):
        raise PermissionDenied("Only owners of this server can do this.")
