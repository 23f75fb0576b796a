"""Removes links that readers of a shared page cannot follow, and forms they cannot send."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve
from selectolax.lexbor import LexborHTMLParser, LexborNode

# Parts that templates mark for members, or for users who may open items.
MARKED = "span[data-only], p[data-only]"
# Rows of links: a link that cannot be followed is removed from them, and a row without links is, too.
ROWS = "nav.tabs, p.explore, p.save"
# Links that make no sense as text.
BUTTONS = "a.button, a[download], a[data-only]"
# Elements that go with the last thing they contained.
WRAPPERS = frozenset({"p", "li", "details"})
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
    page = LexborHTMLParser(content)
    part = page.css_first("main") if bounds.in_main else page.root
    if part is not None:
        _RestrictedPart(part, bounds, at).restrict()
    content = (page.html or "").encode()
    response.content = gzip.compress(content) if is_packed else content
    if response.has_header("Content-Length"):
        response["Content-Length"] = str(len(response.content))


@dataclass(slots=True)
class _RestrictedPart:
    """The part of a page that is rewritten. places: the IDs in it, to which it may link."""

    root: LexborNode
    bounds: LinkBounds
    at: str
    places: set[str] = field(default_factory=set)

    def restrict(self) -> None:
        for form in self.root.css('form[method="post" i]'):
            if not self._is_sent(form):
                _remove(form)
        for marked in self.root.css(MARKED):
            if not (marked.attributes["data-only"] == "items" and self.bounds.shows_items):
                _remove(marked)
        self.places = {each.id for each in self.root.css("[id]") if each.id}
        for row in self.root.css(ROWS):
            self._restrict_row(row)
        for link in self.root.css("a"):
            self._restrict_link(link)

    def _restrict_row(self, row: LexborNode) -> None:
        for link in row.css("a"):
            if not self._is_open(_target(link)):
                link.decompose()
        if not row.css_matches("a"):
            row.decompose()

    def _restrict_link(self, link: LexborNode) -> None:
        target = _target(link)
        if self._is_open(target):
            return
        if public := self._public(target):
            link.attrs["href"] = public
        elif link.css_matches(BUTTONS) or link.text().rstrip().endswith("→"):
            _remove(link)
        else:
            link.unwrap()

    def _is_sent(self, form: LexborNode) -> bool:
        match = self._match(urlsplit(form.attributes.get("action") or "").path)
        return match is not None and self.bounds.sends(match)

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


def _target(link: LexborNode) -> str:
    return link.attributes.get("href") or link.attributes.get("xlink:href") or ""


def _remove(element: LexborNode) -> None:
    """Remove an element, and what contained nothing else."""
    parent = element.parent
    element.decompose()
    if parent is not None and parent.tag in WRAPPERS and _is_empty(parent):
        _remove(parent)


def _is_empty(element: LexborNode) -> bool:
    return all(each.tag == "summary" or each.is_empty_text_node for each in element.iter(include_text=True))
