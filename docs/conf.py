"""How Sphinx builds these pages: `make docs`. What is built works under the content security policy of the program."""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

extensions = ["myst_parser", "_endpoints"]
project = "Interrater"
copyright = "The Interrater authors, Apache License 2.0"
language = "en"
# The one place that has the version. Importing the settings would need Django.
release = re.search(r'^VERSION = "(.+)"$', (HERE.parent / "config/settings.py").read_text(), re.MULTILINE)[1]
version = release
exclude_patterns = ["_*", "**/README.md"]

# Headings get the anchors that GitHub gives them, so that links work in both places.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# A build that uses what is no longer there fails: `make docs` turns warnings into errors.
nitpicky = True

templates_path = ["_templates"]
html_theme = "furo"
html_title = "Interrater"
html_short_title = "Interrater"
html_static_path = ["_static"]
html_css_files = ["looks.css"]
html_js_files = ["help.js"]
html_favicon = "../static/img/mark.svg"
html_extra_path = ["openapi.yaml"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False
html_permalinks_icon = "#"
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

# The policy allows no style attributes and no images in data: addresses; the theme has a few of both.
ATTRIBUTES = {
    ' style="display: none;"': " hidden",
    'style="opacity: 50%"': 'opacity="0.5"',
    # For screen readers: headings have a level, and the two sidebars have different names.
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Site">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
}
DATA_IMAGE = re.compile(r"""url\((["'])data:image/svg\+xml;charset=utf-8,(.*?)\1\)""")


def fit_the_policy(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for page in site.rglob("*.html"):
        page.write_text(_without_styles(page.read_text(encoding="utf-8")), encoding="utf-8")
    for sheet in (site / "_static").rglob("*.css"):
        _take_out_images(sheet)


def _without_styles(html: str) -> str:
    for wrong, right in ATTRIBUTES.items():
        html = html.replace(wrong, right)
    return html


def _take_out_images(sheet: Path) -> None:
    """Write each image embedded in a style sheet to a file of its own."""
    images: list[str] = []

    def address(found: re.Match[str]) -> str:
        images.append(found[2].replace("%3C", "<").replace("%3E", ">").replace("%23", "#"))
        return f"url({sheet.stem}-{len(images)}.svg)"

    text = DATA_IMAGE.sub(address, sheet.read_text(encoding="utf-8"))
    for number, image in enumerate(images, start=1):
        (sheet.parent / f"{sheet.stem}-{number}.svg").write_text(image, encoding="utf-8")
    sheet.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", fit_the_policy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
