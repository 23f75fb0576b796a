"""A project with two raters, two leads, an adjudicator, and an auditor; and who of them was notified of what."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from allauth.account.models import EmailAddress
from django.db import connection

from projects.models import Item, Membership, Project, Round
from raters.models import Notification, NotificationChoice, User
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.plan_storage import plan_round
from raters.rounds.round_plan import RoundPlan
from tests import cast
from tests.working import Work, new_work

Role = Membership.Role


@dataclass(frozen=True, slots=True)
class Team:
    work: Work
    lara: User
    luis: User
    ada: User
    otto: User

    @property
    def zoe(self) -> User:
        return self.work.user(0)

    @property
    def yves(self) -> User:
        return self.work.user(1)


@pytest.fixture
def full_team(db) -> Team:
    work = new_work(n_items=3, usernames=["zoe", "yves"])
    roles = {"lara": Role.LEAD, "luis": Role.LEAD, "ada": Role.ADJUDICATOR, "otto": Role.AUDITOR}
    people = {name: cast.member(work.project, role, username=name) for name, role in roles.items()}
    cast.member(cast.new_project("Elsewhere"), Role.LEAD, username="elsa")
    return Team(work, **people)


@pytest.fixture
def notified() -> Callable[[], list[tuple[str, str]]]:
    """Who was notified of what since the last call, by name."""
    seen: list[int] = []

    def since() -> list[tuple[str, str]]:
        rows = Notification.objects.exclude(pk__in=seen).select_related("recipient")
        found = sorted((row.recipient.username, str(row.kind)) for row in rows)
        seen.extend(row.pk for row in rows)
        return found

    return since


@pytest.fixture
def with_addresses(full_team, has_mail, settings) -> Team:
    """Everybody has a confirmed address: zoe@example.org."""
    settings.SITE_URL = "https://labels.example.org"
    for user in User.objects.all():
        EmailAddress.objects.create(
            user=user, email=f"{user.username}@example.org", primary=True, verified=True
        )
    return full_team


def choose(user: User, topic: str, how: str) -> None:
    NotificationChoice.objects.update_or_create(user=user, topic=topic, defaults={"how": how})


def committed() -> None:
    """The entries of the history get their positions as the transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def planned(project: Project, users: list[User], *, by: User) -> Round:
    """A round of four new items, each for one of these people, not yet open."""
    Item.objects.bulk_create(Item(project=project, key=f"new-{n}") for n in range(4))
    return plan_round(
        project, "second", RoundPlan(overlap=Overlap(AssignmentDesign.SOME, 1), seed=1), users, by=by
    )
