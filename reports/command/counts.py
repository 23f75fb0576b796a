"""What files of counts leave unknown: who gave which label, and the order of items."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from reports.agreement.intervals.difference import Difference
from reports.agreement.results import Reason, Size
from reports.analysis.catalog import StatisticFamily
from reports.analysis.results import (
    Differences,
    Figure,
    Json,
    NotComputable,
    QuestionResult,
    SignificanceTest,
)
from reports.command.choices import CommandChoices, ExtraResult, UnsuitableOptions
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileQuestion

OF_RATERS = frozenset({
    "conger_kappa",
    "conger_kappa_weighted",
    "light_kappa",
    "light_kappa_weighted",
    "mean_pairwise_kappa",
    "kendall_w",
    "kendall_w_uncorrected",
    "cochran_q",
    "kendall_w_zero",
})  # fmt: skip
# What needs items or raters and is not a named coefficient.
NOT_OF_PAIR = "checks of pairs, and the consensus of each item"
NOT_OF_ITEMS = "pairs of raters, figures of each rater, error rates of raters (Dawid-Skene), checks of pairs"


def choices_for_counts(form: CountForm | None, choices: CommandChoices) -> CommandChoices:
    """Return the choices without what counts cannot provide. Raises UnsuitableOptions for options that need raters."""
    if form is None:
        return choices
    more = choices.more - {ExtraResult.CHECKS}
    if form is CountForm.PAIR:
        return replace(choices, more=more)
    for option, given in (
        ("--reference", choices.options.reference),
        ("--leave-out", choices.left_out),
        ("--compare-pairs", choices.pairs),
        ("--compare-groups", choices.groups),
    ):
        if given:
            raise UnsuitableOptions(
                f"{option} needs to know who gave which label. Counts by item do not say."
            )
    return replace(
        choices,
        more=frozenset(),
        families=choices.families - {StatisticFamily.PAIRS, StatisticFamily.REFERENCE},
    )


def limited_to_counts(form: CountForm | None, result: QuestionResult) -> QuestionResult:
    """Return the result; figures that depend on who gave which label have no value, with a reason."""
    if form is not CountForm.ITEMS:
        return result
    consensus = result.consensus
    if consensus:
        consensus = replace(consensus, dawid_skene=NotComputable(reason=Reason.RATERS_UNKNOWN))
    return replace(
        result,
        coefficients={name: _limited_figure(name, each) for name, each in result.coefficients.items()},
        tests=result.tests and {name: _limited_test(name, each) for name, each in result.tests.items()},
        consensus=consensus,
        distributions=None,
        checks=None,
        n_pairs=0,
    )


def _limited_test(name: str, found: SignificanceTest) -> SignificanceTest:
    if name not in OF_RATERS:
        return found
    return replace(found, statistic=None, df=None, p_value=None, reason=Reason.RATERS_UNKNOWN)


def _limited_figure(name: str, found: Figure) -> Figure:
    if name not in OF_RATERS:
        return found
    return replace(
        found, value=None, se=None, ci_low=None, ci_high=None, is_clipped=None, reason=Reason.RATERS_UNKNOWN,
        n_replicates=None, n_undefined_replicates=None, n_pairs=None, n_undefined=None, method="", interval_method="",
    )  # fmt: skip


def differences_limited_to_counts(found: Differences, *questions: FileQuestion) -> Differences:
    """Return the differences; if a side has counts of items, those that depend on raters have no value."""
    if not any(each.counts is CountForm.ITEMS for each in questions):
        return found
    return {name: _undefined_difference(each) if name in OF_RATERS else each for name, each in found.items()}


def _undefined_difference(found: Difference) -> Difference:
    return Difference(
        n_shared=found.n_shared,
        n_first=found.n_first,
        n_second=found.n_second,
        method="",
        reason=Reason.RATERS_UNKNOWN,
    )


def raters_counted(form: CountForm | None, size: Size) -> str:
    if form is CountForm.ITEMS:
        return f"up to {size.n_raters:,} labels each"
    return f"{size.n_raters:,} raters"


def size_as_json(form: CountForm | None, size: Size) -> Json:
    """Return the size; n_raters is None if the number of raters is unknown."""
    found: Json = asdict(size)
    if form is None:
        return found
    return found | {"counts": str(form)} | ({"n_raters": None} if form is CountForm.ITEMS else {})


def not_available(form: CountForm | None) -> str:
    """Return a sentence on what is not available; "" for a file of labels."""
    names: Mapping[CountForm | None, str] = {CountForm.PAIR: NOT_OF_PAIR, CountForm.ITEMS: NOT_OF_ITEMS}
    return f"Not available from counts: {names[form]}." if form in names else ""
