"""The cells of the matrix of pairs, as HTML: with all there is to say of a pair, or small ones for many raters."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.templatetags.shown import figure
from reports.results.question_pairs import Pair
from reports.results.wording import N_STEPS, clipped_words, short_reason, step

# Classes of 40,000 cells.
SHORT = {f"step-{each}": f"s{each}" for each in range(N_STEPS)} | {"below-1": "b1", "below-2": "b2"}
Show = Callable[[float | None], str]
Two = tuple[int, int]

# A template takes seconds for the 40,000 cells of 200 raters, and each attribute of a cell is a megabyte of them: the
# end tag of a cell may be left out, and so may the quotes of what has no space in it.
FULL = '<td class="{}"><a href="{}"{}><b>{}</b><small>{}{}</small></a>{}</td>'
N_OF = '<a class="n" href="{}{}"><small>n {:,}</small></a>'
# Of a result without pages of its own: to a section of this page, or nowhere.
HERE = '<td class="{}"><a href="#pair-{}-{}"><b>{}</b><small>{}{}</small><small>n {}</small></a></td>'
PLAIN = '<td class="{}"><span><b>{}</b><small>{}{}</small><small>n {}</small></span></td>'
SELF, ABSENT, HIDDEN = (
    f'<td class="{kind}">{words}</td>'
    for kind, words in (("self", ""), ("absent", "none"), ("absent", "few"))
)
HEAT_SELF, HEAT_ABSENT, HEAT_HIDDEN = "<td class=self>", "<td class=absent>none", "<td class=absent>few"


def full_rows(
    raters: Sequence[int],
    pairs: Iterable[Pair],
    hidden: Iterable[Two],
    show: Show,
    query: str,
    *,
    has_n: bool,
    items: str = "items/",
) -> Iterator[SafeString]:
    """A row of cells for each rater: value and interval in both triangles; has_n: and n on a line of its own.

    items: of a pair, from its address.
    """
    cells = dict.fromkeys(hidden, HIDDEN)
    for pair in pairs:
        cells[pair.rater_a, pair.rater_b] = full_cell(pair, show, query, items if has_n else "")
    return _rows(raters, cells, SELF, ABSENT)


def rows_here(
    raters: Sequence[int], pairs: Iterable[Pair], show: Show, shown: Collection[Two]
) -> Iterator[SafeString]:
    """The same with links to the sections of this page; shown: the pairs that have one."""
    cells = {}
    for pair in pairs:
        two, cell = (pair.rater_a, pair.rater_b), _cell(pair, show)
        n = f"{pair.n:,}"
        cells[two] = HERE.format(cell[0], *two, *cell[1:], n) if two in shown else PLAIN.format(*cell, n)
    return _rows(raters, cells, SELF, ABSENT)


def heat_rows(
    raters: Sequence[int],
    pairs: Sequence[Pair],
    hidden: Iterable[Two],
    show: Show,
    query: str,
    *,
    is_told: bool,
) -> Iterator[SafeString]:
    """A row of small cells for each rater, whose values are heard and not seen; is_told: with interval and n."""
    ending = escape(query)
    cells = dict.fromkeys(hidden, HEAT_HIDDEN)
    cells |= {(pair.rater_a, pair.rater_b): heat_cell(pair, show, ending, is_told=is_told) for pair in pairs}
    return _rows(raters, cells, HEAT_SELF, HEAT_ABSENT)


def _rows(raters: Sequence[int], found: Mapping[Two, str], own: str, absent: str) -> Iterator[SafeString]:
    for place, rater in enumerate(raters):
        # A pair has the smaller id first, in whatever order the raters come.
        pairs = [(rater, other) if rater < other else (other, rater) for other in raters]
        cells = [found.get(pair, absent) for pair in pairs[:place]]
        cells.append(own)
        cells += [found.get(pair, absent) for pair in pairs[place + 1 :]]
        # Made of numbers, of constants and of what was escaped.
        yield mark_safe("".join(cells))  # noqa: S308


def full_cell(pair: Pair, show: Show, query: str, items: str) -> str:
    """items: the address of the pair's items, from its own; "" if the cell does not tell how many they are."""
    address = f"{pair.rater_a}/{pair.rater_b}/"
    kind, value, beside, cut = _cell(pair, show)
    title, n = ("", N_OF.format(address, items, pair.n)) if items else (f' title="n {pair.n:,}"', "")
    return FULL.format(kind, escape(address + query), title, value, beside, cut, n)


def _cell(pair: Pair, show: Show) -> tuple[str, str, str, str]:
    """Its class, and as HTML the value, what is below it, and where its interval was cut."""
    if pair.kappa is None:
        return "undefined", "–", escape(short_reason(pair.reason)), ""
    beside = interval_in_cell(pair) or short_reason(pair.reason)
    cut = f'<abbr title="{clipped_words(pair)}">†</abbr>' if pair.is_clipped else ""
    return step(pair.kappa), show(pair.kappa), escape(beside), cut


def interval_in_cell(pair: Pair) -> str:
    """As narrow as it can be: 0.64–0.87; "" without one."""
    if pair.ci_low is None or pair.ci_high is None:
        return ""
    between = " to " if pair.ci_low < 0 else "–"
    return f"{figure(pair.ci_low)}{between}{figure(pair.ci_high)}"


def heat_cell(pair: Pair, show: Show, query: str, *, is_told: bool) -> str:
    address = f"{pair.rater_a}/{pair.rater_b}/"
    if query:
        address = f'"{address}{query}"'
    beside = interval_in_cell(pair) or short_reason(pair.reason)
    title = f' title="{escape(beside)}, n {pair.n:,}"' if is_told else ""
    if pair.kappa is None:
        return f"<td class=undefined><a href={address}{title}>–</a>"
    return f"<td class={SHORT[step(pair.kappa)]}><a href={address}{title}>{show(pair.kappa)}</a>"
