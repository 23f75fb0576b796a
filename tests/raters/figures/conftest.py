"""Projects that count as large, whatever their size, on committed rows."""

from datetime import timedelta

import pytest
from django.test import Client

from projects.models import Item, Membership, Project
from raters.adjudication.deciding import NewDecision, decide
from raters.labeling.answers import Answer
from raters.models import Label, Rater, StoredFigures, User
from raters.tasks import compute_figures
from tests import cast
from tests.working import Work, answer, new_work


@pytest.fixture
def counts_as_large(monkeypatch) -> None:
    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", 0)


@pytest.fixture
def at_once(monkeypatch) -> None:
    """Newer figures are due as soon as something changes."""
    monkeypatch.setattr("raters.figures.stored_figures.AT_LEAST", timedelta(0))
    monkeypatch.setattr("raters.figures.stored_figures.MOST_SHARE", float("inf"))


@pytest.fixture
def work(committed_db) -> Work:
    """Six items, of which two are in dispute, one of them decided; a reference, a note, and a "cannot tell"."""
    work = new_work(n_items=6)
    answer(work, "good", seconds=10)
    answer(work, "bad", rater=1, seconds=4)
    answer(work, {"tone": Answer(category="fair", note="Hard to say.")}, place=1)
    answer(work, "bad", place=1, rater=1)
    answer(work, {"tone": Answer(is_abstention=True)}, place=2)
    answer(work, "good", place=3, is_guideline_unclear=True)
    answer(work, "good", place=4)
    answer(work, "good", place=4, rater=1)
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.create(item=work.items[1], question=work.question, rater=reference, category=good)
    work.project.items.create(key="free", content=[{"name": "text", "kind": "text", "value": "Nobody’s"}])
    lead = lead_of(work.project)
    reason = work.project.adjudication_reasons[0]
    item = work.project.items.select_related("project").get(pk=work.items[1].pk)
    decide(item, work.question, NewDecision(Answer(category="good"), reason), seen=0, by=lead)
    return work


def client_of(user: User) -> Client:
    opened = Client()
    opened.force_login(user)
    return opened


def lead_of(project: Project) -> User:
    found = project.memberships.filter(role=Membership.Role.LEAD).first()
    return found.user if found else cast.member(project, Membership.Role.LEAD, username="lena", unique=True)


def compute_all(project: Project) -> int:
    """As a worker does; returns how many figures were waiting."""
    waiting = StoredFigures.objects.filter(project=project, state=StoredFigures.State.QUEUED)
    pks = list(waiting.values_list("pk", flat=True))
    for pk in pks:
        compute_figures(pk)
        assert StoredFigures.objects.get(pk=pk).state == StoredFigures.State.DONE
    return len(pks)


def decision_on(work, place, category, *, by):
    item = Item.objects.select_related("project").get(pk=work.items[place].pk)
    reason = work.project.adjudication_reasons[0]
    decide(item, work.question, NewDecision(Answer(category=category), reason), seen=0, by=by)


@pytest.fixture
def two_disputes(work):
    answer(work, "bad", place=3, rater=1)
    return work
