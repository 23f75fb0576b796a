"""A project with everything in it: labels, a finished report, members of each role; on committed data."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from django.db import connection

from core.runs import lease
from projects.models import Item, Membership, Project
from raters.models import LabelImport, User
from reports.models import OnDemandFigures, PairAgreement, QuestionAgreement, Report
from reports.store.requests import request_report
from reports.tasks import compute_on_demand, compute_report
from tests import cast
from tests.labeling import labeled_project
from tests.live import wait_until


@dataclass(frozen=True, slots=True)
class World:
    project: Project
    people: dict[str, User]
    report: Report
    agreement: QuestionAgreement
    pair: PairAgreement
    item: Item

    @property
    def lead(self) -> User:
        return self.people["lead"]


ROLES = ["rater", "auditor", "adjudicator", "lead"]


def finished_report(project: Project, by: User, **options) -> Report:
    report = request_report(project, by=by, **options)
    compute_now(report)
    return Report.objects.get(pk=report.pk)


def compute_now(report: Report) -> None:
    """Compute it here, or wait for the worker of other tests, which may have taken it first."""
    with _unwatched():
        compute_report(report.pk)
    wait_until(lambda: Report.objects.get(pk=report.pk).is_final)


@contextmanager
def _unwatched() -> Iterator[None]:
    """The heartbeat, on a connection of its own, does not see a run of this transaction, and takes it for lost."""
    if not connection.in_atomic_block:
        yield
        return
    with mock.patch.object(lease, "PROGRESS_EVERY", 3600.0):
        yield


def look_ahead(user: User, address: str) -> None:
    """Have the figures that a page leaves to a worker before somebody opens it."""
    cast.signed_in(user).get(address)
    of_user = OnDemandFigures.objects.filter(agreement__report__project__memberships__user=user)
    for pk in of_user.filter(result__isnull=True).values_list("pk", flat=True):
        with _unwatched():
            compute_on_demand(pk)
        wait_until(lambda pk=pk: OnDemandFigures.objects.get(pk=pk).is_final)


def new_world(name: str = "World", **size) -> World:
    project = labeled_project(name, **size)
    # Where they don't, much is withheld from adjudicators: tests/faults/test_hidden_names.py.
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    project.refresh_from_db()
    people = {"stranger": cast.person("stella", unique=True)}
    for role in ROLES:
        people[role] = cast.member(project, Membership.Role(role), username=role, unique=True)
    report = finished_report(project, people["lead"])
    agreement = report.questions.select_related("report", "question").get()
    pair = agreement.pairs.select_related("rater_a", "rater_b").first()
    item = Item.objects.filter(project=project).first()
    assert pair is not None
    assert item is not None
    return World(project, people, report, agreement, pair, item)


def draft_import(world: World) -> LabelImport:
    return LabelImport.objects.create(
        project=world.project,
        asked_by=world.lead,
        state=LabelImport.State.DRAFT,
        file_name="labels.csv",
        sha256="0" * 64,
        n_bytes=1,
    )
