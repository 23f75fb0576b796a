"""The requests of docs/api.md are sent as they stand there, one after the other, to a project of their own."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from config.environment import BASE_DIR
from projects.models import Item
from raters.models import Label
from tests.cast import signed_in

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = "## Items and labels without a file"
SERVER = {"$A": "/api/v1/projects", "$H": "", "$J": ""}


@dataclass(frozen=True, slots=True)
class Request:
    address: str
    body: str | None


def requests_of(heading: str) -> Iterator[Request]:
    """The calls of curl in the first block of shell commands below a heading."""
    document = (BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    found = BLOCK.search(document, document.index(heading))
    assert found
    for words in _commands(found[1]):
        address, body, rest = "", None, iter(words[1:])
        for word in rest:
            if word == "-H":
                next(rest)
            elif word == "-d":
                body = next(rest)
            else:
                address = word.replace("$A", SERVER["$A"])
        yield Request(address, body)


def _commands(block: str) -> Iterator[list[str]]:
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    for command in re.split(r"^(?=curl )", "\n".join(lines), flags=re.MULTILINE):
        if command.strip():
            yield shlex.split(command)


@pytest.mark.usefixtures("db")
def test_items_and_labels_without_a_file(lead):
    client = signed_in(lead)
    client.post("/api/v1/projects/", {"name": "Caries X-rays", "slug": "caries"}, "application/json")
    requests = list(requests_of(HEADING))

    for request in requests:
        answer = (
            client.get(request.address)
            if request.body is None
            else client.post(request.address, request.body, content_type="application/json")
        )
        content = b"".join(answer) if answer.streaming else answer.content
        assert answer.status_code in {200, 201}, (request, content)

    assert len(requests) == 8
    assert Item.objects.get(key="x-1").attributes == {"site": "Bern", "year": 2026}
    assert Label.objects.get(source_id="a-17").category.key == "yes"


@pytest.mark.usefixtures("db")
def test_what_is_sent_twice_changes_nothing(lead):
    client = signed_in(lead)
    client.post("/api/v1/projects/", {"name": "Caries X-rays", "slug": "caries"}, "application/json")
    sent = [request for request in requests_of(HEADING) if request.body]

    first, second = (
        [client.post(each.address, each.body, content_type="application/json").json() for each in sent]
        for _ in range(2)
    )

    assert [answer["n_created"] for answer in first] == [2, 3]
    assert [answer["n_unchanged"] for answer in second] == [2, 3]
