"""Another attempt at a round with a pass mark: one step, the same gate, and each result is kept."""

from uuid import uuid4

import pytest
from django.urls import reverse

from projects.models import Event, Membership, Round
from projects.refusals import ProjectClosed
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.own_rounds import own_rounds
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Label, Notification, Qualification, Rater
from raters.quality.passing import NoPassMark, decide, own_results
from raters.rounds.attempts import AttemptItems, AttemptRefused, attempts_at, give_attempt
from raters.rounds.states import change_round, close_round
from tests import cast
from tests.working import answer, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def retry_work(lead):
    """Two items to train on, "good"; three more with that answer in no round; one item behind the gate."""
    work = new_work(n_items=6, usernames=["zoe", "yves"])
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    good = work.question.categories.get(key="good")
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=work.question, category=good) for item in work.items[:5]
    )
    main = Round.objects.create(project=work.project, key="main", position=1)
    Assignment.objects.filter(item=work.items[5]).update(round=main)
    Assignment.objects.filter(item__in=work.items[2:5]).delete()
    change_round(work.round, by=lead, pass_mark=0.8, reference_use="training")
    change_round(main, by=lead, gates=[work.round])
    return work


def fail(work, rater=0):
    for place in (0, 1):
        answer(work, "bad", place=place, rater=rater)


def answer_attempt(work, further, words, rater=0):
    """What the rater says to the items of the attempt, in order, as the Label page saves it."""
    rows = Assignment.objects.filter(round=further, rater=work.raters[rater]).order_by("position")
    for place, label in zip(rows, words, strict=True):
        draft = SubmittedAnswers(answers={"tone": Answer(category=label)}, revisions={})
        save_answers(work.raters[rater], place.pk, draft, key=uuid4(), by=work.user(rater))


def items_of(further, rater):
    return set(Assignment.objects.filter(round=further, rater=rater).values_list("item__key", flat=True))


def test_on_other_items_it_opens_what_waits_behind_the_first(retry_work, lead):
    zoe = retry_work.raters[0]
    fail(retry_work)
    assert take_next_assignment(zoe) is None

    further = give_attempt(retry_work.round, zoe, items=AttemptItems.OTHER, by=lead)

    assert (further.is_open, further.pass_mark, further.reference_use) == (True, 0.8, "training")
    assert len(items_of(further, zoe)) == 2
    assert items_of(further, zoe) <= {"item-3", "item-4", "item-5"}
    [failed] = own_results(zoe)
    assert (failed.qualification.is_passed, failed.further) == (False, further.key)
    answer_attempt(retry_work, further, ["good", "good"])
    first, second = own_results(zoe)
    assert (first.qualification.n_right, second.qualification.n_right) == (0, 2)
    assert (first.qualification.is_passed, second.qualification.is_passed) == (False, True)
    assert second.further == ""
    assert take_next_assignment(zoe) == retry_work.assignment(5).pk
    assert all(not each.gates for each in own_rounds(zoe))
    assert [(row.recipient, row.round) for row in Notification.objects.filter(kind="assigned")] == [
        (zoe.user, further)
    ]
    event = Event.objects.get(kind="attempt_given")
    assert (event.about, event.detail["first"], event.detail["n"]) == ("zoe", "round 1", 2)


def test_on_the_same_items_and_a_third_one(retry_work, lead):
    zoe = retry_work.raters[0]
    fail(retry_work)
    second = give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    answer_attempt(retry_work, second, ["good", "bad"])
    # Given on the page of either round.
    third = give_attempt(second, zoe, items=AttemptItems.SAME, by=lead)

    assert items_of(second, zoe) == items_of(third, zoe) == {"item-1", "item-2"}
    passes = Assignment.objects.filter(rater=zoe, item=retry_work.items[0]).order_by("pk")
    assert list(passes.values_list("pass_number", flat=True)) == [1, 2, 3]
    tried = attempts_at(retry_work.round)[zoe.pk]
    assert [(each.number, each.round.key, each.is_failed) for each in tried] == [
        (1, "round 1", True), (2, "round 1: attempt 2", True), (3, "round 1: attempt 3", False),
    ]  # fmt: skip
    # The first answers stand.
    labels = Label.objects.filter(rater=zoe, item=retry_work.items[0]).order_by("pass_number")
    assert labels.first().category.key == "bad"


def test_raters_who_try_for_the_same_time_share_the_round_while_it_is_open(retry_work, lead):
    zoe, yves = retry_work.raters
    fail(retry_work)
    fail(retry_work, rater=1)
    of_zoe = give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    of_yves = give_attempt(retry_work.round, yves, items=AttemptItems.OTHER, by=lead)
    answer_attempt(retry_work, of_zoe, ["good", "good"])

    assert of_zoe == of_yves
    # What one passes opens nothing to the other.
    assert (take_next_assignment(zoe), take_next_assignment(yves)) == (
        retry_work.assignment(5).pk,
        Assignment.objects.filter(round=of_yves, rater=yves).order_by("position").first().pk,
    )
    assert not Qualification.objects.filter(rater=yves, round=of_yves).exists()


def test_a_closed_attempt_is_not_joined(retry_work, lead):
    zoe, yves = retry_work.raters
    fail(retry_work)
    fail(retry_work, rater=1)
    of_zoe = give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    close_round(of_zoe, by=lead)

    of_yves = give_attempt(retry_work.round, yves, items=AttemptItems.SAME, by=lead)

    assert of_yves.key == "round 1: attempt 2 2"


def test_refused(retry_work, lead):
    zoe, yves = retry_work.raters
    with pytest.raises(AttemptRefused, match="not finished"):
        give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    with pytest.raises(NoPassMark):
        give_attempt(Round.objects.get(key="main"), zoe, items=AttemptItems.SAME, by=lead)
    fail(retry_work)
    Label.objects.filter(rater__kind="reference", item__in=retry_work.items[2:4]).delete()
    with pytest.raises(AttemptRefused, match="there are 1"):
        give_attempt(retry_work.round, zoe, items=AttemptItems.OTHER, by=lead)
    give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    with pytest.raises(AttemptRefused, match="not finished"):
        give_attempt(retry_work.round, zoe, items=AttemptItems.SAME, by=lead)
    fail(retry_work, rater=1)
    decide(retry_work.round, yves, is_passed=True, by=lead)
    with pytest.raises(AttemptRefused, match="passed"):
        give_attempt(retry_work.round, yves, items=AttemptItems.SAME, by=lead)
    decide(retry_work.round, yves, is_passed=False, by=lead)
    Membership.objects.filter(user=yves.user).delete()
    with pytest.raises(AttemptRefused, match="not a member"):
        give_attempt(retry_work.round, yves, items=AttemptItems.SAME, by=lead)
    retry_work.project.state = "closed"
    retry_work.project.save()
    with pytest.raises(ProjectClosed):
        give_attempt(Round.objects.get(pk=retry_work.round.pk), yves, items=AttemptItems.SAME, by=lead)


def test_on_the_page(retry_work, lead):
    zoe = retry_work.raters[0]
    fail(retry_work)
    client = cast.signed_in(cast.member(retry_work.project, Membership.Role.LEAD, username="lara"))
    page = reverse("round", args=[retry_work.project.slug, retry_work.round.pk])
    give = reverse("round_attempt", args=[retry_work.project.slug, retry_work.round.pk, zoe.pk])
    before = client.get(page).content.decode()
    wrong = client.post(give, {"items": "some"})
    given = client.post(give, {"items": "other"})
    after = client.get(page).content.decode()
    told = cast.signed_in(retry_work.user()).get(reverse("own_work", args=[retry_work.project.slug]))

    assert (give in before, give in after) == (True, False)
    assert "data-attempt" in after
    assert (wrong.status_code, given.status_code, told.status_code) == (404, 302, 200)
    further = Round.objects.get(attempt__first=retry_work.round)
    of_attempt = client.get(reverse("round", args=[retry_work.project.slug, further.pk])).content.decode()
    assert page in of_attempt


def test_the_rater_sees_what_happened(retry_work, lead):
    fail(retry_work)
    give_attempt(retry_work.round, retry_work.raters[0], items=AttemptItems.SAME, by=lead)
    further = Round.objects.get(attempt__first=retry_work.round)
    answer_attempt(retry_work, further, ["bad", "good"])
    client = cast.signed_in(retry_work.user())
    done = client.get(reverse("label", args=[retry_work.project.slug]), follow=True).content.decode()

    assert done.count('data-result="failed"') == 2
    assert f"“{further.key}”" in done


def test_over_the_api(retry_work, lead):
    zoe = retry_work.raters[0]
    fail(retry_work)
    client = cast.signed_in(cast.member(retry_work.project, Membership.Role.LEAD, username="lara"))
    base = f"/api/v1/projects/{retry_work.project.slug}/rounds/"
    address = f"{base}{retry_work.round.pk}/passes/{zoe.pk}/attempt/"
    given = client.post(address, {"items": "other"}, "application/json")
    again = client.post(address, {"items": "other"}, "application/json")
    listed = client.get(base).json()

    assert (given.status_code, given.json()["attempt_of"]) == (201, retry_work.round.pk)
    assert (again.status_code, again.json()["error"]) == (409, "attempt_refused")
    assert [each["attempt_of"] for each in listed] == [None, None, retry_work.round.pk]
