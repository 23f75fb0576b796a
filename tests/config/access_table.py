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
* **Owners of the server** (superusers) are strangers in projects that they are no member of, with one exception: they
  can delete and restore any project. Only they reach `/people/`.
* The page of a rater in a report stands twice: a rater reaches the own one alone, where the lead allows it and the
  rounds are revealed.
* Project files are imported by owners of the server (superusers), whatever their role in any project.
* What is one's own (account, sessions, tokens, invitations held) is reached by nobody else, whatever their role.

## Tokens and sessions

A token of the API has a name, a scope and an expiry (30, 90 or 365 days), chosen when it is created. It never allows
more than its owner's role does:

| scope | allows |
|---|---|
| `read` | GET requests |
| `label` | what a rater reads, and taking work, saving labels, undoing and skipping |
| `manage` | everything |

A request beyond the scope is answered 403 with the code `insufficient_scope`. Views declare what `label` may use; a new
route is closed to it until it does. Tokens created before there were scopes have `manage`. No token can create another
one; that takes a signed-in session. The account page and `/api/v1/tokens/` show when each was last used, to the hour.

A session ends after 12 idle hours, after 14 days however busy, with a new password, and when it is ended on the account
page, which lists all sessions of the account with browser, network address and last activity (to five minutes). A
session that was ended is refused at its next request.

## Blind while labeling

A lead, an adjudicator or an auditor may also rate. While they label in a round, they do not see what others said of its
items. The table below does not show this.

* **Which items**: all items of every round that is not closed and in which the person has assignments. An item that is
  in another round too is hidden there as well.
* **For how long**: until the round is closed. Finishing your own assignments is not enough, because you can still
  change your labels until then. A round that is planned counts from the moment you are assigned to it.
* **Refused** (403, and logged): the page of such an item, its history and its dispute; every report on labels of such
  items, with its pages, pictures, files and API, alone or in a comparison; links to such a report, opening one and
  making one; final labels; the project file; previews of label imports; merging and deleting categories. A report on
  rounds that share none of these items is shown.
* **Left out**: such items in the lists of disputes and of progress, in the numbers of progress that depend on what
  others said, and in revealed rounds; headlines and results of such reports in the lists of reports.
* **Still shown**: how many items, assignments and labels there are and how far each rater has come, without what the
  labels say.
* **API**: the same, whether you use a session or a token.
* **Not covered**: a link to a report works for anyone without an account, and nobody knows who opens it while signed
  out. A lead can close the round or remove their own assignments; both are logged. Commands on the server are for
  operators and hide nothing.

Each route is listed in `reports/looks.py` under what it shows of the labels of others. The tests fail for a route that
is not listed, and compare the answers to members who still label, on every route, between two sets of labels.

## Whether an account exists

* **Inviting** a user name or an address gives the same answer, page and API, whether such an account exists or not, and
  the invitation is listed as pending. Only its owner's answer, to accept or to decline, tells. An invitation to a user
  name is for the account that had it then; one that is made later does not get it.
* **Setting a new password**, and signing up with an address where there is mail, are answered alike. Mail is sent after
  the answer, so its time tells nothing either.
* **Signing up** with a user name that is taken says so: there is no way to choose a name otherwise. The same holds for
  an address where the server sends no mail.

## Routes

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
