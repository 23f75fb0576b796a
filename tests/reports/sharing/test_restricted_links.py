"""What remains of a page for a reader who cannot follow all of its links."""

import gzip

import pytest
from django.http import HttpResponse
from selectolax.lexbor import LexborHTMLParser

from reports.pages.shared_html import LinkBounds, restrict_links

ROOT = "/r/token/"
OPEN = f"{ROOT}p/study/agreement/1/"
CLOSED = f"{ROOT}p/study/agreement/"


def restricted(html: str, *, shows_items: bool = False, **bounds) -> LexborHTMLParser:
    response = HttpResponse(f"<!doctype html><main>{html}</main>")
    opened = LinkBounds(ROOT, "/", lambda match: match.url_name == "report", shows_items, **bounds)
    restrict_links(opened, response, at=f"{ROOT}here/")
    return LexborHTMLParser(response.content)


def main_of(page: LexborHTMLParser) -> str:
    found = page.css_first("main")
    assert found is not None
    return found.inner_html or ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'<p>See <a href="{OPEN}">it</a></p>', f'<p>See <a href="{OPEN}">it</a></p>'),
        (f'<p>See <a href="{CLOSED}">it <b>all</b></a></p>', "<p>See it <b>all</b></p>"),
        ('<a href="#n">n</a><i id="n"></i><a href="#m">m</a>', '<a href="#n">n</a><i id="n"></i>m'),
        (f'<a href="{ROOT}statistics/#kappa">κ</a>', '<a href="/statistics/#kappa">κ</a>'),
        (f'<p> <a class="button" href="{CLOSED}">Go</a></p>!', "!"),
        (f'<p>See: <a href="{CLOSED}">all of it →</a></p>', "<p>See: </p>"),
        (f'<ul><li><a download href="{CLOSED}">CSV</a></li></ul>', "<ul></ul>"),
        ("<details><summary>More</summary> <form method=POST></form></details>!", "!"),
        ("<details><summary></summary>x<form method=post></form></details>", "<details><summary></summary>x</details>"),
        ('<form method="get">x</form>', '<form method="get">x</form>'),
        ('<p role="status"></p><p data-only="members">x</p><span data-only="items">y</span>', '<p role="status"></p>'),
    ],
)  # fmt: skip
def test_only_what_can_be_followed_remains(before, after):
    assert main_of(restricted(before)) == after


def test_a_row_keeps_links_that_can_be_followed_and_goes_without_any():
    page = restricted(
        f'<nav class="tabs"><a href="{OPEN}">a</a><a href="{CLOSED}">b</a></nav>'
        f'<p class="explore">Explore: <a href="{CLOSED}">c</a></p><p class="save">as <a href="{CLOSED}">SVG</a></p>'
    )

    assert main_of(page) == f'<nav class="tabs"><a href="{OPEN}">a</a></nav>'


def test_charts_keep_their_capitals():
    chart = (
        f'<svg viewBox="0 0 9 9"><a xlink:href="{OPEN}"><path d="M0"/></a><a href="{CLOSED}"><text>b</text></a>'
        '<linearGradient id="g"/><foreignObject><p>c</p></foreignObject></svg>'
    )

    shown = main_of(restricted(chart))

    assert shown == (
        f'<svg viewBox="0 0 9 9"><a xlink:href="{OPEN}"><path d="M0"></path></a><text>b</text>'
        '<linearGradient id="g"></linearGradient><foreignObject><p>c</p></foreignObject></svg>'
    )


def test_marked_parts_and_forms_are_kept_for_those_they_are_for():
    html = f'<p data-only="items">x</p><form method="post" action="{OPEN}"></form>'

    shown = main_of(restricted(html, shows_items=True, sends=lambda match: match.url_name == "report"))

    assert shown == html


def test_only_the_main_part_of_a_packed_page_is_rewritten():
    link = f'<a href="{CLOSED}">a</a>'
    html = f"<!doctype html><nav>{link}</nav><main>{link}</main>"
    response = HttpResponse(gzip.compress(html.encode()), headers={"Content-Encoding": "gzip"})
    response["Content-Length"] = "1"

    restrict_links(LinkBounds(ROOT, "/", lambda match: False, False, in_main=True), response, at=ROOT)

    page = gzip.decompress(response.content).decode()
    assert page.lower().startswith("<!doctype html>")
    assert page.count(link) == 1
    assert response["Content-Length"] == str(len(response.content))
