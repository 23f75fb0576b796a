"""The text of all statistics other than pairwise kappa that `manage.py agreement` prints."""

import textwrap
from collections.abc import Mapping, Sequence

from reports.agreement.pairs.prevalence import CommonestCategoryCurve
from reports.analysis.catalog import PLAIN, StatisticFamily, plain_title_of, title_among
from reports.analysis.options import Options
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    CategoryFigures,
    Confusions,
    Consensus,
    Figure,
    Figures,
    FullPair,
    IdenticalPair,
    LowPair,
    NotComputable,
    PairCheckResults,
    RaterErrors,
    RatersVersusReference,
    RaterVersusReference,
    SignificanceByName,
    SignificanceTest,
)
from reports.command.agreement import FileResult
from reports.command.reason_texts import COEFFICIENT_REASONS, common_text, in_words
from reports.command.text_tables import (
    UNDEFINED,
    WIDTH,
    Row,
    columns_of,
    shown_figure,
    shown_interval,
    shown_p,
    wrapped,
)
from reports.results.remarks import is_remarkable, words_of_identical, words_of_low
from reports.results.statistic_rows import in_family, in_order, method_words, statistic_row
from reports.results.wording import clipped_words, method_shown

# More pairs, raters, or categories are unreadable in a terminal.
MAX_PAIRS_IN_FULL = 20
MAX_RATERS = 60
MAX_CATEGORIES = 60
# The most categories in adjacent columns.
MAX_ACROSS = 6
# The step between the points shown of the 99 points of a curve.
CURVE_STEP = 14


def coefficient_table(
    found: Figures,
    options: Options,
    family: StatisticFamily = StatisticFamily.ALL,
    *,
    title: str = "All raters",
) -> str:
    """Return a title, with what all rows have in common, and a row for each statistic."""
    names = in_family(found, family)
    methods = (method_shown(found[name].interval_method or "") or None for name in names)
    left_out = (_left_out(name, found[name]) for name in names)
    common = [text for text in (common_text(methods), common_text(left_out)) if text]
    head = ("", "value", "SE", f"{options.percent}% CI", "items", "labels", "")
    rows = [coefficient_row(name, found[name], common, is_weighted=options.is_weighted) for name in names]
    return "; ".join([title, *common]) + "\n" + columns_of([head, *rows], n_left=1)


def _left_out(name: str, found: Figure) -> str:
    left_out = statistic_row(name, found).left_out
    return f"excludes {left_out}" if left_out else ""


def coefficient_row(
    name: str, found: Figure, common: Sequence[str] = (), *, is_weighted: bool = False
) -> Row:
    """Return a row. common: what the title already says. is_weighted: whether the question has weights."""
    undefined = found.n_undefined_replicates
    parts = (
        method_shown(found.method or ""),
        method_shown(found.interval_method or "") if found.ci_low is not None else "",
        f"{undefined:,} of {found.n_replicates:,} replicates undefined" if undefined else "",
        clipped_words(found),
        _left_out(name, found),
        in_words(found.reason, COEFFICIENT_REASONS),
    )
    return (
        title_among(name, found.n_raters or 0, is_weighted=is_weighted).translate(PLAIN),
        shown_figure(found.value),
        shown_figure(found.se),
        shown_interval(found.ci_low, found.ci_high),
        f"{found.n_items:,}",
        f"{found.n_labels:,}",
        "; ".join(part for part in parts if part and part not in common),
    )


def statistics_as_text(result: FileResult, options: Options) -> list[str]:
    """Return the requested families, each with its title."""
    found, categories = result.result, result.question.categories
    parts = []
    if found.categories is not None:
        parts.append("By category\n" + by_category(categories, found.categories, options))
        parts += _confusions(categories, found.confusions) + _uses(categories, found.distributions)
    if found.tests is not None:
        parts.append("Tests of all raters\n" + significance_table(found.tests))
        parts += [
            f"{plain_title_of(name)}, each category vs. the rest\n" + category_tests(categories, rows)
            for name, rows in (found.category_tests or {}).items()
        ]
    if found.consensus is not None:
        parts += _consensus(categories, found.consensus)
    if result.reference is not None:
        parts += _reference(categories, result.reference, options)
    if found.checks is not None:
        parts.append(checks_as_text(found.checks, categories))
    return parts


def checks_as_text(found: PairCheckResults, categories: Sequence[str]) -> str:
    """Return a paragraph for each pair that may be a mistake, with what to check."""
    remarks: list[tuple[IdenticalPair | LowPair, tuple[str, str]]] = [
        (pair, words_of_identical(pair)) for pair in found.identical
    ]
    remarks += [(pair, words_of_low(pair, categories)) for pair in found.low if is_remarkable(pair)]
    title = (
        f"Pairs to check, of those with at least ten shared items: {found.n_identical:,} with identical labels,"
        f" {found.n_below:,} below chance"
    )
    texts = [f"{pair.rater_a} x {pair.rater_b} {' '.join(words)}".translate(PLAIN) for pair, words in remarks]
    filled = (textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="    ") for text in texts)
    return "\n".join([title, *filled])


def by_category(categories: Sequence[str], found: CategoryFigures, options: Options) -> str:
    """Return a column for each statistic, with its values and intervals."""
    if not found:
        return "  Too many categories to list."
    names = in_order(found)
    rows = [
        (category, *(_with_interval(found[name][place]) for name in names), "")
        for place, category in enumerate(categories[:MAX_CATEGORIES])
    ]
    head = ("", *map(plain_title_of, names), "")
    return f"  with {options.percent}% CIs\n" + columns_of([head, *rows], n_left=1)


def _confusions(categories: Sequence[str], found: Confusions | NotComputable | None) -> list[str]:
    """Return the pairs of categories given to the same items, most frequent first."""
    if not isinstance(found, Confusions) or not found.most:
        return []
    rows = [
        (
            f"{categories[each.a]} and {categories[each.b]}",
            f"{each.n_pairs:,}",
            f"{each.n_pairs / found.n_differing:.3f}",
            f"{each.n_items:,}",
            "",
        )
        for each in found.most[:MAX_CATEGORIES]
    ]
    title = f"Confused: {found.n_differing:,} of {found.n_pairs:,} label pairs disagree"
    return [f"{title}\n" + columns_of([("", "label pairs", "share", "items", ""), *rows], n_left=1)]


def _uses(categories: Sequence[str], found: Mapping[str, Sequence[int]] | None) -> list[str]:
    """Return the number of labels of each rater in each category."""
    if not found or len(categories) > MAX_ACROSS:
        return []
    rows = [(rater, *(f"{n:,}" for n in row), "") for rater, row in list(found.items())[:MAX_RATERS]]
    return ["Labels by rater and category\n" + columns_of([("", *categories, ""), *rows], n_left=1)]


def _with_interval(found: Figure) -> str:
    value, interval = _value_and_interval(found)
    cut = " truncated" if found.is_clipped else ""
    if not interval.startswith("["):
        return f"{value} ({interval})" if interval else value
    return f"{value} {interval}{cut}"


def _value_and_interval(found: Figure) -> tuple[str, str]:
    interval = shown_interval(found.ci_low, found.ci_high)
    if interval == UNDEFINED:
        interval = words_of(found.reason).short
    return shown_figure(found.value), interval


def significance_table(found: SignificanceByName) -> str:
    return _tests([_test(plain_title_of(name), found[name]) for name in in_order(found)])


def category_tests(categories: Sequence[str], found: Sequence[SignificanceTest]) -> str:
    rows = [_test(name, test) for name, test in zip(categories, found, strict=True)]
    return _tests(rows[:MAX_CATEGORIES])


def _tests(rows: Sequence[Row]) -> str:
    return columns_of([("", "statistic", "df", "p", ""), *rows], n_left=1)


def _test(title: str, found: SignificanceTest) -> Row:
    return (
        title,
        shown_figure(found.statistic),
        UNDEFINED if found.df is None else f"{found.df:g}",
        shown_p(found.p_value),
        "; ".join(filter(None, (method_words(found), words_of(found.reason).phrase))),
    )


def _consensus(categories: Sequence[str], found: Consensus) -> list[str]:
    majority, estimate = found.majority_vote, found.dawid_skene
    title = (
        f"Consensus: majority vote decides {majority.n_decided:,} of {majority.n_items:,} items;"
        f" {majority.n_tied:,} tied"
    )
    if isinstance(estimate, NotComputable):
        return [f"{title}\n  No Dawid-Skene estimate: {words_of(estimate.reason).phrase}."]
    resolved = "converged" if estimate.has_converged else "did not converge"
    smoothed = f", {estimate.smoothing:g} added to each count" if estimate.smoothing else ""
    rounds = (
        f"Dawid-Skene: EM {resolved} in {estimate.n_iterations:,} iterations{smoothed}, log-likelihood"
        f" {estimate.log_likelihood:.3f}\n  Differs from majority vote on {estimate.n_unlike_majority:,} items"
    )
    columns = zip(categories, majority.items, estimate.items, estimate.prevalence, strict=True)
    rows = [(name, f"{a:,}", f"{b:,}", shown_figure(p), "") for name, a, b, p in columns]
    head = ("", "majority", "estimate", "prevalence", "")
    return [
        f"{title}\n{rounds}\n" + columns_of([head, *rows[:MAX_CATEGORIES]], n_left=1),
        _errors(categories, estimate.raters),
    ]


def _errors(categories: Sequence[str], raters: Sequence[RaterErrors]) -> str:
    """Return the accuracy of each rater, and the distribution of their labels in a row for each true category."""
    title = "Estimated error rates: label by the rater (columns) given the true category (rows)"
    if len(categories) > MAX_ACROSS or any(each.confusion is None for each in raters):
        rows: list[Row] = [(each.rater, shown_figure(each.share_right)) for each in raters[:MAX_RATERS]]
        return f"{title}; use --json to see them\n" + columns_of([("", "accuracy"), *rows], n_left=1)
    rows = [
        (
            "" if place else each.rater,
            "" if place else shown_figure(each.share_right),
            name,
            *map(shown_figure, shares),
            "",
        )
        for each in raters[:MAX_RATERS]
        for place, (name, shares) in enumerate(zip(categories, each.confusion or (), strict=True))
    ]
    return f"{title}\n" + columns_of([("", "accuracy", "true", *categories, ""), *rows], n_left=1)


def _reference(categories: Sequence[str], found: RatersVersusReference, options: Options) -> list[str]:
    title = f"Reference: {found.reference}"
    if not found.raters:
        return [f"{title}\n  {words_of(found.reason).phrase}"]
    kappas = ("weighted kappa", "unweighted", "max") if options.is_weighted else ("kappa", "max")
    head = ("", "n", "accuracy", f"{options.percent}% CI", "expected", "balanced", *kappas, "MCC", "")
    rows = [_against_row(each) for each in found.raters[:MAX_RATERS]]
    kappa = "unweighted kappa" if options.is_weighted else "kappa"
    note = f"accuracy = expected + {kappa} x (1 - expected); {len(found.raters):,} raters"
    of_each = [
        f"{each.rater} vs. {found.reference}, by category\n"
        + _against_by_category(categories, each.categories, options)
        for each in found.raters[:MAX_PAIRS_IN_FULL]
    ]
    if len(found.raters) > MAX_PAIRS_IN_FULL:
        of_each.append(f"Showing the first {MAX_PAIRS_IN_FULL} raters by category; use --json to see all.")
    table = f"{title} ({note})\n" + columns_of([head, *rows], n_left=1)
    return ["\n".join([table, *wrapped(equality_lines(found))]), *of_each]


def equality_lines(found: RatersVersusReference) -> list[str]:
    """Return the test of all raters, which precedes pairwise comparisons."""
    test = found.equality
    if test is None:
        return []
    if test.p_value is None:
        return [f"  All kappas equal: no test; {words_of(test.reason).phrase}"]
    left_out = f"; {test.n_left_out:,} without a standard error excluded" if test.n_left_out else ""
    p = shown_p(test.p_value)
    return [
        f"  All {test.n_values:,} kappas equal: T2 {test.t_squared:.3f}, F({test.df1}, {test.df2}) {test.f:.3f},"
        f" p {p if p.startswith('<') else f'= {p}'}{left_out} (Vanbelle & Albert 2008)"
    ]


def _against_by_category(categories: Sequence[str], found: CategoryFigures, options: Options) -> str:
    """Return a row for each figure of each category."""
    rows: list[Row] = [("", "", "value", f"{options.percent}% CI", "n", "")]
    names = in_order(found)
    for place, category in enumerate(categories[:MAX_CATEGORIES]):
        for name in names:
            each = found[name][place]
            rows.append(
                (
                    category if name == names[0] else "",
                    plain_title_of(name),
                    shown_figure(each.value),
                    shown_interval(each.ci_low, each.ci_high),
                    f"{each.n:,}",
                    words_of(each.reason).phrase,
                )
            )
    return columns_of(rows, n_left=2)


# Figures against a reference after accuracy; weighted kappa is there only with weights.
AGAINST = ("expected_accuracy", "balanced_accuracy", "kappa_weighted", "kappa", "kappa_max", "matthews")


def _against_row(found: RaterVersusReference) -> Row:
    values = found.values
    accuracy = values["accuracy"]
    others = [name for name in AGAINST if name in values]
    return (
        found.rater,
        f"{accuracy.n_items:,}",
        *_value_and_interval(accuracy),
        *(shown_figure(values[name].value) for name in others),
        words_of(values["kappa"].reason).phrase,
    )


def pair_statistics_as_text(result: FileResult, options: Options) -> list[str]:
    """Return all statistics of each pair; only of the first ones if there are many."""
    names, n_pairs = _pair_names(result), len(result.pairs)
    parts = _curves(result)
    parts += [
        _pair(name, found, result.question.categories, options)
        for name, found in zip(names, result.of_pairs, strict=False)
    ]
    if len(result.of_pairs) > MAX_PAIRS_IN_FULL:
        parts.append(f"Showing the first {MAX_PAIRS_IN_FULL} of {n_pairs:,} pairs; use --json to see all.")
    return parts


def _pair_names(result: FileResult) -> list[str]:
    raters = result.question.raters
    return [f"{raters[pair.rater_a]} x {raters[pair.rater_b]}" for pair in result.pairs[:MAX_PAIRS_IN_FULL]]


def _curves(result: FileResult) -> list[str]:
    """Return the first pairs' coefficients for other shares of their most common category; [] if not requested."""
    n_pairs = len(result.pairs)
    categories = result.question.categories
    parts = [
        _curve(name, found, categories)
        for name, found in zip(_pair_names(result), result.prevalence, strict=False)
    ]
    if len(result.prevalence) > MAX_PAIRS_IN_FULL:
        parts.append(
            f"Showing the curves of the first {MAX_PAIRS_IN_FULL} of {n_pairs:,} pairs; use --json to see all."
        )
    return parts


def _curve(pair: str, found: CommonestCategoryCurve | None, categories: Sequence[str]) -> str:
    if found is None:
        return f"{pair}: the share of no category can vary"
    title = f"{pair}, if {categories[found.category]} (now {found.share:.3f} of the labels) were rarer or more common"
    points = found.curve.points()
    names = list(points[0])
    rows = [tuple(shown_figure(point[name]) for name in names) for point in points[::CURVE_STEP]]
    head = ("share", *(plain_title_of(name) for name in names[1:]))
    return f"{title}, with the same disagreements\n" + columns_of(
        [(*row, "") for row in (head, *rows)], n_left=0
    )


def _pair(title: str, found: FullPair, categories: Sequence[str], options: Options) -> str:
    return "\n".join(
        [
            coefficient_table(found.values, options, StatisticFamily.PAIRS, title=title),
            by_category(categories, found.categories, options),
            significance_table(found.tests),
        ]
    )
