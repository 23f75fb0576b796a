"""A closed project says so on every page of its rounds and labels, and offers nothing that it would refuse."""

import pytest
from django.urls import reverse

from projects.models import Membership, Project, Round
from raters.labeling.own_rounds import own_rounds
from raters.models import Assignment
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.round_plan import RoundPlan
from tests import cast
from tests.working import answer, new_work

CLOSED = "data-project-closed"


@pytest.fixture
def closed_work(db):
    """One label, and work left in an open round."""
    work = new_work()
    answer(work, "good")
    Project.objects.filter(pk=work.project.pk).update(state=Project.State.CLOSED)
    work.project.refresh_from_db()
    return work


@pytest.fixture
def closed_lead(closed_work):
    return cast.signed_in(cast.member(closed_work.project, Membership.Role.LEAD, username="lena"))


def address(work, name, *args):
    return reverse(name, args=[work.project.slug, *args])


def shown(client, work, name, *args):
    return client.get(address(work, name, *args)).content.decode()


def test_a_rater_reads_their_labels_and_is_offered_no_work(closed_work):
    client = cast.signed_in(closed_work.user())
    of_label = address(closed_work, "label_item", closed_work.assignment().pk)
    to_label = address(closed_work, "label")

    home, own = shown(client, closed_work, "project"), shown(client, closed_work, "own_work")

    main = home.partition("<main")[2]
    assert CLOSED in main
    assert f'href="{address(closed_work, "own_work")}"' in main
    for page in (main, own.partition("<main")[2]):
        assert f'href="{to_label}"' not in page
    assert 'id="own-rounds"' not in home
    assert "data-nothing-to-label" not in home
    assert f'href="{of_label}"' in own
    assert "checked" in client.get(of_label).content.decode()


def test_no_round_has_work(closed_work):
    closed_work.raters[1].refresh_from_db()

    assert own_rounds(closed_work.raters[1]) == []


@pytest.mark.parametrize("name", ["project", "rounds", "round", "round_new"])
def test_a_lead_is_asked_to_reopen_it(closed_work, closed_lead, name):
    main = shown(closed_lead, closed_work, name, *[closed_work.round.pk] * (name == "round")).partition(
        "<main"
    )[2]

    assert CLOSED in main
    assert f'href="{address(closed_work, "project_edit")}"' in main
    for refused in ("round_new", "imports", "label"):
        assert f'href="{address(closed_work, refused)}' not in main


@pytest.mark.parametrize("name", ["rounds", "progress"])
def test_its_rounds_do_not_look_open(closed_work, closed_lead, name):
    def states():
        return shown(closed_lead, closed_work, name).count(f"<td>{Round.State.OPEN.label}</td>")

    assert states() == 0
    Project.objects.update(state=Project.State.OPEN)
    assert states() == 1


def test_an_attempt_is_not_offered(closed_work, closed_lead):
    Round.objects.update(pass_mark=0.8)
    offer = address(closed_work, "round_attempt", closed_work.round.pk, closed_work.raters[0].pk)
    closed_work.raters[0].qualifications.create(round=closed_work.round, n=1, n_right=0, is_passed=False)

    assert offer not in shown(closed_lead, closed_work, "round", closed_work.round.pk)
    Project.objects.update(state=Project.State.OPEN)
    assert offer in shown(closed_lead, closed_work, "round", closed_work.round.pk)


def test_no_form_plans_a_round(closed_work, closed_lead):
    before = Assignment.objects.count()
    sent = {"key": "late", "raters": [str(closed_work.user().pk)], "assign": "1"}

    response = closed_lead.post(address(closed_work, "round_new"), sent)

    assert 'name="key"' not in shown(closed_lead, closed_work, "round_new")
    assert response.status_code == 409
    assert CLOSED in response.content.decode()
    assert Assignment.objects.count() == before


def test_its_raters_are_not_changed(closed_work, closed_lead):
    round_ = closed_work.round
    round_.plans = [RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE), seed=1).as_json()]
    round_.save()
    change = address(closed_work, "round_reassign", round_.pk)
    before = list(Assignment.objects.order_by("pk").values())
    sent = {
        "raters": [str(closed_work.user().pk)],
        "seed": "1",
        "kappa": "0.7",
        "prevalence": "50",
        "assign": "1",
    }

    refused = closed_lead.post(change, sent)

    assert refused.status_code == 400
    assert list(Assignment.objects.order_by("pk").values()) == before
    for name in ("rounds", "round"):
        assert change not in shown(closed_lead, closed_work, name, *[round_.pk] * (name == "round"))
    Project.objects.update(state=Project.State.OPEN)
    assert change in shown(closed_lead, closed_work, "rounds")
    assert closed_lead.post(change, sent).status_code == 302


def test_an_item_leads_to_no_other(closed_work):
    client, place = cast.signed_in(closed_work.user()), closed_work.assignment(1).pk

    assert "data-go-on" not in shown(client, closed_work, "label_item", place)
    Project.objects.update(state=Project.State.OPEN)
    Round.objects.update(state=Round.State.CLOSED)
    assert "data-go-on" in shown(client, closed_work, "label_item", place)


def test_an_audit_offers_no_plan(closed_work, closed_lead):
    """Its items are assigned on the page of the audit."""
    Project.objects.update(state=Project.State.OPEN, is_audit=True)

    page = shown(closed_lead, closed_work, "round_new")

    assert 'name="key"' not in page
    assert f'href="{address(closed_work, "audit")}"' in page.partition("data-audit")[2]
    assert f'href="{address(closed_work, "round_new")}"' not in shown(closed_lead, closed_work, "rounds")
    assert closed_lead.post(address(closed_work, "round_new"), {"key": "late"}).status_code == 409
