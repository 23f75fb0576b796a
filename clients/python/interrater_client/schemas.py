"""The JSON of the API, generated from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AssignedLabels(TypedDict):
    n: int
    n_missing: int
    n_skipped: int


class Assignments(TypedDict):
    n: int
    n_done: int


BlankEnum = Literal[""]


class Category(TypedDict):
    id: int
    key: str
    name: str
    definition: str
    examples: str
    value: float | None
    shortcut: str
    color: ColorEnum | BlankEnum
    treated_as_missing: bool


class CategoryUse(TypedDict):
    category: str
    own: float
    others: float
    difference: float
    ci_low: float
    ci_high: float


class Coefficient(TypedDict):
    value: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    is_clipped: NotRequired[bool]
    reason: str | None
    interval_method: NotRequired[str]
    n_items: NotRequired[int]
    n_raters: NotRequired[int]
    n_labels: NotRequired[int]
    left_out: NotRequired[DataSize]
    n: NotRequired[int]
    method: NotRequired[str]
    n_replicates: NotRequired[int]
    n_undefined_replicates: NotRequired[int]
    n_pairs: NotRequired[int]
    n_undefined: NotRequired[int]


ColorEnum = Literal["blue", "orange", "green", "pink", "sky", "red", "yellow", "grey"]


class ConditionalQuestion(TypedDict):
    n_answers: int
    n_asked: int
    n_items: int
    n_split: int


ConfidenceEnum = Literal["off", "optional", "required"]


class ConfusedCategories(TypedDict):
    a: int
    b: int
    n_pairs: int
    n_items: int


class Confusions(TypedDict):
    n_pairs: NotRequired[int]
    n_differing: NotRequired[int]
    most: NotRequired[list[ConfusedCategories]]
    reason: str | None


class Consensus(TypedDict):
    majority_vote: MajorityVote
    dawid_skene: DawidSkene


class ContentField(TypedDict):
    name: str
    kind: str
    value: str


class Contrast(TypedDict):
    own: float
    others: float
    effect: float
    ci_low: float
    ci_high: float


class DataSize(TypedDict):
    n_items: int
    n_raters: int
    n_labels: int


class DawidSkene(TypedDict):
    n_items: NotRequired[int]
    n_raters: NotRequired[int]
    n_labels: NotRequired[int]
    prevalence: NotRequired[list[float]]
    items: NotRequired[list[int]]
    n_unlike_majority: NotRequired[int]
    log_likelihood: NotRequired[float]
    n_iterations: NotRequired[int]
    has_converged: NotRequired[bool]
    smoothing: NotRequired[float]
    raters: NotRequired[list[RaterErrors]]
    doubts: NotRequired[list[DoubtsEnum]]
    reason: str | None


class Difference(TypedDict):
    value: float | None
    first: float | None
    second: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    statistic: float | None
    df: int | None
    p_value: float | None
    n_shared: int
    n_first: int
    n_second: int
    method: str
    reason: str | None
    n_replicates: int
    n_undefined: int


DoubtsEnum = Literal["two_raters", "three_raters", "few_labels", "at_boundary"]


class Finding(TypedDict):
    kind: FindingKindEnum
    raters: list[str]
    categories: list[str]
    p_value: float
    n_items: int
    before: float | None
    after: float | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    use: CategoryUse | None
    share: float | None
    expected: float | None
    kappa: float | None
    kappa_max: float | None
    n_pairs: int
    contrast: NotRequired[Contrast]
    offset: NotRequired[int]


FindingKindEnum = Literal[
    "rater",
    "merge",
    "unused",
    "use",
    "scattered",
    "swapped",
    "shifted",
    "below",
    "margins",
    "level",
    "spread",
    "digits",
    "difficult",
    "only",
    "replace",
]


class Findings(TypedDict):
    coefficient: str
    n_tested: int
    found: list[Finding]
    are_raters_tested: bool


class IdenticalLabels(TypedDict):
    n: int
    n_same: int
    share: PlainFigure | None


class IdenticalPair(TypedDict):
    rater_a: str
    rater_b: str
    n_items: int
    n_labels: list[int]


class Import(TypedDict):
    id: int
    url: str
    kind: ImportKind
    file_name: str
    sha256: str
    n_bytes: int
    state: RunState
    stage: str
    share_done: float
    n_done: int
    n_total: int
    seconds_left: float | None
    failure: str
    n_labels: int | None
    n_created: int | None
    n_changed: int | None
    n_unchanged: int | None
    n_faults: int
    faults: list[ImportFault]
    mapping: dict[str, Any]
    asked_at: str
    finished_at: str | None
    undone_at: str | None
    undone: dict[str, Any]


class ImportFault(TypedDict):
    line: int
    column: str
    value: str
    code: str
    rule: str


ImportKind = Literal["labels", "items", "questions"]

ImportedRaterKind = Literal["human", "model", "reference"]


class IncludedData(TypedDict):
    words: str
    n_raters: int
    left_out: list[str]
    n_items: int
    n_labels: int
    n_abstentions: int


class Interpretation(TypedDict):
    scale: str
    title: str
    source: str
    judged: str
    word: str
    low_word: str | None
    high_word: str | None
    judged_word: str | None
    probabilistic: ProbabilisticBenchmark


IntervalEnum = Literal["analytic", "percentile", "bca", "jackknife"]


class Item(TypedDict):
    id: int
    key: str
    content: list[ContentField]
    attributes: dict[str, Any]
    withdrawn_at: str | None


class ItemProgress(TypedDict):
    n: int
    n_finished: int
    n_waiting: int
    n_unfinished: int
    n_free: int
    n_disputed: int
    n_disputes: int


class KappaEqualityTest(TypedDict):
    t_squared: float | None
    f: float | None
    df1: int | None
    df2: int | None
    p_value: float | None
    n_values: int
    n_left_out: int
    n_units: int
    method: str
    reason: str | None


class Label(TypedDict):
    category: str | None
    categories: list[str] | None
    number: float | None
    text: str | None
    cannot_tell: bool
    reason: str
    note: str
    id: int
    is_withdrawn: bool
    item: str | None
    item_id: int
    question: str
    rater: str | None
    rater_kind: RaterKind | NullEnum | None
    round: str | None
    pass_number: int
    seconds: float | None
    confidence: float | None
    from_suggestion: bool
    labeled_at: str | None
    source_id: str
    revision: int
    changed_at: str


class LabelCount(TypedDict):
    n: int
    n_abstentions: int
    n_notes: int


class Labels(TypedDict):
    results: list[Label]
    has_more: bool
    next: str


Level = Literal["nominal", "ordinal", "interval", "ratio"]


class LowPair(TypedDict):
    rater_a: str
    rater_b: str
    n_items: int
    kappa: float
    relabelled: RelabeledKappa | None
    shifted: ShiftedKappa | None


class MajorityVote(TypedDict):
    n_items: int
    n_raters: int
    n_labels: int
    n_decided: int
    n_tied: int
    items: list[int]
    reason: str | None


class Matrix(TypedDict):
    weights: Weights
    raters: list[ReportRater]
    kappa: list[list[float | None] | None] | None
    n: list[list[int]]
    reasons: list[list[str | None]]
    figures: dict[str, list[list[float | None]]] | None


MeasureEnum = Literal["agreement", "difference"]


class MissingAnswers(TypedDict):
    question: str
    n: int
    n_asked: int


class ModelVersusPeople(TypedDict):
    rater: str
    n_items: int
    n_people: int
    with_people: Coefficient
    among_people: Coefficient
    difference: Difference
    p_corrected: float | None


class NewContentField(TypedDict):
    name: str
    kind: NotRequired[NewContentFieldKindEnum]
    value: str
    alt: NotRequired[str]


NewContentFieldKindEnum = Literal["text", "markdown", "image", "audio", "video", "link"]


class NewItem(TypedDict):
    key: str
    content: NotRequired[list[NewContentField]]
    attributes: NotRequired[dict[str, Any]]


class NewLabel(TypedDict):
    category: NotRequired[str | None]
    categories: NotRequired[list[str] | None]
    number: NotRequired[float | None]
    text: NotRequired[str | None]
    cannot_tell: NotRequired[bool]
    reason: NotRequired[str]
    note: NotRequired[str]
    item: str
    rater: str
    question: str
    rater_kind: NotRequired[NewLabelRaterKindEnum]
    seconds: NotRequired[float]
    confidence: NotRequired[float | None]
    from_suggestion: NotRequired[bool]
    labeled_at: NotRequired[str]
    pass_number: NotRequired[int]
    round: NotRequired[str]
    source_id: NotRequired[str]


NewLabelRaterKindEnum = Literal["human", "model", "reference"]


class NextStep(TypedDict):
    sentence: str
    action: str
    address: str


NullEnum = Literal[None]

OneKeySavingEnum = Literal["raters", "on", "off"]


class Options(TypedDict):
    weights: ReportWeights
    matrices: dict[str, list[list[float]]]
    interval: IntervalEnum
    replicates: int | None
    seed: int | None
    confidence: float
    reference: str | None
    smoothing: float
    suggested: bool
    counted: list[ImportedRaterKind]


OutcomeEnum = Literal["met", "not_met", "undecided"]


class Pair(TypedDict):
    rater_a: str
    rater_a_id: int
    rater_b: str
    rater_b_id: int
    categories: list[str]
    counts: list[list[int]]
    weights: Weights
    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    is_clipped: bool
    kappa_max: float | None
    reason: str | None
    figures: dict[str, Any] | None


class PairChecks(TypedDict):
    n_identical: int
    n_below: int
    identical: list[IdenticalPair]
    low: list[LowPair]


class PairDetail(TypedDict):
    rater_a: str
    rater_a_id: int
    rater_b: str
    rater_b_id: int
    categories: list[str]
    counts: list[list[int]]
    weights: Weights
    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    is_clipped: bool
    kappa_max: float | None
    reason: str | None
    figures: dict[str, Any] | None
    statistics: PairStatistics | None
    at_other_prevalence: PrevalenceCurve | None
    readings: dict[str, Interpretation]


class PairStatistics(TypedDict):
    values: dict[str, Coefficient]
    categories: dict[str, list[Coefficient]]
    tests: dict[str, SignificanceTest]
    reference: list[RaterVersusReference]


class PlainFigure(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    reason: str


class PrevalenceCurve(TypedDict):
    category: str
    share: float
    points: list[PrevalencePoint]


class PrevalencePoint(TypedDict):
    prevalence: float
    percent_agreement: float | None
    cohen_kappa: float | None
    scott_pi: float | None
    gwet_ac1: float | None
    brennan_prediger: float | None


class PrimaryCoefficient(TypedDict):
    coefficient: str
    weights: Weights
    value: float | None
    ci_low: float | None
    ci_high: float | None
    criterion: float
    outcome: OutcomeEnum | NullEnum | None
    n_more_items: int | None
    has_few_items: bool


class ProbabilisticBenchmark(TypedDict):
    word: str | None
    certainty: float
    cumulative: dict[str, float]
    reason: str | None


class Project(TypedDict):
    slug: str
    name: str
    guidelines: NotRequired[str]
    state: NotRequired[ProjectState]
    is_codebook_closed: NotRequired[bool]
    coefficient: NotRequired[ProjectCoefficient]
    reading_scale: NotRequired[ReadingScaleEnum]
    thresholds: list[Threshold]
    thresholds_for: NotRequired[ThresholdsForEnum]
    shows_names: NotRequired[bool]
    shows_own_figures: NotRequired[bool]
    adjudicators_see_names: NotRequired[bool]
    adjudication_reasons: list[str]
    one_key_saving: NotRequired[OneKeySavingEnum]
    main_field: NotRequired[str]
    fields_hidden: list[str]
    fields_side_by_side: list[str]
    created_at: str
    role: str
    url: str


ProjectCoefficient = Literal[
    "fitting",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "conger_kappa",
    "light_kappa",
    "brennan_prediger",
    "percent_agreement",
]


class ProjectProgress(TypedDict):
    as_of: str | None
    is_current: bool
    items: ItemProgress
    labels: LabelCount
    n_unclear: int
    missing_answers: list[MissingAnswers]
    n_raters: int
    raters: list[RaterProgress]
    rounds: list[RoundProgress]
    questions: list[QuestionProgress]
    next_steps: list[NextStep]


ProjectState = Literal["draft", "open", "closed"]


class Question(TypedDict):
    id: int
    key: str
    prompt: str
    kind: QuestionKind
    level: Level
    is_required: bool
    allows_abstention: bool
    confidence: ConfidenceEnum
    missing_values: list[float]
    coefficient: QuestionCoefficient | BlankEnum
    weights: QuestionWeights | BlankEnum
    criterion: float | None
    minimum: float | None
    maximum: float | None
    is_whole: bool
    step: float | None
    unit: str
    tolerance: float | None
    max_length: int | None
    asked_if_question: str
    asked_if_categories: list[str]
    categories: list[Category]


class QuestionAgreement(TypedDict):
    n_items: int
    n_raters: int
    n_labels: int
    key: str
    categories: list[str]
    lead: str | None
    n_abstentions: int
    n_pairs: int
    counted: str
    digest: str
    coefficients: dict[str, Coefficient]
    reason: str | None


QuestionCoefficient = Literal[
    "krippendorff_alpha",
    "fleiss_kappa",
    "cohen_kappa",
    "conger_kappa",
    "light_kappa",
    "gwet_ac1",
    "brennan_prediger",
    "percent_agreement",
    "krippendorff_alpha_jaccard",
    "icc_a_1",
    "icc_c_1",
    "icc_1_1",
    "kendall_w",
]

QuestionKind = Literal["single", "multiple", "number", "text"]


class QuestionProgress(TypedDict):
    question: str
    labels: LabelCount


class QuestionStatistics(TypedDict):
    key: str
    kind: str
    level: str
    categories: list[str]
    lead: str | None
    counted: IncludedData
    coefficients: dict[str, Coefficient]
    models: list[ModelVersusPeople]
    statistics: Statistics
    readings: dict[str, Interpretation]
    primary: PrimaryCoefficient | None
    reason: str | None


QuestionWeights = Literal[
    "unweighted", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"
]


class Rater(TypedDict):
    id: int
    key: str
    kind: RaterKind
    user: NotRequired[str | None]
    attributes: dict[str, Any]


class RaterErrors(TypedDict):
    rater: str
    share_right: float | None
    confusion: list[list[float | None] | None] | None


RaterKind = Literal["human", "model", "reference", "consensus"]


class RaterProgress(TypedDict):
    rater: str
    assignments: Assignments
    labels: LabelCount
    n_unclear: int
    last_seen: str | None
    median_seconds: float | None
    items_per_hour: float | None
    reference: IdenticalLabels
    repeats: IdenticalLabels
    missing_answers: list[MissingAnswers]


class RaterVersusOthers(TypedDict):
    rater: str
    n_items: int
    value: float | None
    ci_low: float | None
    ci_high: float | None
    difference: float | None
    difference_ci_low: float | None
    difference_ci_high: float | None
    p_value: float | None


class RaterVersusReference(TypedDict):
    values: dict[str, Coefficient]
    categories: dict[str, list[Coefficient]]
    rater: str
    reference: str


class RatersVersusOthers(TypedDict):
    measure: MeasureEnum
    n_tested: int
    raters: list[RaterVersusOthers]


ReadingScaleEnum = Literal[
    "landis_koch",
    "fleiss",
    "altman",
    "cicchetti",
    "regier",
    "mchugh",
    "koo_li",
    "krippendorff",
    "own",
    "none",
]


class ReferenceComparison(TypedDict):
    reference: str | None
    raters: list[RaterVersusReference]
    reason: str | None
    equality: KappaEqualityTest | None


class RelabeledKappa(TypedDict):
    kappa: float
    categories: list[int]


class Report(TypedDict):
    id: int
    name: str
    state: RunState
    stage: str
    share_done: float
    failure: str | None
    questions: list[str]
    rounds: list[str] | None
    pooled: bool
    limited_to: str | None
    weights: ReportWeights
    options: Options
    asked_by: str | None
    asked_at: str
    started_at: str | None
    finished_at: str | None
    seconds: float | None
    digest: str | None
    code_version: str | None
    results: list[QuestionAgreement]


class ReportRater(TypedDict):
    id: int
    key: str
    kind: str
    n_labels: int


ReportWeights = Literal[
    "by_question",
    "unweighted",
    "linear",
    "quadratic",
    "ordinal",
    "radical",
    "ratio",
    "circular",
    "bipolar",
    "custom",
]


class RoundProgress(TypedDict):
    round: str
    state: RoundState
    assignments: Assignments
    n_free: int
    n_unclear: int
    labels: LabelCount
    missing_answers: list[MissingAnswers]


RoundState = Literal["draft", "open", "closed"]

RunState = Literal["draft", "queued", "running", "done", "failed", "cancelled"]


class SavedItem(TypedDict):
    id: int
    key: str


class SavedItems(TypedDict):
    n_created: int
    n_changed: int
    n_unchanged: int
    items: list[SavedItem]


class SavedLabelCounts(TypedDict):
    n_created: int
    n_changed: int
    n_unchanged: int


class ShiftedKappa(TypedDict):
    kappa: float
    by: int
    n_items: int


class SignificanceTest(TypedDict):
    n_items: NotRequired[int]
    n_raters: NotRequired[int]
    n_labels: NotRequired[int]
    left_out: NotRequired[DataSize]
    statistic: float | None
    df: float | None
    se: NotRequired[float | None]
    p_value: float | None
    reason: str | None
    method: str


class Statistics(TypedDict):
    categories: NotRequired[dict[str, list[Coefficient]]]
    tests: NotRequired[dict[str, SignificanceTest]]
    category_tests: NotRequired[dict[str, list[SignificanceTest]]]
    consensus: NotRequired[Consensus]
    reference: NotRequired[ReferenceComparison]
    checks: NotRequired[PairChecks]
    findings: NotRequired[Findings]
    standings: NotRequired[RatersVersusOthers]
    confusions: NotRequired[Confusions]
    distributions: NotRequired[dict[str, list[int]]]
    missing: NotRequired[dict[str, int]]
    suggested: NotRequired[int]
    assigned: NotRequired[AssignedLabels]
    asked: NotRequired[ConditionalQuestion]


Threshold = TypedDict("Threshold", {"from": "float", "name": "str"})

ThresholdsForEnum = Literal["kappa", "weighted_kappa", "alpha", "ac", "brennan_prediger", "icc"]

Weights = Literal[
    "unweighted", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar", "custom"
]
