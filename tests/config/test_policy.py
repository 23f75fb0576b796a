"""The content security policy of every page, and that no page needs more than it allows."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from config.environment import BASE_DIR
from tests.config.routes import ROWS
from tests.config.routes.asking import client_of
from tests.sizes import some

PAGES = [row for row in ROWS if row.method == "get" and not row.is_api]
FORBIDDEN = (
    "unsafe-inline",
    "unsafe-eval",
    "wasm-unsafe-eval",
    "unsafe-hashes",
    "data:",
    "blob:",
    "http",
    "*",
)
# Attributes and elements that such a policy would ignore, so that a page which has them is broken. What somebody typed
# into a field leads nowhere.
INLINE = re.compile(
    r"\s(?:style|on[a-z]+)\s*=|<style\b|<script\b(?![^>]*\ssrc=)|javascript:|(?<!value)=[\"']https?://", re.I
)


def directives(policy: str) -> dict[str, list[str]]:
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("row", some(PAGES, every=3), ids=str)
def test_every_page_has_a_policy_without_inline_and_eval(worlds, row):
    world, _ = worlds

    response = client_of(world, "lead").get(reverse(row.name, args=row.args(world)) + row.query)

    policy = response.headers["Content-Security-Policy"]
    assert [word for word in FORBIDDEN if word in policy] == []
    found = directives(policy)
    assert found["default-src"] == ["'none'"]
    assert found.get("script-src", ["'none'"]) in (["'self'"], ["'none'"])
    assert found.get("style-src", ["'none'"]) in (["'self'"], ["'none'"])
    # A picture is saved to a file, where no policy holds.
    if not response.streaming and response.headers["Content-Type"].startswith("text/html"):
        assert INLINE.findall(response.content.decode(errors="replace")) == []


@pytest.mark.parametrize(
    "template", sorted((BASE_DIR / "templates").rglob("*.html")), ids=lambda path: path.name
)
def test_no_template_has_anything_inline(template: Path):
    found = INLINE.findall(template.read_text(encoding="utf-8"))

    assert found == []
