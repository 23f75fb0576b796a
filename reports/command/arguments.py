"""The arguments of `manage.py agreement` and their interpretation."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from raters.imports.file_interpretation import TABLE
from raters.imports.label_options import CHOICES, LabelOptions
from raters.reading.columns import IGNORE, ROLES
from raters.reading.formats import FORMATS
from reports.agreement.interpretation.families import Family as Coefficients
from reports.agreement.interpretation.scales import SCALES, InterpretationScale, own_scale
from reports.agreement.weights import Level, Weights
from reports.analysis.catalog import StatisticFamily
from reports.analysis.options import (
    MAX_SMOOTHING,
    IntervalMethod,
    OptionRefused,
    Options,
    checked_options,
)
from reports.analysis.question import Kind
from reports.command.choices import CommandChoices, ExtraResult
from reports.command.design import add_design_arguments, design_of
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileOptions
from reports.sources.weights_file import read_weights

DEFAULT = Options()
EVERYTHING = "everything"
# The values of --statistics; overall coefficients are always included.
FAMILIES = (
    StatisticFamily.ALL,
    StatisticFamily.PAIRS,
    StatisticFamily.CATEGORIES,
    StatisticFamily.TESTS,
    StatisticFamily.REFERENCE,
    StatisticFamily.CONSENSUS,
)
ASKED = (*FAMILIES, *ExtraResult)


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", help="path of the file, or - for standard input")
    _add_reading(parser)
    _add_statistics(parser)
    _add_intervals(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=["text", "json"], default="text")
    output.add_argument(
        "--json", action="store_const", const="json", dest="format", help="same as --format json"
    )


def _add_reading(parser: CommandParser) -> None:
    group = parser.add_argument_group("input")
    names = "the categories, in order (default: those found in the file, sorted)"
    group.add_argument("--categories", metavar="A,B,C", help=names)
    only = "analyze only this question; can be repeated"
    group.add_argument("--question", action="append", default=[], metavar="NAME", help=only)
    group.add_argument(
        "--wide", action="store_true", help="wide format: a column item and one column per rater"
    )
    not_raters = "column to ignore; can be repeated"
    group.add_argument("--ignore", action="append", default=[], metavar="COLUMN", help=not_raters)
    no_effect = "no longer needed: spaces at the edges of cells are always trimmed"
    group.add_argument("--trim", action="store_true", help=no_effect)
    group.add_argument("--layout", choices=CHOICES["layout"], default=AUTO, help="(default: auto)")
    mapping = "JSON file of settings, as manage.py import_labels --show-mapping prints it"
    group.add_argument("--mapping", type=Path, metavar="FILE", help=mapping)
    holds = f"what a column holds: {', '.join(ROLES)}; can be repeated"
    group.add_argument("--map", action="append", default=[], metavar="COLUMN=ROLE", help=holds)
    group.add_argument("--rater", default="", metavar="NAME", help="rater, if the file has no rater column")
    of_round = "analyze only this round, of those in the column round; also of the file to compare with"
    group.add_argument("--round", default="", metavar="NAME", help=of_round)
    group.add_argument("--sheet", default=AUTO, help="sheet of a workbook (default: the first with a table)")
    line = "line of the header, or 0 for none (default: auto)"
    group.add_argument("--header-line", default=AUTO, metavar="N", help=line)
    known = ", ".join(format.key for format in FORMATS)
    program = f"program that wrote the file: {known}; or table (default: auto)"
    programs = [AUTO, TABLE, *(format.key for format in FORMATS)]
    group.add_argument("--file-format", choices=programs, default=AUTO, metavar="NAME", help=program)
    group.add_argument("--decimal", choices=CHOICES["decimal"], default=AUTO, help="(default: auto)")
    kept = "which of several labels of one rater for an item to keep (default: refuse the file)"
    group.add_argument("--repeats", choices=CHOICES["repeats"], default="refuse", help=kept)
    counts = (
        "the file has counts in place of labels. pair: the confusion matrix of two raters, with the categories in its"
        " first row and column; items: one row per item, one column per category. none: it has labels (default: auto,"
        " which recognizes confusion matrices)"
    )
    group.add_argument("--counts", choices=[AUTO, *CountForm, "none"], default=AUTO, help=counts)
    group.add_argument("--encoding", choices=[AUTO, *ENCODINGS], default=AUTO)
    group.add_argument("--separator", choices=[AUTO, *SEPARATORS], default=AUTO)


def _add_statistics(parser: CommandParser) -> None:
    group = parser.add_argument_group("statistics")
    kinds = (
        "type of label: a category, a number, or a set of categories (a|b; {} is the empty set); auto: as the labels"
        " look (default: what the program that wrote the file says, or single)"
    )
    group.add_argument("--kind", choices=[*Kind, AUTO], default="", help=kinds)
    levels, weights = [*(str(level) for level in Level), AUTO], [str(each) for each in Weights]
    group.add_argument(
        "--level",
        choices=levels,
        help="level of measurement; auto: as the labels look (default: nominal; interval for numbers)",
    )
    of = (
        "weights for Cohen's kappa and every coefficient with a weighted form (default: as in a report, quadratic for"
        " ordered categories and unweighted for others)"
    )
    group.add_argument("--weights", choices=weights, help=of)
    matrix = (
        "custom weights from 0 to 1: a CSV matrix in the order of the categories, or with their names as headers; or"
        ' JSON, {"question": [[…], …]}'
    )
    group.add_argument("--weights-file", metavar="PATH", help=matrix)
    families = (
        f"additional statistics, separated by commas: {', '.join(ASKED)}, or {EVERYTHING}. raters: each rater compared"
        " with the consensus of the others, their use of the categories, and, if the file has a column time, changes"
        " over time. checks: pairs whose labels may be copied, swapped, or shifted. prevalence: the coefficients of"
        " each pair if its most common category were rarer or more common"
    )
    group.add_argument("--statistics", metavar="LIST", default="", help=families)
    right = "the rater to use as the reference, with which all others are compared"
    group.add_argument("--reference", metavar="RATER", default="", help=right)
    away = (
        "exclude this rater from overall coefficients, as a report does with a reference; pairs still include the "
        "rater; can be repeated. --reference alone excludes nobody"
    )
    group.add_argument("--leave-out", action="append", default=[], metavar="RATER", help=away)
    added = (
        "added to each count in the Dawid-Skene estimates, so that few labels do not give a rate of 0 or 1;"
        f" 0 to {MAX_SMOOTHING} (default: 0)"
    )
    group.add_argument("--smoothing", type=float, metavar="X", help=added)
    pairs = (
        "compare the pair A, B with the pair C, D: difference in kappa (numbers: alpha, Kendall's W, and Lin's"
        " concordance; sets: alpha and similarity), with CI and test"
    )
    group.add_argument("--compare-pairs", metavar="A,B,C,D", help=pairs)
    words = "interpret coefficients on this scale, where it applies"
    group.add_argument("--scale", choices=list(SCALES), help=words)
    own = (
        "a custom scale instead, such as --thresholds kappa fair=.4,good=.75: the type of coefficient"
        f" ({', '.join(Coefficients)}) and the lower limit of each class"
    )
    group.add_argument("--thresholds", metavar=("FOR", "WORD=X,…"), nargs=2, help=own)
    groups = (
        "compare raters A, B, C with raters D, E, F: difference in each coefficient; with --statistics categories,"
        " also for each category"
    )
    group.add_argument("--compare-groups", metavar=("A,B,C", "D,E,F"), nargs=2, help=groups)
    other = (
        "compare with another file, such as another round: difference in each coefficient; items with the same name are"
        " treated as paired; with --statistics pairs, also for each pair"
    )
    group.add_argument("--compare-file", metavar="PATH", help=other)


def _add_intervals(parser: CommandParser) -> None:
    group = parser.add_argument_group(
        "confidence intervals of overall coefficients, categories, and --statistics pairs"
    )
    methods = [str(method) for method in IntervalMethod]
    by = "analytic, bootstrap over items (percentile or BCa), or jackknife"
    group.add_argument("--interval", choices=methods, default=str(DEFAULT.interval), help=by)
    group.add_argument(
        "--replicates", type=int, metavar="N", help=f"bootstrap replicates (default: {DEFAULT.replicates})"
    )
    group.add_argument("--seed", type=int, metavar="N", help=f"bootstrap seed (default: {DEFAULT.seed})")
    group.add_argument(
        "--confidence",
        type=float,
        metavar="SHARE",
        help=f"confidence level, also for pairs (default: {DEFAULT.confidence})",
    )
    add_design_arguments(group)


# The arguments as parsed, by option name.
Given = Mapping[str, Any]


def choices_of(given: Given) -> CommandChoices:
    """Return the choices. Raises OptionRefused."""
    weights = given["weights"] or (Weights.CUSTOM if given["weights_file"] else None)
    if given["weights_file"] and weights != Weights.CUSTOM:
        raise OptionRefused(f"--weights-file requires --weights custom, got {weights}.")
    families, more = families_in(given["statistics"]), more_in(given["statistics"])
    if given["smoothing"] and StatisticFamily.CONSENSUS not in families:
        raise OptionRefused("--smoothing requires --statistics consensus or everything.")
    options = checked_options(
        weights=weights,
        interval=given["interval"],
        replicates=given["replicates"],
        seed=given["seed"],
        confidence=given["confidence"],
        reference=given["reference"],
        smoothing=given["smoothing"],
    )
    return CommandChoices(
        are_categories_declared=given["categories"] is not None,
        options=options,
        weights=read_weights(Path(given["weights_file"])) if given["weights_file"] else {},
        families=families_with_reference(families, given["reference"]),
        more=more,
        pairs=pairs_in(given["compare_pairs"]),
        groups=groups_in(given["compare_groups"]),
        scale=scale_in(given["scale"], given["thresholds"]),
        left_out=frozenset(given["leave_out"]),
        design=design_of(given, options),
    )


def scale_in(name: str | None, thresholds: Sequence[str] | None) -> InterpretationScale | None:
    """Return the scale. Raises OptionRefused."""
    if thresholds is None:
        return SCALES.get(name or "")
    if name:
        raise OptionRefused("Use either --scale or --thresholds, not both.")
    family, text = thresholds
    if family not in list(Coefficients):
        raise OptionRefused(f"--thresholds must be for one of {', '.join(Coefficients)}, got {family!r}.")
    parts = [each.rpartition("=") for each in text.split(",")]
    try:
        steps = [(float(start), word) for word, _, start in parts]
    except ValueError:
        raise OptionRefused(
            f"--thresholds must be names with numbers, such as fair=.4,good=.75, got {text!r}."
        ) from None
    try:
        return own_scale(steps, families=frozenset({Coefficients(family)}), title="your own thresholds")
    except ValueError as error:
        raise OptionRefused(f"--thresholds: {error}, got {text!r}.") from None


def pairs_in(text: str | None) -> list[str]:
    """Return the raters of two pairs. Raises OptionRefused."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if len(names) != 4 or "" in names or names[0] == names[1] or names[2] == names[3]:
        raise OptionRefused(f"--compare-pairs requires four raters, two per pair, got {text!r}.")
    return names


def groups_in(texts: Sequence[str] | None) -> list[list[str]]:
    """Return two groups of raters. Raises OptionRefused."""
    found = [[name.strip() for name in text.split(",")] for text in texts or []]
    for text, names in zip(texts or [], found, strict=True):
        if len(names) < 2 or "" in names or len(set(names)) < len(names):
            raise OptionRefused(
                f"--compare-groups requires two groups of at least two raters each, got {text!r}."
            )
    return found


def families_in(text: str) -> frozenset[StatisticFamily]:
    names = names_in(text)
    if unknown := [name for name in names if name not in {*ASKED, EVERYTHING}]:
        raise OptionRefused(
            f"--statistics must be any of {', '.join(ASKED)}, or {EVERYTHING}, got {', '.join(unknown)}."
        )
    if EVERYTHING in names:
        # Without a reference, there is nothing to compare with.
        return frozenset(FAMILIES) - {StatisticFamily.REFERENCE}
    return frozenset(map(StatisticFamily, {*names} & {*FAMILIES}))


def more_in(text: str) -> frozenset[ExtraResult]:
    names = names_in(text)
    return (
        frozenset(ExtraResult)
        if EVERYTHING in names
        else frozenset(map(ExtraResult, {*names} & {*ExtraResult}))
    )


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def families_with_reference(
    families: frozenset[StatisticFamily], reference: str
) -> frozenset[StatisticFamily]:
    if StatisticFamily.REFERENCE in families and not reference:
        raise OptionRefused("--statistics reference requires --reference.")
    return families | {StatisticFamily.REFERENCE} if reference else families


def reading_of(given: Given) -> FileOptions:
    """Return the options for reading the file. Raises OptionRefused."""
    return FileOptions(
        options=label_options(given),
        kind=given["kind"],
        level=given["level"] or "",
        questions=given["question"],
        categories=categories_in(given["categories"]),
        is_wide=given["wide"],
        has_times=ExtraResult.RATERS in more_in(given["statistics"]),
        counts=given["counts"],
        unit=given["unit"],
        round=given["round"],
    )


def label_options(given: Given) -> LabelOptions:
    """Return the mapping with the options of the command line, which take precedence. Raises OptionRefused."""
    columns = dict.fromkeys(given["ignore"], IGNORE)
    for pair in given["map"]:
        column, equals, role = pair.rpartition("=")
        if not equals:
            raise OptionRefused(f"--map must be COLUMN=ROLE, got {pair!r}.")
        columns[column] = role
    names = ("encoding", "separator", "layout", "rater", "sheet", "header_line", "decimal", "repeats")
    options = {name: given[name] for name in names} | {"format": given["file_format"]}
    options = {name: value for name, value in options.items() if value not in (AUTO, "", "refuse")}
    try:
        mapping = json.loads(given["mapping"].read_text(encoding="utf-8")) if given["mapping"] else {}
        if not isinstance(mapping, dict):
            raise ValueError("the mapping must be a JSON object")
        for name in ("columns", "questions", "choices"):
            if not isinstance(mapping.get(name, {}), dict):
                raise ValueError(f"{name} of the mapping must be a JSON object")
        merged = {**mapping, **options, "columns": {**mapping.get("columns", {}), **columns}}
        return LabelOptions.from_json(merged)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise OptionRefused(str(error)) from None


def categories_in(text: str | None) -> list[str]:
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) != len(names):
        raise OptionRefused(f"--categories must be distinct names separated by commas, got {text!r}.")
    return names
