"""A rater asks about an item, a lead answers, nobody else sees it, and it can go into the guidelines."""

import pytest
from django.urls import reverse

from projects.codebook.drafts import draft_of
from projects.models import Event, GuidelinesVersion, Membership
from raters.models import Assignment, Thread
from raters.threads.actions import ThreadRefused, ask_question, into_guidelines, reply, threads_of
from tests import cast
from tests.working import Work, new_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking_work(db) -> Work:
    return new_work(n_items=3, usernames=["zoe", "yves"])


@pytest.fixture
def answering(asking_work):
    """The lead's client."""
    return cast.signed_in(cast.member(asking_work.project, Membership.Role.LEAD, username="lara"))


@pytest.fixture
def of_zoe_asking(asking_work):
    return cast.signed_in(asking_work.user())


def page(work: Work, name: str, *args) -> str:
    return reverse(name, args=[work.project.slug, *args])


def test_asked_answered_read(asking_work, answering, of_zoe_asking):
    work = asking_work
    own = page(work, "own_thread", work.assignment().pk)
    label = page(work, "label_item", work.assignment().pk)
    assert b"data-news" not in of_zoe_asking.get(label).content

    of_zoe_asking.post(own, {"text": "Is irony good?\nOr bad?"})
    thread = Thread.objects.get()
    assert (thread.item, thread.rater, thread.is_open, thread.has_news) == (
        work.items[0], work.raters[0], True, False,
    )  # fmt: skip
    listed = answering.get(page(work, "threads"))
    assert listed.content.count(b"data-thread") == 1
    assert b"Is irony good?" in listed.content

    answering.post(page(work, "thread_reply", thread.pk), {"text": "Irony is bad."})
    thread.refresh_from_db()
    assert (thread.is_open, thread.has_news) == (False, True)
    # On every item, until it is read.
    other = page(work, "label_item", work.assignment(1).pk)
    assert b"data-news" in of_zoe_asking.get(other).content
    assert b"data-own-thread" in of_zoe_asking.get(page(work, "own_work")).content
    shown = of_zoe_asking.get(own).content
    assert shown.count(b'data-message="answer"') == 1
    of_zoe_asking.post(page(work, "own_thread_read", work.assignment().pk))
    assert b"data-news" not in of_zoe_asking.get(other).content
    kinds = Event.objects.filter(kind__startswith="question_").order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["question_asked", "question_answered"]


def test_no_other_rater_sees_it(asking_work):
    work = asking_work
    ask_question(work.raters[0], work.items[0], "Secret?", by=work.user())
    yves = cast.signed_in(work.user(1))
    own = Assignment.objects.get(rater=work.raters[1], item=work.items[0])

    assert b"Secret?" not in yves.get(page(work, "own_thread", own.pk)).content
    assert yves.get(page(work, "own_thread", work.assignment().pk)).status_code == 404
    assert b"Secret?" not in yves.get(page(work, "own_work")).content


def test_a_lead_who_labels_the_item_does_not_see_it(asking_work, answering):
    work = asking_work
    thread = ask_question(work.raters[0], work.items[0], "I said good; right?", by=work.user())
    lara = work.project.memberships.get(user__username="lara").user
    rater = work.project.raters.create(key="lara", user=lara)
    Assignment.objects.create(rater=rater, item=work.items[0], round=work.round)

    listed = answering.get(page(work, "threads"))
    assert b"I said good" not in listed.content
    assert answering.post(page(work, "thread_reply", thread.pk), {"text": "Yes."}).status_code == 404
    api = f"/api/v1/projects/{work.project.slug}/threads/"
    assert answering.get(api).json()["count"] == 0


def test_it_goes_into_the_draft_of_the_guidelines(asking_work, answering):
    work = asking_work
    work.project.guidelines = "Be fair."
    work.project.save()
    thread = ask_question(work.raters[0], work.items[0], "Is irony good?\n> or not", by=work.user())
    lara = work.project.memberships.get(user__username="lara").user
    with pytest.raises(ThreadRefused):
        into_guidelines(thread, by=lara)

    answering.post(page(work, "thread_reply", thread.pk), {"text": "Irony is bad.", "guidelines": "yes"})

    # Raters are labeling, so they read it once it is published.
    draft = draft_of(work.project)
    # The rater was promised that nobody else sees the question.
    assert draft.guidelines == "Be fair.\n\nIrony is bad.\n"
    assert not GuidelinesVersion.objects.filter(project=work.project).exists()
    assert Thread.objects.get().in_guidelines_at is not None


def test_open_ones_come_first_and_a_thread_ends_somewhere(asking_work, monkeypatch):
    work = asking_work
    first = ask_question(work.raters[0], work.items[0], "One?", by=work.user())
    second = ask_question(work.raters[1], work.items[1], "Two?", by=work.user(1))
    reply(first, "Yes.", by=work.user())
    assert list(threads_of(work.project)) == [second, first]
    monkeypatch.setattr("raters.threads.actions.MOST_MESSAGES", 2)

    with pytest.raises(ThreadRefused):
        ask_question(work.raters[0], work.items[0], "Three?", by=work.user())
    assert Thread.objects.get(pk=first.pk).messages.count() == 2


def test_over_the_api(asking_work, answering, of_zoe_asking):
    work = asking_work
    base = f"/api/v1/projects/{work.project.slug}/"
    own = f"{base}assignments/{work.assignment().pk}/thread/"
    made = of_zoe_asking.post(own, {"text": "Why?"}, content_type="application/json")
    assert made.status_code == 201
    assert answering.get(f"{base}threads/?state=open").json()["count"] == 1
    answered = answering.post(
        f"{base}threads/{made.json()['id']}/reply/",
        {"text": "So.", "into_guidelines": True},
        content_type="application/json",
    ).json()
    assert [(each["is_answer"], each["text"]) for each in answered["messages"]] == [
        (False, "Why?"),
        (True, "So."),
    ]
    assert answered["in_guidelines_at"] is not None
    [mine] = of_zoe_asking.get(f"{base}assignments/threads/").json()
    assert mine["has_news"] is True
    assert of_zoe_asking.delete(own).status_code == 204
    assert of_zoe_asking.get(f"{base}assignments/threads/").json()[0]["has_news"] is False
    assert answering.get(f"{base}threads/?state=open").json()["count"] == 0


def test_the_list_takes_as_many_queries_for_more_threads(
    asking_work, answering, django_assert_max_num_queries
):
    work = asking_work
    ask_question(work.raters[0], work.items[0], "One?", by=work.user())
    answering.get(page(work, "threads"))
    with django_assert_max_num_queries(40) as few:
        answering.get(page(work, "threads"))
    for place in (1, 2):
        ask_question(work.raters[0], work.items[place], "More?", by=work.user())
    with django_assert_max_num_queries(len(few)):
        answering.get(page(work, "threads"))
