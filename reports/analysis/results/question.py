"""The results of all raters of one question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from reports.agreement.results import Reason
from reports.analysis.results.figures import CategoryFigures, Figure, Figures, Json, SignificanceTest
from reports.analysis.results.findings import Findings
from reports.analysis.results.rater_comparison import RatersVersusOthers
from reports.analysis.results.serialization import SCHEMA, NotComputable, read_json, to_json
from reports.analysis.results.suspicious_pairs import PairCheckResults


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityVote:
    """items: number of items of each category by majority."""

    n_items: int
    n_raters: int
    n_labels: int
    n_decided: int
    n_tied: int
    items: tuple[int, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterErrors:
    """confusion: rows are true categories, columns the rater's choices; None if there are too many cells."""

    rater: str
    share_right: float | None
    confusion: tuple[tuple[float | None, ...], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentClassEstimates:
    """The estimates of Dawid & Skene."""

    n_items: int
    n_raters: int
    n_labels: int
    prevalence: tuple[float | None, ...]
    items: tuple[int, ...]
    n_unlike_majority: int
    log_likelihood: float | None
    n_iterations: int
    has_converged: bool
    smoothing: float = 0.0
    raters: tuple[RaterErrors, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    majority_vote: MajorityVote
    dawid_skene: LatentClassEstimates | NotComputable


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemConsensus:
    """The majority's category, None for a tie, and Dawid & Skene's with its probability."""

    item: str
    n_labels: int
    majority: str | None
    estimate: str | None
    probability: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusedCategories:
    """Two categories by their positions in the declared order, and how often they were given to the same item."""

    a: int
    b: int
    n_pairs: int
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusions:
    """n_pairs: pairs of labels of the same item, of which n_differing differ."""

    n_pairs: int
    n_differing: int
    most: tuple[ConfusedCategories, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedLabels:
    """The amount of labels by the raters who count in the overall figures."""

    n_items: int
    n_labels: int
    n_abstentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """All overall figures of one question, by name; None for those not requested.

    categories, category_tests: one for each category, in declared order. distributions: each rater's number of labels
    per category. counted: None if all raters count. missing: for each category or number treated as missing, the number
    of labels left out; None if none is declared. n_pairs: pairs of raters who share an item.
    """

    coefficients: Figures
    categories: CategoryFigures | None = None
    tests: Mapping[str, SignificanceTest] | None = None
    category_tests: Mapping[str, tuple[SignificanceTest, ...]] | None = None
    consensus: Consensus | None = None
    confusions: Confusions | NotComputable | None = None
    checks: PairCheckResults | None = None
    findings: Findings | None = None
    standings: RatersVersusOthers | None = None
    distributions: Mapping[str, tuple[int, ...]] | None = None
    counted: CountedLabels | None = None
    missing: Mapping[str, int] | None = None
    n_pairs: int = 0

    def undefined_for(self, reason: Reason) -> Self:
        """Return the same result, with this reason for everything undefined."""
        return replace(
            self,
            coefficients={name: each.undefined_for(reason) for name, each in self.coefficients.items()},
            categories=_each_undefined_for(self.categories, reason),
            tests=self.tests and {name: each.undefined_for(reason) for name, each in self.tests.items()},
            category_tests=_each_undefined_for(self.category_tests, reason),
            consensus=self.consensus
            and replace(
                self.consensus,
                majority_vote=_part_undefined_for(self.consensus.majority_vote, reason),
                dawid_skene=_part_undefined_for(self.consensus.dawid_skene, reason),
            ),
            confusions=self.confusions and _part_undefined_for(self.confusions, reason),
        )

    def coefficients_to_json(self) -> Json:
        return {name: each.to_json() for name, each in self.coefficients.items()}

    def statistics_to_json(self) -> Json:
        """Return everything except the coefficients, by family."""
        found = {name: getattr(self, name) for name in FAMILIES}
        return {name: to_json(figures) for name, figures in found.items() if figures is not None}

    @classmethod
    def from_json(cls, coefficients: Json, statistics: Json, *, n_pairs: int, schema: int = SCHEMA) -> Self:
        """Raise ValueError for a result that was stored by a later release."""
        if schema > SCHEMA:
            raise ValueError(f"results must be of schema {SCHEMA} or below, got {schema}")
        known = {name: statistics[name] for name in FAMILIES if name in statistics}
        return read_json(cls, {"coefficients": coefficients, "n_pairs": n_pairs, **known})


FAMILIES = (
    "categories", "tests", "category_tests", "consensus", "confusions", "checks", "findings", "standings",
    "distributions",
    "counted", "missing",
)  # fmt: skip

F = TypeVar("F", Figure, SignificanceTest)
P = TypeVar("P", bound="MajorityVote | LatentClassEstimates | NotComputable | Confusions")


def _each_undefined_for(
    found: Mapping[str, tuple[F, ...]] | None, reason: Reason
) -> Mapping[str, tuple[F, ...]] | None:
    return found and {name: tuple(each.undefined_for(reason) for each in row) for name, row in found.items()}


def _part_undefined_for(found: P, reason: Reason) -> P:
    return replace(found, reason=reason) if found.reason else found
