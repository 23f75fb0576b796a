"""A reader without an account, who follows every link that a shared report has."""

import gzip
import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from reports.models import Report, ReportLink
from reports.store import links
from tests.sizes import FULL

MANY = 400
TO = re.compile(r"""\b(?:href|src|action)=["']([^"']*)["']""")
OF_RATERS = re.compile(r"\d+/(?=(?:\d+/)?(?:items|pictures)/)")
# The page of one rater or of two, after the numbers of the report and the question.
PAGE_OF_RATERS = re.compile(r"(?<=/)(?:raters/\d+|(?<=\d/)\d+/\d+)/$")


def shared(report: Report, **choices) -> tuple[ReportLink, str]:
    """A link that opens the report's pages, and its address."""
    chosen = links.LinkChoices(**{"opens": ReportLink.Opens.REPORT} | choices)
    link, token = links.share(report, by=report.asked_by, choices=chosen)
    return link, reverse("shared_report", args=[token])


def everything_behind(address: str, client: Client | None = None) -> Iterator[tuple[str, str]]:
    """Every address that the link leads to within itself, and what it says, each once."""
    client = client or Client()
    seen, waiting = {kind_of(address)}, [address]
    while waiting:
        assert len(seen) < MANY
        here = waiting.pop()
        answer = client.get(here, follow=True)
        assert answer.status_code == 200, (here, answer.status_code)
        assert not answer.cookies, here
        text = text_of(answer)
        yield here, text + str(sorted(answer.headers.items())) + str(answer.redirect_chain)
        if not answer["Content-Type"].startswith("text/html"):
            continue
        at = answer.redirect_chain[-1][0] if answer.redirect_chain else here
        for found in TO.findall(text):
            target = urljoin(at, unescape(found)).partition("#")[0]
            path = urlsplit(target).path
            # What is drawn in a PNG stands in the same chart as SVG.
            if path.startswith(address) and kind_of(target) not in seen and not path.endswith(".png"):
                seen.add(kind_of(target))
                waiting.append(target)


def kind_of(address: str) -> tuple[str, ...]:
    """Addresses that ask the same page for other values are of one kind; so are lists and charts of other raters.

    The page of each rater and pair is read, and what it may be asked for of one; `make faults` asks all.
    """
    parts = urlsplit(address)
    path = OF_RATERS.sub("", parts.path)
    if parts.query and not FULL:
        path = PAGE_OF_RATERS.sub("of raters/", path)
    return path, *(() if "/pictures/" in path else sorted(parse_qs(parts.query)))


def text_of(answer) -> str:
    """All that is in the answer, unpacked."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if answer.get("Content-Encoding") == "gzip":
        content = gzip.decompress(content)
    return _text_in(content)


def _text_in(content: bytes) -> str:
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            return "\n".join(name + _text_in(files.read(name)) for name in files.namelist())
    if content.startswith(b"%PDF"):
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    return content.decode(errors="replace")
