"""A rater's home: what is left in each round, and the own labels, which nobody else's are among."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from projects.models import Category, Item, Membership, Project, Question, Round
from raters.labeling.answers import Answer
from raters.labeling.own_rounds import OwnRound, own_rounds
from raters.labeling.own_work import OwnLabelSearch, own_labels, own_labels_page
from raters.models import Assignment, Label, Rater
from tests import cast
from tests.labeling import new_question
from tests.working import answer, new_work

# The rows; questions with their categories; labels; assignments.
N_QUERIES = 5
pytestmark = pytest.mark.signed_in("first_rater")


def address(work):
    return f"/p/{work.project.slug}/label/mine/"


def found(rater, **wanted):
    """Keys of the items, the last labeled first."""
    rows = list(own_labels(rater, OwnLabelSearch(**wanted)))
    return [own.item.key for own in own_labels_page(rater, rows)]


def listed_part(page):
    """The part of the page about own labels, without its form."""
    return page[page.index('id="own-labels"') :].partition("</form>")[2].partition("</section>")[0]


def left(rater):
    return [(each.round.key, each.n_left, each.n_done, each.has_free) for each in own_rounds(rater)]


def close(work):
    Round.objects.filter(pk=work.round.pk).update(state=Round.State.CLOSED, closed_at=timezone.now())


def test_what_is_left_is_shown_for_each_open_round(work):
    answer(work, "good")
    for state in ("draft", "closed"):
        round_ = Round.objects.create(project=work.project, key=state, state=state)
        item = Item.objects.create(project=work.project, key=f"of {state}")
        Assignment.objects.create(rater=work.raters[0], item=item, round=round_)

    assert left(work.raters[0]) == [("round 1", 2, 1, False)]


def test_a_withdrawn_item_is_not_left(work):
    Item.objects.filter(pk=work.items[1].pk).update(withdrawn_at=timezone.now())

    assert left(work.raters[0]) == [("round 1", 2, 0, False)]


def test_items_on_request_are_shown_to_a_newcomer_too(db):
    work = new_work(places=1)
    newcomer = Rater(project=work.project)

    assert left(newcomer) == [("round 1", 0, 0, True)]


def test_a_deadline_that_has_passed_is_overdue_while_something_is_left():
    yesterday = timezone.localdate() - timedelta(days=1)

    assert OwnRound(Round(due_on=yesterday), 1, 2, False).is_overdue
    assert not OwnRound(Round(due_on=yesterday), 2, 2, False).is_overdue
    assert not OwnRound(Round(due_on=timezone.localdate()), 1, 2, False).is_overdue
    assert not OwnRound(Round(due_on=None), 1, 2, False).is_overdue


def test_own_labels_alone_the_last_first(work):
    answer(work, "good")
    answer(work, "bad", place=1)
    answer(work, "fair", place=2, rater=1)

    assert found(work.raters[0]) == ["item-2", "item-1"]
    assert found(work.raters[1]) == ["item-3"]


def test_search_takes_words_literally_in_key_and_content(work):
    Item.objects.filter(pk=work.items[1].pk).update(
        content=[{"name": "Text", "kind": "text", "value": 'He said "50% \\ off"'}]
    )
    answer(work, "good")
    answer(work, "good", place=1)

    assert found(work.raters[0], words="ITEM-1") == ["item-1"]
    assert found(work.raters[0], words='"50%') == ["item-2"]
    assert found(work.raters[0], words="\\ off") == ["item-2"]
    assert found(work.raters[0], words="%") == ["item-2"]
    # The name of a field is not its content.
    assert found(work.raters[0], words="kind") == []


def test_search_does_not_reach_hidden_fields(work):
    content = [
        {"name": "Author", "kind": "text", "value": "Ann Onymous"},
        {"name": "Text", "kind": "text", "value": "A sentence"},
    ]
    Item.objects.filter(pk=work.items[0].pk).update(content=content)
    Project.objects.filter(pk=work.project.pk).update(fields_hidden=["Author"])
    answer(work, "good")
    rater = Rater.objects.select_related("project").get(pk=work.raters[0].pk)

    assert found(rater, words="Onymous") == []
    assert found(rater, words="sentence") == ["item-1"]
    [own] = own_labels_page(rater, list(own_labels(rater, OwnLabelSearch())))
    assert own.excerpt == "A sentence"


def test_an_item_is_identified_by_its_longest_text(work):
    content = [
        {"name": "Year", "kind": "text", "value": "2019"},
        {"name": "Scan", "kind": "image", "value": "a-long-name-of-a-file.png"},
        {"name": "Text", "kind": "text", "value": "A sentence"},
    ]
    Item.objects.filter(pk=work.items[0].pk).update(content=content)
    answer(work, "good")
    rater = Rater.objects.select_related("project").get(pk=work.raters[0].pk)

    [own] = own_labels_page(rater, list(own_labels(rater, OwnLabelSearch())))
    rater.project.main_field = "Year"
    [named] = own_labels_page(rater, list(own_labels(rater, OwnLabelSearch())))

    assert (own.excerpt, named.excerpt) == ("A sentence", "2019")


def test_labels_are_found_by_question_answer_and_round(work):
    Question.objects.create(project=work.project, key="size", kind="number", level="ratio", position=1)
    several = new_question(work.project, key="parts", categories=("leg", "arm"), kind="multiple", position=2)
    Question.objects.update(is_required=False)
    Category.objects.filter(question=several, key="arm").update(name="Upper limb")
    answer(work, "good")
    answer(work, {"size": Answer(number=2.5)}, place=1)
    answer(work, {"parts": Answer(categories=("arm",)), "tone": Answer(is_abstention=True)}, place=2)
    rater = work.raters[0]

    assert found(rater, question="size") == ["item-2"]
    assert found(rater, question="tone") == ["item-3", "item-1"]
    assert found(rater, answer="GOO") == ["item-1"]
    assert found(rater, answer="2.5") == ["item-2"]
    assert found(rater, answer="upper") == ["item-3"]
    assert found(rater, answer="cannot tell") == ["item-3"]
    assert found(rater, question="parts", answer="good") == []
    assert found(rater, round="round 1") == ["item-3", "item-2", "item-1"]


def test_nothing_tells_which_items_come_again(client, work):
    """The page is the same with and without a repeat to come, in the same round or a later one."""
    answer(work, "good")
    before = client.get(address(work)).content.decode()
    repeat = Assignment.objects.create(
        rater=work.raters[0], item=work.items[0], round=work.round, pass_number=2, position=9
    )
    after = client.get(address(work)).content.decode()

    assert "again" not in after
    assert found(work.raters[0]) == ["item-1"]
    assert listed_part(after) == listed_part(before)
    Assignment.objects.filter(pk=repeat.pk).delete()
    later = Round.objects.create(project=work.project, key="later", state="open", position=3)
    Assignment.objects.create(rater=work.raters[0], item=work.items[0], round=later, pass_number=2)
    assert (
        listed_part(client.get(address(work)).content.decode()).split("data-own-label")[1:]
        == (listed_part(before).split("data-own-label")[1:])
    )


def test_an_item_labeled_again_is_listed_once_with_the_latest_answer(client, work):
    answer(work, "good")
    answer(work, "fair", place=1)
    repeat = Assignment.objects.create(
        rater=work.raters[0], item=work.items[0], round=work.round, pass_number=2, position=9
    )
    later = Round.objects.create(project=work.project, key="later", state="open", position=3)
    third = Assignment.objects.create(rater=work.raters[0], item=work.items[1], round=later, pass_number=2)
    for assignment, key in ((repeat, "bad"), (third, "bad")):
        Label.objects.create(
            item=assignment.item,
            rater=work.raters[0],
            question=work.question,
            round=assignment.round,
            pass_number=2,
            category=work.question.categories.get(key=key),
        )
        Assignment.objects.filter(pk=assignment.pk).update(state="done", done_at=timezone.now())
    rater = work.raters[0]

    assert found(rater) == ["item-2", "item-1"]
    assert found(rater, answer="good") == []
    assert found(rater, answer="bad") == ["item-2", "item-1"]
    # Limited to a round, it is the latest answer there.
    assert found(rater, round="round 1", answer="fair") == ["item-2"]
    assert found(rater, round="round 1", answer="good") == []
    page = client.get(address(work)).content.decode()
    assert page.count("data-own-label") == 2
    assert f'href="/p/{work.project.slug}/label/{repeat.pk}/">Change' in page
    assert "pass 2" not in page


def test_the_page_says_what_is_left_and_leads_to_the_labels(client, work):
    answer(work, {"tone": Answer(category="good", note="Look again")})

    page = re.sub(r"\s+", " ", client.get(address(work)).content.decode())

    assert "1 of 3 items labeled in open rounds" in page
    assert "tone: <b>good</b>" in page
    assert "Note: Look again" in page
    assert f'href="/p/{work.project.slug}/label/{work.assignment().pk}/">Change' in page


@pytest.mark.parametrize("state", ["closed", "withdrawn", "reference"])
def test_what_cannot_be_changed_is_only_viewed(client, work, state):
    answer(work, "good")
    if state == "closed":
        close(work)
    if state == "withdrawn":
        Item.objects.update(withdrawn_at=timezone.now())
    if state == "reference":
        Assignment.objects.update(reference_shown_at=timezone.now())

    page = client.get(address(work)).content.decode()

    assert ">View<" in page
    assert ">Change<span" not in page


def test_what_was_imported_for_a_rater_is_listed_without_a_link(client, work):
    category = work.question.categories.get(key="bad")
    item = Item.objects.create(project=work.project, key="brought")
    Label.objects.create(item=item, rater=work.raters[0], question=work.question, category=category)

    page = client.get(address(work)).content.decode()

    assert "imported" in page
    assert "tone: <b>bad</b>" in page


def test_no_answers_of_others_are_on_the_page(client, work):
    answer(work, {"tone": Answer(category="bad", note="secret")}, rater=1)

    page = client.get(address(work)).content.decode()

    assert "You have not labeled anything yet." in page
    assert "secret" not in page
    assert "data-own-label" not in page


def test_a_search_without_matches_leads_back_to_all(client, work):
    answer(work, "good")

    page = client.get(address(work), {"answer": "bad"}).content.decode()

    assert "None of your labels match." in page


@pytest.mark.parametrize(
    "query", [{"question": "gone"}, {"round": "gone"}, {"q": "x" * 201}, {"answer": "a\0b"}, {"round": "\0"}]
)
def test_what_there_is_not_is_refused(client, work, query):
    assert client.get(address(work), query).status_code == 400


def test_a_page_takes_as_many_queries_for_ten_items_as_for_two(db, django_assert_num_queries):
    work = new_work(n_items=10, n_raters=1)
    rater = work.raters[0]
    for place in range(2):
        answer(work, "good", place=place)
    with django_assert_num_queries(N_QUERIES):
        assert len(found(rater)) == 2
    for place in range(2, 10):
        answer(work, "good", place=place)
    with django_assert_num_queries(N_QUERIES):
        assert len(found(rater)) == 10


def test_pages_hold_fifty_items(client, first_rater):
    project = Project.objects.get(raters__user=first_rater)
    question = project.questions.get()
    category = question.categories.get(key="good")
    rater = project.raters.get(user=first_rater)
    items = Item.objects.bulk_create(Item(project=project, key=f"more-{n}") for n in range(60))
    Label.objects.bulk_create(
        Label(item=item, rater=rater, question=question, category=category) for item in items
    )

    first = client.get(f"/p/{project.slug}/label/mine/").content.decode()
    second = client.get(f"/p/{project.slug}/label/mine/", {"page": 2}).content.decode()

    assert (first.count("data-own-label"), second.count("data-own-label")) == (50, 10)


def test_who_may_not_label_has_no_such_page(work):
    auditor = cast.member(work.project, Membership.Role.AUDITOR, username="ada", unique=True)

    assert cast.signed_in(auditor).get(address(work)).status_code == 403


def test_answers_of_others_to_the_same_item_are_not_among_them(work):
    answer(work, "good")
    answer(work, "bad", rater=1)

    for rater, category in zip(work.raters, ("good", "bad"), strict=False):
        [own] = own_labels_page(rater, list(own_labels(rater, OwnLabelSearch())))
        assert [shown for _, shown in own.answers] == [Answer(category=category)]


def test_what_is_free_in_one_round_is_not_in_another(db):
    work = new_work(n_items=2, places=1)
    ana, ben = work.raters
    other = Round.objects.create(project=work.project, key="other", state=Round.State.OPEN, position=1)
    Assignment.objects.create(rater=ana, item=work.items[0], round=other)
    Assignment.objects.create(rater=ben, item=work.items[1], round=other, is_on_demand=True)

    assert left(ana) == [("round 1", 0, 0, True), ("other", 1, 0, False)]
