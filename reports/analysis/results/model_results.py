"""A model compared with people: the alternative-annotator test, agreement with and without it, errors, stability."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.agreement.intervals.difference import Difference
from reports.analysis.results.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorTestResult:
    """One person in the alternative-annotator test. n_items: labeled by the person, the model, and another person.

    own_score, model_score: mean closeness to the other people: share of equal labels, negative root mean squared error,
    or mean Jaccard similarity. own_wins, model_wins: share of items on which each is at least as close. difference:
    own_wins - model_wins, which is tested. p_values: by ε, as text. With too few items, None and {}.
    """

    n_items: int
    own_score: float | None = None
    model_score: float | None = None
    own_wins: float | None = None
    model_wins: float | None = None
    difference: float | None = None
    p_values: Mapping[str, float]

    @property
    def is_tested(self) -> bool:
        return self.difference is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVersusModel:
    """A person by their ID. with_model: agreement with the model; with_people: mean agreement with the other people;
    less: the first minus the second. in_place: alpha of the people with the model replacing this person, and its
    difference from alpha of the people; None with too many labels. rejected: by ε, as text.
    """

    person: int
    test: AnnotatorTestResult
    rejected: Mapping[str, bool]
    with_model: Figure
    with_people: Figure
    less: Figure
    in_place: Figure | None
    in_place_less: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryErrors:
    """One category, where people have a consensus. n_people: items that people put in it; n_model: items that the model
    put in it; n_both: both. found: n_both / n_people; right: n_both / n_model.
    """

    key: str
    n_people: int
    n_model: int
    n_both: int
    found: Figure
    right: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeValueErrors:
    """The items with one attribute value on which people have a consensus; n_different: those where the model differs.

    figure: share of items with the same label, or the mean of the model's number minus the people's mean.
    """

    value: str
    n_items: int
    n_different: int
    figure: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorsByAttribute:
    """values: most items first; n_left_out: number of values that are not shown."""

    attribute: str
    values: tuple[AttributeValueErrors, ...]
    n_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelErrors:
    """n_items: items on which people have a consensus; n_tied: items on which they have none. figure: over all these
    items, as in `AttributeValueErrors`. categories: None for numbers.
    """

    n_items: int
    n_tied: int
    n_different: int
    figure: Figure
    categories: tuple[CategoryErrors, ...] | None
    attributes: tuple[ErrorsByAttribute, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStability:
    """n_items: items that the model labeled at least twice, at most n_runs times; n_same: always with the same label.

    share: n_same / n_items. alpha: of the runs, treating each as a rater.
    """

    n_items: int
    n_runs: int
    n_same: int
    share: Figure
    alpha: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedShare:
    """The estimated share of one category, by its key, or the mean of numbers, with key "".

    model: the share of all items by the model alone. people: by people's labels alone; estimate: by both. tuning: λ;
    correlation: between people's and the model's labels. worth: number of people's labels that alone would be as
    precise. sd: of people's labels.
    """

    key: str
    model: float | None
    people: Figure
    estimate: Figure
    tuning: float | None
    correlation: float | None
    worth: float | None
    sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedShare:
    """One category: its share by the model alone, and corrected for the model's errors. n_true: reference items of it.

    is_outside: the error rates do not fit the model's labels, and the corrected share was clipped to 0 or 1.
    """

    key: str
    n_true: int
    model: float
    corrected: Figure
    is_outside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedShares:
    """Shares of the model's items without a reference label. reference: ID of the rater; n_reference: its items that
    the model labeled; n_others: the items without a reference label.
    """

    reference: int
    n_reference: int
    n_others: int
    rows: tuple[CorrectedShare, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrevalence:
    """Estimates of people's labels on all items of a model. n_people_items: items with people's labels; n_others: rest.

    sampled: how the former were drawn, in words. refusal: why nothing is estimated, in words; then there are no rows.
    n_left_out: number of categories that are not shown. by_class: with a reference, if its items were chosen by their
    category; None without one, and for numbers.
    """

    sampled: str = ""
    refusal: str = ""
    n_people_items: int = 0
    n_others: int = 0
    rows: tuple[EstimatedShare, ...] = ()
    n_left_out: int = 0
    by_class: CorrectedShares | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAgainstPeople:
    """A model by its ID, on the items that it and at least two people labeled.

    n_labels: of the model. n_items, n_people: numbers of items and people; n_person_labels: labels of people on them.
    n_single: items of the model with one person's label, which are not used. with_people, among_people, difference:
    mean agreement of the model with people, of people with each other, and the first minus the second.
    advantage: ρ; winning: ω by ε, as text; smallest: the smallest ε at which the model passes, None for none.
    n_tested: people with enough items. alpha: of the people.
    """

    rater: int
    n_labels: int
    n_items: int
    n_single: int
    n_people: int
    n_person_labels: int
    with_people: Figure
    among_people: Figure
    difference: Figure
    n_tested: int
    advantage: Figure
    winning: Mapping[str, float]
    smallest: float | None
    alpha: Figure
    people: tuple[PersonVersusModel, ...]
    consensus: ModelErrors
    stability: ModelStability
    prevalence: ModelPrevalence


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPairComparison:
    """Two models, by their IDs, on the items that both and at least two people labeled: the first minus the second.

    agreement: mean agreement with people; advantage: ρ, over people with enough of these items.
    """

    first: int
    second: int
    n_items: int
    agreement: Figure
    advantage: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsAgainstPeople:
    """pair_figure: the figure by which two raters are compared. least: items that a person needs to be tested.
    epsilons: values for which p-values are given. n_left_out: models that are not compared with each other.
    """

    pair_figure: str
    least: int
    n_replicates: int
    models: tuple[ModelAgainstPeople, ...]
    comparisons: tuple[ModelPairComparison, ...]
    n_left_out: int
