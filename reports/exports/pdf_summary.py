"""The first page of the PDF of a report: verdict, matrix, confusions, and findings."""

from collections.abc import Iterable, Sequence

from core.templatetags.shown import figure, in_percent, moment, percent
from reports.analysis.catalog import title_of
from reports.analysis.results import NotComputable
from reports.drawing.typeset import string
from reports.models import PairAgreement, Report
from reports.results.findings import findings_of
from reports.results.kinds import result_kind
from reports.results.primary import Primary, primary_of
from reports.results.wording import long_reason, shown_interval, shown_shares, step
from reports.store.stored_result import StoredResult

# More does not fit on a page; the rest of the document has everything.
MOST_QUESTIONS = 6
MOST_RATERS, FEW_RATERS = 12, 7
MOST_FINDINGS, MOST_CONFUSED = 3, 4
LONGEST_NAME = 14
# Light enough for text on top to be readable.
FILLS = {f"step-{each}": f"rgb(37, 99, 200, {each * 8}%)" for each in range(10)}
FILLS |= {"below-1": "rgb(200, 90, 40, 20%)", "below-2": "rgb(200, 90, 40, 40%)"}


def summary(report: Report, results: Sequence[StoredResult]) -> Iterable[str]:
    """Yield the summary as Typst, followed by a page break."""
    shown = [result for result in results if result.n_pairs and not result.reason][:MOST_QUESTIONS]
    if not shown:
        return
    yield f"#heading(level: 1, {_content('Summary')})"
    yield f"#par({_content(f'Computed {moment(report.finished_at)}.')})"
    for result in shown:
        yield from _question(result, n_on_page=len(shown))
    left = len(results) - len(shown)
    if left:
        yield f"#par({_content(f'{left} further question' + ('s' if left > 1 else '') + ': see the following pages.')})"
    yield "#pagebreak()"


def _question(result: StoredResult, *, n_on_page: int) -> Iterable[str]:
    """Yield one question. Two questions have room for a small matrix each, more only for confusions and one finding."""
    primary = primary_of(result)
    yield f"#heading(level: 2, {_content(result.question.key[:80])})"
    yield f"#par(strong({_content(_claim(result, primary))}))"
    if words := primary.words(result.report.chosen.percent):
        yield f"#par({_content(words)})"
    if n_on_page == 1 or (n_on_page == 2 and len(result.raters) <= FEW_RATERS):
        yield from _matrix(result)
    yield from _confused(result)
    yield from _findings(result, most=MOST_FINDINGS if n_on_page == 1 else 1)


def _claim(result: StoredResult, primary: Primary) -> str:
    found, title = primary.figure, title_of(primary.name)
    if found.value is None:
        return f"{title} is undefined. {long_reason(found.reason)}"
    show = shown_shares if primary.is_share else shown_interval
    value = percent(found.value) if primary.is_share else figure(found.value)
    interval = show(found.ci_low, found.ci_high)
    ci = f", {in_percent(result.report.chosen.percent)} CI {interval}" if interval else ""
    lead = f"{primary.lead}: " if primary.lead else ""
    lead_round = f" (round “{result.row.lead['key']}”)" if result.row.lead else ""
    return f"{lead}{title} = {value}{ci}{lead_round}"


def _matrix(result: StoredResult) -> Iterable[str]:
    """Yield the matrix of kappas; if there are too many raters, the following pages have the lowest pairs."""
    if not result_kind(result.scope.kind).has_counts or len(result.raters) > MOST_RATERS:
        return
    pairs = {
        frozenset((pair.rater_a_id, pair.rater_b_id)): pair
        for pair in result.row.pairs.defer("counts", "figures")
    }
    names = [_short(rater.key) for rater in result.raters]
    heads = ["[]", *(f"table.cell(align: center + bottom, [#{_content(name)}])" for name in names)]
    cells = [f"table.header({', '.join(heads)})"]
    for rater, name in zip(result.raters, names, strict=True):
        cells.append(f"table.cell(align: right + horizon, [#{_content(name)}])")
        cells += [_cell(pairs.get(frozenset((rater.id, other.id)))) for other in result.raters]
    columns = ", ".join(["auto", *["1fr"] * len(names)])
    size = 8 if len(names) <= 8 else 6.5
    weights = f", {result.scope.weights} weights" if result.scope.is_weighted else ""
    caption = f"Cohen’s kappa of each pair{weights}, {in_percent(result.report.chosen.percent)} CI"
    matrix = f"table(columns: ({columns}), gutter: 2pt, inset: 2pt, {', '.join(cells)})"
    yield f"#[#set text(size: {size}pt); #figure({matrix}, kind: table, caption: [#{_content(caption)}])]"


def _cell(pair: PairAgreement | None) -> str:
    if pair is None:
        return "[]"
    if pair.kappa is None:
        return f"table.cell(align: center + horizon, [#{_content('–')}])"
    interval = (
        "" if pair.ci_low is None or pair.ci_high is None else f"{figure(pair.ci_low)}–{figure(pair.ci_high)}"
    )
    words = f"[#strong({_content(figure(pair.kappa))}) \\ #text(size: 0.8em, {string(interval)})]"
    return f"table.cell(fill: {FILLS[step(pair.kappa)]}, inset: 3pt, align: center + horizon, {words})"


def _confused(result: StoredResult) -> Iterable[str]:
    found = result.figures.confusions
    if found is None or isinstance(found, NotComputable) or not found.n_differing or not found.most:
        return
    names = result.category_names
    sentences = [
        f"{names[each.a]} and {names[each.b]} ({percent(each.n_pairs / found.n_differing)})"
        for each in found.most[:MOST_CONFUSED]
    ]
    yield f"#par({_content('Share of all disagreement: ' + '; '.join(sentences) + '.')})"


def _findings(result: StoredResult, *, most: int) -> Iterable[str]:
    found = findings_of(result)
    if found is None:
        return
    if not found.is_any_significant:
        yield f"#par({_content(f'No single finding is significant ({found.n_tested:,} tests, Holm).')})"
    for each in [*found.shown, *found.more][:most]:
        yield f"#par[#strong({_content(each.title)}). #{_content(f'{each.words} {each.gain}'.strip())}]"


def _content(text: str) -> str:
    """Return Typst content that shows the text literally, including any markup characters."""
    return f"text({string(text)})"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
