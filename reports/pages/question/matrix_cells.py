"""The cells of the matrix of pairs as HTML: with all details, or small ones for many raters."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.templatetags.shown import figure
from reports.results.question_pairs import Pair
from reports.results.wording import N_STEPS, clipped_words, short_reason, step

# Short class names, for up to 40,000 cells.
SHORT = {f"step-{each}": f"s{each}" for each in range(N_STEPS)} | {"below-1": "b1", "below-2": "b2"}
Show = Callable[[float | None], str]
Two = tuple[int, int]

# A template takes seconds for the 40,000 cells of 200 raters, and each attribute of a cell adds a megabyte. HTML allows
# leaving out the end tags of cells, and the quotes around values without spaces.
FULL = '<td class="{}"><a href="{}"{}><b>{}</b><small>{}{}</small></a>{}</td>'
N_OF = '<a class="n" href="{}{}"><small>n {:,}</small></a>'
# For a result without pages of its own: links to a section of the same page, or none.
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
    """Yield a row of cells for each rater, with value and interval in both triangles. has_n: also n, on a separate
    line.

    items: the URL of a pair's items, relative to the pair.
    """
    cells = dict.fromkeys(hidden, HIDDEN)
    for pair in pairs:
        cells[pair.rater_a, pair.rater_b] = full_cell(pair, show, query, items if has_n else "")
    return _rows(raters, cells, SELF, ABSENT)


def rows_here(
    raters: Sequence[int], pairs: Iterable[Pair], show: Show, shown: Collection[Two]
) -> Iterator[SafeString]:
    """Yield the same rows with links to sections of this page. shown: the pairs that have a section."""
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
    has_titles: bool,
) -> Iterator[SafeString]:
    """Yield a row of small cells for each rater, with values for screen readers only.

    has_titles: with interval and n.
    """
    ending = escape(query)
    cells = dict.fromkeys(hidden, HEAT_HIDDEN)
    cells |= {
        (pair.rater_a, pair.rater_b): heat_cell(pair, show, ending, has_titles=has_titles) for pair in pairs
    }
    return _rows(raters, cells, HEAT_SELF, HEAT_ABSENT)


def _rows(raters: Sequence[int], found: Mapping[Two, str], own: str, absent: str) -> Iterator[SafeString]:
    for place, rater in enumerate(raters):
        # A pair has the smaller ID first, whatever the order of the raters.
        pairs = [(rater, other) if rater < other else (other, rater) for other in raters]
        cells = [found.get(pair, absent) for pair in pairs[:place]]
        cells.append(own)
        cells += [found.get(pair, absent) for pair in pairs[place + 1 :]]
        # Consists only of numbers, constants, and escaped text.
        yield mark_safe("".join(cells))  # noqa: S308


def full_cell(pair: Pair, show: Show, query: str, items: str) -> str:
    """Return a cell. items: the URL of the pair's items, relative to the pair; "" if the cell does not show n."""
    address = f"{pair.rater_a}/{pair.rater_b}/"
    kind, value, detail, cut = _cell(pair, show)
    title, n = ("", N_OF.format(address, items, pair.n)) if items else (f' title="n {pair.n:,}"', "")
    return FULL.format(kind, escape(address + query), title, value, detail, cut, n)


def _cell(pair: Pair, show: Show) -> tuple[str, str, str, str]:
    """Return the class and, as HTML, the value, the text below it, and the mark of a truncated interval."""
    if pair.kappa is None:
        return "undefined", "–", escape(short_reason(pair.reason)), ""
    detail = interval_in_cell(pair) or short_reason(pair.reason)
    cut = f'<abbr title="{clipped_words(pair)}">†</abbr>' if pair.is_clipped else ""
    return step(pair.kappa), show(pair.kappa), escape(detail), cut


def interval_in_cell(pair: Pair) -> str:
    """Return the interval as short as possible: 0.64–0.87; "" if there is none."""
    if pair.ci_low is None or pair.ci_high is None:
        return ""
    between = " to " if pair.ci_low < 0 else "–"
    return f"{figure(pair.ci_low)}{between}{figure(pair.ci_high)}"


def heat_cell(pair: Pair, show: Show, query: str, *, has_titles: bool) -> str:
    address = f"{pair.rater_a}/{pair.rater_b}/"
    if query:
        address = f'"{address}{query}"'
    detail = interval_in_cell(pair) or short_reason(pair.reason)
    title = f' title="{escape(detail)}, n {pair.n:,}"' if has_titles else ""
    if pair.kappa is None:
        return f"<td class=undefined><a href={address}{title}>–</a>"
    return f"<td class={SHORT[step(pair.kappa)]}><a href={address}{title}>{show(pair.kappa)}</a>"
