"""The text on each rater compared with the others that `manage.py agreement` prints."""

from collections.abc import Sequence

from projects.models import Question
from reports.agreement.results import Reason
from reports.analysis.catalog import plain_title_of
from reports.analysis.options import Options
from reports.analysis.results import CategoryBiasEstimate, Drift
from reports.command.raters import FileRater
from reports.command.text_tables import Row, columns_of, shown_figure, shown_interval, shown_p
from reports.results.rater_wording import why

# More raters, or rows about them, are unreadable in a terminal.
MAX_RATERS = 20
# The measures for comparing a rater's labels with the consensus of the others; the first has an interval.
MEASURES: dict[str, tuple[str, str]] = {
    Question.Kind.SINGLE: ("percent_agreement", "cohen_kappa"),
    Question.Kind.NUMBER: ("bland_altman_bias", "lin_concordance"),
    Question.Kind.MULTIPLE: ("identical_sets", "masi"),
}
CONSENSUS = {
    Question.Kind.SINGLE: "their most frequent category",
    Question.Kind.NUMBER: "their mean; differences are rater - consensus",
    Question.Kind.MULTIPLE: "the categories chosen by more than half of them",
}


def raters_as_text(found: Sequence[FileRater], kind: str, options: Options) -> list[str]:
    """Return the text; [] if it was not requested."""
    if not found:
        return []
    shown = found[:MAX_RATERS]
    parts = [_consensus(shown, kind, options), *_bias_rows(shown, options), _drift(shown, options)]
    if len(found) > MAX_RATERS:
        parts.append(f"Showing the first {MAX_RATERS} of {len(found):,} raters; use --json to see all.")
    return parts


def _consensus(found: Sequence[FileRater], kind: str, options: Options) -> str:
    measures = MEASURES[kind]
    first, second = map(plain_title_of, measures)
    head = ("", "labels", "alone", "tied", "same", first, f"{options.percent}% CI", second, "")
    rows = [_consensus_row(each, measures) for each in found]
    title = f"Each rater vs. the consensus of the others ({CONSENSUS[Question.Kind(kind)]})"
    return f"{title}\n" + columns_of([head, *rows], n_left=1)


def _consensus_row(found: FileRater, measures: Sequence[str]) -> Row:
    consensus, figures = found.consensus, found.consensus.figures
    counts = (found.n_labels, consensus.n_alone, consensus.n_tied, consensus.n_same)
    cells = [found.rater, *(f"{n:,}" for n in counts)]
    if figures.reason:
        return *cells, "", "", "", why(figures.reason)
    first, second = (figures.values[name] for name in measures)
    interval = shown_interval(first.ci_low, first.ci_high)
    return *cells, shown_figure(first.value), interval, shown_figure(second.value), ""


def _bias_rows(found: Sequence[FileRater], options: Options) -> list[str]:
    """Return a row for each category of each rater; [] for numbers, whose difference is in the table above."""
    rows = [
        ("" if place else each.rater, *_bias_row(category))
        for each in found
        for place, category in enumerate(each.bias.categories or [])
    ]
    if not rows:
        return []
    title = "Bias: use of each category by the rater and the others, on the same items; p adjusted (Holm)"
    head = ("", "", "rater", "others", "diff", f"{options.percent}% CI", "p", "")
    return [f"{title}\n" + columns_of([head, *rows], n_left=2)]


def _bias_row(found: CategoryBiasEstimate) -> Row:
    difference = found.difference
    return (
        found.category,
        *map(shown_figure, (found.own, found.others, difference.value)),
        shown_interval(difference.ci_low, difference.ci_high),
        shown_p(found.p_value),
        why(difference.reason),
    )


def _drift(found: Sequence[FileRater], options: Options) -> str:
    """Return a row for each of a rater's windows of time, with the trend test in the first."""
    drifts = [(each.rater, each.drift) for each in found if each.drift is not None]
    if len(drifts) < len(found):
        return "Over time: not available, because the file has no column time."
    measure = plain_title_of(drifts[0][1].measure)
    head = ("", "from", "to", "n", measure, f"{options.percent}% CI", "trend", "p", "")
    rows = [row for rater, drift in drifts for row in _windows(rater, drift)]
    title = "Over time, by window of each rater's labels; trend: Mantel's chi-squared, 1 df"
    return f"{title}\n" + columns_of([head, *rows], n_left=3)


def _windows(rater: str, drift: Drift) -> list[Row]:
    if drift.trend is None:
        is_few = drift.reason == Reason.TOO_FEW_ITEMS
        words = f"fewer than {2 * drift.least} labels with a consensus" if is_few else why(drift.reason)
        return [(rater, *[""] * 7, words)]
    return [
        (
            "" if place else rater,
            *(f"{moment:%Y-%m-%d %H:%M}" for moment in (window.start, window.end)),
            f"{window.value.n:,}",
            shown_figure(window.value.value),
            shown_interval(window.value.ci_low, window.value.ci_high),
            "" if place else shown_figure(drift.trend.statistic),
            "" if place else shown_p(drift.trend.p_value),
            why(window.value.reason),
        )
        for place, window in enumerate(drift.windows)
    ]
