"""The text of differences that `manage.py agreement` prints."""

from collections.abc import Mapping, Sequence

from reports.agreement.intervals.difference import Difference
from reports.agreement.results import Reason
from reports.analysis.catalog import plain_title_of
from reports.analysis.options import Options
from reports.command.comparison import FileComparison
from reports.command.reason_texts import COEFFICIENT_REASONS, common_text, in_words
from reports.command.text_tables import Row, columns_of, shown_figure, shown_interval, shown_p
from reports.results.statistic_rows import in_order
from reports.results.wording import method_shown


def comparison_as_text(found: FileComparison, options: Options) -> list[str]:
    """Return the requested differences: overall, by category, and by pair."""
    title, differences = f"{found.first} - {found.second}", found.differences
    titled = [(plain_title_of(name), differences[name]) for name in in_order(differences)]
    special = {} if "cohen_kappa" in differences else COEFFICIENT_REASONS
    parts = [differences_as_text(title, titled, options, special)]
    if found.categories:
        titled = [
            (f"{each.category}: {plain_title_of(name)}", difference)
            for each in found.categories
            for name, difference in each.differences.items()
        ]
        parts.append(differences_as_text(f"{title}, by category", titled, options, COEFFICIENT_REASONS))
    if pairs := found.pairs:
        titled = [(f"{each.rater_a} x {each.rater_b}", each.difference) for each in pairs.pairs]
        name = f"{title}, {plain_title_of(pairs.figure)} of the {pairs.n_pairs:,} pairs in both"
        parts.append(differences_as_text(name, titled, options, {}))
    return parts


def differences_as_text(
    title: str, titled: Sequence[tuple[str, Difference]], options: Options, special: Mapping[Reason, str]
) -> str:
    """Return a row for each difference with its title. special: words for reasons with another meaning here."""
    head = ("", "first", "second", "diff", f"{options.percent}% CI", "p", "shared", "")
    method = common_text(method_shown(found.method) or None for _, found in titled)
    rows = [_difference_row(name, found, method, special) for name, found in titled]
    return title + (f"; {method}" if method else "") + "\n" + columns_of([head, *rows], n_left=1)


def _difference_row(title: str, found: Difference, common: str, special: Mapping[Reason, str]) -> Row:
    values = map(shown_figure, (found.first, found.second, found.value))
    interval, method = shown_interval(found.ci_low, found.ci_high), method_shown(found.method)
    remark = in_words(found.reason, special) or ("" if method == common else method)
    return title, *values, interval, shown_p(found.p_value), f"{found.n_shared:,}", remark
