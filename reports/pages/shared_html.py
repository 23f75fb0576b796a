"""Removes links that readers of a shared page cannot follow, and forms they cannot send."""

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve

# Templates and charts write all links in this form, and never nest them.
LINK = re.compile(r"<a\b(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>(?P<inside>.*?)</a>", re.DOTALL)
ADDRESS = re.compile(r"""\b(?:xlink:)?href=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
MAIN = re.compile(r"<main\b.*</main>", re.DOTALL)
PLACE = re.compile(r'\bid="([^"]*)"')
FORM = re.compile(r"<form\b(?P<attributes>[^>]*\bmethod=\"post\"[^>]*)>.*?</form>", re.DOTALL)
ACTION = re.compile(r'\baction="([^"]*)"')
# The remains of a form in a collapsed element.
UNFOLDED = re.compile(r"<details\b[^>]*>\s*<summary\b[^>]*>[^<]*</summary>\s*</details>")
# Parts that templates mark for members, or for users who may open items; they contain no other span or paragraph.
ONLY = re.compile(r'<(?P<tag>span|p)\b[^>]*\bdata-only="(?P<whom>\w+)"[^>]*>.*?</(?P=tag)>', re.DOTALL)
# Links in a row, with or without separators.
ROW = re.compile(
    r'(?P<start><nav class="tabs\b[^>]*>|<p class="explore\b[^>]*>[^<]*)(?P<links>.*?)(?P<end></nav>|</p>)',
    re.DOTALL,
)
# A paragraph or list entry that contained only a link.
ALONE = re.compile(r"<(p|li)\b[^>]*>\s*</\1>")
# The line below a chart with links to save it.
SAVE = re.compile(r'<p class="save\b[^>]*>(?:(?!</?[ap]\b).)*</p>', re.DOTALL)
# Links that make no sense as text: buttons and files.
IS_BUTTON = re.compile(r'\bclass="[^"]*\bbutton\b|\bdownload\b')
# Public pages without data of any project, which are outside the link.
PUBLIC = frozenset({"documentation", "documentation_file", "statistics", "statistics_guide", "calculate"})

Opens = Callable[[ResolverMatch], bool]


@dataclass(frozen=True, slots=True)
class LinkBounds:
    """What a link opens. root: the root URL of its pages; outside: the root URL of the program. opens: whether it opens
    this page. in_main: whether only the main element is rewritten. sends: whether forms may be sent to this page.
    """

    root: str
    outside: str
    opens: Opens
    shows_items: bool
    in_main: bool = False
    sends: Opens = lambda match: False


def restrict_links(bounds: LinkBounds, response: HttpResponse, *, at: str) -> None:
    """Rewrite the page at this path: links out of the bounds become text, and forms are removed."""
    is_packed = response.get("Content-Encoding") == "gzip"
    content = gzip.decompress(response.content) if is_packed else response.content
    page, html = _Page(bounds, at), content.decode()
    html = MAIN.sub(lambda found: page.rewritten(found[0]), html) if bounds.in_main else page.rewritten(html)
    response.content = gzip.compress(html.encode()) if is_packed else html.encode()
    if response.has_header("Content-Length"):
        response["Content-Length"] = str(len(response.content))


@dataclass(slots=True)
class _Page:
    """places: the IDs on the page, to which it may link."""

    bounds: LinkBounds
    at: str
    places: set[str] = field(default_factory=set)

    def rewritten(self, html: str) -> str:
        html = ONLY.sub(self._for_some, UNFOLDED.sub("", FORM.sub(self._form, html)))
        self.places = set(PLACE.findall(html))
        html = LINK.sub(self._link, ROW.sub(self._row, html))
        return SAVE.sub("", ALONE.sub("", html))

    def _form(self, found: re.Match[str]) -> str:
        action = ACTION.search(found["attributes"])
        match = None if action is None else self._match(urlsplit(unescape(action[1])).path)
        return found[0] if match is not None and self.bounds.sends(match) else ""

    def _for_some(self, found: re.Match[str]) -> str:
        return found[0] if found["whom"] == "items" and self.bounds.shows_items else ""

    def _row(self, found: re.Match[str]) -> str:
        """Keep only the links in a row that can be followed."""
        kept = [each[0] for each in LINK.finditer(found["links"]) if self._is_open(_target(each))]
        between = "" if found["end"] == "</nav>" else " · "
        return f"{found['start']}{between.join(kept)}{found['end']}" if kept else ""

    def _link(self, found: re.Match[str]) -> str:
        attributes, inside, target = found["attributes"], found["inside"], _target(found)
        if self._is_open(target):
            return found[0]
        if public := self._public(target):
            return f"<a{attributes.replace(target, public)}>{inside}</a>"
        is_call = IS_BUTTON.search(attributes) or inside.rstrip().endswith("→") or "data-only" in attributes
        return "" if is_call else inside

    def _is_open(self, target: str) -> bool:
        """Return whether a link leads to a page that may be opened, or to an element on the same page."""
        if target.startswith("#"):
            return target[1:] in self.places
        path = urlsplit(urljoin(self.at, target)).path
        if path in {self.bounds.root, self.at}:
            return True
        match = self._match(path)
        return match is not None and self.bounds.opens(match)

    def _public(self, target: str) -> str:
        match = self._match(urlsplit(target).path)
        if match is None or match.url_name not in PUBLIC:
            return ""
        return f"{self.bounds.outside}{target.removeprefix(self.bounds.root)}"

    def _match(self, path: str) -> ResolverMatch | None:
        if not path.startswith(self.bounds.root):
            return None
        return _resolved(f"/{path.removeprefix(self.bounds.root)}")


@lru_cache(maxsize=4096)
def _resolved(path: str) -> ResolverMatch | None:
    """Cached, because a page has about a hundred links, mostly shared with the next page, and hundreds of routes."""
    try:
        return resolve(path)
    except Resolver404:
        return None


def _target(link: re.Match[str]) -> str:
    address = ADDRESS.search(link["attributes"])
    return "" if address is None else unescape(address["double"] or address["single"] or "")
