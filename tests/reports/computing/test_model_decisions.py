"""Which items a model may decide alone: the threshold, what it rests on, and what is left to people."""

from datetime import UTC, datetime

import numpy as np
import pytest

from projects.models import Item, Project, Round
from raters.models import Assignment, Label, Rater, User
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.round_plan import RoundPlan
from reports.agreement.models.selective import threshold
from reports.results.decision_wording import methods_of, verdict_of, why_for_people
from reports.store.model_decisions import (
    DecisionsRefused,
    DecisionsRequest,
    DecisionsResult,
    decided_by_model,
)
from reports.store.stored_result import StoredResult
from tests import cast
from tests.finished import finished_report
from tests.labeling import keyed, new_question
from tests.reports.looking import led_by

AFTER = datetime(2040, 1, 1, tzinfo=UTC)
N, SAMPLED = 400, 200
CHANCE = np.random.default_rng(8)
SURE = CHANCE.integers(50, 100, N) / 100
# The model is right about as often as it says.
TRUE = CHANCE.integers(0, 2, N)
LABELS = np.where(CHANCE.random(N) < SURE, TRUE, 1 - TRUE)
ASKED = DecisionsRequest(alpha=0.2, delta=0.1)
PLAN = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE, 2), seed=1, n_items=SAMPLED)


def kept(plan: RoundPlan) -> list[dict]:
    return [plan.as_json() | {"raters": [], "n_planned": SAMPLED, "by": "lena", "at": AFTER.isoformat()}]


def project_of(
    lead: User, plan: RoundPlan | None = PLAN, *, kind: str = "single", sure: np.ndarray = SURE
) -> Project:
    """Two people label the first items, as drawn for a round; the model labels all of them."""
    project = led_by(lead, cast.new_project("Decisions", unique=True))
    question = new_question(project, categories="" if kind == "number" else "ny", kind=kind)
    round_ = Round.objects.create(
        project=project, key="sample", state=Round.State.CLOSED, plans=kept(plan) if plan else []
    )
    items = list(keyed(Item, project, [f"i{i:03}" for i in range(N)]).values())
    raters = keyed(Rater, project, ["h1", "h2", "gpt"])
    categories = list(question.categories.order_by("position"))

    def label(item: int, key: str, answer: int, **more) -> Label:
        value = (
            {"number": float(answer)}
            if kind == "number"
            else {"category_set": [categories[answer].pk]}
            if kind == "multiple"
            else {"category": categories[answer]}
        )
        return Label(item=items[item], rater=raters[key], question=question, round=round_, **value, **more)

    people = ("h1", "h2")
    Label.objects.bulk_create(
        [
            *(label(i, key, int(TRUE[i])) for i in range(SAMPLED) for key in people),
            *(label(i, "gpt", int(LABELS[i]), confidence=float(sure[i])) for i in range(N)),
        ]
    )
    Assignment.objects.bulk_create(
        Assignment(round=round_, item=items[i], rater=raters["h1"], position=i) for i in range(SAMPLED)
    )
    Rater.objects.filter(pk=raters["gpt"].pk).update(kind="model")
    return project


def decided(lead: User, project: Project, asked: DecisionsRequest = ASKED, **more) -> DecisionsResult:
    report = finished_report(project, lead, **more)
    row = report.questions.select_related("report__project", "question").get()
    return decided_by_model(StoredResult.of(row), asked)


def by_hand():
    return threshold(SURE[:SAMPLED], (LABELS != TRUE)[:SAMPLED], risk=ASKED.alpha, delta=ASKED.delta)


def test_the_threshold_is_that_of_the_calibration_items(lead):
    found = decided(lead, project_of(lead)).found

    expected = by_hand()
    assert found.threshold.confidence == expected.score
    assert found.threshold.bound == pytest.approx(expected.bound)
    assert (found.n_calibration, found.n_wrong) == (SAMPLED, int((LABELS != TRUE)[:SAMPLED].sum()))
    rest = SURE[SAMPLED:]
    assert (found.n_open, found.n_decided) == (N - SAMPLED, int((rest >= expected.score).sum()))
    assert found.n_for_people == found.n_open - found.n_decided
    assert "simple random sample" in found.sampled


def test_each_item_says_why_it_is_left_to_people(lead):
    found = decided(lead, project_of(lead))

    reasons = {why_for_people(found, place) for place in range(len(found.items))}
    assert reasons == {"", "below_threshold"}
    least_sure = found.items.for_people[0]
    assert found.items.confidences[found.items.items == least_sure][0] == SURE[SAMPLED:].min()


def test_without_a_threshold_nothing_is_decided(lead):
    project = project_of(lead)

    found = decided(lead, project, DecisionsRequest(alpha=0.01, delta=0.05))

    assert (found.found.threshold, found.found.reason, found.found.n_decided) == (None, "none_passes", 0)
    assert verdict_of(found.found).startswith("Threshold: none.")
    assert "decided no item" in methods_of(found)
    assert {why_for_people(found, place) for place in range(3)} == {"no_threshold"}


def test_fewer_than_30_calibration_items_are_too_few(lead):
    project = project_of(lead)
    Label.objects.filter(rater__project=project, rater__kind="human", item__key__gte="i029").delete()

    assert decided(lead, project).found.reason == "too_few"


@pytest.mark.parametrize(
    "chosen",
    [ItemChoice(source=ItemSource.DISPUTED), ItemChoice(stratify_by="site")],
    ids=["chosen", "strata"],
)
def test_items_known_not_to_be_random_give_no_threshold_whatever_is_stated(lead, chosen):
    plan = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE, 2), seed=1, n_items=SAMPLED, chosen=chosen)

    found = decided(lead, project_of(lead, plan), DecisionsRequest(alpha=0.2, delta=0.1, drawn="random"))

    assert (found.found.threshold, found.found.reason) == (None, "not_random")
    assert found.is_recorded
    assert found.found.n_calibration == SAMPLED
    assert found.found.steps


def test_without_a_record_it_has_to_be_stated(lead):
    project = project_of(lead, None)

    unknown = decided(lead, project)
    stated = decided(lead, project, DecisionsRequest(alpha=0.2, delta=0.1, drawn="random"))

    assert (unknown.found.threshold, unknown.found.reason, unknown.is_recorded) == (None, "not_random", False)
    assert stated.found.threshold.confidence == by_hand().score
    assert "has no record" in methods_of(stated)
    assert "fixed-sequence" not in methods_of(unknown)


def test_items_that_could_not_have_been_drawn_are_left_to_people(lead):
    project = project_of(lead)
    Item.objects.filter(project=project, key__gte="i390").update(created_at=datetime(2041, 1, 1, tzinfo=UTC))

    found = decided(lead, project)

    assert found.found.n_outside == 10
    assert found.found.n_decided == int((SURE[SAMPLED:390] >= by_hand().score).sum())
    assert why_for_people(found, len(found.items) - 1) == "not_in_population"


def test_ties_and_labels_without_a_confidence_are_left_out(lead):
    project = project_of(lead)
    question = project.questions.get()
    for number in range(5):
        label = Label.objects.get(rater__project=project, rater__key="h1", item__key=f"i{number:03}")
        label.category = question.categories.exclude(pk=label.category_id).get()
        label.save()
    gpt = Label.objects.filter(rater__project=project, rater__key="gpt")
    gpt.filter(item__key__in=["i010", "i011", "i300"]).update(confidence=None)

    found = decided(lead, project).found

    assert (found.n_tied, found.n_unstated, found.n_calibration) == (5, 2, SAMPLED - 7)
    assert (found.n_stated, found.n_without) == (N - 3, 1)


def test_a_drawn_item_that_nobody_labeled_yet_is_not_open(lead):
    project = project_of(lead)
    Label.objects.filter(rater__project=project, rater__kind="human", item__key="i000").delete()

    found = decided(lead, project).found

    assert (found.n_drawn, found.n_compared, found.n_open) == (SAMPLED, SAMPLED - 1, N - SAMPLED)


def test_a_reference_can_say_what_is_right(lead):
    project = project_of(lead)
    Rater.objects.filter(project=project, key="h2").update(kind="reference")

    unknown = decided(lead, project, DecisionsRequest(alpha=0.2, delta=0.1, against="h2"), pooled=True)
    stated = decided(
        lead, project, DecisionsRequest(alpha=0.2, delta=0.1, against="h2", drawn="random"), pooled=True
    )

    assert unknown.found.reason == "not_random"
    assert (stated.found.against, stated.found.threshold.confidence) == ("h2", by_hand().score)
    assert "the reference “h2”" in methods_of(stated)


def test_sets_are_right_if_they_are_the_same(lead):
    found = decided(lead, project_of(lead, kind="multiple")).found

    assert found.threshold.confidence == by_hand().score


def test_a_confidence_of_no_label_is_refused(lead):
    project = project_of(lead)
    Label.objects.filter(rater__project=project).update(confidence=None)

    with pytest.raises(DecisionsRefused, match="has a confidence"):
        decided(lead, project)
    with pytest.raises(DecisionsRefused, match="no model “h1”"):
        decided(lead, project, DecisionsRequest(model="h1"))
    with pytest.raises(DecisionsRefused, match="no reference “gpt”"):
        decided(lead, project_of(lead), DecisionsRequest(against="gpt"))
