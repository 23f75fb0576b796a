"""The table of docs/access.md, generated from the rows that the tests send: `python -m tests.config.access_table`."""

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
# What stands before it is written by hand.
TABLE = "\n## Routes\n\n"


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
    title = f"| method | path | {' | '.join(SUBJECTS)} |"
    rule = "|---" * (len(SUBJECTS) + 2) + "|"
    by_hand, _, _ = FILE.read_text(encoding="utf-8").partition(TABLE)
    return by_hand + TABLE + "\n".join([title, rule, *sorted(lines, key=_place)]) + "\n"


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
    from tests.config.routes import ROWS

    FILE.write_text(document(ROWS), encoding="utf-8")
