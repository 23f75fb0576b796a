"""The overview for the lead: what to do next, and every number a link to the items behind it."""

import itertools
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from projects.models import Item, Membership, Round
from raters.models import Assignment, Label, Rater
from raters.progress import pages
from raters.progress.next_steps import next_steps
from raters.progress.progress_figures import figures_of
from raters.threads.actions import ask_question
from tests import cast
from tests.labeling import new_question
from tests.working import answer, new_work

pytestmark = pytest.mark.signed_in("lead_of_work")


@pytest.fixture
def disputed_work(db):
    work = new_work(usernames=["ana", "ben"])
    cast.member(work.project, Membership.Role.LEAD, username="lena")
    answer(work, "good", seconds=10)
    answer(work, "bad", rater=1, seconds=4)
    return work


def client_of(user):
    opened = Client()
    opened.force_login(user)
    return opened


@pytest.fixture
def lead_of_work(disputed_work):
    return disputed_work.project.memberships.get(role="lead").user


def address(work, rest=""):
    return f"/p/{work.project.slug}/progress/{rest}"


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def steps(project):
    return [f"{step.sentence} {step.words}" for step in next_steps(project, figures_of(project))]


def test_the_page_tells_the_figures(disputed_work, client):
    page = text(client.get(address(disputed_work)))

    assert re.search(r"ana 1 33% 2 10 s 360 per hour", page)
    assert re.search(r"ben 1 33% 2 4.0 s 900 per hour", page)
    assert "In dispute 1" in page
    assert "Waiting 3 assignments pending" not in page


def test_every_number_leads_to_as_many_rows(disputed_work, client):
    page = client.get(address(disputed_work)).content.decode()
    links = re.findall(r'<a href="([^"]+/progress/items/[^"]+)"[^>]*>([\d,]+)</a>', page)

    counted = {
        link: (int(number), client.get(link.replace("&amp;", "&")).context["page"].paginator.count)
        for link, number in links
    }

    assert len(counted) > 25
    assert {link: pair for link, pair in counted.items() if pair[0] != pair[1]} == {}


def test_reference_and_repeats_have_their_intervals(disputed_work, client):
    reference = Rater.objects.create(project=disputed_work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = disputed_work.question.categories.get(key="good")
    for item in disputed_work.items:
        Label.objects.create(item=item, rater=reference, question=disputed_work.question, category=good)
    for place in (1, 2):
        answer(disputed_work, "good", place=place)
    Label.objects.create(
        item=disputed_work.items[0],
        rater=disputed_work.raters[0],
        question=disputed_work.question,
        category=good,
        round=disputed_work.round,
        pass_number=2,
    )

    page = text(client.get(address(disputed_work)))

    # Wilson, 3 of 3: 44% to 100%. One label alone has no interval.
    assert "3 of 3 100% [44%, 100%]" in page
    assert "1 of 1 100%" in page
    assert "0 of 1 0%" in page


def test_only_a_lead_sees_next_steps(disputed_work):
    auditor = cast.member(disputed_work.project, Membership.Role.AUDITOR, username="otto")

    page = text(client_of(auditor).get(address(disputed_work)))

    assert "ana 1 33%" in page
    assert "What to do next" not in page


def test_a_lead_who_labels_does_not_see_others_answers(disputed_work):
    lead = cast.member(disputed_work.project, Membership.Role.LEAD, username="lou")
    rater = Rater.objects.create(project=disputed_work.project, key="lou", user=lead)
    Assignment.objects.create(rater=rater, item=disputed_work.items[0], round=disputed_work.round)

    response = client_of(lead).get(address(disputed_work, "items/?what=labels"))

    assert "data-none" in response.content.decode()
    assert "are not included" in text(response)


def test_what_is_unclear_shows_the_notes(disputed_work, client):
    place = disputed_work.assignment(0, 0)
    Assignment.objects.filter(pk=place.pk).update(is_guideline_unclear=True)
    Label.objects.filter(item=place.item, rater=place.rater).update(note="Is <b>irony</b> bad?")

    response = client.get(address(disputed_work, "items/?what=unclear"))

    assert "Is &lt;b&gt;irony&lt;/b&gt; bad?" in response.content.decode()
    assert "Is <b>irony" not in response.content.decode()


def test_who_labels_the_round_is_not_shown_notes_on_its_items(disputed_work):
    lead = cast.member(disputed_work.project, Membership.Role.LEAD, username="lou")
    rater = Rater.objects.create(project=disputed_work.project, key="lou", user=lead)
    Assignment.objects.create(rater=rater, item=disputed_work.items[0], round=disputed_work.round)
    Assignment.objects.filter(pk=disputed_work.assignment(0, 0).pk).update(is_guideline_unclear=True)
    Label.objects.update(note="Is irony bad?")

    response = client_of(lead).get(address(disputed_work, "items/?what=unclear"))

    assert "data-none" in response.content.decode()
    assert "irony" not in text(response)


@pytest.mark.parametrize("query", ["", "?what=all", "?what=labels&rater=x", "?what=labels&round=999999"])
def test_a_list_that_is_not_there(disputed_work, client, query):
    assert client.get(address(disputed_work, f"items/{query}")).status_code == 404


def test_a_new_project_is_led_from_step_to_step(db):
    project = cast.new_project()
    assert steps(project) == [
        "There are no questions yet. Write the codebook",
        "There are no items yet. Import items",
        "There are no raters yet. Invite raters",
    ]
    new_question(project)
    Item.objects.create(project=project, key="a")
    assert steps(project)[-1] == "1 item is in no round and unlabeled. Plan a round"


def test_a_round_is_opened_closed_and_revealed(disputed_work):
    Round.objects.update(state="draft")
    assert "round 1 is planned: 6 assignments are waiting for it to open. Open round 1" in steps(
        disputed_work.project
    )
    Round.objects.update(state="open")
    for place, rater in itertools.product(range(3), range(2)):
        if disputed_work.assignment(place, rater).state == "pending":
            answer(disputed_work, "good", place=place, rater=rater)
    assert "All items in round 1 are labeled. Close round 1" in steps(disputed_work.project)
    Round.objects.update(state="closed")
    sentence = "round 1 is closed, but its raters cannot see each other’s labels yet. Reveal round 1"
    assert sentence in steps(disputed_work.project)
    Round.objects.update(revealed_at=timezone.now())
    assert sentence not in steps(disputed_work.project)


def test_one_of_a_thing_is_in_the_singular(db):
    work = new_work(n_items=1, n_raters=1)
    ask_question(work.raters[0], work.items[0], "Is irony good?", by=work.user())
    old = timezone.now() - timedelta(days=4)
    Round.objects.update(opened_at=old)

    found = steps(work.project)

    assert "1 question from a rater is unanswered. Answer" in found
    assert any("has 1 item left to label." in step for step in found)
    Round.objects.update(state="draft")
    assert any("1 assignment is waiting for it to open." in step for step in steps(work.project))


def test_who_was_not_seen_for_three_days_is_reminded(disputed_work):
    old = timezone.now() - timedelta(days=4)
    Assignment.objects.filter(rater=disputed_work.raters[1]).update(last_seen_at=old, done_at=old)
    Label.objects.filter(rater=disputed_work.raters[1]).update(labelled_at=old)

    found = steps(disputed_work.project)

    assert "ben has been away for 4 days and has 2 items left to label. See what ben has left" in found
    assert not any("ana" in step for step in found)


def test_who_never_came_is_reminded_once_the_round_is_old(disputed_work):
    Label.objects.all().delete()
    Assignment.objects.update(last_seen_at=None, done_at=None, state="pending")
    Round.objects.update(opened_at=timezone.now() - timedelta(days=1))
    assert not any("has been away" in step for step in steps(disputed_work.project))

    Round.objects.update(opened_at=timezone.now() - timedelta(days=5))

    assert (
        sum("has not signed in yet and has 3 items left" in step for step in steps(disputed_work.project))
        == 2
    )


def test_work_of_raters_who_left_is_reassigned(disputed_work):
    disputed_work.user(1).memberships.all().delete()

    assert "ben left the project with pending assignments in round 1. Reassign round 1" in steps(
        disputed_work.project
    )


def test_work_of_raters_who_may_no_longer_label_is_reassigned(disputed_work):
    disputed_work.user(1).memberships.update(role="auditor")

    why = "ben can no longer label, because of a new role"
    assert f"{why}, and has pending assignments in round 1. Reassign round 1" in steps(disputed_work.project)
    # There is no point in waiting for them.
    Round.objects.update(opened_at=timezone.now() - timedelta(days=9))
    assert not any("ben has" in step for step in steps(disputed_work.project))


def test_disputes_and_reports(disputed_work):
    found = steps(disputed_work.project)

    assert "1 item is in dispute. Adjudicate" in found
    assert "Agreement has not been computed yet. Compute a report" in found


def test_a_closed_project_has_nothing_to_do(disputed_work):
    disputed_work.project.state = "closed"

    assert steps(disputed_work.project) == []


def test_more_raters_take_as_many_queries(disputed_work, client, django_assert_max_num_queries):
    for n in range(30):
        rater = Rater.objects.create(project=disputed_work.project, key=f"rater-{n}")
        Assignment.objects.create(rater=rater, item=disputed_work.items[0], round=disputed_work.round)

    with django_assert_max_num_queries(30):
        client.get(address(disputed_work))


def test_many_raters_are_on_several_pages(disputed_work, client, monkeypatch):
    monkeypatch.setattr(pages, "RATERS_ON_A_PAGE", 1)

    def shown(query=""):
        response = client.get(address(disputed_work, query))
        return [row.figures.rater.key for row, _ in response.context["rows"]], response.content.decode()

    (first, page), (second, _) = shown(), shown("?page=2")

    assert (first, second) == (["ana"], ["ben"])
    assert 'rel="next" href="?page=2"' in page


def test_the_same_over_the_api(disputed_work, client):
    found = client.get(f"/api/v1/projects/{disputed_work.project.slug}/progress/").json()

    assert found["items"] == {
        "n": 3,
        "n_finished": 1,
        "n_waiting": 2,
        "n_unfinished": 0,
        "n_free": 0,
        "n_disputed": 1,
        "n_disputes": 1,
    }
    assert found["labels"] == {"n": 2, "n_abstentions": 0, "n_notes": 0}
    ana = found["raters"][0]
    assert (ana["rater"], ana["assignments"], ana["median_seconds"]) == ("ana", {"n": 3, "n_done": 1}, 10)
    assert ana["reference"] == {"n": 0, "n_same": 0, "share": None}
    assert found["rounds"][0]["assignments"] == {"n": 6, "n_done": 2}
    assert [step["sentence"] for step in found["next_steps"]] == [
        "1 item is in dispute.",
        "Agreement has not been computed yet.",
    ]


def test_raters_come_in_pages_over_the_api(disputed_work, client):
    address = f"/api/v1/projects/{disputed_work.project.slug}/progress/"

    def found(query: str) -> tuple[int, list[str]]:
        sent = client.get(address + query).json()
        return sent["n_raters"], [row["rater"] for row in sent["raters"]]

    assert found("") == (2, ["ana", "ben"])
    assert found("?page_size=1") == (2, ["ana"])
    assert found("?page_size=1&page=2") == (2, ["ben"])
    assert client.get(f"{address}?page=2").status_code == 404


def test_who_may_not_adjudicate_is_led_to_the_items_in_dispute(disputed_work):
    auditor = client_of(cast.member(disputed_work.project, Membership.Role.AUDITOR, username="otto"))
    page = auditor.get(address(disputed_work)).content.decode()

    assert f"{address(disputed_work)}items/?what=disputed" in page
    # In the navigation alone.
    assert page.count(f"/p/{disputed_work.project.slug}/adjudicate/") == 1
    assert "item-1" in text(auditor.get(address(disputed_work, "items/?what=disputed")))
