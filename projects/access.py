"""Access to projects: 404 if the user may not know of it, 403 if the user may see it but not do this."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from core.prepared import Param, PreparedQuery
from projects.models import Membership, Project
from projects.roles import NEEDED_TO_KNOW, PERMISSIONS, READ, VIEW_PERMISSIONS, Permission

AnyUser = AbstractBaseUser | AnonymousUser


class Guest(AnonymousUser):
    """A visitor with a link but no account: sees one project as far as the link allows, and changes nothing.

    opens_items: whether items may be seen, not only figures. files: those that may be downloaded. reports: IDs of those
    that may be opened.
    """

    # No account has this ID; None would match raters without an account.
    id = pk = 0  # type: ignore[assignment]

    def __init__(
        self,
        project: Project,
        *,
        opens_items: bool = False,
        files: frozenset[str] = frozenset(),
        reports: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__()
        self.project = project
        self.opens_items = opens_items
        self.files = files
        self.reports = reports


def opens_items(user: AnyUser) -> bool:
    """Return whether a user who sees figures may also see the items behind them."""
    return not isinstance(user, Guest) or user.opens_items


def reports_opened(user: AnyUser) -> dict[str, frozenset[int]]:
    """Return filter conditions that limit the reports of a project to those that the user may open."""
    return {"pk__in": user.reports} if isinstance(user, Guest) else {}


def projects_of(user: AnyUser) -> QuerySet[Project]:
    """Return the projects of which the user is a member."""
    return Project.objects.filter(memberships__user=user.pk, deletion_due_at=None)


_ROLE = PreparedQuery(
    lambda: Membership.objects.filter(project=Param("project"), user=Param("user")).only("role")
)
_MEMBERSHIP = PreparedQuery(
    lambda: Membership.objects.filter(
        project__slug=Param("slug"), project__deletion_due_at=None, user=Param("user")
    ).select_related("project")
)


def role_in(user: AnyUser, project: Project) -> str | None:
    membership = _ROLE.first(project=project.pk, user=user.pk)
    return membership.role if membership else None


def permissions_in(user: AnyUser, project: Project) -> frozenset[Permission]:
    if isinstance(user, Guest):
        return READ if user.project == project else frozenset()
    return PERMISSIONS.get(role_in(user, project) or "", frozenset())


def project_to(user: AnyUser, slug: str, permission: Permission) -> Project:
    """Return the project for a user with this permission in it; deleted projects are not found."""
    if isinstance(user, Guest):
        if user.project.slug == slug and permission in READ:
            return user.project
        raise Http404("No such page.")
    membership = _MEMBERSHIP.first(slug=slug, user=user.pk)
    if membership is None:
        raise Http404("No such project.")
    permissions = PERMISSIONS.get(membership.role, frozenset())
    if permission in permissions:
        return membership.project
    needed = NEEDED_TO_KNOW.get(permission)
    if permission in VIEW_PERMISSIONS or (needed is not None and needed not in permissions):
        raise Http404("No such page.")
    raise PermissionDenied(f"Your role in this project does not allow you to {permission.value}.")


def own_membership(user: AnyUser, slug: str) -> Membership:
    """Return the user's membership in a project; raises Http404 for anyone else."""
    membership = _MEMBERSHIP.first(slug=slug, user=user.pk)
    if membership is None:
        raise Http404("No such project.")
    return membership


def is_owner(user: AnyUser) -> bool:
    """Return whether the user owns the server, which gives no access to the contents of projects."""
    return user.is_active and bool(getattr(user, "is_superuser", False))


def project_to_delete(user: AnyUser, slug: str) -> Project:
    """Return a project, deleted or not, for a server owner or a lead of the project."""
    project = Project.objects.filter(slug=slug).first()
    role = role_in(user, project) if project else None
    if project is None or (role is None and not is_owner(user)):
        raise Http404("No such project.")
    if is_owner(user) or role == Membership.Role.LEAD:
        return project
    if project.deletion_due_at is not None:
        raise Http404("No such project.")
    raise PermissionDenied("Only a project lead or a server owner can delete a project.")


def refuse_all_but_owners(user: AnyUser) -> None:
    """Raise Http404 unless the user is a server owner."""
    if not is_owner(user):
        raise Http404("No such page.")
