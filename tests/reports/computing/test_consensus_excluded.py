"""Agreement is the same before and after adjudication, to the last bit: what was decided is no rater's label."""

import pytest

from projects.models import Item, Question
from raters.access import SEES_ALL
from raters.adjudication.deciding import DecisionChanged, NewDecision, decide, withdraw
from raters.labeling.answers import Answer
from raters.models import Label, Rater
from reports.models import QuestionAgreement, Report
from reports.results.queries import overview, project_rows
from reports.store.requests import request_report
from reports.store.verification import verify
from tests.cast import member
from tests.finished import compute_now, finished_report
from tests.labeling import labeled_project, new_question
from tests.sizes import only_in_full
from tests.together import at_once

WORDS = ("good", "fair", "bad")


def new_project():
    """40 items, 4 raters; besides the single choice, a multiple choice and a number of two raters."""
    project = labeled_project("Consensus")
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"), position=1)
    size = Question.objects.create(project=project, key="size", kind="number", position=2)
    chosen = sorted(many.categories.values_list("pk", flat=True))
    raters = list(Rater.objects.filter(project=project).order_by("pk")[:2])
    for number, item in enumerate(project.items.all()):
        for shift, rater in enumerate(raters):
            place = (number + shift * (number % 3)) % 2
            Label.objects.create(item=item, question=many, rater=rater, category_set=chosen[: 1 + place])
            Label.objects.create(item=item, question=size, rater=rater, number=number + shift * 0.25)
    return project


def figures(report: Report):
    agreements = QuestionAgreement.objects.filter(report=report).order_by("question")
    return [
        (
            a.digest,
            a.coefficients,
            a.statistics,
            a.raters,
            a.n_items,
            a.n_labels,
            a.n_abstentions,
            list(
                a.pairs.order_by("rater_a", "rater_b").values(
                    "rater_a", "rater_b", "n", "kappa", "se", "figures"
                )
            ),
        )
        for a in agreements
    ]


def decide_all(project, by) -> int:
    decisions = {
        "answer": [Answer(category=word) for word in WORDS],
        "many": [Answer(categories=()), Answer(categories=("a",)), Answer(categories=("a", "b"))],
        "size": [Answer(number=1e9), Answer(number=-1.0), Answer(is_abstention=True)],
    }
    n = 0
    for question in project.questions.all():
        for place, item in enumerate(Item.objects.filter(project=project)):
            verdict = NewDecision(decisions[question.key][place % 3], "Rater slip")
            decide(item, question, verdict, seen=0, by=by)
            n += 1
    return n


@pytest.fixture
def lena(committed_db):
    project = new_project()
    return project, member(project, "lead", username="lena", unique=True)


@only_in_full
def test_every_figure_is_bit_equal_before_and_after_adjudication(lena):
    project, lead = lena
    before = finished_report(project, lead)

    assert decide_all(project, lead) == 120
    after = Report.objects.create(project=project, scope=before.scope, options=before.options, asked_by=lead)
    compute_now(after)

    assert figures(Report.objects.get(pk=after.pk)) == figures(before)
    assert len(figures(before)) == 3


def test_a_decision_asks_for_no_new_report(lena):
    project, lead = lena
    before = finished_report(project, lead)
    item, question = project.items.first(), project.questions.first()

    decide(item, question, NewDecision(Answer(category="good"), "Rater slip"), seen=0, by=lead)
    same = request_report(project, by=lead)
    label = Label.objects.filter(question=question).exclude(rater__kind=Rater.Kind.CONSENSUS).first()
    other = question.categories.exclude(pk=label.category_id).first()
    Label.objects.filter(pk=label.pk).update(category=other)
    new = request_report(project, by=lead)

    assert same.pk == before.pk
    assert new.pk != before.pk


@only_in_full
def test_the_counts_of_a_project_are_those_of_its_raters(lena):
    project, lead = lena
    before, row_before = overview(project, SEES_ALL), project_rows(lead)[0]

    decide_all(project, lead)
    after, row_after = overview(project, SEES_ALL), project_rows(lead)[0]

    assert (after.n_labels, after.by_question) == (before.n_labels, before.by_question)
    assert [rater.pk for rater in after.raters] == [rater.pk for rater in before.raters]
    assert (row_after.n_labels, row_after.n_raters) == (row_before.n_labels, row_before.n_raters)


@only_in_full
def test_a_report_is_verified_though_it_was_adjudicated_before_and_after(lena):
    project, lead = lena
    item, question = project.items.first(), project.questions.first()
    decide(item, question, NewDecision(Answer(category="good"), "Rater slip"), seen=0, by=lead)
    report = finished_report(project, lead)
    withdraw(item, question, seen=1, by=lead)
    decide_all(project, lead)

    assert list(verify(report)) == []


def test_twelve_adjudicators_at_once_make_one_decision_and_one_consensus(lena):
    project, _ = lena
    people = [member(project, "adjudicator", username="ada", unique=True) for _ in range(12)]
    item, question = project.items.first(), project.questions.first()

    def decided(number: int) -> str:
        verdict = NewDecision(Answer(category=WORDS[number % 3]), "Rater slip")
        try:
            decide(item, question, verdict, seen=0, by=people[number])
        except DecisionChanged:
            return "told"
        return "decided"

    answers = at_once(12, decided)

    assert sorted(answers) == ["decided"] + ["told"] * 11
    assert Rater.objects.filter(project=project, kind=Rater.Kind.CONSENSUS).count() == 1
    assert Label.objects.filter(item=item, rater__kind=Rater.Kind.CONSENSUS).count() == 1
