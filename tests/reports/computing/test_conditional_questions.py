"""A conditional question: who was asked, and where raters differ about asking it, counted by hand."""

import pytest
from django.urls import reverse

from projects.models import Item, Question, Round
from raters.models import Assignment, Label, Rater, User
from reports.analysis.condition_wording import condition_counts_sentence, condition_sentence
from reports.models import QuestionAgreement
from reports.results.prose import Style, prose_of
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by

# By two raters, “is it relevant?” and, if it is, “why?”. Counted by hand: 11 labels of the first question, of which 6
# lead to the second; 5 items with both raters, of which they differ on 2 (i2 and i5).
RELEVANT = {"i1": "yy", "i2": "yn", "i3": "nn", "i4": "yy", "i5": "ny", "i6": "n "}
WHY = {"i1": "aa", "i2": "a ", "i4": "ab", "i5": " b"}


@pytest.fixture
def asked_of_some(lead: User, committed_db: None) -> Question:
    project = led_by(lead, cast.new_project("Some", unique=True))
    relevant = new_question(project, key="relevant", categories="yn")
    why = new_question(
        project,
        key="why",
        categories="ab",
        position=1,
        asked_if_question="relevant",
        asked_if_categories=["y"],
    )
    for question, rows in ((relevant, RELEVANT), (why, WHY)):
        add_labels(
            question,
            [
                (item, f"r{place}", answer)
                for item, row in rows.items()
                for place, answer in enumerate(row)
                if answer != " "
            ],
        )
    return why


def of(report, key: str) -> QuestionAgreement:
    return report.questions.select_related("report__project", "question").get(question__key=key)


def test_who_was_asked_is_counted(asked_of_some, lead):
    report = finished_report(asked_of_some.project, lead)
    why = of(report, "why")

    assert why.statistics["asked"] == {"n_answers": 11, "n_asked": 6, "n_items": 5, "n_split": 2}
    assert "asked" not in of(report, "relevant").statistics
    # Compared are the two items on which both were asked, i1 and i4: they agree on one of them.
    assert why.coefficients["percent_agreement"]["value"] == 0.5
    assert verify(report) == []
    assert why.asked_words == (
        "Asked only if “relevant” is “y”: 6 of 11 labels of that question led to it. On 2 of the 5 items with two or "
        "more raters, they disagree on whether it applies, which is disagreement on that question."
    )
    told = "The question was asked only if “relevant” was “y” (6 of 11 labels of that question led to it)."
    assert told in " ".join(prose_of(report, Style.APA).methods)


def test_the_page_says_so(asked_of_some, lead, client):
    report = finished_report(asked_of_some.project, lead)
    address = reverse("report_question", args=[report.project.slug, report.pk, asked_of_some.pk])

    page = client.get(address).content.decode()

    assert "6 of 11 labels" in page
    assert "data-asked" in page


def test_what_was_not_asked_is_not_missing(asked_of_some, lead):
    """Of 12 assignments, 6 have an answer that leads to the question; one of these is pending."""
    project = asked_of_some.project
    round_ = Round.objects.create(project=project, key="round 1", state=Round.State.OPEN)
    raters = list(Rater.objects.filter(project=project).order_by("key"))
    Assignment.objects.bulk_create(
        Assignment(rater=rater, item=item, round=round_, state="done")
        for rater in raters
        for item in Item.objects.filter(project=project)
    )
    Label.objects.filter(question=asked_of_some, item__key="i1", rater=raters[0]).delete()
    Assignment.objects.filter(item__key__in=["i1", "i3"], rater=raters[0]).update(state="pending")
    Label.objects.filter(item__project=project).update(round=round_)

    report = finished_report(project, lead)

    assert of(report, "why").statistics["assigned"] == {"n": 6, "n_missing": 1, "n_skipped": 0}
    assert of(report, "relevant").statistics["assigned"]["n"] == 12


def test_words_without_two_raters_and_without_counts():
    condition = {"question": 1, "categories": [2], "words": "Asked only if “a” is “b”"}
    question = {
        "id": 3,
        "key": "c",
        "kind": "single",
        "level": "nominal",
        "categories": [],
        "asked_if": condition,
    }

    assert condition_sentence(question, None) == "Asked only if “a” is “b”."
    assert condition_counts_sentence(question, None) == ""
    counts = {"n_answers": 1_200, "n_asked": 7, "n_items": 0, "n_split": 0}
    assert condition_sentence(question, counts).endswith(
        "7 of 1,200 labels of that question led to it. No two raters answered that question on the same item."
    )
