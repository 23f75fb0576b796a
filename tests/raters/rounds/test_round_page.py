"""The page of one round, and the same over the API."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Event, Membership, Round
from raters.models import Assignment
from reports.models import Report
from tests import cast
from tests.working import answer


@pytest.fixture
def leading(work):
    """A lead of the work's project, signed in."""
    return cast.signed_in(cast.member(work.project, Membership.Role.LEAD, username="lena"))


def url(work, rest=""):
    return f"/p/{work.project.slug}/rounds/{work.round.pk}/{rest}"


def call(client, method, work, rest="", body=None):
    raw = "" if body is None else json.dumps(body)
    return client.generic(
        method, f"/api/v1{url(work, rest)}".replace("/p/", "/projects/"), raw, content_type="application/json"
    )


def test_the_page_tells_what_each_rater_has_left(leading, work):
    answer(work, "good")

    page = leading.get(url(work)).content.decode()

    assert ">1 of 3</td>" in page
    assert f'rater={work.raters[0].pk}">2</a>' in page
    assert f'rater={work.raters[1].pk}">3</a>' in page
    assert 'id="has-labels"' in page
    found = call(leading, "GET", work, "progress/").json()
    assert (found["n_assignments"], found["n_done"], found["n_left"], found["is_empty"]) == (6, 1, 5, False)
    assert {row["rater"]: row["n_left"] for row in found["raters"]} == {
        work.raters[0].key: 2,
        work.raters[1].key: 3,
    }


@pytest.mark.usefixtures("has_mail")
def test_a_round_is_renamed_and_gets_a_deadline(leading, work):
    due_on = timezone.localdate() + timedelta(days=9)

    page = leading.post(
        url(work), {"key": "main", "due_on": due_on.isoformat(), "remind_days": "2"}, follow=True
    )

    round_ = Round.objects.get()
    assert (round_.key, round_.due_on, round_.remind_days) == ("main", due_on, 2)
    assert round_.site == "http://testserver"
    assert f'datetime="{due_on.isoformat()}"' in page.content.decode()
    assert Event.objects.get(kind="round_changed").detail["changed"] == {
        "key": {"old": "round 1", "new": "main"},
        "due_on": {"old": None, "new": due_on.isoformat()},
        "remind_days": {"old": None, "new": 2},
    }
    rater = cast.signed_in(work.user())
    for address in (f"/p/{work.project.slug}/", f"/p/{work.project.slug}/label/{work.assignment().pk}/"):
        assert f'datetime="{due_on.isoformat()}"' in rater.get(address).content.decode()
    own = rater.get(f"/api/v1/projects/{work.project.slug}/assignments/").json()["rounds"]
    assert [(each["round"], each["due_on"]) for each in own] == [("main", due_on.isoformat())]


@pytest.mark.usefixtures("has_mail")
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"key": "other"}, "key_taken"),
        ({"key": "Other"}, "key_taken"),
        ({"due_on": "2020-01-01"}, "deadline_over"),
        ({"due_on": "tomorrow"}, "invalid"),
        ({"due_on": "9999-12-31"}, "invalid"),
        ({"due_on": 20300101}, "invalid"),
        ({"remind_days": 61}, "max_value"),
        ({"key": "a\nb"}, "control"),
    ],
)
def test_an_invalid_change_is_refused(leading, work, change, error):
    Round.objects.create(project=work.project, key="other")

    response = call(leading, "PATCH", work, "", change)

    assert response.json()["error"] == error
    assert [each["field"] for each in response.json()["errors"]] in ([], list(change))
    page = leading.post(url(work), {"key": "round 1"} | change)
    assert page.status_code == 400
    if error == "key_taken":
        assert page.context["form"].errors.keys() == {"key"}
    assert Round.objects.get(pk=work.round.pk).key == "round 1"


def test_the_case_of_a_name_can_be_changed(leading, work):
    assert call(leading, "PATCH", work, "", {"key": "Round 1"}).status_code == 200
    assert Round.objects.get(pk=work.round.pk).key == "Round 1"


@pytest.mark.parametrize("named", ["round 1", "pilot"])
def test_a_name_that_a_report_knows_stays_with_its_round(leading, work, named):
    Report.objects.create(
        project=work.project, asked_by=work.user(), scope={"questions": ["tone"], "rounds": [named]}
    )

    response = call(leading, "PATCH", work, "", {"key": "pilot"})

    assert (response.status_code, response.json()["error"]) == (409, "named_in_report")


def test_the_steps_over_the_api(leading, work):
    paused = call(leading, "POST", work, "pause/", {"note": "Wait"}).json()
    assert (paused["state"], paused["pause_note"]) == ("open", "Wait")
    assert paused["paused_at"]
    assert call(leading, "POST", work, "resume/").json()["paused_at"] is None
    assert call(leading, "POST", work, "set-back/").json()["state"] == "draft"
    assert call(leading, "DELETE", work).status_code == 204
    assert not Assignment.objects.exists()


def test_the_steps_by_the_page(leading, work):
    leading.post(url(work, "pause/"), {"note": "Wait"})
    assert "“Wait”" in leading.get(url(work)).content.decode()
    leading.post(url(work, "resume/"))
    assert "This server cannot send email" in leading.post(url(work, "remind/"), follow=True).content.decode()
    leading.post(url(work, "set-back/"))
    assert Round.objects.get().state == "draft"
    page = leading.post(url(work, "delete/"), follow=True).content.decode()
    assert "round 1 deleted" in page
    assert not Round.objects.exists()


def test_a_message_that_is_too_long_pauses_nothing(leading, work):
    page = leading.post(url(work, "pause/"), {"note": "x" * 501}, follow=True)

    assert "The message is not valid" in page.content.decode()
    assert not Round.objects.get().is_paused


def test_a_round_of_another_project_is_not_there(leading, work):
    other = Round.objects.create(project=cast.new_project("Other", unique=True), key="other")

    for rest in ("", "pause/", "resume/", "remind/", "set-back/", "delete/"):
        assert leading.post(f"/p/{work.project.slug}/rounds/{other.pk}/{rest}").status_code == 404


def test_a_closed_round_says_so(leading, work):
    Round.objects.update(state="closed")

    assert leading.post(url(work), {"key": "main"}).status_code == 400
    assert 'id="change"' not in leading.get(url(work)).content.decode()


def test_a_server_without_email_says_so_instead_of_offering_reminders(leading, work):
    page = leading.get(url(work)).content.decode()
    leading.post(url(work), {"key": "main", "due_on": "", "remind_days": "2"})

    assert "This server cannot send email, so raters can’t be reminded." in page
    assert (Round.objects.get().key, Round.objects.get().remind_days) == ("main", None)
