"""The labeling page as a plain form, without scripts."""

import re
from uuid import uuid4

import pytest
from django.test import Client

from config import gunicorn
from projects.models import Category, Project, Round
from raters.models import Assignment, Label, LabelRevision
from tests.labeling import new_question
from tests.working import answer, label_all, new_work

pytestmark = pytest.mark.signed_in("first_rater")


def address(work, place=0, rater=0):
    return f"/p/{work.project.slug}/label/{work.assignment(place, rater).pk}/"


def home(work):
    return f"/p/{work.project.slug}/label/"


def form(work, category="good", *, revision=0, **more):
    chosen = work.question.categories.get(key=category).pk
    return {
        "key": str(uuid4()),
        f"answer-{work.question.pk}": str(chosen),
        f"revision-{work.question.pk}": str(revision),
        **more,
    }


def text(response):
    return re.sub(r"\s+", " ", response.content.decode())


def test_the_page_leads_to_the_first_item(client, work):
    response = client.get(home(work), follow=True)

    assert response.redirect_chain == [(address(work), 302)]
    assert "item-1 · round 1" in text(response)
    assert "Text 1" in text(response)
    assert '<span data-done="0">0</span> of 3' in text(response)


def test_a_page_that_is_shown_is_kept_by_no_cache(client, work):
    assert "no-store" in client.get(address(work))["Cache-Control"]


def test_save_and_next(client, work):
    response = client.post(address(work), form(work, note="See\r\npage 2", seconds="3.5"), follow=True)

    assert response.redirect_chain == [(f"{address(work, 1)}?saved={work.assignment().pk}", 302)]
    label = Label.objects.get()
    assert (label.category.key, label.note, label.seconds) == ("good", "See\npage 2", 3.5)
    assert LabelRevision.objects.get().source == "page"
    assert "item-1 saved" in text(response)
    assert '<span data-done="1">1</span> of 3' in text(response)


def test_after_the_last_item_all_is_done(client, work):
    label_all(Assignment.objects.exclude(pk=work.assignment().pk).filter(rater=work.raters[0]))

    response = client.post(address(work), form(work), follow=True)

    assert "All done" in text(response)


def test_without_work_the_page_says_so(client, work):
    Assignment.objects.all().delete()

    assert "Nothing to label yet" in text(client.get(home(work)))


def test_raters_who_are_done_with_a_closed_round_see_that(client, work):
    label_all(Assignment.objects.filter(rater=work.raters[0]))
    Round.objects.filter(pk=work.round.pk).update(state="closed")

    page = text(client.get(home(work)))
    assert "Nothing to label yet" not in page
    assert "The rounds in which you labeled are closed." in page
    own = text(client.get(f"{home(work)}mine/"))
    assert "No items assigned to you yet" not in own
    assert "New items appear here when a project lead opens another round." in own


@pytest.mark.parametrize("is_done", [True, False])
def test_a_closed_project_gives_nothing_to_label(client, work, is_done):
    if is_done:
        label_all(Assignment.objects.filter(rater=work.raters[0]))
    Project.objects.filter(pk=work.project.pk).update(state="closed")

    response = client.get(home(work))

    assert response.status_code == 200
    page = text(response)
    assert "This project is closed" in page
    for untrue in ("new items will appear here", "you can go back", "Nothing to label yet", "opens a round"):
        assert untrue not in page
    assert client.post(home(work)).status_code == 200
    own = text(client.get(f"{home(work)}mine/"))
    assert "Nothing: this project is closed." in own
    assert "You can change labels" not in own


def test_a_double_click_saves_once(client, work):
    sent = form(work)

    first, second = client.post(address(work), sent), client.post(address(work), sent)

    assert (first.status_code, second.status_code) == (302, 302)
    assert LabelRevision.objects.count() == 1


def test_what_was_saved_is_shown_when_going_back(client, work):
    client.post(address(work), form(work, "bad", note="why"))

    page = text(client.get(address(work)))

    chosen = work.question.categories.get(key="bad").pk
    assert re.search(rf'value="{chosen}" data-category="bad"[^>]* checked', page)
    assert ">why</textarea>" in page
    assert f'name="revision-{work.question.pk}" value="1"' in page


def test_ids_above_a_thousand_stand_in_the_form_as_they_are(client, work):
    large = Category.objects.create(pk=1_234_567, question=work.question, key="large", position=9)

    page = text(client.get(address(work)))

    assert f'value="{large.pk}" data-category="large"' in page


def test_the_second_tab_shows_what_changed_and_keeps_its_draft(client, work):
    client.post(address(work), form(work, "good"))

    response = client.post(address(work), form(work, "bad", note="mine"))

    assert response.status_code == 409
    page = text(response)
    assert "changed since you opened it" in page
    assert "Currently saved for “tone”: <b>good</b>" in page
    chosen = work.question.categories.get(key="bad").pk
    assert re.search(rf'value="{chosen}" data-category="bad"[^>]* checked', page)
    assert ">mine</textarea>" in page
    # The form now knows what stands, so that saving again is meant.
    assert f'name="revision-{work.question.pk}" value="1"' in page
    assert Label.objects.get().category.key == "good"


def test_another_answer_after_the_back_button_shows_the_current_label(client, work):
    sent = form(work, "good")
    client.post(address(work), sent)

    response = client.post(address(work), form(work, "bad") | {"key": sent["key"]})

    assert response.status_code == 422
    assert Label.objects.get().category.key == "good"


def test_undo_from_the_next_page(client, work):
    client.post(address(work), form(work, "good"))

    response = client.post(
        f"{address(work)}undo/",
        {"key": str(uuid4()), f"revision-{work.question.pk}": "1"},
        follow=True,
    )

    assert response.redirect_chain == [(f"{address(work)}?undone", 302)]
    assert "Undid your last save" in text(response)
    assert not Label.objects.exists()
    # What was said is there to be changed, over no label; without the word for it, it is not.
    assert chosen_in(response) == ["good"]
    assert f'name="revision-{work.question.pk}" value="0"' in text(response)
    assert chosen_in(client.get(address(work))) == []


def test_undone_leaves_out_a_category_that_is_gone(client, work):
    client.post(address(work), form(work, "good"))
    client.post(f"{address(work)}undo/", {"key": str(uuid4()), f"revision-{work.question.pk}": "1"})
    work.question.categories.get(key="good").delete()

    assert chosen_in(client.get(f"{address(work)}?undone")) == []


def chosen_in(response):
    return re.findall(r'data-category="(\w+)"[^>]* checked', text(response))


def test_another_raters_item_looks_like_one_that_never_existed(client, work):
    texts = [client.get(there) for there in (address(work, rater=1), f"{home(work)}{10**9}/")]

    assert [response.status_code for response in texts] == [404, 404]
    told = [re.sub(r'value="\w{64}"', "", text(response)) for response in texts]
    assert told[0] == told[1]
    # It may have been opened by somebody else in this browser.
    lost = text(texts[0]).split("data-lost")[1]
    assert f"<b>{work.user()}</b>" in lost
    posted = client.post(address(work, rater=1), form(work))
    assert (posted.status_code, "has not been saved" in text(posted)) == (404, True)
    assert not Label.objects.exists()


def test_back_leads_to_what_was_done_before_and_else_to_the_project(client, work):
    def way_back(where):
        return re.findall(r'href="([^"]*)" data-back', text(client.get(where)))

    assert way_back(address(work)) == [work.project.get_absolute_url()]
    client.post(address(work), form(work))
    assert way_back(address(work, 1)) == [address(work)]
    label_all(Assignment.objects.filter(rater=work.raters[0], state="pending"))
    assert len(way_back(home(work))) == 1


def test_a_closed_round_with_items_left_is_named_at_the_end(client, work):
    client.post(address(work), form(work))
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED)

    shown = text(client.get(home(work)))

    assert "The round “round 1” was closed before you labeled 2 of your items." in shown
    assert "There is nothing left to do for them" in shown


@pytest.mark.parametrize(("n_kept", "is_on"), [(3, "off"), (2, "on")])
def test_one_key_is_offered_for_one_question_with_one_answer(client, work, n_kept, is_on):
    for category in work.question.categories.all()[n_kept:]:
        category.delete()
    assert f'data-at-once="{is_on}"' in text(client.get(address(work)))

    new_question(work.project, key="sure", categories=("guess", "sure"), position=1)
    assert "data-at-once" not in text(client.get(address(work)))


def test_the_page_knows_of_training_whether_or_not_the_item_has_a_reference(client, work):
    assert "data-training" not in text(client.get(address(work)))
    Round.objects.filter(pk=work.round.pk).update(reference_use=Round.ReferenceUse.TRAINING)

    assert "data-training" in text(client.get(address(work)))


def test_undo_of_what_changed_meanwhile_says_so(client, work):
    client.post(address(work), form(work, "good"))

    response = client.post(f"{address(work)}undo/", {"key": str(uuid4())}, follow=True)

    assert "changed since you opened it" in text(response)
    assert Label.objects.exists()


@pytest.mark.parametrize("what", ["project", "round"])
def test_what_is_closed_can_be_looked_at_and_not_changed(client, work, what):
    answer(work, "good")
    closed = {"project": Project, "round": Round}[what]
    closed.objects.filter(pk=getattr(work, what).pk).update(state="closed")

    page = text(client.get(address(work)))
    response = client.post(address(work), form(work, "bad", revision=1))

    assert f"This {what} is closed" in page
    assert response.status_code == 409
    assert Label.objects.get().category.key == "good"


def test_content_of_people_is_shown_as_text(client, work):
    item = work.items[0]
    item.content = [
        {"name": "<b>", "kind": "text", "value": "<script>alert(1)</script>"},
        {"name": "m", "kind": "markdown", "value": "**bold** <img src=x onerror=alert(1)>"},
        {"name": "p", "kind": "image", "value": "https://elsewhere.example/p.png"},
        {"name": "l", "kind": "link", "value": "javascript:alert(1)"},
    ]
    item.save()

    page = text(client.get(address(work)))

    assert "<script>alert" not in page
    assert "<strong>bold</strong>" in page
    assert "<img" not in page
    assert "opens in a new tab" in page
    assert 'href="javascript' not in page


def test_the_page_takes_as_many_queries_for_more_work(work, django_assert_max_num_queries):
    big = new_work(n_items=30)
    for place in range(10):
        answer(big, "good", place=place, seconds=3)
    client = Client()
    client.force_login(big.user())

    with django_assert_max_num_queries(16):
        client.get(address(big, 12))


def test_keys_are_digits_for_the_first_question_and_letters_for_others(client, work):
    new_question(work.project, key="sure", categories=("no", "yes"), position=1)

    page = text(client.get(address(work)))

    assert re.findall(r'data-key="(.)"', page) == ["1", "2", "3", "q", "w"]


def test_a_key_of_the_codebook_comes_first_and_the_pages_own_are_never_taken(client, work):
    for key, shortcut in [("good", "7"), ("bad", "n")]:
        work.question.categories.filter(key=key).update(shortcut=shortcut)

    page = text(client.get(address(work)))

    assert re.findall(r'data-key="(.)"', page) == ["7", "2", "3"]


def test_the_time_left_is_shown_roughly(client, work):
    for place in range(2):
        client.post(address(work, place), form(work, seconds="100"))
    assert "left" not in text(client.get(address(work, 2))).split("data-left")[1][:60]
    other = new_work(n_items=5, n_raters=1)
    client.force_login(other.user())
    for place in range(3):
        client.post(address(other, place), form(other, seconds="100"))

    assert "· about 3 min left" in text(client.get(address(other, 3)))


def test_a_script_gets_what_comes_next_with_one_request(client, work, django_assert_max_num_queries):
    held = work.assignment().pk

    with django_assert_max_num_queries(13):
        response = client.get(f"{home(work)}?in_place&held={held}")

    assert (response.status_code, response["Content-Location"]) == (200, address(work, 1))
    assert "item-2 · round 1" in text(response)
    assert "no-store" in response["Cache-Control"]


def test_of_a_hundred_items_in_hand_none_is_handed_out_again(client, work):
    held = [*range(10**7, 10**7 + 100), work.assignment().pk]
    query = "&".join(f"held={pk}" for pk in held)

    response = client.get(f"{home(work)}?in_place&{query}")

    assert response["Content-Location"] == address(work, 1)
    assert len(f"GET {home(work)}?in_place&{query} HTTP/1.1") < gunicorn.limit_request_line


def test_a_script_learns_that_nothing_is_left(client, work):
    label_all(Assignment.objects.filter(rater=work.raters[0]))

    response = client.get(f"{home(work)}?in_place")

    assert "Content-Location" not in response
    assert "All done" in text(response)
