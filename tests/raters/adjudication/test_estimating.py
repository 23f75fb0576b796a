"""How reliable raters are, estimated by a worker; and the same final labels wherever they are read."""

import csv
import io
import json
import random

import numpy as np
import openpyxl
import pytest

from core.history import head_of
from core.snapshots import snapshot_connection
from projects.final_rules import WITH_THRESHOLD, FinalRule, offered_rules
from projects.models import Item, Membership, Project, Question
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.exporting import COLUMNS, final_labels
from raters.adjudication.rules import Origin
from raters.adjudication.ruling import NewRule, change_rule, estimate, row_of
from raters.labeling.answers import Answer
from raters.models import FinalEstimate, Label, Rater
from raters.reporting import Estimated
from raters.tasks import estimate_for_final_labels
from reports.reporting import error_rates, posteriors, vote_weights
from tests import cast
from tests.labeling import add_labels, new_question
from tests.raters.writing.projects import file_in

State = FinalEstimate.State
CATEGORIES = ("good", "fair", "bad")


@pytest.fixture
def committed_project(committed_db) -> Project:
    """Twelve raters, of whom some err more and some label less, a model among them, and a reference."""
    project = cast.new_project("Finals", unique=True)
    tone = new_question(project, key="tone", categories=CATEGORIES)
    chance = random.Random(3)
    rows = []
    for item in range(60):
        truth = chance.choice(CATEGORIES)
        for rater in range(6):
            if chance.random() < 0.7:
                errs = chance.random() < 0.1 * rater
                rows.append((f"i{item:02}", f"r{rater}", chance.choice(CATEGORIES) if errs else truth))
    add_labels(tone, rows)
    Rater.objects.filter(project=project, key="r1").update(kind=Rater.Kind.MODEL)
    add_labels(tone, [("i00", "gold", "bad"), ("i99", "gold", "good")])
    Rater.objects.filter(project=project, key="gold").update(kind=Rater.Kind.REFERENCE)
    first = Rater.objects.get(project=project, key="r0")
    Label.objects.create(
        item=Item.objects.get(project=project, key="i99"), question=tone, rater=first, is_abstention=True
    )
    return project


@pytest.fixture
def committed_lead(committed_project):
    return cast.member(committed_project, Membership.Role.LEAD, username="lena", unique=True)


@pytest.fixture
def committed_tone(committed_project) -> Question:
    return committed_project.questions.get()


def worked(question: Question, rule: FinalRule, *, by, **more) -> FinalEstimate:
    change_rule(question, NewRule(rule, **more), by=by)
    run = question.final_estimates.latest("pk")
    estimate_for_final_labels(run.pk)
    run.refresh_from_db()
    question.refresh_from_db()
    return run


def arrays(found: Estimated) -> tuple[np.ndarray, ...]:
    assert not isinstance(found, str)
    return found


def decided(project: Project, item: str, answer: Answer, *, by) -> None:
    reason = project.adjudication_reasons[0]
    found = Item.objects.select_related("project").get(project=project, key=item)
    decide(found, project.questions.get(), NewDecision(answer, reason), seen=0, by=by)


def votes_in(question: Question) -> tuple[np.ndarray, tuple[int, int, int]]:
    """Item, rater, and category of each vote, numbered from 0 in the order of ids."""
    rows = Label.objects.filter(question=question, is_abstention=False).exclude(rater__kind="reference")
    columns = np.array(rows.order_by("?").values_list("item_id", "rater_id", "category_id"))
    numbered = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns.T])
    return numbered, tuple(numbered.max(axis=0) + 1)


def test_weights_are_those_of_the_labels_in_whatever_order(committed_tone, committed_lead):
    run = worked(committed_tone, FinalRule.WEIGHTED, by=committed_lead)

    assert (run.state, run.n_labels) == (State.DONE, len(votes_in(committed_tone)[0]))
    assert run.result["weights"] == arrays(vote_weights(*votes_in(committed_tone)))[0].tolist()
    assert run.result["categories"] == list(committed_tone.categories.values_list("pk", flat=True))


def test_certainties_are_the_posterior_of_the_kernel(committed_project, committed_tone, committed_lead):
    worked(committed_tone, FinalRule.DAWID_SKENE, by=committed_lead)
    expected = posteriors(*votes_in(committed_tone))

    finals = [label for label in final_labels(committed_project) if label.origin is not Origin.REFERENCE]

    given = Label.objects.filter(question=committed_tone, is_abstention=False).exclude(
        rater__kind="reference"
    )
    items = list(given.order_by("item").values_list("item__key", flat=True).distinct())
    keys = [category.key for category in committed_tone.categories.all()]
    by_item = {item: (keys[row.argmax()], row.max()) for item, row in zip(items, expected, strict=True)}
    assert len(finals) == len(by_item) - 1
    assert [label.label for label in finals] == [by_item[label.item][0] for label in finals]
    assert [label.final.certainty for label in finals] == pytest.approx(
        [by_item[label.item][1] for label in finals], abs=1e-9
    )


def test_the_same_labels_give_the_same_estimate(committed_tone, committed_lead):
    first = worked(committed_tone, FinalRule.DAWID_SKENE, by=committed_lead)

    again = estimate(committed_tone, by=committed_lead)
    estimate_for_final_labels(again.pk)

    again.refresh_from_db()
    assert again.pk != first.pk
    assert again.result == first.result
    assert arrays(error_rates(*votes_in(committed_tone)))[0].tolist() == first.result["prevalence"]


def test_it_says_up_to_where_the_labels_were_read(committed_project, committed_tone, committed_lead):
    with snapshot_connection() as opened:
        before = head_of(committed_project.pk, opened.cursor())
    run = worked(committed_tone, FinalRule.WEIGHTED, by=committed_lead)

    assert run.head_position > before.position
    assert not row_of(committed_tone).is_outdated
    label = Label.objects.filter(question=committed_tone, rater__key="r0", is_abstention=False).first()
    Label.objects.filter(pk=label.pk).update(
        category=committed_tone.categories.exclude(pk=label.category_id).first()
    )
    assert row_of(committed_tone).is_outdated
    estimate_for_final_labels(estimate(committed_tone, by=committed_lead).pk)
    assert not row_of(committed_tone).is_outdated


def test_new_labels_count_under_the_estimate_that_is_used(committed_project, committed_tone, committed_lead):
    run = worked(committed_tone, FinalRule.WEIGHTED, by=committed_lead)

    add_labels(committed_tone, [("new", "r0", "bad"), ("new", "r5", "good"), ("new", "nobody", "good")])

    [found] = [label for label in final_labels(committed_project) if label.item == "new"]
    weights = dict(zip(run.result["raters"], run.result["weights"], strict=True))
    own = {key: weights[Rater.objects.get(project=committed_project, key=key).pk] for key in ("r0", "r5")}
    assert own["r0"] > own["r5"]
    assert found.label == "bad"
    assert found.final.certainty == pytest.approx(own["r0"] / (own["r0"] + own["r5"]))


def test_a_decision_outdates_nothing(committed_tone, committed_project, committed_lead):
    worked(committed_tone, FinalRule.WEIGHTED, by=committed_lead)

    decided(committed_project, "i05", Answer(category="good"), by=committed_lead)

    assert not row_of(committed_tone).is_outdated


@pytest.mark.parametrize("rule", offered_rules("single", "nominal"))
def test_page_api_and_files_say_the_same(rule, committed_project, committed_tone, committed_lead):
    change_rule(committed_tone, NewRule(rule, 0.7 if rule in WITH_THRESHOLD else None), by=committed_lead)
    for run in committed_tone.final_estimates.all():
        estimate_for_final_labels(run.pk)
    decided(committed_project, "i07", Answer(is_abstention=True), by=committed_lead)
    client = cast.signed_in(committed_lead)

    expected = [json.loads(json.dumps(label.as_json())) for label in final_labels(committed_project)]

    assert len(expected) == 61
    api = client.get(f"/api/v1/projects/{committed_project.slug}/final-labels/?as=jsonl").getvalue().decode()
    assert [json.loads(line) for line in api.splitlines()] == expected
    assert [
        json.loads(line) for line in file_in(committed_project, "jsonl", "final").splitlines()
    ] == expected
    table = list(
        csv.DictReader(
            io.StringIO(file_in(committed_project, "csv", "final").decode("utf-8-sig"), newline="")
        )
    )
    assert list(table[0]) == COLUMNS
    assert [(row["item"], row["label"], row["origin"], row["rule"], row["certainty"]) for row in table] == [
        (each["item"], each["label"] or "", each["origin"], each["rule"],
         "" if each["certainty"] is None else str(each["certainty"]))
        for each in expected
    ]  # fmt: skip
    book = openpyxl.load_workbook(io.BytesIO(file_in(committed_project, "xlsx", "final")), read_only=True)
    rows = list(book.worksheets[0].iter_rows(values_only=True))
    # Cells at the end of a row that are empty are not there.
    cells = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
    assert [row.get("certainty") for row in cells] == [each["certainty"] for each in expected]
    page = client.get(f"/p/{committed_project.slug}/items/final/")
    by_origin = {words: n for words, _, n in page.context["rows"] if n}
    assert by_origin == {
        str(Origin(origin).words): sum(each["origin"] == origin for each in expected)
        for origin in {each["origin"] for each in expected}
    }
    left = {each["item"] for each in expected if each["origin"] == "none" and each["n_raters"]}
    listed = client.get(f"/api/v1/projects/{committed_project.slug}/adjudication/?page_size=1000").json()
    if rule in WITH_THRESHOLD:
        assert {each["item"] for each in listed["results"]} == left


@pytest.mark.parametrize(
    ("rows", "rule", "words"),
    [
        ([], FinalRule.WEIGHTED, "no labels"),
        ([], FinalRule.DAWID_SKENE, "no labels"),
        ([("a", "r", "good"), ("b", "s", "bad")], FinalRule.DAWID_SKENE, "No item has labels by two raters"),
    ],
)
def test_why_there_is_no_estimate(committed_db, rows, rule, words):
    project = cast.new_project("Few", unique=True)
    question = new_question(project, key="tone", categories=CATEGORIES)
    add_labels(question, rows)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)

    run = worked(question, rule, by=lead)

    assert run.state == State.FAILED
    assert words in run.failure


def test_too_many_raters_for_error_rates_are_refused(committed_tone, committed_lead, monkeypatch):
    monkeypatch.setattr("raters.adjudication.estimating.MOST_CELLS", 6 * 9 - 1)

    run = worked(committed_tone, FinalRule.DAWID_SKENE, by=committed_lead)

    assert run.state == State.FAILED
    assert "Choose another rule" in run.failure
