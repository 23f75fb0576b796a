"""docs/access.md, written from the rows that the tests go through: `python -m tests.config.access_table`."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from config.environment import BASE_DIR

FILE = BASE_DIR / "docs" / "access.md"
SUBJECTS = ["anonymous", "stranger", "rater", "auditor", "adjudicator", "lead"]
WORDS = {
    200: "yes",
    201: "yes",
    202: "yes",
    204: "yes",
    302: "yes",
    400: "yes",
    401: "sign in",
    403: "refused",
    404: "not found",
    409: "yes",
    415: "yes",
}
HEAD = """# Who may do what

Written from the rows of `tests/config/test_routes.py`, each of which the tests send as each subject; a route without a
row fails them, and so does a table that is not theirs. Rights stand in `projects/roles.py`, and are asked for in
`projects/access.py` and `raters/access.py`, by pages and API alike.

* **anonymous**: not signed in. **stranger**: signed in, and no member of the project. The others are members in that
  role.
* **yes**: the request itself is answered, also where there is nothing to do or a form lacks something.
  **sign in**: a page leads there, the API answers 401. **not found**: 404, as for what does not exist; what a person
  may not know of is never refused, for a refusal would tell. **refused**: 403.
* Ids of another project are not found in one's own, whoever asks. A removed member is a stranger from the next request
  on, with every token. Who is switched off is anonymous.
* The page of a rater in a report stands twice: a rater reaches the own one alone, where the lead allows it and the
  rounds are revealed.
* Project files are imported by owners of the server (superusers), whatever their role in any project.
* What is one's own (account, tokens, invitations held) is reached by nobody else, whatever their role.

"""


def routes(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, str]]:
    """The name and the address of every route."""
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, address)
        else:
            yield str(pattern.name), "/" + address.removeprefix("^").removesuffix("$")


def document(rows: Iterable[Any]) -> str:
    addresses = dict(routes(get_resolver().url_patterns))
    lines = {line_of(row, addresses[row.name]): None for row in rows}
    title = f"| method | address | {' | '.join(SUBJECTS)} |"
    rule = "|---" * (len(SUBJECTS) + 2) + "|"
    return HEAD + "\n".join([title, rule, *sorted(lines, key=_place)]) + "\n"


def line_of(row: Any, address: str) -> str:
    cells = [words(row, place, code) for place, code in enumerate(row.answers)]
    shown = address.replace("|", "\\|")
    return f"| {row.method.upper()} | `{shown}` | {' | '.join(cells)} |"


def words(row: Any, place: int, code: int) -> str:
    is_led_away = place == 0 and code == 302 and not row.leads_on
    return "sign in" if is_led_away else WORDS.get(code, str(code))


def _place(line: str) -> tuple[bool, str, str]:
    """Pages before the API; each by address."""
    address = line.split("`")[1]
    return address.startswith("/api/"), address, line


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.config.test_routes import ROWS

    FILE.write_text(document(ROWS), encoding="utf-8")
