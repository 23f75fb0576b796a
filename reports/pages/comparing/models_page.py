"""What the page of a model against people shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import count, percent
from core.templatetags.shown import figure as number_shown
from reports.agreement.models.alternative_annotator import PASSES
from reports.agreement.models.prediction_powered import FEW
from reports.analysis.question import Kind
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    EstimatedShare,
    Figure,
    ModelAgainstPeople,
    ModelErrors,
    ModelPrevalence,
    ModelsAgainstPeople,
    PersonBesideModel,
)
from reports.drawing.picture import Picture
from reports.pages.address_choices import chosen
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head, rater_address
from reports.pictures.winning_plot import TICKS, winning_plot
from reports.plans.human_labels import PREFIX
from reports.results.addresses import question_address
from reports.results.items.query import ItemQuery
from reports.results.model_wording import (
    DEFAULT,
    EPSILONS,
    SCORES,
    asked_models,
    has_lists,
    methods_of,
    names_of,
    pair_title,
    smallest_of,
    verdict_of,
    warnings_of,
)
from reports.results.statistic_rows import shown_limits, shown_p, shown_value
from reports.results.time_wording import signed
from reports.store.models_against_people import LEAST, AskedModels, ModelsRefused
from reports.store.on_demand import models_asked
from reports.store.stored_result import StoredResult

# A value with its interval, or why there is none.
Shown = tuple[str, str]
# Where items are listed that an address asks for; "" for nowhere.
Listed = Callable[..., str]


@dataclass(frozen=True, slots=True)
class PersonRow:
    """pair: the page of the model and this person."""

    name: str
    pair: str
    with_model: Shown
    with_people: Shown
    less: Shown
    in_place: str
    in_place_less: Shown
    n_items: int
    own_score: str
    model_score: str
    own_wins: str
    model_wins: str
    difference: str
    p_value: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """missed, false_ones: how many, and where they are listed, "" for nowhere."""

    name: str
    n_people: int
    n_model: int
    found: Shown
    right: Shown
    missed: tuple[int, str]
    false_ones: tuple[int, str]


@dataclass(frozen=True, slots=True)
class ValueRow:
    value: str
    n_items: int
    n_different: int
    figure: Shown
    items: str
    different: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorsSection(PageSection):
    """is_number: means of differences instead of shares. different: where items with another label are listed."""

    error_items: int
    error_tied: int
    error_different: int
    error_figure: Shown
    different: str
    is_number: bool
    categories: Sequence[CategoryRow]
    attributes: Sequence[tuple[str, Sequence[ValueRow], int]]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """name: of the category, or “Mean”. plan: where it is worked out how many labels of people an interval takes."""

    name: str
    model: str
    people: Shown
    estimate: Shown
    worth: str
    plan: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    first: str
    second: str
    n_items: int
    agreement: Shown
    advantage: Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSection(PageSection):
    """One model. rater: the page of its own. per_item: people on an item, on average."""

    name: str
    rater: str
    model: ModelAgainstPeople
    per_item: str
    pair_title: str
    with_people: Shown
    among_people: Shown
    difference: Shown
    alpha: Shown
    rows: Sequence[PersonRow]
    has_in_place: bool
    passes: bool | None
    verdict: str
    winning: str
    advantage: Shown
    smallest: str
    score: str
    curve: Sequence[tuple[str, str]]
    plot: Picture | None
    warnings: Sequence[str]
    errors: ErrorsSection
    stable: Shown
    stable_alpha: Shown
    shares: Sequence[ShareRow]
    is_small_sample: bool
    compared: Sequence[ComparedRow]
    n_uncompared: int
    methods: Sequence[str]
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsPage(PageSection):
    """found: None if it is refused."""

    head: QuestionHead
    percent: str
    pictures: str
    names: Sequence[str]
    model_name: str
    epsilon: str
    epsilons: Mapping[str, str]
    least: str
    leasts: Mapping[str, str]
    enough: float
    refusal: str = ""
    found: ModelSection | None = None


@dataclass(frozen=True, slots=True)
class AskedPage:
    """What an address asks for. model: the key of one, "" for the first with items."""

    model: str
    epsilon: str
    asked: AskedModels


def asked_of(request: HttpRequest) -> AskedPage:
    """Nonsense gives the defaults."""
    return AskedPage(
        request.GET.get("model", "")[:200],
        chosen(request, "epsilon", EPSILONS, DEFAULT),
        asked_models(request.GET.get("least", "")),
    )


def models_page(request: HttpRequest, result: StoredResult) -> ModelsPage:
    asked = asked_of(request)
    page = ModelsPage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        pictures=f"{question_address(result.row)}pictures/",
        names=[],
        model_name=asked.model,
        epsilon=asked.epsilon,
        epsilons={value: f"{value}: {whom}" for value, whom in EPSILONS.items()},
        least=str(asked.asked.least),
        leasts={str(n): f"{n} items" for n in LEAST},
        enough=PASSES,
    )
    try:
        found = models_asked(result.row, asked.asked, by=request.user)
    except ModelsRefused as refused:
        return replace(page, refusal=str(refused))
    names = names_of(result)
    model = model_of(found, names, asked.model)
    return replace(
        page,
        names=sorted(names[each.rater] for each in found.models),
        model_name=names[model.rater],
        found=model_section(result, found, model, asked),
    )


def model_of(found: ModelsAgainstPeople, names: Mapping[int, str], key: str) -> ModelAgainstPeople:
    """The model with this key, or that with most items to compare."""
    named = [each for each in found.models if names[each.rater] == key]
    return named[0] if named else max(found.models, key=lambda each: each.n_items)


def model_section(
    result: StoredResult, found: ModelsAgainstPeople, model: ModelAgainstPeople, asked: AskedPage
) -> ModelSection:
    names, epsilon = names_of(result), asked.epsilon
    name, verdict = names[model.rater], verdict_of(model, names[model.rater], epsilon, found.least)
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    return ModelSection(
        name=name,
        rater=rater_address(result.row, model.rater),
        model=model,
        per_item=number_shown(model.n_person_labels / model.n_items, 1) if model.n_items else "–",
        pair_title=pair_title(result, found),
        with_people=_shown(model.with_people),
        among_people=_shown(model.among_people),
        difference=_shown(model.difference, is_difference=True),
        alpha=_shown(model.alpha),
        rows=[_person(result, model, each, epsilon, found.least) for each in model.people],
        has_in_place=any(each.in_place is not None for each in model.people),
        passes=verdict.passes,
        verdict=verdict.sentence,
        winning=number_shown(model.winning.get(epsilon)),
        advantage=_shown(model.advantage),
        smallest=smallest_of(model),
        score=SCORES[Kind(result.scope.kind)],
        curve=[(f"{each:.2f}", number_shown(model.winning.get(f"{each:g}"))) for each in TICKS],
        plot=plot_of(name, model, epsilon),
        warnings=list(warnings_of(model, found.least)),
        errors=_errors(result, model),
        stable=_shown(model.stability.share, is_share=True),
        stable_alpha=_shown(model.stability.alpha),
        shares=list(_shares(result, model.prevalence)),
        is_small_sample=model.prevalence.n_people_items < FEW,
        compared=[
            ComparedRow(
                names[each.first],
                names[each.second],
                each.n_items,
                _shown(each.agreement, is_difference=True),
                _shown(each.advantage, is_difference=True),
            )
            for each in found.comparisons
        ],
        n_uncompared=found.n_left_out if found.comparisons else 0,
        methods=methods_of(result, found, model, name, epsilon),
        file=f"{reverse('report_models_file', args=args)}?least={found.least}",
    )


def plot_of(name: str, model: ModelAgainstPeople, epsilon: str) -> Picture | None:
    """None where nobody could be tested."""
    if not model.n_tested:
        return None
    return winning_plot(
        {float(each): share for each, share in model.winning.items()},
        here=float(epsilon),
        passes=PASSES,
        said=f"Winning rate of {name} by ε; same data in the table below",
    )


def _shown(found: Figure, *, is_share: bool = False, is_difference: bool = False) -> Shown:
    """With its interval, or why there is none."""
    interval = shown_limits(found.ci_low, found.ci_high, is_share=is_share)
    value = signed(found.value) if is_difference else shown_value(found.value, is_share=is_share)
    return value, interval or (words_of(found.reason).short if found.reason else "")


def _person(
    result: StoredResult, model: ModelAgainstPeople, each: PersonBesideModel, epsilon: str, least: int
) -> PersonRow:
    test, low, high = each.test, *sorted((each.person, model.rater))
    less = each.in_place_less
    limits = shown_limits(less.ci_low, less.ci_high, is_share=False) if less else ""
    outcome = "yes" if each.rejected.get(epsilon) else "no"
    return PersonRow(
        name=names_of(result)[each.person],
        pair=f"{question_address(result.row)}{low}/{high}/",
        with_model=_shown(each.with_model),
        with_people=_shown(each.with_people),
        less=_shown(each.less, is_difference=True),
        in_place=_shown(each.in_place)[0] if each.in_place else "–",
        in_place_less=(signed(less.value if less else None), limits),
        n_items=test.n_items,
        own_score=shown_value(test.own_score, is_share=False),
        model_score=shown_value(test.model_score, is_share=False),
        own_wins=percent(test.own_wins, 1),
        model_wins=percent(test.model_wins, 1),
        difference=signed(test.difference),
        p_value=shown_p(test.p_values.get(epsilon)),
        outcome=outcome if test.is_tested else f"fewer than {least} items",
    )


def _errors(result: StoredResult, model: ModelAgainstPeople) -> ErrorsSection:
    found, is_number = model.errors, model.errors.categories is None
    own = ""
    if has_lists(result.row, result.counted.ids, model.rater):
        own = f"{rater_address(result.row, model.rater)}items/"

    def listed(**asked: str) -> str:
        return f"{own}{ItemQuery(**asked)}" if own else ""  # type: ignore[arg-type]

    names = {each["key"]: each["name"] or each["key"] for each in result.categories}
    return ErrorsSection(
        error_items=found.n_items,
        error_tied=found.n_tied,
        error_different=found.n_different,
        error_figure=_shown(found.figure, is_share=not is_number, is_difference=is_number),
        different=listed(among="dispute"),
        is_number=is_number,
        categories=[
            CategoryRow(
                name=names[each.key],
                n_people=each.n_people,
                n_model=each.n_model,
                found=_shown(each.found, is_share=True),
                right=_shown(each.right, is_share=True),
                missed=(each.n_people - each.n_both, listed(column=each.key, row_lacks=each.key)),
                false_ones=(each.n_model - each.n_both, listed(row=each.key, column_lacks=each.key)),
            )
            for each in found.categories or ()
        ],
        attributes=_attributes(found, listed, is_number=is_number),
    )


def _attributes(
    found: ModelErrors, listed: Listed, *, is_number: bool
) -> Sequence[tuple[str, Sequence[ValueRow], int]]:
    return [
        (
            each.attribute,
            [
                ValueRow(
                    row.value or "(empty)",
                    row.n_items,
                    row.n_different,
                    _shown(row.figure, is_share=not is_number, is_difference=is_number),
                    listed(among="compared", attribute=each.attribute, value=row.value),
                    listed(among="dispute", attribute=each.attribute, value=row.value),
                )
                for row in each.values
            ],
            each.n_left_out,
        )
        for each in found.attributes
        if each.values
    ]


def _shares(result: StoredResult, found: ModelPrevalence) -> Iterator[ShareRow]:
    names = {each["key"]: each["name"] or each["key"] for each in result.categories}
    for row in found.rows:
        of_share = bool(row.key)
        yield ShareRow(
            names.get(row.key, "Mean"),
            shown_value(row.model, is_share=of_share),
            _shown(row.people, is_share=of_share),
            _shown(row.estimate, is_share=of_share),
            "–" if row.worth is None else count(round(row.worth)),
            _plan(found, row),
        )


def _plan(found: ModelPrevalence, row: EstimatedShare) -> str:
    if not row.sd or row.correlation is None:
        return ""
    asked = {
        f"{PREFIX}-items": found.n_people_items + found.n_others,
        f"{PREFIX}-sd": f"{row.sd:.4g}",
        f"{PREFIX}-correlation": f"{max(0.0, row.correlation):.4g}",
    }
    return f"{reverse('plan_items')}?{urlencode(asked)}#human-labels"
