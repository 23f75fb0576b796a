"""The page on which items a model may decide alone, and which are left to people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import figure, percent
from projects.access import permissions_in
from projects.roles import Permission
from reports.analysis.results import DecisionStep, ModelDecisions
from reports.analysis.results.decisions import PEOPLE
from reports.drawing.picture import Picture
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pictures.risk_plot import risk_plot
from reports.results.addresses import items_address, question_address
from reports.results.decision_wording import (
    PARAMETERS,
    address_of,
    against_words,
    methods_of,
    requested_decisions,
    sure,
    verdict_of,
    warnings_of,
)
from reports.results.items.query import ItemQuery
from reports.store.model_decisions import (
    ALPHA,
    DELTA,
    STATED,
    DecisionsRefused,
    DecisionsResult,
    decided_by_model,
    models_in,
    references_in,
)
from reports.store.stored_result import StoredResult

# The most rows in the table of the curve, and on a list for a round.
MOST_ROWS = 12
MOST_IN_ROUND = 50_000


@dataclass(frozen=True, slots=True)
class DecisionStepRow:
    confidence: str
    n_items: int
    coverage: str
    n_wrong: int
    share_wrong: str
    bound: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsSection(PageSection):
    """decided, for_people: the URLs of the lists of items. n_planned: items of the round that a lead may plan from
    here, 0 for none; round_address: where to post it.
    """

    found: ModelDecisions
    model_name: str
    against: str
    threshold: str
    verdict: str
    sampled: str
    warnings: Sequence[str]
    may_state: bool
    rows: Sequence[DecisionStepRow]
    plot: Picture | None
    decided: str
    for_people: str
    n_planned: int
    round_address: str
    methods: str
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsPage(PageSection):
    """alpha, delta: as written in the address. section: None if the request is refused. faults: of each parameter, ""
    if it is valid. is_offered: whether there is anything to ask for: not if the refusal holds whatever is asked.
    """

    head: QuestionHead
    pictures: str
    names: Sequence[str]
    references: Sequence[str]
    people: str
    chosen_model: str
    alpha: str
    delta: str
    chosen_against: str
    stated: str
    is_stated: bool
    refusal: str = ""
    faults: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(PARAMETERS, ""))
    is_offered: bool = True
    section: DecisionsSection | None = None


def decisions_page(request: HttpRequest, result: StoredResult) -> DecisionsPage:
    page = DecisionsPage(
        head=question_head(result),
        pictures=f"{question_address(result.row)}pictures/",
        names=[rater.key for rater in models_in(result)],
        references=[rater.key for rater in references_in(result)],
        people=PEOPLE,
        chosen_model=request.GET.get("model", ""),
        alpha=request.GET.get("alpha", "")[:20] or f"{ALPHA:g}",
        delta=request.GET.get("delta", "")[:20] or f"{DELTA:g}",
        chosen_against=request.GET.get("against", "") or PEOPLE,
        stated=STATED,
        is_stated=request.GET.get("drawn") == STATED,
    )
    try:
        decided = decided_by_model(result, requested_decisions(request.GET))
    except DecisionsRefused as refused:
        faults = {**page.faults, **refused.faults}
        return replace(page, refusal=str(refused), faults=faults, is_offered=bool(refused.faults))
    return replace(page, chosen_model=decided.rater.key, section=_section(request, result, decided))


def _section(request: HttpRequest, result: StoredResult, decided: DecisionsResult) -> DecisionsSection:
    found, asked = decided.found, requested_decisions(request.GET)
    address = address_of(replace(asked, model=decided.rater.key))
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    may_plan = Permission.EDIT_PROJECT in permissions_in(request.user, result.report.project)
    return DecisionsSection(
        found=found,
        model_name=decided.rater.key,
        against=against_words(found),
        threshold=sure(found.threshold) if found.threshold else "none",
        verdict=verdict_of(found),
        sampled=found.sampled,
        warnings=list(warnings_of(decided)),
        may_state=not decided.is_recorded,
        rows=[_row(found, step) for step in _listed(found)],
        plot=plot_of(found),
        decided=items_address(result.row, ItemQuery(decided="yes", **address)),  # type: ignore[arg-type]
        for_people=items_address(result.row, ItemQuery(decided="no", **address)),  # type: ignore[arg-type]
        n_planned=min(found.n_for_people, MOST_IN_ROUND) if may_plan else 0,
        round_address=f"{reverse('report_decisions_round', args=args)}?{urlencode(address)}",
        methods=methods_of(decided),
        file=f"{reverse('report_decisions_file', args=args)}?{urlencode(address)}",
    )


def plot_of(found: ModelDecisions) -> Picture | None:
    """Return the curve; None without calibration items."""
    if not found.steps:
        return None
    description = (
        f"Upper limit of the error rate of {found.model} by confidence; same data in the table below"
    )
    return risk_plot(found.steps, alpha=found.alpha, threshold=found.threshold, description=description)


def _listed(found: ModelDecisions) -> list[DecisionStep]:
    """Return at most about MOST_ROWS steps, always with the threshold and the next one."""
    steps, last = found.steps, len(found.steps) - 1
    rows = min(len(steps), MOST_ROWS)
    places = {round(last * place / max(1, rows - 1)) for place in range(rows)}
    if found.threshold is not None:
        here = steps.index(found.threshold)
        places |= {here, min(here + 1, last)}
    return [steps[place] for place in sorted(places)]


def _row(found: ModelDecisions, step: DecisionStep) -> DecisionStepRow:
    if step == found.threshold:
        outcome = "threshold"
    elif step.n_items < found.least:
        outcome = "too few items"
    elif found.threshold is not None and step.confidence > found.threshold.confidence:
        outcome = "passes"
    else:
        outcome = "above α" if step.bound > found.alpha else "not tested"
    return DecisionStepRow(
        sure(step),
        step.n_items,
        percent(step.coverage),
        step.n_wrong,
        percent(step.share_wrong, 1),
        figure(step.bound, 3),
        outcome,
    )
