"""Who may reach which project: 404 for one who may not know of it, 403 for one who may see but not do."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from projects.models import Membership, Project
from projects.roles import NEEDED_TO_KNOW, READ, RIGHTS, RIGHTS_TO_SEE, Right

AnyUser = AbstractBaseUser | AnonymousUser


class Guest(AnonymousUser):
    """Who came by a link and has no account: sees one project as far as the link allows, and changes nothing.

    opens_items: whether items may be seen, beside the figures made of their labels. files: which may be downloaded.
    reports: which may be opened, by id.
    """

    # Nobody has it; None would be taken for the raters without an account.
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
    """Whether one who sees figures may also see the items behind them."""
    return not isinstance(user, Guest) or user.opens_items


def reports_opened(user: AnyUser) -> dict[str, frozenset[int]]:
    """What limits the reports of a project to those that the user may open, as conditions on their rows."""
    return {"pk__in": user.reports} if isinstance(user, Guest) else {}


def projects_of(user: AnyUser) -> QuerySet[Project]:
    """The projects that the user is a member of."""
    return Project.objects.filter(memberships__user=user.pk, deletion_due_at=None)


def role_in(user: AnyUser, project: Project) -> str | None:
    membership = Membership.objects.filter(project=project, user=user.pk).only("role").first()
    return membership.role if membership else None


def rights_in(user: AnyUser, project: Project) -> frozenset[Right]:
    if isinstance(user, Guest):
        return READ if user.project == project else frozenset()
    return RIGHTS.get(role_in(user, project) or "", frozenset())


def project_to(user: AnyUser, slug: str, right: Right) -> Project:
    """The project, for a user who holds the right in it; a deleted one is there for nobody."""
    if isinstance(user, Guest):
        if user.project.slug == slug and right in READ:
            return user.project
        raise Http404("No such page.")
    memberships = Membership.objects.filter(project__slug=slug, project__deletion_due_at=None, user=user.pk)
    membership = memberships.select_related("project").first()
    if membership is None:
        raise Http404("No such project.")
    rights = RIGHTS.get(membership.role, frozenset())
    if right in rights:
        return membership.project
    needed = NEEDED_TO_KNOW.get(right)
    if right in RIGHTS_TO_SEE or (needed is not None and needed not in rights):
        raise Http404("No such page.")
    raise PermissionDenied(f"Your role in this project does not allow you to {right.value}.")


def is_owner(user: AnyUser) -> bool:
    """Whether the user owns the server; what is in its projects is not theirs to see."""
    return user.is_active and bool(getattr(user, "is_superuser", False))


def project_to_delete(user: AnyUser, slug: str) -> Project:
    """A project, deleted or not, for an owner of the server or a lead of it."""
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
    """Raises Http404 for everybody but an owner of the server."""
    if not is_owner(user):
        raise Http404("No such page.")
