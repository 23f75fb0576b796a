"""Faults of access that axe-core finds in a page."""

import re
import zlib
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import Page

from tests.sizes import FULL

DARK = "{ runOnly: ['color-contrast', 'link-in-text-block'] }"


@cache
def axe() -> str:
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def faults_of(page: Page) -> list[str]:
    """Each fault in the light, and of colors in the dark, as its rule and the first places where it is.

    The script runs beside the page's own policy.
    """
    # Colors and sizes count as they are with every style sheet.
    page.wait_for_load_state("load")
    page.evaluate(axe())
    faults = _found(page, "{}")
    if FULL or _is_looked_at_in_the_dark(page.url):
        page.emulate_media(color_scheme="dark")
        faults += [f"dark: {fault}" for fault in _found(page, DARK)]
        page.emulate_media(color_scheme="light")
    return faults


def _is_looked_at_in_the_dark(url: str) -> bool:
    """In `make test` every third page, by its address without names and numbers."""
    return zlib.crc32(re.sub(r"-[0-9a-f]{8}|\d+", "", urlsplit(url).path).encode()) % 3 == 0


def _found(page: Page, options: str) -> list[str]:
    found = page.evaluate(f"axe.run(document, {{ resultTypes: ['violations'], ...{options} }})")
    return [
        f"{fault['id']}: {fault['help']}: {[node['target'] for node in fault['nodes'][:3]]}"
        for fault in found["violations"]
    ]
