"""Missing labels are those that were assigned but not given: raters who were not asked about an item miss nothing."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from projects.models import Item, Project, Round
from raters.models import Assignment, Label, Rater, User
from reports.models import QuestionAgreement
from reports.results.design import design_of_result, missing_words
from reports.results.prose import Style, prose_of
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, question_page

# Items by two of four raters in turn: a space is an item that was not theirs.
ROTATION = ["xy  ", " xx ", "  yy", "x  x", "yy  ", " xy ", "  xx", "y  y"]
# The same with one label for each of the last two items not given: by c and by d.
GIVEN = [*ROTATION[:6], "   x", "y   "]


def labeled(project: Project, rows: Sequence[str]) -> None:
    question = new_question(project, categories="xy")
    add_labels(
        question,
        [
            (f"i{n}", f"r{place}", answer)
            for n, row in enumerate(rows)
            for place, answer in enumerate(row)
            if answer != " "
        ],
    )


def assign(project: Project, rows: Sequence[str], *, state: str = Round.State.OPEN) -> Round:
    """All that somebody says in the rows, done where there is a label."""
    round_ = Round.objects.create(project=project, key=f"round {project.rounds.count() + 1}", state=state)
    items = {item.key: item for item in project.items.all()}
    raters = {rater.key: rater for rater in project.raters.all()}
    Assignment.objects.bulk_create(
        Assignment(
            rater=raters[f"r{place}"],
            item=items[f"i{n}"],
            round=round_,
            state="done"
            if Label.objects.filter(item=items[f"i{n}"], rater=raters[f"r{place}"]).exists()
            else "pending",
        )
        for n, row in enumerate(rows)
        for place, answer in enumerate(row)
        if answer != " "
    )
    Label.objects.filter(item__project=project).update(round=round_)
    return round_


@pytest.fixture
def turns(lead: User, committed_db: None) -> Project:
    return led_by(lead, cast.new_project("Turns", unique=True))


def result_of(project: Project, lead: User) -> QuestionAgreement:
    return finished_report(project, lead).questions.select_related("report__project", "question").get()


def sentences(agreement: QuestionAgreement) -> list[str]:
    return design_of_result(StoredResult.of(agreement)).sentences


def test_a_planned_rotation_lacks_nothing(turns, lead, client):
    labeled(turns, ROTATION)
    assign(turns, ROTATION)

    agreement = result_of(turns, lead)

    assert agreement.statistics["assigned"] == {"n": 16, "n_missing": 0, "n_skipped": 0}
    assert sentences(agreement) == ["Each item was labeled by 2 of 4 raters."]
    page = question_page(client, agreement.report)
    assert 'id="design">Each item was labeled by 2 of 4 raters.' in page.content.decode()


def test_what_was_assigned_and_not_given_is_missing(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    Assignment.objects.filter(state="pending", rater__key="r3").update(skipped_at=timezone.now())

    agreement = result_of(turns, lead)

    assert agreement.statistics["assigned"] == {"n": 16, "n_missing": 2, "n_skipped": 1}
    assert sentences(agreement) == [
        "On average, 1.8 of 4 raters labeled each item.",
        "2 of 16 assigned labels are missing (12.5%), 1 of them skipped.",
    ]
    assert verify(agreement.report) == []


def test_the_methods_text_tells_the_design_and_what_is_missing(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    report = finished_report(turns, lead)

    text = " ".join(prose_of(report, Style.APA).methods)

    assert "Of 16 assigned labels, two (12.5%) were missing" in text
    assert "possible labels" not in text


def test_what_is_given_later_changes_no_report(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    report = result_of(turns, lead).report

    Assignment.objects.filter(state="pending").update(skipped_at=timezone.now())

    assert verify(report) == []


def test_labels_without_assignments_are_a_design(turns, lead):
    labeled(turns, ROTATION)

    agreement = result_of(turns, lead)

    assert "assigned" not in agreement.statistics
    assert sentences(agreement) == ["Each item was labeled by 2 of 4 raters."]


def test_a_complete_design_says_nothing(turns, lead):
    labeled(turns, ["xyx", "yyx", "xxx"])

    assert sentences(result_of(turns, lead)) == []


def test_items_with_different_numbers_of_labels_have_a_mean(turns, lead):
    """Three, one, and two labels: two on average, but not on each item."""
    labeled(turns, ["xyx", "y  ", "x x"])

    assert sentences(result_of(turns, lead)) == ["On average, 2 of 3 raters labeled each item."]


def test_a_round_that_was_never_opened_lacks_nothing(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    Round.objects.filter(project=turns).update(state=Round.State.DRAFT)

    assert "assigned" not in result_of(turns, lead).statistics


def test_the_other_rounds_of_a_report_about_one_do_not_count(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    later = Round.objects.create(project=turns, key="later", position=9)
    item = Item.objects.create(project=turns, key="new")
    Assignment.objects.create(rater=turns.raters.get(key="r0"), item=item, round=later)

    report = finished_report(turns, lead, rounds=["round 1"])

    assert report.questions.get().statistics["assigned"]["n_missing"] == 2


def test_those_who_do_not_count_lack_nothing(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    Rater.objects.filter(project=turns, key="r3").update(kind=Rater.Kind.REFERENCE)

    found = result_of(turns, lead).statistics["assigned"]

    assert (found["n"], found["n_missing"]) == (12, 1)


def test_withdrawn_items_lack_nothing(turns, lead):
    labeled(turns, GIVEN)
    assign(turns, ROTATION)
    Item.objects.filter(project=turns, key="i7").update(withdrawn_at=timezone.now())

    assert result_of(turns, lead).statistics["assigned"]["n_missing"] == 1


@pytest.mark.parametrize(
    ("n_missing", "n_skipped", "words"),
    [
        (0, 0, ""),
        (1, 0, "1 of 1,000 assigned labels is missing (0.1%)."),
        (1, 1, "1 of 1,000 assigned labels is missing (0.1%): skipped."),
        (30, 30, "30 of 1,000 assigned labels are missing (3.0%): all skipped."),
        (30, 4, "30 of 1,000 assigned labels are missing (3.0%), 4 of them skipped."),
    ],
)
def test_words(n_missing: int, n_skipped: int, words: str):
    assert missing_words({"n": 1_000, "n_missing": n_missing, "n_skipped": n_skipped}) == words
