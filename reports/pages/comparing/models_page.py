"""The page that compares a model with people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import figure as number_shown
from core.templatetags.shown import percent
from reports.agreement.models.alternative_annotator import PASSES
from reports.agreement.models.prediction_powered import FEW
from reports.analysis.models_against_people import MOST_PEOPLE
from reports.analysis.question import Kind
from reports.analysis.results import (
    ModelAgainstPeople,
    ModelsAgainstPeople,
    PersonVersusModel,
)
from reports.drawing.picture import Picture
from reports.pages.address_choices import chosen
from reports.pages.comparing.model_sections import (
    CorrectedRow,
    ModelErrorsSection,
    ShareRow,
    Shown,
    corrected_rows,
    errors_section,
    figure_cells,
    share_rows,
)
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head, rater_address
from reports.pictures.winning_plot import TICKS, winning_plot
from reports.results.addresses import question_address
from reports.results.against_reference import reference_of
from reports.results.model_wording import (
    DEFAULT,
    EPSILONS,
    SCORES,
    has_too_many_people,
    methods_of,
    names_of,
    pair_title,
    requested_model_options,
    smallest_of,
    verdict_of,
    warnings_of,
)
from reports.results.prose_words import capitalized
from reports.results.rater_kinds import rater_kind
from reports.results.statistic_rows import (
    is_share,
    shown_difference,
    shown_difference_limits,
    shown_p,
    shown_value,
)
from reports.store.models_against_people import LEAST, ModelComparisonRequest, ModelsRefused
from reports.store.on_demand import model_comparison
from reports.store.sampled_labels import is_drawn
from reports.store.stored_model_comparison import stored_model_comparison
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class PersonVersusModelRow:
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
class ComparedRow:
    first: str
    second: str
    n_items: int
    agreement: Shown
    advantage: Shown


@dataclass(frozen=True, slots=True)
class ModelVersusReference:
    """A model against the reference. key: of the reference. figures: title, value, and interval of each. pair: the URL
    of the two.
    """

    key: str
    n_items: int
    figures: Sequence[tuple[str, Shown]]
    pair: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSection(PageSection):
    """One model. against: None without a reference that labeled the same items. rater: the URL of its own page.
    per_item: the mean number of people per item. sample_file: the URL of its labels with people's; "" if these are not
    of a random sample. most_people: the limit of people whose pairs are resampled, if there are more. overview: the URL
    of their agreement on the page of the question, if it has it.
    """

    name: str
    rater: str
    against: ModelVersusReference | None
    model: ModelAgainstPeople
    per_item: str
    pair_title: str
    with_people: Shown
    among_people: Shown
    difference: Shown
    alpha: Shown
    rows: Sequence[PersonVersusModelRow]
    has_in_place: bool
    most_people: int | None
    overview: str
    passes: bool | None
    verdict: str
    winning: str
    advantage: Shown
    smallest: str
    score: str
    curve: Sequence[tuple[str, str]]
    plot: Picture | None
    warnings: Sequence[str]
    errors: ModelErrorsSection
    stable: Shown
    stable_alpha: Shown
    shares: Sequence[ShareRow]
    is_small_sample: bool
    corrected: Sequence[CorrectedRow]
    reference: str
    compared: Sequence[ComparedRow]
    n_uncompared: int
    methods: Sequence[str]
    file: str
    sample_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsPage(PageSection):
    """found: None if the comparison is refused. decisions: the URL of what a model may decide; "" if no label has a
    confidence.
    """

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
    decisions: str
    refusal: str = ""
    found: ModelSection | None = None


@dataclass(frozen=True, slots=True)
class ModelsPageChoices:
    """The choices in the query string. model: its key; "" for the model with most items."""

    model: str
    epsilon: str
    asked: ModelComparisonRequest


def requested_choices(request: HttpRequest) -> ModelsPageChoices:
    """Return the choices in the query string; invalid ones take their defaults."""
    return ModelsPageChoices(
        request.GET.get("model", "")[:200],
        chosen(request, "epsilon", EPSILONS, DEFAULT),
        requested_model_options(request.GET.get("least", "")),
    )


def models_page(request: HttpRequest, result: StoredResult) -> ModelsPage:
    asked = requested_choices(request)
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
        decisions=_decisions(result),
    )
    try:
        found = model_comparison(result.row, asked.asked, by=request.user)
    except ModelsRefused as refused:
        return replace(page, refusal=str(refused))
    names = names_of(result)
    model = model_of(found, names, asked.model)
    return replace(
        page,
        names=sorted(names[each.rater] for each in found.models),
        model_name=names[model.rater],
        decisions=_decisions(result, names[model.rater]),
        found=model_section(result, found, model, asked),
    )


def _decisions(result: StoredResult, model: str = "") -> str:
    is_number = result.scope.kind == Kind.NUMBER
    if is_number or not result.row.n_confidences or not result.row.has_models:
        return ""
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    address = reverse("report_decisions", args=args)
    return f"{address}?{urlencode({'model': model})}" if model else address


def model_of(found: ModelsAgainstPeople, names: Mapping[int, str], key: str) -> ModelAgainstPeople:
    """Return the model with this key, or else the one with most items to compare."""
    named = [each for each in found.models if names[each.rater] == key]
    return named[0] if named else max(found.models, key=lambda each: each.n_items)


def model_section(
    result: StoredResult, found: ModelsAgainstPeople, model: ModelAgainstPeople, choices: ModelsPageChoices
) -> ModelSection:
    names, epsilon = names_of(result), choices.epsilon
    name, verdict = names[model.rater], verdict_of(model, names[model.rater], epsilon, found.least)
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    of_share = is_share(found.pair_figure)
    return ModelSection(
        name=name,
        rater=rater_address(result.row, model.rater),
        against=_against(result, found, model.rater),
        model=model,
        per_item=number_shown(model.n_person_labels / model.n_items, 1) if model.n_items else "–",
        pair_title=pair_title(result, found),
        with_people=figure_cells(model.with_people, is_share=of_share),
        among_people=figure_cells(model.among_people, is_share=of_share),
        difference=figure_cells(model.difference, is_share=of_share, is_difference=True),
        alpha=figure_cells(model.alpha),
        rows=[_person(result, found, model, each, epsilon) for each in model.people],
        has_in_place=any(each.in_place is not None for each in model.people),
        most_people=MOST_PEOPLE if has_too_many_people(model) else None,
        overview=f"{question_address(result.row)}#models" if stored_model_comparison(result.row) else "",
        passes=verdict.passes,
        verdict=verdict.sentence,
        winning=number_shown(model.winning.get(epsilon)),
        advantage=figure_cells(model.advantage),
        smallest=smallest_of(model),
        score=SCORES[Kind(result.scope.kind)],
        curve=[(f"{each:.2f}", number_shown(model.winning.get(f"{each:g}"))) for each in TICKS],
        plot=plot_of(name, model, epsilon),
        warnings=list(warnings_of(model, found.least)),
        errors=errors_section(result, model),
        stable=figure_cells(model.stability.share, is_share=True),
        stable_alpha=figure_cells(model.stability.alpha),
        shares=list(share_rows(result, model.prevalence)),
        is_small_sample=model.prevalence.n_people_items < FEW,
        corrected=corrected_rows(result, model.prevalence.by_class),
        reference=names.get(model.prevalence.by_class.reference, "") if model.prevalence.by_class else "",
        compared=[
            ComparedRow(
                names[each.first],
                names[each.second],
                each.n_items,
                figure_cells(each.agreement, is_share=of_share, is_difference=True),
                figure_cells(each.advantage, is_difference=True),
            )
            for each in found.comparisons
        ],
        n_uncompared=found.n_left_out if found.comparisons else 0,
        methods=methods_of(result, found, model, name, epsilon),
        file=f"{reverse('report_models_file', args=args)}?least={found.least}",
        sample_file=_sample_file(result, model, name),
    )


def _against(result: StoredResult, found: ModelsAgainstPeople, model: int) -> ModelVersusReference | None:
    """Return the model's accuracy and agreement with the reference, which come first if there is one."""
    reference, raters = reference_of(result), {rater.id: rater for rater in result.raters}
    if reference is None or reference.id == model:
        return None
    pair = result.pair_of((model, reference.id))
    if pair is None or not pair.n:
        return None
    values = rater_kind(result.scope).against(result, raters[model], reference, pair).values
    titles = {
        "accuracy": "Accuracy",
        "kappa_weighted": "κ, weighted",
        "kappa": "κ, unweighted" if result.scope.is_weighted else "κ",
        found.pair_figure: capitalized(pair_title(result, found)),
    }
    low, high = sorted((model, reference.id))
    return ModelVersusReference(
        reference.key,
        pair.n,
        [
            (title, figure_cells(values[name], is_share=name == "accuracy"))
            for name, title in titles.items()
            if name in values
        ],
        f"{question_address(result.row)}{low}/{high}/",
    )


def _sample_file(result: StoredResult, model: ModelAgainstPeople, name: str) -> str:
    if model.prevalence.refusal and not is_drawn(result):
        return ""
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    return f"{reverse('report_sample_file', args=args)}?{urlencode({'model': name})}"


def plot_of(name: str, model: ModelAgainstPeople, epsilon: str) -> Picture | None:
    """Return the plot of winning rates; None if nobody could be tested."""
    if not model.n_tested:
        return None
    return winning_plot(
        {float(each): share for each, share in model.winning.items()},
        here=float(epsilon),
        passes=PASSES,
        description=f"Winning rate of {name} by ε; same data in the table below",
    )


def _person(
    result: StoredResult,
    found: ModelsAgainstPeople,
    model: ModelAgainstPeople,
    each: PersonVersusModel,
    epsilon: str,
) -> PersonVersusModelRow:
    test, low, high = each.test, *sorted((each.person, model.rater))
    less, of_share = each.in_place_less, is_share(found.pair_figure)
    limits = shown_difference_limits(less.ci_low, less.ci_high, is_share=False) if less else ""
    outcome = "yes" if each.rejected.get(epsilon) else "no"
    return PersonVersusModelRow(
        name=names_of(result)[each.person],
        pair=f"{question_address(result.row)}{low}/{high}/",
        with_model=figure_cells(each.with_model, is_share=of_share),
        with_people=figure_cells(each.with_people, is_share=of_share),
        less=figure_cells(each.less, is_share=of_share, is_difference=True),
        in_place=figure_cells(each.in_place)[0] if each.in_place else "–",
        in_place_less=(shown_difference(less.value if less else None, is_share=False), limits),
        n_items=test.n_items,
        own_score=shown_value(test.own_score, is_share=False),
        model_score=shown_value(test.model_score, is_share=False),
        own_wins=percent(test.own_wins, 1),
        model_wins=percent(test.model_wins, 1),
        difference=shown_difference(test.difference, is_share=False),
        p_value=shown_p(test.p_values.get(epsilon)),
        outcome=outcome if test.is_tested else f"fewer than {found.least} items",
    )
