"""The cells of the matrix of pairs, as HTML: with all there is to say of a pair, or small ones for many raters."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from reports.results.question_pairs import Pair
from reports.results.wording import N_STEPS, clipped_words, short_reason, shown_interval, step

# Classes of 40,000 cells.
SHORT = {f"step-{each}": f"s{each}" for each in range(N_STEPS)} | {"below-1": "b1", "below-2": "b2"}
Show = Callable[[float | None], str]
Two = tuple[int, int]

# A template takes seconds for the 40,000 cells of 200 raters, and each attribute of a cell is a megabyte of them: the
# end tag of a cell may be left out, and so may the quotes of what has no space in it.
FULL = '<td class="{}"><a href="{}"><b>{}</b><small>{}</small>{}</a><a class="n" href="{}"><small>n {}</small></a></td>'
# Of a result without pages of its own: to a section of this page, or nowhere.
HERE = '<td class="{}"><a href="#pair-{}-{}"><b>{}</b><small>{}</small>{}<small>n {}</small></a></td>'
PLAIN = '<td class="{}"><span><b>{}</b><small>{}</small>{}<small>n {}</small></span></td>'
SELF, ABSENT, HIDDEN = (
    f'<td class="{kind}">{words}</td>'
    for kind, words in (("self", ""), ("absent", "none"), ("absent", "few"))
)
BARE_SELF, BARE_ABSENT, BARE_HIDDEN, NONE_SHARED = (
    "<td class=self>",
    "<td class=absent>none",
    "<td class=absent>few",
    "<td class=absent>0",
)


def full_rows(
    raters: Sequence[int], pairs: Iterable[Pair], hidden: Iterable[Two], show: Show, query: str
) -> Iterator[SafeString]:
    """A row of cells for each rater: value, interval and n, in both triangles."""
    cells = dict.fromkeys(hidden, HIDDEN)
    cells |= {(pair.rater_a, pair.rater_b): full_cell(pair, show, query) for pair in pairs}
    return _rows(raters, cells, cells, SELF, ABSENT, ABSENT)


def rows_here(
    raters: Sequence[int], pairs: Iterable[Pair], show: Show, shown: Collection[Two]
) -> Iterator[SafeString]:
    """The same with links to the sections of this page; shown: the pairs that have one."""
    cells = {}
    for pair in pairs:
        two, cell = (pair.rater_a, pair.rater_b), _cell(pair, show)
        n = f"{pair.n:,}"
        cells[two] = HERE.format(cell[0], *two, *cell[1:], n) if two in shown else PLAIN.format(*cell, n)
    return _rows(raters, cells, cells, SELF, ABSENT, ABSENT)


def bare_rows(
    raters: Sequence[int], pairs: Sequence[Pair], hidden: Iterable[Two], show: Show, query: str
) -> Iterator[SafeString]:
    """A row of small cells for each rater: values above the diagonal, n below."""
    ending = escape(query)
    above = dict.fromkeys(hidden, BARE_HIDDEN)
    below = dict(above)
    above |= {(pair.rater_a, pair.rater_b): value_cell(pair, show, ending) for pair in pairs}
    below |= {
        (pair.rater_a, pair.rater_b): f"<td><a href={pair.rater_a}/{pair.rater_b}/items/>{pair.n:,}</a>"
        for pair in pairs
    }
    return _rows(raters, above, below, BARE_SELF, BARE_ABSENT, NONE_SHARED)


def _rows(
    raters: Sequence[int],
    above: Mapping[Two, str],
    below: Mapping[Two, str],
    own: str,
    no_value: str,
    no_items: str,
) -> Iterator[SafeString]:
    for place, rater in enumerate(raters):
        # A pair has the smaller id first, in whatever order the raters come.
        pairs = [(rater, other) if rater < other else (other, rater) for other in raters]
        cells = [below.get(pair, no_items) for pair in pairs[:place]]
        cells.append(own)
        cells += [above.get(pair, no_value) for pair in pairs[place + 1 :]]
        # Made of numbers, of constants and of what was escaped.
        yield mark_safe("".join(cells))  # noqa: S308


def full_cell(pair: Pair, show: Show, query: str) -> str:
    address = f"{pair.rater_a}/{pair.rater_b}/"
    kind, value, beside, cut = _cell(pair, show)
    return FULL.format(kind, escape(address + query), value, beside, cut, f"{address}items/", f"{pair.n:,}")


def _cell(pair: Pair, show: Show) -> tuple[str, str, str, str]:
    """Its class, and as HTML the value, what is below it, and where its interval was cut."""
    if pair.kappa is None:
        return "undefined", "–", escape(short_reason(pair.reason)), ""
    beside = shown_interval(pair.ci_low, pair.ci_high) or short_reason(pair.reason)
    cut = f"<small>{clipped_words(pair)}</small>" if pair.is_clipped else ""
    return step(pair.kappa), show(pair.kappa), escape(beside), cut


def value_cell(pair: Pair, show: Show, query: str) -> str:
    address = f"{pair.rater_a}/{pair.rater_b}/"
    if query:
        address = f'"{address}{query}"'
    if pair.kappa is None:
        return f'<td class=undefined><a href={address} title="{escape(short_reason(pair.reason))}">–</a>'
    return f"<td class={SHORT[step(pair.kappa)]}><a href={address}>{show(pair.kappa)}</a>"
