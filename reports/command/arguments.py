"""What `manage.py agreement` can be told, and what it means."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from projects.models import Question
from reports.agreement.reading.families import Family as Coefficients
from reports.agreement.reading.scales import SCALES, ReadingScale, own_scale
from reports.agreement.weights import Level, Weights
from reports.analysis.catalogue import Family
from reports.analysis.options import MAX_SMOOTHING, IntervalMethod, OptionRefused, Options, checked_options
from reports.analysis.question import Kind
from reports.command.choices import Choices, More, Unsuitable
from reports.sources.label_file import Options as Reading
from reports.sources.weights_file import read_weights

DEFAULT = Options()
EVERYTHING = "everything"
# What --statistics can name; the coefficients of all raters are there without it.
FAMILIES = (Family.ALL, Family.PAIRS, Family.CATEGORIES, Family.TESTS, Family.REFERENCE, Family.CONSENSUS)
ASKED = (*FAMILIES, *More)


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("file", help="path of the file, or - for standard input")
    _add_reading(parser)
    _add_statistics(parser)
    _add_intervals(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=["text", "json"], default="text")
    output.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )


def _add_reading(parser: CommandParser) -> None:
    group = parser.add_argument_group("reading the file")
    names = "the declared categories in order; else those that occur, sorted"
    group.add_argument("--categories", metavar="A,B,C", help=names)
    only = "only this one; may be repeated"
    group.add_argument("--question", action="append", default=[], metavar="NAME", help=only)
    group.add_argument("--wide", action="store_true", help="a column for each rater, beside item")
    not_raters = "of a wide file, no rater; may be repeated"
    group.add_argument("--ignore", action="append", default=[], metavar="COLUMN", help=not_raters)
    group.add_argument("--trim", action="store_true", help="take spaces off the edges of cells")
    group.add_argument("--encoding", choices=[AUTO, *ENCODINGS], default=AUTO)
    group.add_argument("--separator", choices=[AUTO, *SEPARATORS], default=AUTO)


def _add_statistics(parser: CommandParser) -> None:
    group = parser.add_argument_group("what is computed")
    kinds = "what a label is: a category, a number, or a set of categories (a|b; {} holds none)"
    group.add_argument("--kind", choices=Question.Kind.values, default=str(Question.Kind.SINGLE), help=kinds)
    levels, weights = [str(level) for level in Level], [str(each) for each in Weights]
    group.add_argument(
        "--level", choices=levels, help="of measurement; nominal unless told, interval of numbers"
    )
    of = "of Cohen's kappa, and of the coefficients that have a weighted form"
    group.add_argument("--weights", choices=weights, help=of)
    matrix = (
        "weights of your own, from 0 to 1: CSV, rows and columns in the order of the categories or named by them; or"
        ' JSON, {"question": [[…], …]}'
    )
    group.add_argument("--weights-file", metavar="PATH", help=matrix)
    families = (
        f"more than kappa of the pairs and the coefficients of all raters: some of {', '.join(ASKED)}, with commas"
        f" between, or {EVERYTHING}. raters: each beside the consensus of the others, which categories it uses more or"
        " less than they do and, if the file has a column time, whether that changes. checks: pairs whose labels may be"
        " copied, swapped or shifted. prevalence: the coefficients of each pair if its commonest category were rarer or"
        " more common"
    )
    group.add_argument("--statistics", metavar="LIST", default="", help=families)
    right = "the rater taken as right; every other one is compared with it"
    group.add_argument("--reference", metavar="RATER", default="", help=right)
    away = (
        "this rater does not count in the figures of all raters, as a gold standard does not in a report, and stays in"
        " the pairs; may be repeated. --reference alone leaves nobody out"
    )
    group.add_argument("--leave-out", action="append", default=[], metavar="RATER", help=away)
    added = (
        "what Dawid & Skene's estimates add to each count, so that few labels do not give a rate of 0 or 1;"
        f" 0 to {MAX_SMOOTHING}, 0 unless told"
    )
    group.add_argument("--smoothing", type=float, metavar="X", help=added)
    pairs = (
        "the difference of kappa (of numbers: of alpha, Kendall's W and Lin's concordance; of sets: of alpha and"
        " similarity) between the pair A, B and the pair C, D, with interval and test"
    )
    group.add_argument("--compare-pairs", metavar="A,B,C,D", help=pairs)
    words = "put the words of this scale to the coefficients that it was made for"
    group.add_argument("--scale", choices=list(SCALES), help=words)
    own = (
        "a scale of your own instead, such as --thresholds kappa fair=.4,good=.75: the coefficients that it is for"
        f" ({', '.join(Coefficients)}), and from where each word holds"
    )
    group.add_argument("--thresholds", metavar=("FOR", "WORD=X,…"), nargs=2, help=own)
    groups = (
        "the difference of each coefficient between the labels of raters A, B, C and those of raters D, E, F; with"
        " --statistics categories of each category too"
    )
    group.add_argument("--compare-groups", metavar=("A,B,C", "D,E,F"), nargs=2, help=groups)
    other = (
        "the difference of each coefficient between this file and another one, such as another round; items of the"
        " same name are paired; with --statistics pairs of each pair too"
    )
    group.add_argument("--compare-file", metavar="PATH", help=other)


def _add_intervals(parser: CommandParser) -> None:
    group = parser.add_argument_group(
        "intervals of the coefficients of all raters, of each category, and of what --statistics pairs gives"
    )
    methods = [str(method) for method in IntervalMethod]
    by = "by formula, by bootstrap over items (percentile or BCa), or by jackknife"
    group.add_argument("--interval", choices=methods, default=str(DEFAULT.interval), help=by)
    group.add_argument(
        "--replicates", type=int, metavar="N", help=f"of the bootstrap; {DEFAULT.replicates} unless told"
    )
    group.add_argument("--seed", type=int, metavar="N", help=f"of the bootstrap; {DEFAULT.seed} unless told")
    group.add_argument(
        "--confidence",
        type=float,
        metavar="SHARE",
        help=f"{DEFAULT.confidence} unless told; of the pairs too",
    )


def choices_of(given: Mapping[str, Any]) -> Choices:
    """Raises OptionRefused."""
    weights = given["weights"] or (Weights.CUSTOM if given["weights_file"] else Weights.UNWEIGHTED)
    if given["weights_file"] and weights != Weights.CUSTOM:
        raise OptionRefused(f"--weights-file goes with custom weights only, not with {weights}.")
    families, more = families_in(given["statistics"]), more_in(given["statistics"])
    if given["smoothing"] and Family.CONSENSUS not in families:
        raise OptionRefused("--smoothing goes with --statistics consensus or everything.")
    is_number = given["kind"] == Question.Kind.NUMBER
    return Choices(
        kind=Kind(given["kind"]),
        level=Level(given["level"] or (Level.INTERVAL if is_number else Level.NOMINAL)),
        are_categories_declared=given["categories"] is not None,
        options=checked_options(
            weights=weights,
            interval=given["interval"],
            replicates=given["replicates"],
            seed=given["seed"],
            confidence=given["confidence"],
            reference=given["reference"],
            smoothing=given["smoothing"],
        ),
        weights=read_weights(Path(given["weights_file"])) if given["weights_file"] else {},
        families=families_with_reference(families, given["reference"]),
        more=more,
        pairs=pairs_in(given["compare_pairs"]),
        groups=groups_in(given["compare_groups"]),
        scale=scale_in(given["scale"], given["thresholds"]),
        left_out=frozenset(given["leave_out"]),
    )


def scale_in(name: str | None, thresholds: Sequence[str] | None) -> ReadingScale | None:
    """Raises OptionRefused."""
    if thresholds is None:
        return SCALES.get(name or "")
    if name:
        raise OptionRefused("Give --scale or --thresholds, not both.")
    family, text = thresholds
    if family not in list(Coefficients):
        raise OptionRefused(f"--thresholds must be for one of {', '.join(Coefficients)}, got {family!r}.")
    parts = [each.rpartition("=") for each in text.split(",")]
    try:
        steps = [(float(start), word) for word, _, start in parts]
    except ValueError:
        raise OptionRefused(
            f"--thresholds must be words with numbers, such as fair=.4,good=.75, got {text!r}."
        ) from None
    try:
        return own_scale(steps, families=frozenset({Coefficients(family)}), title="your own thresholds")
    except ValueError as error:
        raise OptionRefused(f"--thresholds: {error}, got {text!r}.") from None


def pairs_in(text: str | None) -> list[str]:
    """Raises OptionRefused."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if len(names) != 4 or "" in names or names[0] == names[1] or names[2] == names[3]:
        raise OptionRefused(f"--compare-pairs must be four raters, two of each pair, got {text!r}.")
    return names


def groups_in(texts: Sequence[str] | None) -> list[list[str]]:
    """Raises OptionRefused."""
    found = [[name.strip() for name in text.split(",")] for text in texts or []]
    for text, names in zip(texts or [], found, strict=True):
        if len(names) < 2 or "" in names or len(set(names)) < len(names):
            raise OptionRefused(
                f"--compare-groups must be two groups of two raters or more each, got {text!r}."
            )
    return found


def families_in(text: str) -> frozenset[Family]:
    names = names_in(text)
    if unknown := [name for name in names if name not in {*ASKED, EVERYTHING}]:
        raise OptionRefused(
            f"--statistics must be some of {', '.join(ASKED)} or {EVERYTHING}, got {', '.join(unknown)}."
        )
    if EVERYTHING in names:
        # Without a rater taken as right there is nothing to compare with.
        return frozenset(FAMILIES) - {Family.REFERENCE}
    return frozenset(map(Family, {*names} & {*FAMILIES}))


def more_in(text: str) -> frozenset[More]:
    names = names_in(text)
    return frozenset(More) if EVERYTHING in names else frozenset(map(More, {*names} & {*More}))


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def families_with_reference(families: frozenset[Family], reference: str) -> frozenset[Family]:
    if Family.REFERENCE in families and not reference:
        raise OptionRefused("Name the rater to compare with by --reference.")
    return families | {Family.REFERENCE} if reference else families


def reading_of(given: Mapping[str, Any]) -> Reading:
    """Raises OptionRefused."""
    return Reading(
        is_wide=given["wide"],
        trim=given["trim"],
        encoding=given["encoding"],
        separator=given["separator"],
        questions=given["question"],
        categories=categories_in(given["categories"]),
        ignored=given["ignore"],
        kind=given["kind"],
        has_times=More.RATERS in more_in(given["statistics"]),
    )


def categories_in(text: str | None) -> list[str]:
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) != len(names):
        raise OptionRefused(f"--categories must be different names, separated by commas, got {text!r}.")
    return names


def refuse_unsuitable(reading: Reading, choices: Choices) -> None:
    """Raises Unsuitable for what the kind of question cannot do."""
    UNSUITABLE[choices.kind](reading, choices)


def _anything(reading: Reading, choices: Choices) -> None:
    """Of single choices, whether level and weights fit is seen from the categories."""


def _of_numbers(reading: Reading, choices: Choices) -> None:
    _without_categories(choices)
    if reading.categories:
        raise Unsuitable("Numbers have no categories; leave out --categories.")


def _of_sets(reading: Reading, choices: Choices) -> None:
    _without_categories(choices)
    if choices.level is not Level.NOMINAL:
        raise Unsuitable("Sets of categories have no level; alpha takes the distances of MASI and Jaccard.")


def _without_categories(choices: Choices) -> None:
    if choices.options.weights is not Weights.UNWEIGHTED:
        raise Unsuitable("Weights compare categories; they do not go with numbers or sets.")
    if choices.options.reference:
        raise Unsuitable(
            "A rater is taken as right for single choices; compare numbers or sets pair by pair."
        )


UNSUITABLE = {Kind.SINGLE: _anything, Kind.NUMBER: _of_numbers, Kind.MULTIPLE: _of_sets}
