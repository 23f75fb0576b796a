"""Shares among all items from few labels of people and many of a model, where people's items are a random sample."""

from datetime import UTC, datetime

import numpy as np
import pytest

from projects.models import Item, Project, Round
from raters.models import Label, Rater, User
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.round_plan import ReferenceItems, RoundPlan
from reports.agreement.models.prediction_powered import prediction_powered
from reports.agreement.models.rogan_gladen import rogan_gladen
from reports.store.models_against_people import ModelComparisonRequest, against_people
from tests import cast
from tests.finished import finished_report
from tests.labeling import keyed, new_question
from tests.reports.looking import led_by

N, SAMPLED = 240, 60
AFTER = datetime(2040, 1, 1, tzinfo=UTC)
PLAN = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE, 2), seed=1, n_items=SAMPLED)
CHANCE = np.random.default_rng(4)
PEOPLE = (CHANCE.random((N, 2)) < 0.3).astype(int)
MODEL = np.where(CHANCE.random(N) < 0.85, PEOPLE[:, 0], 1 - PEOPLE[:, 0])


def kept(plan: RoundPlan) -> list[dict]:
    return [plan.as_json() | {"raters": [], "n_planned": SAMPLED, "by": "lena", "at": AFTER.isoformat()}]


def project_of(lead: User, plan: RoundPlan | None, *, kind: str = "single") -> Project:
    """People label the first items in a round, the model all of them, in the same round."""
    project = led_by(lead, cast.new_project("Shares", unique=True))
    is_number = kind == "number"
    question = new_question(
        project, categories=() if is_number else "ny", kind=kind, level="interval" if is_number else "nominal"
    )
    round_ = Round.objects.create(
        project=project, key="sample", state=Round.State.CLOSED, plans=kept(plan) if plan else []
    )
    items = list(keyed(Item, project, [f"i{i:03}" for i in range(N)]).values())
    raters = keyed(Rater, project, ["h1", "h2", "model"])
    categories = [question.categories.filter(key=key).first() for key in "ny"]

    def label(item: int, key: str, answer: int) -> Label:
        value = {"number": float(answer)} if is_number else {"category": categories[answer]}
        return Label(item=items[item], rater=raters[key], question=question, round=round_, **value)

    rows = [label(i, f"h{1 + j}", int(PEOPLE[i, j])) for i in range(SAMPLED) for j in range(2)]
    rows += [label(i, "model", int(MODEL[i])) for i in range(N)]
    Label.objects.bulk_create(rows)
    Rater.objects.filter(pk=raters["model"].pk).update(kind="model")
    return project


def prevalence(lead: User, project: Project):
    report = finished_report(project, lead)
    row = report.questions.select_related("report__project", "question").get()
    [found] = against_people(row, ModelComparisonRequest()).models
    return found.prevalence


def expected():
    share = PEOPLE[:SAMPLED].mean(axis=1)
    return prediction_powered(share, MODEL[:SAMPLED].astype(float), MODEL[SAMPLED:].astype(float))


def test_a_random_sample_gives_an_estimate_for_all_items(lead):
    found = prevalence(lead, project_of(lead, PLAN))

    assert (found.refusal, found.n_people_items, found.n_others) == ("", SAMPLED, N - SAMPLED)
    assert "simple random sample" in found.sampled
    no, yes = found.rows
    by_hand = expected()
    assert yes.estimate.value == pytest.approx(by_hand.value)
    assert (yes.estimate.ci_low, yes.estimate.ci_high) == pytest.approx((by_hand.ci_low, by_hand.ci_high))
    assert (yes.tuning, yes.worth) == pytest.approx((by_hand.tuning, by_hand.worth))
    assert yes.model == pytest.approx(MODEL.mean())
    assert yes.people.value == pytest.approx(PEOPLE[:SAMPLED].mean())
    assert yes.worth > SAMPLED
    assert no.estimate.value == pytest.approx(1 - yes.estimate.value)


def test_a_mean_of_numbers_is_estimated_too(lead):
    found = prevalence(lead, project_of(lead, PLAN, kind="number"))

    [mean] = found.rows
    assert mean.key == ""
    assert mean.estimate.value == pytest.approx(expected().value)


def test_items_that_could_not_have_been_drawn_do_not_count(lead):
    project = project_of(lead, PLAN)
    # Imported after the round was planned.
    Item.objects.filter(project=project, key__gte="i200").update(created_at=datetime(2041, 1, 1, tzinfo=UTC))
    # Withdrawn meanwhile.
    Item.objects.filter(project=project, key__in=["i190", "i191"]).update(withdrawn_at=AFTER)

    assert prevalence(lead, project).n_others == 200 - 2 - SAMPLED


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (None, "isn’t known how their items were chosen"),
        (RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE, 2), seed=1), "are all items"),
        (
            RoundPlan(
                overlap=Overlap(AssignmentDesign.EVERYONE, 2),
                seed=1,
                n_items=9,
                chosen=ItemChoice(source=ItemSource.DISPUTED),
            ),
            "were chosen (in dispute)",
        ),
        (
            RoundPlan(
                overlap=Overlap(AssignmentDesign.EVERYONE, 2),
                seed=1,
                n_items=9,
                chosen=ItemChoice(stratify_by="site"),
            ),
            "stratified sample",
        ),
        (
            RoundPlan(
                overlap=Overlap(AssignmentDesign.EVERYONE, 2),
                seed=1,
                n_items=9,
                reference_items=ReferenceItems(number=3),
            ),
            "include reference items",
        ),
    ],
)
def test_other_items_are_refused_with_the_reason(lead, plan, words):
    found = prevalence(lead, project_of(lead, plan))

    assert words in found.refusal
    assert found.rows == ()


def test_several_rounds_are_no_sample(lead):
    project = project_of(lead, PLAN)
    other = Round.objects.create(project=project, key="other", state=Round.State.CLOSED, plans=kept(PLAN))
    Label.objects.filter(rater__project=project, item__key__lt="i010").update(round=other)
    report = finished_report(project, lead, pooled=True)
    row = report.questions.select_related("report__project", "question").get()

    [found] = against_people(row, ModelComparisonRequest()).models

    assert "several rounds" in found.prevalence.refusal


def with_reference(lead: User, truth: np.ndarray, n: int) -> Project:
    """The same without a planned round, and with a reference on the first n items."""
    project = project_of(lead, None)
    question = project.questions.get()
    rater = Rater.objects.create(project=project, key="gold", kind="reference")
    categories = [question.categories.get(key=key) for key in "ny"]
    items = Item.objects.filter(project=project).order_by("key")[:n]
    Label.objects.bulk_create(
        Label(item=item, rater=rater, question=question, category=categories[int(truth[i])])
        for i, item in enumerate(items)
    )
    return project


def test_reference_items_chosen_by_category_correct_for_errors(lead):
    truth = PEOPLE[:100, 0]

    found = prevalence(lead, with_reference(lead, truth, 100))

    assert found.rows == ()
    by_class = found.by_class
    assert (by_class.n_reference, by_class.n_others) == (100, N - 100)
    _, yes = by_class.rows
    by_hand = rogan_gladen(
        float(MODEL[100:].mean()),
        N - 100,
        sensitivity=float(MODEL[:100][truth == 1].mean()),
        n_true=int(truth.sum()),
        specificity=float(1 - MODEL[:100][truth == 0].mean()),
        n_false=int((1 - truth).sum()),
    )
    assert (yes.corrected.value, yes.corrected.ci_low, yes.corrected.ci_high) == pytest.approx(
        (by_hand.value, by_hand.ci_low, by_hand.ci_high)
    )
    assert yes.n_true == truth.sum()


def test_without_a_reference_nothing_is_corrected(lead):
    assert prevalence(lead, project_of(lead, PLAN)).by_class is None
