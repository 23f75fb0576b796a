"""A report as a PDF: text, tables, and pictures, with a title, a language, and a text alternative for each picture."""

import re
from collections.abc import Iterable, Sequence

from raters.lettered import order_of_pairs
from raters.models import Rater
from reports.analysis.results import Figure
from reports.drawing.picture import Picture, width_of
from reports.drawing.typeset import TypesettingFailed, pdf_of, string
from reports.drawing.vega import DrawingFailed
from reports.exports.pdf_summary import summary
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pictures.forest import ForestRow, Shape, forest
from reports.results.paper import N_WORD_COLUMNS, table_of
from reports.results.paper_figures import QuestionFigures, figures_of
from reports.results.prose import Style, prose_of
from reports.results.prose_words import number
from reports.results.wording import shown_interval
from reports.store.included_raters import counted_in
from reports.store.pairs_in_order import lower_first

MOST_PAIRS = 40
MOST_CATEGORIES = 40
MOST_RATERS = 60
# A longer word may be broken within a cell, after a joining character or else anywhere.
LONG_WORD = 20
BREAK = re.compile(rf"([_/.:-]|[^\s_/.:-]{{{LONG_WORD}}})(?=\S)")
# Longer names would leave no room for figures.
LONGEST = 60
IN_DOCUMENT = Shape(axis=340, row=20, max_name=LONGEST, name="")
# Letters in pictures are slightly smaller than the text around them. FULL_WIDTH is the page width between margins.
POINTS_A_PIXEL, FULL_WIDTH = 0.68, 468

HEAD = """
#set document(title: {title}, author: "Interrater", description: {about}, date: none)
#set text(lang: "en", size: 10pt, font: "Libertinus Serif", hyphenate: false)
#set page(paper: "a4", margin: 22mm, numbering: "1 / 1")
#set heading(numbering: none)
#set table(stroke: none, inset: (x: 5pt, y: 3pt))
#show table.cell.where(y: 0): strong
#show figure.where(kind: table): set block(breakable: false)
#let rule = table.hline(stroke: 0.6pt)
// Only a table that no page can hold goes on on the next one, with its head again.
#let whole(body) = layout(page => {{
  let is_taller = measure(width: page.width, body).height > page.height
  show figure: set block(breakable: is_taller)
  body
}})
#title(text({title}))
#text(gray.darken(40%), {about})

"""


def pdf_report(report: Report) -> bytes:
    """Return the PDF. Raises TypesettingFailed."""
    return pdf_of("\n".join(_parts(report)))


def _parts(report: Report) -> Iterable[str]:
    prose, questions = prose_of(report, Style.PLAIN), figures_of(report)
    title = f"Interrater Agreement: {report.project_name}"
    if report.name:
        title += f" – {report.name}"
    about = f"Report {report.pk}, Interrater {report.code_version}, label digest {report.digest}"
    yield HEAD.format(title=string(title), about=string(about))
    yield from summary(report, [question.result for question in questions])
    yield from _section("Results", prose.results)
    if any(question.figures for question in questions):
        yield _overview(report)
    for question in questions:
        yield from _question(question)
    yield from _section("Method", prose.methods)
    yield from _section("References", prose.references)


def _section(title: str, paragraphs: Sequence[str]) -> Iterable[str]:
    if paragraphs:
        yield f"= {title}"
    for paragraph in paragraphs:
        yield f"#par({_content(paragraph)})"


def _content(text: str) -> str:
    """Return Typst content that shows the text literally, including any markup characters."""
    return f"text({string(text)})"


def _overview(report: Report) -> str:
    table = table_of(report)
    rows = _table(table.columns, table.rows, n_words=N_WORD_COLUMNS)
    return _figure(rows, table.caption)


def _question(question: QuestionFigures) -> Iterable[str]:
    agreement = question.result.row
    yield f"#heading(level: 1, {_content(short(question.key, 200))})"
    points = [
        _point(figure.plain, figure.value, figure.low, figure.high)
        for figure in question.figures
        if figure.value is not None and not figure.is_share
    ]
    if points:
        yield _drawing(_forest(points), f"Coefficients for {short(question.key)} with CIs")
    yield from _categories(agreement)
    yield from _raters(agreement)
    # It may need a page of its own; what follows then fills the rest of the current page.
    pairs = _lowest_pairs(agreement)
    if len(pairs) > 1:
        names = {rater["id"]: short(rater["key"], 28) for rater in agreement.raters}
        points = [
            _point(f"{names[p.rater_a_id]} × {names[p.rater_b_id]}", p.kappa or 0.0, p.ci_low, p.ci_high)
            for p in pairs
        ]
        some = (
            "" if agreement.n_pairs <= len(pairs) else f"; the {len(pairs)} lowest of {agreement.n_pairs:,}"
        )
        yield _drawing(
            _forest(points), f"Pairwise Cohen’s kappa for {short(question.key)}{some}", place="auto"
        )


def _point(name: str, value: float, low: float | None, high: float | None) -> ForestRow:
    """Return a row of the plot. low, high: the interval, or None for both."""
    interval = shown_interval(low, high)
    text = f"{number(value, 2)} {interval}" if interval else number(value, 2)
    return {"name": name, "value": value, "low": low, "high": high, "label": text}


def _forest(points: Sequence[ForestRow]) -> Picture:
    values = "; ".join(f"{point['name']} {point['label']}" for point in points)
    return forest(points, shape=IN_DOCUMENT, description=f"Forest plot. {values}.")


def _lowest_pairs(agreement: QuestionAgreement) -> list[PairAgreement]:
    rows = agreement.pairs.filter(kappa__isnull=False).defer("counts", "figures")
    return [lower_first(pair) for pair in rows.order_by("kappa", *order_of_pairs())[:MOST_PAIRS]]


def _categories(agreement: QuestionAgreement) -> Iterable[str]:
    found = (agreement.result.categories or {}).get("specific_agreement")
    if not found or not agreement.categories:
        return
    rows = [
        (short(category["name"] or category["key"]), *_share(each))
        for category, each in zip(agreement.categories, found, strict=True)
    ][:MOST_CATEGORIES]
    table = _table(("Category", "Labels", "Specific agreement", "CI"), rows, n_words=1)
    caption = f"Specific agreement by category of {short(agreement.question.key)}"
    yield _figure(table, caption)


def _share(found: Figure) -> tuple[str, str, str]:
    n = "" if found.n is None else f"{found.n:,}"
    if found.value is None:
        return n, "undefined", "–"
    value = f"{number(100 * found.value, 1)}%"
    if found.ci_low is None or found.ci_high is None:
        return n, value, "–"
    return n, value, f"[{number(100 * found.ci_low, 1)}%, {number(100 * found.ci_high, 1)}%]"


def _raters(agreement: QuestionAgreement) -> Iterable[str]:
    if not agreement.raters:
        return
    busiest = sorted(agreement.raters, key=lambda rater: (-rater["n_labels"], rater["key"]))[:MOST_RATERS]
    rows = [
        (short(rater["key"]), Rater.Kind(rater["kind"]).label.lower(), f"{rater['n_labels']:,}")
        for rater in busiest
    ]
    some = (
        ""
        if len(rows) == len(agreement.raters)
        else f"; the {len(rows)} with the most labels of {len(agreement.raters):,}"
    )
    table = _table(("Rater", "Type", "Labels"), rows, n_words=2)
    counted = counted_in(agreement)
    rest = f"; overall coefficients are based on {counted.words}" if counted.left_out else ""
    yield _figure(table, f"Raters of {short(agreement.question.key)}{some}{rest}")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, n_words: int) -> str:
    align = ", ".join(["left"] * n_words + ["right"] * (len(columns) - n_words))
    head = ", ".join(f"[#{_content(column)}]" for column in columns)
    body = ",\n".join(f"[#{_content(_breakable(cell))}]" for row in rows for cell in row)
    return (
        f"table(columns: {len(columns)}, align: ({align}), rule, table.header({head}, rule),\n{body}"
        f"{',' if rows else ''} rule)"
    )


def _breakable(text: str) -> str:
    """Insert break opportunities into long words, which would otherwise run into the next column."""
    return " ".join(
        BREAK.sub("\\1\u200b", word) if len(word) > LONG_WORD else word for word in text.split(" ")
    )


def _figure(content: str, caption: str) -> str:
    return f"#whole(figure({content}, kind: table, caption: [#{_content(caption)}]))"


def _drawing(picture: Picture, caption: str, *, place: str = "none") -> str:
    """Return a figure. place: "auto" if it may move to the top or bottom of a nearby page."""
    try:
        svg = picture.printed()
    except DrawingFailed as error:
        raise TypesettingFailed(str(error)) from error
    width = min(FULL_WIDTH, width_of(svg) * POINTS_A_PIXEL)
    image = f'image(bytes({string(svg)}), format: "svg", width: {width:.1f}pt, alt: {string(picture.words)})'
    words = f"kind: image, alt: {string(picture.words)}, caption: [#{_content(caption)}]"
    return f"#figure({image}, placement: {place}, {words})"


def short(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
