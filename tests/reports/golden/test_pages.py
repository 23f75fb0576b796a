"""Where the text is shown: on the page of exports, in the calculator, in Word; with italics, and to be copied."""

import io

import docx
import pytest
from django.urls import reverse
from lxml import html

from reports.results.marked import as_html, gap, italic, plain, runs, unmarked
from reports.results.prose import Style, prose_of
from tests.reports.exports.test_tables import taken
from tests.reports.golden.studies import nominal_two_raters, two_rounds
from tests.sizes import only_in_full

PASTED = "item\tanna\tben\n" + "".join(f"{n}\t{'ab'[n % 2]}\t{'ab'[n % 3 % 2]}\n" for n in range(1, 31))


def paragraphs(response, ident: str) -> list[str]:
    [text] = html.fromstring(response.content.decode()).xpath(f"//*[@id='{ident}']")
    return [each.text_content() for each in text.iter("p")]


def test_the_page_of_exports_shows_the_text_to_copy(client, lead):
    report = two_rounds(lead)

    page = client.get(reverse("report_exports", args=[report.project.slug, report.pk]))

    for ident, style in (("methods", Style.APA), ("methods-plain", Style.PLAIN)):
        prose = prose_of(report, style)
        assert paragraphs(page, ident) == [*prose.methods, *prose.results, *prose.references]
        assert f'data-copies="{ident}"' in page.content.decode()
    assert "<i>N</i> = 80 items" in page.content.decode()
    assert "<mark>[Describe the raters’ background and training.]</mark>" in page.content.decode()


@only_in_full
@pytest.mark.signed_in(None)
def test_the_calculator_shows_it_too(client, db):
    preview = client.post("/calculate/", {"way": "labels", "text": PASTED})
    carried = html.fromstring(preview.content.decode()).xpath("//input[@name='carried']/@value")[0]

    result = client.post("/calculate/", {"carried": carried, "do": "calculate"})

    assert "two raters labeled 30 items, yielding 60 labels." in paragraphs(result, "methods")[0]
    assert any(
        "the two raters gave an item the same label" in each for each in paragraphs(result, "methods-plain")
    )


def test_readers_of_a_link_or_a_pdf_see_no_gaps(lead):
    prose = prose_of(nominal_two_raters(lead), Style.PLAIN)

    assert not any("<mark>" in each for each in (*prose.methods_html, *prose.results_html))


def test_word_has_italics_and_marks_the_gaps(client, lead):
    report = nominal_two_raters(lead)

    document = docx.Document(io.BytesIO(taken(client, report, "report.docx")))

    italics = [run.text for paragraph in document.paragraphs for run in paragraph.runs if run.italic]
    marked = [
        run.text for paragraph in document.paragraphs for run in paragraph.runs if run.font.highlight_color
    ]
    assert "N" in italics
    assert "Statistics in Medicine, 11" in italics
    assert marked == [
        "[Describe the raters’ background and training.]",
        "[State whether and how disagreements were resolved.]",
    ]


def test_marks_are_read_plain_as_html_and_run_by_run():
    text = f"a < {italic('N')} {gap('Fill.')}"

    assert plain(text) == "a < N [Fill.]"
    assert as_html(text) == "a &lt; <i>N</i> <mark>[Fill.]</mark>"
    assert [(run.text, run.is_italic, run.is_gap) for run in runs(text)] == [
        ("a < ", False, False), ("N", True, False), (" ", False, False), ("[Fill.]", False, True),
    ]  # fmt: skip


def test_names_cannot_mark():
    assert unmarked(italic("<b>")) == "<b>"
    assert as_html(unmarked("\ufdd0<script>")) == "&lt;script&gt;"
