"""Questions of raters and items that they marked as not covered by the guidelines, in one list."""

import pytest
from django.urls import reverse

from projects.codebook.drafts import draft_of
from projects.models import Membership
from raters.models import Assignment, Label, Thread
from raters.progress.next_steps import next_steps
from raters.progress.progress_figures import figures_of
from raters.threads.actions import ask_question, reply
from raters.threads.inquiries import Inquiries, InquiryFilter, OpenCounts, open_counts
from tests import cast
from tests.working import Work, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def unclear_work(db) -> Work:
    """zoe asks about the first item and marks it; yves marks it with a note, and asks about the second."""
    work = new_work(n_items=4, usernames=["zoe", "yves"])
    zoe, yves = work.raters
    ask_question(zoe, work.items[0], "Is irony good?", by=work.user())
    ask_question(yves, work.items[1], "Two?", by=work.user(1))
    mark(zoe, work.items[0])
    mark(yves, work.items[0], note="Sarcasm?")
    return work


@pytest.fixture
def lara(unclear_work):
    return cast.member(unclear_work.project, Membership.Role.LEAD, username="lara")


@pytest.fixture
def lara_signed_in(lara):
    return cast.signed_in(lara)


def mark(rater, item, note=""):
    place = Assignment.objects.get(rater=rater, item=item)
    Assignment.objects.filter(pk=place.pk).update(is_guideline_unclear=True)
    if note:
        question = item.project.questions.first()
        Label.objects.create(
            item=item, rater=rater, question=question, round=place.round, note=note,
            category=question.categories.first(),
        )  # fmt: skip
    return place


def found(work, **wanted):
    rows = Inquiries(work.project, InquiryFilter(**wanted))
    listed = [(each.item.key, each.rater.key, each.is_question, bool(each.marks)) for each in rows[0:50]]
    assert len(rows) == len(listed)
    return listed


def page(work, name, *args):
    return reverse(name, args=[work.project.slug, *args])


def test_one_entry_for_each_rater_and_item_by_item(unclear_work):
    zoe, yves = (rater.key for rater in unclear_work.raters)
    both, marked, asked = (
        ("item-1", zoe, True, True),
        ("item-1", yves, False, True),
        ("item-2", yves, True, False),
    )

    # Of the questions is known when they were asked, of the marks not.
    assert sorted(found(unclear_work)) == sorted([both, marked, asked])
    assert [each[0] for each in found(unclear_work)] in (
        ["item-1"] * 2 + ["item-2"],
        ["item-2"] + ["item-1"] * 2,
    )
    assert sorted(found(unclear_work, kind="unclear")) == sorted([both, marked])
    assert sorted(found(unclear_work, kind="questions")) == sorted([both, asked])
    assert open_counts(unclear_work.project) == OpenCounts(3, 2, 2)


def test_it_is_open_until_it_is_answered_and_again_when_the_rater_asks_again(unclear_work, lara):
    work = unclear_work
    zoe = work.raters[0]
    thread = Thread.objects.get(rater=zoe)
    reply(thread, "Irony is bad.", by=lara)
    answered = found(work, state="answered")
    left = open_counts(work.project)
    ask_question(zoe, work.items[0], "Always?", by=work.user())

    assert answered == [("item-1", zoe.key, True, True)]
    assert left == OpenCounts(2, 1, 1)
    assert (found(work, state="answered"), len(found(work, state="all"))) == ([], 3)


def test_filtered_by_round(unclear_work):
    other = unclear_work.project.rounds.create(key="other")

    assert len(found(unclear_work, round=unclear_work.round.pk)) == 3
    assert found(unclear_work, round=other.pk) == []


def test_a_rater_who_only_marked_it_reads_the_answer_and_it_goes_into_the_guidelines(
    unclear_work, lara_signed_in
):
    work = unclear_work
    place = Assignment.objects.get(rater=work.raters[1], item=work.items[0])
    listed = lara_signed_in.get(page(work, "threads"), {"kind": "unclear"})
    lara_signed_in.post(
        f"{page(work, 'unclear_reply', place.pk)}?kind=unclear", {"text": "It counts.", "guidelines": "yes"}
    )
    yves = cast.signed_in(work.user(1))
    own = yves.get(page(work, "own_thread", place.pk)).content

    assert listed.content.count(b"data-unclear") == 2
    assert b"Sarcasm?" in listed.content
    thread = Thread.objects.get(rater=work.raters[1], item=work.items[0])
    assert (thread.is_open, thread.has_news, thread.in_guidelines_at is not None) == (False, True, True)
    assert (b"It counts." in own, b"data-unclear" in own) == (True, True)
    # The rater's own words are for the leads alone.
    assert draft_of(work.project).guidelines == "It counts.\n"
    assert open_counts(work.project) == OpenCounts(2, 2, 1)


def test_the_list_stays_filtered(unclear_work, lara_signed_in):
    place = Assignment.objects.get(rater=unclear_work.raters[1], item=unclear_work.items[0])
    address = page(unclear_work, "unclear_reply", place.pk)

    back = lara_signed_in.post(f"{address}?kind=unclear&state=all", {"text": "Yes."})
    empty = lara_signed_in.post(f"{address}?kind=unclear", {"text": ""})

    assert back["Location"] == f"{page(unclear_work, 'threads')}?kind=unclear&state=all"
    assert empty["Location"] == f"{page(unclear_work, 'threads')}?kind=unclear"
    assert lara_signed_in.get(page(unclear_work, "threads"), {"kind": "nonsense"}).status_code == 404


def test_what_the_lead_still_labels_is_left_out(unclear_work, lara, lara_signed_in):
    work = unclear_work
    rater = work.project.raters.create(key="lara", user=lara)
    Assignment.objects.create(rater=rater, item=work.items[0], round=work.round)
    place = Assignment.objects.get(rater=work.raters[1], item=work.items[0])
    api = f"/api/v1/projects/{work.project.slug}/inquiries/"

    assert lara_signed_in.get(api).json()["count"] == 0
    assert b"Sarcasm?" not in lara_signed_in.get(page(work, "threads")).content
    assert lara_signed_in.post(page(work, "unclear_reply", place.pk), {"text": "Yes."}).status_code == 404
    assert (
        lara_signed_in.post(
            f"{api}unclear/{place.pk}/reply/", {"text": "Yes."}, "application/json"
        ).status_code
        == 404
    )


def test_the_next_steps_count_what_is_open(unclear_work, lara):
    def steps():
        found = next_steps(unclear_work.project, figures_of(unclear_work.project))
        return [each.address.partition("?")[2] for each in found if "/threads/" in each.address]

    before = steps()
    for thread in Thread.objects.all():
        reply(thread, "So.", by=lara)

    assert before == ["kind=questions", "kind=unclear"]
    assert steps() == ["kind=unclear"]


def test_the_next_steps_of_who_still_labels_the_items_count_none_of_it(unclear_work, lara, lara_signed_in):
    work = unclear_work
    api = f"/api/v1/projects/{work.project.slug}/progress/"

    def steps():
        addresses = [each.address for each in lara_signed_in.get(page(work, "progress")).context["steps"]]
        return [
            each for each in [*addresses, lara_signed_in.get(api).content.decode()] if "/threads/" in each
        ]

    before = steps()
    rater = work.project.raters.create(key="lara", user=lara)
    Assignment.objects.create(rater=rater, item=work.items[0], round=work.round)

    assert len(before) == 3
    assert steps() == []


def test_both_former_places_lead_to_it(unclear_work, lara_signed_in):
    behind = lara_signed_in.get(f"{page(unclear_work, 'progress_items')}?what=unclear").content.decode()

    assert f"{page(unclear_work, 'threads')}?kind=unclear" in behind


def test_over_the_api(unclear_work, lara_signed_in):
    work = unclear_work
    base = f"/api/v1/projects/{work.project.slug}/inquiries/"
    unclear = lara_signed_in.get(base, {"kind": "unclear", "round": work.round.key}).json()
    [noted] = [each for each in unclear["results"] if each["thread"] is None]
    [marked] = noted["unclear"]
    answered = lara_signed_in.post(
        f"{base}unclear/{marked['assignment']}/reply/",
        {"text": "It counts.", "into_guidelines": True},
        "application/json",
    )

    assert (unclear["count"], noted["rater"], noted["is_open"]) == (2, work.raters[1].key, True)
    assert (marked["round"], marked["notes"]) == (work.round.key, ["Sarcasm?"])
    assert (answered.status_code, answered.json()["is_open"]) == (201, False)
    assert answered.json()["in_guidelines_at"] is not None
    assert lara_signed_in.get(base, {"kind": "unclear"}).json()["count"] == 1
    assert lara_signed_in.get(base, {"state": "answered"}).json()["count"] == 1
    assert lara_signed_in.get(base, {"round": "none"}).status_code == 404
    assert lara_signed_in.get(base, {"kind": ""}).status_code == 400


def test_more_entries_take_as_many_queries(unclear_work, lara, lara_signed_in, django_assert_max_num_queries):
    work, address = unclear_work, page(unclear_work, "threads")
    lara_signed_in.get(address)
    with django_assert_max_num_queries(30) as few:
        lara_signed_in.get(address)
    for rater, user in zip(work.raters, (work.user(), work.user(1)), strict=True):
        for item in work.items[2:]:
            ask_question(rater, item, "Why?", by=user)
            mark(rater, item, note="Hm.")
    with django_assert_max_num_queries(len(few)):
        listed = lara_signed_in.get(address)

    assert listed.content.count(b"data-thread") == 6
