"""Pages without the links that whoever reads them cannot follow, and without the forms that they cannot send."""

import gzip
import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve

# Templates and charts write links in this way alone, and never one within another.
LINK = re.compile(r"<a\b(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>(?P<inside>.*?)</a>", re.DOTALL)
ADDRESS = re.compile(r"""\b(?:xlink:)?href=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
FORM = re.compile(r"<form\b[^>]*\bmethod=\"post\".*?</form>", re.DOTALL)
# A paragraph, or an entry of a list, that is a link and nothing else.
ALONE = re.compile(r"<(p|li)\b[^>]*>\s*</\1>")
# The line below a chart from which it is saved.
SAVE = re.compile(r'<p class="save\b[^>]*>(?:(?!</?[ap]\b).)*</p>', re.DOTALL)
EMPTY_PATH = re.compile(r'<p class="path">[\s/]*</p>')
PLACE = re.compile(r'\bid="([^"]*)"')
# What is only there to be followed: a button, a tab, "show them →".
IS_BUTTON = re.compile(r'\bclass="[^"]*\bbutton\b|\bdownload\b')
# Pages that show nothing of a project; they stand outside of the link.
PUBLIC = frozenset({"documentation", "documentation_file", "statistics", "statistics_guide", "calculate"})

Opens = Callable[[ResolverMatch], bool]


def linked_within(response: HttpResponse, *, at: str, root: str, outside: str, opens: Opens) -> None:
    """Rewrite the page: links that `opens` refuses are words, and forms that are sent are gone.

    at: the path of the page. root: where the pages of the link stand; outside: where the program does.
    """
    is_packed = response.get("Content-Encoding") == "gzip"
    content = gzip.decompress(response.content) if is_packed else response.content
    page = _Page(at, root, outside, opens)
    html = page.rewritten(content.decode())
    response.content = gzip.compress(html.encode()) if is_packed else html.encode()
    if response.has_header("Content-Length"):
        response["Content-Length"] = str(len(response.content))


class _Page:
    def __init__(self, at: str, root: str, outside: str, opens: Opens) -> None:
        self.at, self.root, self.outside, self.opens = at, root, outside, opens

    def rewritten(self, html: str) -> str:
        self.places = set(PLACE.findall(html))
        html = LINK.sub(self._link, FORM.sub("", html))
        return EMPTY_PATH.sub("", SAVE.sub("", ALONE.sub("", html)))

    def _link(self, found: re.Match[str]) -> str:
        attributes, inside = found["attributes"], found["inside"]
        address = ADDRESS.search(attributes)
        if address is None:
            return found[0]
        target = unescape(address["double"] or address["single"] or "")
        if self._is_open(target):
            return found[0]
        if public := self._public(target):
            href = f'href="{public}"'
            return f"<a{attributes.replace(address[0], href)}>{inside}</a>"
        if IS_BUTTON.search(attributes) or inside.rstrip().endswith(("→", "history")):
            return ""
        return inside

    def _is_open(self, target: str) -> bool:
        """Whether it leads to a page that the link opens, or to a place on the same one."""
        path = urlsplit(urljoin(self.at, target)).path
        if target.startswith("#"):
            return target[1:] in self.places
        if target.startswith("?") or path in {self.root, self.at}:
            return True
        match = self._match(path)
        return match is not None and self.opens(match)

    def _public(self, target: str) -> str:
        parts = urlsplit(target)
        match = self._match(parts.path)
        if match is None or match.url_name not in PUBLIC:
            return ""
        rest = target.removeprefix(self.root)
        return f"{self.outside}{rest}"

    def _match(self, path: str) -> ResolverMatch | None:
        if not path.startswith(self.root):
            return None
        try:
            return resolve(f"/{path.removeprefix(self.root)}")
        except Resolver404:
            return None
