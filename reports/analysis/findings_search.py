"""What the searches for findings of all kinds of questions have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.analysis.findings_gain import ComparesParts
from reports.analysis.findings_holm import searched
from reports.analysis.findings_tests import Test, Tests
from reports.analysis.label_arrays import Raters
from reports.analysis.question import QuestionScope
from reports.analysis.results import Findings


@dataclass(frozen=True, eq=False)
class QuestionSearch(ABC):
    """One question that is searched for findings."""

    scope: QuestionScope
    raters: Raters

    @property
    @abstractmethod
    def name(self) -> str:
        """The coefficient that measures gains."""

    @property
    @abstractmethod
    def is_small(self) -> bool:
        """Whether leaving out each rater takes only a fraction of the time of the rest."""

    @abstractmethod
    def _tests(self) -> Sequence[Test]: ...

    @property
    def confidence(self) -> float:
        return self.scope.options.confidence

    @property
    def category_keys(self) -> list[str]:
        return [category["key"] for category in self.scope.question["categories"]]

    @property
    def tests(self) -> Tests:
        """All tests but those of single pairs."""
        return Tests(self._tests)


@dataclass(frozen=True, eq=False)
class GainSearch(QuestionSearch):
    """A search whose gains are differences of the coefficient. kind: compares parts of the labels."""

    kind: ComparesParts

    def found(self, compute: ComputeBlocks = here, report_progress: ReportProgress | None = None) -> Findings:
        each = compute(self.tests, part_of(report_progress, 0, 1))
        return searched(each, coefficient=self.name, are_raters_tested=self.is_small)
