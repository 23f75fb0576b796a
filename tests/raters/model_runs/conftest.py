"""An endpoint on this machine that the operator has set, and runs that use it."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from core.runs.ledger import from_now
from projects.models import Membership
from raters.model_runs.choosing import Items
from raters.model_runs.configuring import RunSettings
from raters.model_runs.drafting import RunBudget, draft
from raters.model_runs.starting import start
from raters.models import ModelRun, User
from raters.tasks import run_model
from tests import cast
from tests.raters.model_runs.endpoint import Endpoint, answering
from tests.working import Work

KEY = "sk-secret-of-the-operator"


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[Endpoint]:
    with answering() as opened:
        settings.MODEL_ENDPOINT = opened.url
        settings.MODEL_KEY = KEY
        settings.MODELS = {"tiny": (1.0, 10.0), "free": None}
        settings.MODEL_PAUSES = (0.0, 0.0)
        settings.MODEL_CONCURRENCY = 2
        yield opened


@pytest.fixture
def client(sender: User) -> Client:
    """The lead of the project with work in it."""
    return cast.signed_in(sender)


@pytest.fixture
def sender(work: Work) -> User:
    return cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)


NewRun = Callable[..., ModelRun]


@pytest.fixture
def new_draft(work: Work, sender: User, endpoint: Endpoint) -> NewRun:
    def make(
        *, items: Items | None = None, limits: RunBudget | None = None, round_=work.round, **wanted
    ) -> ModelRun:
        return draft(
            work.project,
            RunSettings(**{"model": "tiny", **wanted}),
            items or Items(),
            round_=round_,
            limits=limits or RunBudget(),
            by=sender,
        )

    return make


@pytest.fixture
def new_run(new_draft: NewRun, sender: User) -> NewRun:
    """A run that has been started and waits for a worker."""

    def make(**how) -> ModelRun:
        run = new_draft(**how)
        start(run, by=sender)
        return run

    return make


def work_off(run: ModelRun) -> ModelRun:
    """Do what workers do until the run has ended: each turn, and each pause cut short."""
    for _ in range(50):
        run = ModelRun.objects.get(pk=run.pk)
        if run.is_final:
            return run
        ModelRun.objects.filter(pk=run.pk).update(due_at=from_now(-1))
        run_model(run.pk)
    raise AssertionError(f"{run} does not end: {run.state}")
