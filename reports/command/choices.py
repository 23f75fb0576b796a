"""The computations requested from `manage.py agreement`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reports.agreement.interpretation.scales import InterpretationScale
from reports.agreement.weights import Level
from reports.analysis.catalog import StatisticFamily
from reports.analysis.options import OptionRefused, Options
from reports.analysis.question import Kind
from reports.command.design import PLAIN, DesignOptions
from reports.sources.file_labels import FileQuestion
from reports.sources.weights_file import FileWeights


class UnsuitableOptions(OptionRefused):
    """The categories of the file do not fit the requested level or weights."""


class ExtraResult(StrEnum):
    """What can be requested in addition to the families of statistics.

    RATERS: each rater compared with the others. CHECKS: pairs that suggest a mistake. PREVALENCE: the coefficients of
    each pair if its most common category were rarer or more common.
    """

    RATERS = "raters"
    CHECKS = "checks"
    PREVALENCE = "prevalence"


@dataclass(frozen=True, slots=True)
class CommandChoices:
    """families, more: what to compute in addition to overall coefficients and pairwise kappa. pairs: four raters of two
    pairs to compare. groups: two groups of raters to compare. other: the questions of a file to compare with. scale: to
    interpret coefficients. left_out: raters who do not count in overall figures. design: how items and raters were
    chosen.
    """

    kind: Kind = Kind.SINGLE
    level: Level = Level.NOMINAL
    are_categories_declared: bool = False
    options: Options = field(default_factory=Options)
    weights: Mapping[str, FileWeights] = field(default_factory=dict)
    families: frozenset[StatisticFamily] = frozenset()
    more: frozenset[ExtraResult] = frozenset()
    pairs: Sequence[str] = ()
    groups: Sequence[Sequence[str]] = ()
    other: Sequence[FileQuestion] | None = None
    scale: InterpretationScale | None = None
    left_out: frozenset[str] = frozenset()
    design: DesignOptions = PLAIN
