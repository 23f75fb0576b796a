"""Comparisons of a model with people, in words for pages, API, and exports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.numbers import whole_number
from core.templatetags.shown import count, figure, in_percent
from reports.agreement.models.alternative_annotator import PASSES, T_ITEMS
from reports.agreement.results import Reason
from reports.analysis.catalog import in_sentence, title_of
from reports.analysis.models_against_people import MOST_PEOPLE, OFFERED, as_text
from reports.analysis.options import RaterKind
from reports.analysis.pairs import weighted_name
from reports.analysis.question import Kind
from reports.analysis.reasons import absence_of, words_of
from reports.analysis.results import Figure, ModelAgainstPeople, ModelsAgainstPeople
from reports.models import QuestionAgreement
from reports.results.statistic_rows import is_share, shown_difference, shown_difference_limits, shown_value
from reports.store.models_against_people import LEAST, ModelComparisonRequest
from reports.store.stored_result import StoredResult

# Whom each ε is for, after Calderon, Reichart & Dror 2025: the more people cost, the larger the loss that is accepted.
EPSILONS = dict(zip(map(as_text, OFFERED), ("crowd workers", "skilled raters", "experts"), strict=True))
DEFAULT = "0.15"
SCORES = {
    Kind.SINGLE: "share of the other people with the same label",
    Kind.NUMBER: "negative root mean squared difference from the other people’s numbers",
    Kind.MULTIPLE: "mean Jaccard similarity to the other people’s sets",
}


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """passes: None if nobody could be tested."""

    passes: bool | None
    sentence: str


def requested_model_options(least: str) -> ModelComparisonRequest:
    """Return the options given in a query string; invalid values give the default."""
    n = whole_number(least, most=999)
    return ModelComparisonRequest(n if n in LEAST else LEAST[0])


def verdict_of(found: ModelAgainstPeople, name: str, epsilon: str, least: int) -> ModelVerdict:
    if not found.n_tested:
        return ModelVerdict(None, nobody_tested(found, least))
    winning = found.winning[epsilon]
    n_won = round(winning * found.n_tested)
    passes = winning >= PASSES
    sentence = (
        f"At ε = {epsilon} ({EPSILONS[epsilon]}), {name} can stand in for {count(n_won)} of {people(found.n_tested)}"
        f" (ω = {figure(winning)}), so it {'passes' if passes else 'does not pass'} the test"
        f" (ω {'≥' if passes else '<'} {PASSES:g})."
    )
    if passes:
        return ModelVerdict(True, sentence)
    smallest = (
        f" It passes from ε = {smallest_of(found)} on."
        if found.smallest is not None
        else " It passes at no ε."
    )
    return ModelVerdict(False, sentence + smallest)


def nobody_tested(found: ModelAgainstPeople, least: int) -> str:
    if not found.n_items:
        return "The model and at least two people have no item in common, so nothing can be compared."
    most = max((each.test.n_items for each in found.people), default=0)
    return (
        f"Nobody could be tested: each person needs at least {least} items that the model and another person labeled"
        f" too, and the most anyone has is {count(most)}."
    )


def smallest_of(found: ModelAgainstPeople) -> str:
    """Return the smallest ε at which the model passes; "–" if there is none."""
    return "–" if found.smallest is None else f"{found.smallest:.3f}".rstrip("0").ljust(4, "0")


def people(n: int) -> str:
    return f"{count(n)} {'person' if n == 1 else 'people'}"


def pair_title(result: StoredResult, found: ModelsAgainstPeople) -> str:
    """Return the title of the figure by which two raters are compared, as it reads within a sentence."""
    name = found.pair_figure
    return in_sentence(title_of(weighted_name(name) if result.scope.is_weighted else name))


def warnings_of(found: ModelAgainstPeople, least: int) -> Iterator[str]:
    """Yield caveats about the figures."""
    few = [each for each in found.people if not each.test.is_tested]
    if found.n_tested and few:
        yield (
            f"{people(len(few))} with fewer than {least} items {'is' if len(few) == 1 else 'are'} not in the test."
        )
    if found.n_tested and any(each.test.is_tested and each.test.n_items < T_ITEMS for each in found.people):
        yield f"People with fewer than {T_ITEMS} items are tested by the signed-rank test, which rarely rejects."
    if 0 < found.n_tested < 3:
        yield "With fewer than three people tested, the test says little; the authors ask for at least three."
    if found.n_items and found.n_person_labels < 2.5 * found.n_items:
        yield (
            "Most items have two people’s labels, so each person and the model are compared with a single other person,"
            " and ties dominate."
        )


def has_lists(agreement: QuestionAgreement, counted: Sequence[int], model: int) -> bool:
    """Return whether the consensus on the model's items page is that of people only."""
    human = {rater["id"] for rater in agreement.raters if rater["kind"] == RaterKind.HUMAN}
    return set(counted) - {model} == human


def methods_of(
    result: StoredResult, found: ModelsAgainstPeople, model: ModelAgainstPeople, name: str, epsilon: str
) -> list[str]:
    """Return method and results for a paper, one paragraph each; [] if nothing was computed."""
    if not model.n_items:
        return []
    return [
        " ".join(_method(result, found, model, name, epsilon)),
        " ".join(_results(result, found, model, name, epsilon)),
    ]


def _method(
    result: StoredResult, found: ModelsAgainstPeople, model: ModelAgainstPeople, name: str, epsilon: str
) -> Iterator[str]:
    per_item = figure(model.n_person_labels / model.n_items, 1)
    yield (
        f"Labels by the model “{name}” were compared with those of {people(model.n_people)} on the"
        f" {count(model.n_items)} items that the model and at least two people labeled ({per_item} people per item on"
        f" average)."
    )
    if not has_too_many_people(model):
        yield (
            f"The mean {pair_title(result, found)} of the model with people was compared with that of people with each"
            f" other; the {in_percent(result.report.chosen.percent)} CI of the difference is from"
            f" {count(found.n_replicates)} bootstrap resamples of items, the same for both means."
        )
    if model.n_tested:
        some = (
            ""
            if all(each.test.n_items >= T_ITEMS for each in model.people if each.test.is_tested)
            else f" (signed-rank tests with fewer than {T_ITEMS} items)"
        )
        yield (
            f"Whether the model could take a person’s place was tested by the alternative-annotator test (Calderon et"
            f" al., 2025) at ε = {epsilon}, with the {SCORES[Kind(result.scope.kind)]} as the score, one-sided t tests"
            f"{some}, people with at least {found.least} items, and the Benjamini–Yekutieli procedure at a false"
            " discovery rate of 0.05."
        )


def _results(
    result: StoredResult, found: ModelsAgainstPeople, model: ModelAgainstPeople, name: str, epsilon: str
) -> Iterator[str]:
    title, percent = pair_title(result, found), result.report.chosen.percent
    difference, of_share = model.difference, is_share(found.pair_figure)
    if difference.value is not None:
        interval = shown_difference_limits(difference.ci_low, difference.ci_high, is_share=of_share)
        limits = f", {in_percent(percent)} CI {interval}" if interval else ""
        yield (
            f"The mean {title} was {shown_value(model.with_people.value, is_share=of_share)} with the model and"
            f" {shown_value(model.among_people.value, is_share=of_share)} among people, a difference of"
            f" {shown_difference(difference.value, is_share=of_share)}{limits}."
        )
    else:
        yield f"The difference in {title} {absence_of(model.difference.reason)}: {_why_no_difference(model)}."
    if not model.n_tested:
        yield nobody_tested(model, found.least)
        return
    winning = model.winning[epsilon]
    passed = "passed" if winning >= PASSES else "did not pass"
    yield (
        f"In the alternative-annotator test, the winning rate was ω = {figure(winning)}, so the model {passed}"
        f" (ω ≥ {PASSES:g} is required); the average advantage probability was ρ = {figure(model.advantage.value)}"
        f"{_interval(model.advantage, percent)}."
    )
    if model.smallest is not None:
        yield f"The smallest ε at which it would pass is {smallest_of(model)}."


def has_too_many_people(model: ModelAgainstPeople) -> bool:
    """Return whether there are too many pairs of people to resample."""
    return model.difference.reason == Reason.TOO_LARGE


def _why_no_difference(model: ModelAgainstPeople) -> str:
    if has_too_many_people(model):
        return f"more than {MOST_PEOPLE} people labeled these items"
    return words_of(model.difference.reason).phrase


def _interval(found: Figure, percent: str) -> str:
    if found.ci_low is None or found.ci_high is None:
        return ""
    return f", {in_percent(percent)} CI [{figure(found.ci_low)}, {figure(found.ci_high)}]"


def names_of(result: StoredResult) -> Mapping[int, str]:
    return {rater.id: rater.key for rater in result.raters}
