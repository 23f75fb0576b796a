"""The documentation: its links lead somewhere, it builds, what is built fits the policy, and /help/ serves it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from config.environment import BASE_DIR

DOCS = BASE_DIR / "docs"
# What every app or area has.
EVERYWHERE = {"urls.py", "access.py", "forms.py"}
TOP = [BASE_DIR / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
# Those in _templates and _static are no pages.
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if not path.relative_to(DOCS).parts[0].startswith("_")]
LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\(([^)\s]+)\)|href=\"([^\"]+)\"")
# These pages show another file: its headings are theirs.
SHOWN = re.compile(r"```\{include\} (\S+)")
INLINE = re.compile(
    r"\s(?:style|on[a-z]+)\s*=\s*\"|<style\b|<script\b(?![^>]*\ssrc=)|=\"javascript:", re.IGNORECASE
)
FROM_ELSEWHERE = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=\"(?:https?:)?//", re.IGNORECASE
)


def text_of(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    shown = SHOWN.search(page.read_text(encoding="utf-8"))
    text = text_of((page.parent / shown[1]).resolve() if shown else page)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    found = (first or second for first, second in LINK.findall(text_of(page)))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def is_broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(BASE_DIR):
        return True
    return bool(anchor) and anchor not in anchors(target)


@pytest.mark.parametrize("page", [*TOP, *PAGES], ids=lambda page: str(page.relative_to(BASE_DIR)))
def test_every_link_leads_somewhere(page):
    broken = [link for link in links(page) if is_broken(page, link)]

    assert broken == []


@pytest.mark.parametrize("link", ["nowhere.md", "glossary.md#nothing", "#nothing", "../../elsewhere.md"])
def test_a_broken_link_would_be_found(link):
    assert is_broken(DOCS / "index.md", link)


def test_every_picture_is_used():
    used = {Path(link).name for page in [*TOP, *PAGES] for link in links(page)}

    assert {path.name for path in (DOCS / "pictures").iterdir()} <= used


def test_every_file_that_contributors_are_led_to_is_there():
    text = (BASE_DIR / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(
        re.findall(r"`((?:config|core|projects|raters|reports|static|templates|tests|docs)/[\w./-]*)", text)
    )

    assert len(named) > 30
    assert [path for path in sorted(named) if not (BASE_DIR / path).exists()] == []
    # Some stand beside one that is named with its folder.
    folders = {(BASE_DIR / path).parent for path in named}
    beside = set(re.findall(r"`([a-z_]+\.(?:py|js))", text)) - EVERYWHERE
    assert [name for name in sorted(beside) if not any((each / name).exists() for each in folders)] == []


@pytest.fixture(scope="module")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", str(folder / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, DOCS, folder / "html"],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


def test_the_site_builds_without_warnings_and_has_every_page(built_site):
    wanted = {page.relative_to(DOCS).with_suffix(".html") for page in PAGES}

    assert wanted <= {path.relative_to(built_site) for path in built_site.rglob("*.html")}
    assert (built_site / "openapi.yaml").exists()


def test_the_site_lists_every_request_of_the_api(built_site):
    paths = re.findall(r"^  /api/v1/(\S*):$", (DOCS / "openapi.yaml").read_text(), re.MULTILINE)
    page = (built_site / "api.html").read_text()

    assert paths
    assert [path for path in paths if path not in re.sub(r"<[^>]+>", "", page)] == []


def test_the_site_works_under_the_policy(built_site):
    for page in built_site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        assert INLINE.findall(html) == [], page.name
        assert FROM_ELSEWHERE.findall(html) == [], page.name
    for sheet in built_site.rglob("*.css"):
        assert re.findall(r"url\([\"']?(?:data:|https?:|//)|@import", sheet.read_text()) == [], sheet.name


def test_help_serves_the_site_to_everyone(client):
    found = client.get("/help/")
    again = client.get("/help/", headers={"If-Modified-Since": found.headers["Last-Modified"]})

    assert "<h1>index</h1>" in found.content.decode()
    assert "default-src 'none'" in found.headers["Content-Security-Policy"]
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Cache-Control"] == "no-cache"
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.webp", "image/webp"),
        ("a.js", "text/javascript"),
        ("a.css", "text/css"),
        ("a.svg", "image/svg+xml"),
    ],
)
def test_help_says_what_a_file_is(client, settings, tmp_path, name, kind):
    (tmp_path / "index.html").write_text("")
    (tmp_path / name).write_text("")
    settings.HELP_ROOT = tmp_path

    assert client.get(f"/help/{name}").headers["Content-Type"].partition(";")[0] == kind


@pytest.mark.parametrize(
    "path", ["../settings.py", "%2e%2e/settings.py", "//etc/passwd", ".", "nothing.html"]
)
def test_help_serves_nothing_else(client, settings, tmp_path, path):
    (tmp_path / "settings.py").write_text("SECRET")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("")
    settings.HELP_ROOT = tmp_path / "site"

    assert client.get(f"/help/{path}").status_code == 404


def test_help_says_how_to_build_a_site_that_is_not_there(client, settings, tmp_path):
    settings.HELP_ROOT = tmp_path / "nothing"

    found = client.get("/help/")

    assert found.status_code == 404
    assert "make docs" in found.content.decode()


def test_every_page_has_a_link_to_help():
    client = Client()

    assert f'href="{reverse("documentation")}"' in client.get(reverse("statistics_guide")).content.decode()
