"""The JSON of the API, generated from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AgainstShown(TypedDict):
    values: dict[str, CoefficientShown]
    categories: dict[str, list[CoefficientShown]]
    rater: str
    reference: str


class AlikeShown(TypedDict):
    n: int
    n_same: int
    share: PlainFigureShown | None


class AssignedShown(TypedDict):
    n: int
    n_missing: int
    n_skipped: int


class AssignmentsShown(TypedDict):
    n: int
    n_done: int


BlankEnum = Literal[""]


class CategoryShown(TypedDict):
    id: int
    key: str
    name: str
    definition: str
    examples: str
    value: float | None
    shortcut: str
    color: ColorEnum | BlankEnum
    treated_as_missing: bool


class CategoryUseShown(TypedDict):
    category: str
    own: float
    others: float
    difference: float
    ci_low: float
    ci_high: float


class ChecksShown(TypedDict):
    n_identical: int
    n_below: int
    identical: list[IdenticalShown]
    low: list[LowShown]


class CoefficientShown(TypedDict):
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
    left_out: NotRequired[SizeShown]
    n: NotRequired[int]
    method: NotRequired[str]
    n_replicates: NotRequired[int]
    n_undefined_replicates: NotRequired[int]
    n_pairs: NotRequired[int]
    n_undefined: NotRequired[int]


ColorEnum = Literal["blue", "orange", "green", "pink", "sky", "red", "yellow", "grey"]

ConfidenceEnum = Literal["off", "optional", "required"]


class ConfusedShown(TypedDict):
    a: int
    b: int
    n_pairs: int
    n_items: int


class ConfusionsShown(TypedDict):
    n_pairs: NotRequired[int]
    n_differing: NotRequired[int]
    most: NotRequired[list[ConfusedShown]]
    reason: str | None


class ConsensusShown(TypedDict):
    majority_vote: MajorityShown
    dawid_skene: DawidSkeneShown


class ContentField(TypedDict):
    name: str
    kind: str
    value: str


class ContrastShown(TypedDict):
    own: float
    others: float
    effect: float
    ci_low: float
    ci_high: float


class CountedShown(TypedDict):
    words: str
    n_raters: int
    left_out: list[str]
    n_items: int
    n_labels: int
    n_abstentions: int


class DawidSkeneShown(TypedDict):
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
    raters: NotRequired[list[RaterErrorsShown]]
    reason: str | None


class DifferenceShown(TypedDict):
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


class EqualityShown(TypedDict):
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


class FaultOutput(TypedDict):
    line: int
    column: str
    value: str
    code: str
    rule: str


class FindingShown(TypedDict):
    kind: FindingShownKindEnum
    raters: list[str]
    categories: list[str]
    p_value: float
    n_items: int
    before: float | None
    after: float | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    use: CategoryUseShown | None
    share: float | None
    expected: float | None
    kappa: float | None
    kappa_max: float | None
    n_pairs: int
    contrast: NotRequired[ContrastShown]
    offset: NotRequired[int]


FindingShownKindEnum = Literal[
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


class FindingsShown(TypedDict):
    coefficient: str
    n_tested: int
    found: list[FindingShown]
    are_raters_tested: bool


class IdenticalShown(TypedDict):
    rater_a: str
    rater_b: str
    n_items: int
    n_labels: list[int]


ImportKind = Literal["labels", "items", "questions"]


class ImportOutput(TypedDict):
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
    faults: list[FaultOutput]
    mapping: dict[str, Any]
    asked_at: str
    finished_at: str | None
    undone_at: str | None
    undone: dict[str, Any]


ImportedRaterKind = Literal["human", "model", "reference"]

IntervalEnum = Literal["analytic", "percentile", "bca", "jackknife"]


class ItemShown(TypedDict):
    id: int
    key: str
    content: list[ContentField]
    attributes: dict[str, Any]
    withdrawn_at: str | None


class ItemsProgress(TypedDict):
    n: int
    n_finished: int
    n_waiting: int
    n_free: int
    n_disputed: int
    n_disputes: int


class ItemsSaved(TypedDict):
    n_created: int
    n_changed: int
    n_unchanged: int
    items: list[SentItem]


class LabelShown(TypedDict):
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


class LabelsSaved(TypedDict):
    n_created: int
    n_changed: int
    n_unchanged: int


class LabelsShown(TypedDict):
    results: list[LabelShown]
    has_more: bool
    next: str


class LackingShown(TypedDict):
    question: str
    n: int
    n_asked: int


Level = Literal["nominal", "ordinal", "interval", "ratio"]


class LowShown(TypedDict):
    rater_a: str
    rater_b: str
    n_items: int
    kappa: float
    relabelled: RelabeledShown | None
    shifted: ShiftedShown | None


class MajorityShown(TypedDict):
    n_items: int
    n_raters: int
    n_labels: int
    n_decided: int
    n_tied: int
    items: list[int]
    reason: str | None


class MatrixShown(TypedDict):
    weights: Weights
    raters: list[RaterOfReport]
    kappa: list[list[float | None] | None] | None
    n: list[list[int]]
    reasons: list[list[str | None]]
    figures: dict[str, list[list[float | None]]] | None


MeasureEnum = Literal["agreement", "difference"]


class ModelBesidePeopleShown(TypedDict):
    rater: str
    n_items: int
    n_people: int
    with_people: CoefficientShown
    among_people: CoefficientShown
    difference: DifferenceShown
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

NullEnum = Literal[None]


class OfWhomAskedShown(TypedDict):
    n_answers: int
    n_asked: int
    n_items: int
    n_split: int


OneKeySavingEnum = Literal["raters", "on", "off"]


class OptionsShown(TypedDict):
    weights: Weights
    matrices: dict[str, list[list[float]]]
    interval: IntervalEnum
    replicates: int | None
    seed: int | None
    confidence: float
    reference: str | None
    smoothing: float
    suggested: bool
    counted: list[ImportedRaterKind]


class OtherPrevalenceShown(TypedDict):
    category: str
    share: float
    points: list[PointShown]


OutcomeEnum = Literal["met", "not_met", "undecided"]


class PairDetailShown(TypedDict):
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
    statistics: PairStatisticsShown | None
    at_other_prevalence: OtherPrevalenceShown | None
    readings: dict[str, ReadingShown]


class PairShown(TypedDict):
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


class PairStatisticsShown(TypedDict):
    values: dict[str, CoefficientShown]
    categories: dict[str, list[CoefficientShown]]
    tests: dict[str, TestShown]
    reference: list[AgainstShown]


class PlainFigureShown(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    reason: str


class PointShown(TypedDict):
    prevalence: float
    percent_agreement: float | None
    cohen_kappa: float | None
    scott_pi: float | None
    gwet_ac1: float | None
    brennan_prediger: float | None


class PrimaryShown(TypedDict):
    coefficient: str
    weights: Weights
    value: float | None
    ci_low: float | None
    ci_high: float | None
    criterion: float
    outcome: OutcomeEnum | NullEnum | None
    n_more_items: int | None


class ProbabilisticShown(TypedDict):
    word: str | None
    certainty: float
    cumulative: dict[str, float]
    reason: str | None


class ProgressOfProject(TypedDict):
    as_of: str | None
    is_current: bool
    items: ItemsProgress
    labels: SaidShown
    n_unclear: int
    lacking: list[LackingShown]
    raters: list[RaterProgress]
    rounds: list[RoundProgress]
    questions: list[QuestionProgress]
    next_steps: list[StepShown]


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


class ProjectShown(TypedDict):
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


ProjectState = Literal["draft", "open", "closed"]


class QuestionAgreementShown(TypedDict):
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
    coefficients: dict[str, CoefficientShown]
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
    labels: SaidShown


class QuestionShown(TypedDict):
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
    categories: list[CategoryShown]


class QuestionStatisticsShown(TypedDict):
    key: str
    kind: str
    level: str
    categories: list[str]
    lead: str | None
    counted: CountedShown
    coefficients: dict[str, CoefficientShown]
    models: list[ModelBesidePeopleShown]
    statistics: StatisticsShown
    readings: dict[str, ReadingShown]
    primary: PrimaryShown | None
    reason: str | None


QuestionWeights = Literal[
    "unweighted", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"
]


class RaterErrorsShown(TypedDict):
    rater: str
    share_right: float | None
    confusion: list[list[float | None] | None] | None


RaterKind = Literal["human", "model", "reference", "consensus"]


class RaterOfReport(TypedDict):
    id: int
    key: str
    kind: str
    n_labels: int


class RaterProgress(TypedDict):
    rater: str
    assignments: AssignmentsShown
    labels: SaidShown
    n_unclear: int
    last_seen: str | None
    median_seconds: float | None
    items_per_hour: float | None
    reference: AlikeShown
    repeats: AlikeShown
    lacking: list[LackingShown]


class RaterShown(TypedDict):
    id: int
    key: str
    kind: RaterKind
    user: NotRequired[str | None]
    attributes: dict[str, Any]


class RaterStandingShown(TypedDict):
    rater: str
    n_items: int
    value: float | None
    ci_low: float | None
    ci_high: float | None
    difference: float | None
    difference_ci_low: float | None
    difference_ci_high: float | None
    p_value: float | None


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


class ReadingShown(TypedDict):
    scale: str
    title: str
    source: str
    judged: str
    word: str
    low_word: str | None
    high_word: str | None
    judged_word: str | None
    probabilistic: ProbabilisticShown


class ReferenceShown(TypedDict):
    reference: str | None
    raters: list[AgainstShown]
    reason: str | None
    equality: EqualityShown | None


class RelabeledShown(TypedDict):
    kappa: float
    categories: list[int]


class ReportShown(TypedDict):
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
    weights: Weights
    options: OptionsShown
    asked_by: str | None
    asked_at: str
    started_at: str | None
    finished_at: str | None
    seconds: float | None
    digest: str | None
    code_version: str | None
    results: list[QuestionAgreementShown]


class RoundProgress(TypedDict):
    round: str
    state: RoundState
    assignments: AssignmentsShown
    n_free: int
    n_unclear: int
    labels: SaidShown
    lacking: list[LackingShown]


RoundState = Literal["draft", "open", "closed"]

RunState = Literal["draft", "queued", "running", "done", "failed", "cancelled"]


class SaidShown(TypedDict):
    n: int
    n_abstentions: int
    n_notes: int


class SentItem(TypedDict):
    id: int
    key: str


class ShiftedShown(TypedDict):
    kappa: float
    by: int
    n_items: int


class SizeShown(TypedDict):
    n_items: int
    n_raters: int
    n_labels: int


class StandingsShown(TypedDict):
    measure: MeasureEnum
    n_tested: int
    raters: list[RaterStandingShown]


class StatisticsShown(TypedDict):
    categories: NotRequired[dict[str, list[CoefficientShown]]]
    tests: NotRequired[dict[str, TestShown]]
    category_tests: NotRequired[dict[str, list[TestShown]]]
    consensus: NotRequired[ConsensusShown]
    reference: NotRequired[ReferenceShown]
    checks: NotRequired[ChecksShown]
    findings: NotRequired[FindingsShown]
    standings: NotRequired[StandingsShown]
    confusions: NotRequired[ConfusionsShown]
    distributions: NotRequired[dict[str, list[int]]]
    missing: NotRequired[dict[str, int]]
    suggested: NotRequired[int]
    assigned: NotRequired[AssignedShown]
    asked: NotRequired[OfWhomAskedShown]


class StepShown(TypedDict):
    sentence: str
    action: str
    address: str


class TestShown(TypedDict):
    n_items: NotRequired[int]
    n_raters: NotRequired[int]
    n_labels: NotRequired[int]
    left_out: NotRequired[SizeShown]
    statistic: float | None
    df: float | None
    se: NotRequired[float | None]
    p_value: float | None
    reason: str | None
    method: str


Threshold = TypedDict("Threshold", {"from": "float", "name": "str"})

ThresholdsForEnum = Literal["kappa", "weighted_kappa", "alpha", "ac", "brennan_prediger", "icc"]

Weights = Literal[
    "unweighted", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar", "custom"
]
