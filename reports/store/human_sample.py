"""Whether the items that people labeled are a random sample of those that a model labeled, as known from the round."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from projects.models import Item, Round
from raters.models import Assignment
from raters.rounds.chosen_items import ItemSource
from raters.rounds.round_plan import RoundPlan
from reports.analysis.label_arrays import NO_ROUND, LabelColumns
from reports.models import QuestionAgreement, Report

UNKNOWN = (
    "People’s labels are not from a round that was planned in Interrater, so it isn’t known how their items were "
    "chosen. An estimate for all items requires a random sample of them."
)
SEVERAL = "People’s labels are from several rounds, whose items were not drawn together."


@dataclass(frozen=True, slots=True, eq=False)
class HumanSample:
    """round: the one whose items are a random sample; None if they are not. words: how they were drawn, or why they are
    not a random sample. population: IDs of items that could have been drawn; drawn: those that were. is_recorded:
    whether it is known how the items were chosen.
    """

    round: int | None
    words: str
    population: NDArray[np.int64]
    drawn: NDArray[np.int64]
    is_recorded: bool = True


NOTHING = np.empty(0, dtype=np.int64)


def human_sample(agreement: QuestionAgreement, of_people: LabelColumns) -> HumanSample:
    """Return whether the people's items are a random sample. of_people: the labels of people that the report's figures
    use.
    """
    found = planned_round(of_people, agreement.report)
    if isinstance(found, HumanSample):
        return found
    if refusal := _refusal(found):
        return HumanSample(None, refusal, NOTHING, NOTHING)
    words = (
        f"The items of round “{found.key}” are a simple random sample of the items that were in no round when it was "
        "planned."
    )
    population = population_of(found)
    return HumanSample(found.pk, words, population, drawn_of(found, population))


def planned_round(of_people: LabelColumns, report: Report) -> Round | HumanSample:
    """Return the planned round of the labels, named as in the report, or why it is unknown how items were chosen."""
    rounds = np.unique(of_people.rounds)
    if len(rounds) > 1:
        return HumanSample(None, SEVERAL, NOTHING, NOTHING)
    found = Round.objects.filter(pk__in=[pk for pk in rounds.tolist() if pk != NO_ROUND]).first()
    if found is None or not found.plans:
        return HumanSample(None, UNKNOWN, NOTHING, NOTHING, is_recorded=False)
    found.key = report.round_keys.get(found.pk, found.key)
    return found


def _refusal(round_: Round) -> str:
    """Return why the items of the round are not a simple random sample; "" if they are."""
    # Later plans assign the same items to other raters.
    plan = RoundPlan.of_json(round_.plans[0])
    if plan.chosen.stratify_by and plan.chosen.source is ItemSource.FREE:
        return (
            f"The items of round “{round_.key}” are a stratified sample, in which items may not all have had "
            "the same chance."
        )
    return why_not_drawn(round_)


def why_not_drawn(round_: Round) -> str:
    """Return why the items of the round were not drawn at random from those in no round, with strata or without."""
    plan = RoundPlan.of_json(round_.plans[0])
    name = f"The items of round “{round_.key}”"
    if plan.chosen.source is not ItemSource.FREE:
        return f"{name} were chosen ({plan.chosen.words}), so they don’t represent all items."
    if plan.reference_items is not None:
        return f"{name} include reference items, which were not drawn together with the others."
    if plan.n_items is None:
        return f"{name} are all items that were in no round at the time, not a sample of them."
    return ""


def population_of(round_: Round) -> NDArray[np.int64]:
    """Return the items that were in no round when this one was planned, as far as that is known."""
    earlier = Assignment.objects.filter(round__project=round_.project_id, round__lt=round_.pk)
    items = Item.objects.filter(project=round_.project_id, withdrawn_at=None)
    if planned_at := round_.plans[0].get("at"):
        items = items.filter(created_at__lte=datetime.fromisoformat(planned_at))
    ids = items.exclude(pk__in=earlier.values("item")).order_by("pk").values_list("pk", flat=True)
    return np.fromiter(ids.iterator(), dtype=np.int64)


def drawn_of(round_: Round, population: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the items of the population that are in the round."""
    ids = Assignment.objects.filter(round=round_).order_by().values_list("item", flat=True).distinct()
    return np.intersect1d(population, np.fromiter(ids.iterator(), dtype=np.int64))
