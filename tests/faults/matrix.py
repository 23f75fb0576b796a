"""The matrix of access: every row of the table of routes by many subjects, and with ids of another project in it."""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from projects.codebook.guidelines import write_guidelines
from projects.models import Category, Item, ItemVersion, Membership, Project, Question, Round
from raters.actions import rater_of
from raters.models import Assignment, Label, Rater, User
from reports.models import Report
from tests import cast
from tests.config.routes import ROWS
from tests.config.routes.arguments import own_invitation_args, report_args
from tests.config.routes.round_arguments import revealed_args
from tests.config.routes.row import HUGE, Row, nothing, slug_only
from tests.faults.walking import masked
from tests.finished import World, finished_report, look_ahead, new_world
from tests.labeling import new_question

# Stands in every name of the other project: no page of mine may hold it.
CANARY = "kanarienvogel"
MEMBERS = ["rater", "auditor", "adjudicator", "lead"]
# Each is answered as the second: what ended leaves nothing, and what is elsewhere helps nobody here.
BOTH = "rater here, lead elsewhere"
RATES_TOO = "lead who rates"
LIKE = {
    BOTH: "rater",
    "ex-member": "stranger",
    "lead elsewhere": "stranger",
    "owner of the server": "stranger",
    "deactivated lead": "anonymous",
}
TOKENS = [
    "expired token",
    "revoked token",
    "token one bit off",
    "token in the query",
    "token of a deactivated lead",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request.

    tells: the answer holds something of the other project. changes: so does the database. same: ids of theirs are
    answered like ids of nothing. shape: the answer without its numbers, to be compared with itself.
    """

    status: int
    tells: bool = False
    changes: bool = False
    same: bool = True
    shape: str = ""

    @property
    def is_harmless(self) -> bool:
        return self.same and not (self.tells or self.changes)


@dataclass(frozen=True, slots=True)
class Case:
    """One request by one subject, made and undone by calling it."""

    # The place of its row in the table of routes.
    number: int
    name: str
    run: Callable[[], Outcome]

    def __str__(self) -> str:
        return f"{self.number}: {ROWS[self.number]}, {self.name}"


@dataclass(slots=True)
class Two:
    """My project, in which people have all roles, and theirs, of which they must learn nothing."""

    mine: World
    theirs: World
    extra: dict[str, User]
    words: dict[str, str]
    # Another report of mine, and another project of my lead.
    second_report: Report
    second_project: Project

    def client(self, subject: str) -> Client:
        client = Client(raise_request_exception=False)
        if subject in self.words:
            client.defaults["HTTP_AUTHORIZATION"] = f"Token {self.words[subject]}"
        elif subject not in {"anonymous", "token in the query"}:
            user = self.extra.get(subject) or self.mine.people[subject]
            cast.sign_in(client, user)
            if subject == "deactivated lead":
                User.objects.filter(pk=user.pk).update(is_active=False)
        return client


def new_two() -> Two:
    mine, theirs = (new_world(name, n_items=4, n_raters=3) for name in ("mine", CANARY))
    _mark(theirs.project)
    # Numbered as mine are, so that a number alone finds both.
    write_guidelines(theirs.project, f"{CANARY} twice", by=theirs.lead)
    lead_too = cast.member(mine.project, Membership.Role.LEAD, username="lotte", unique=True)
    left = cast.member(mine.project, Membership.Role.LEAD, username="xenia", unique=True)
    _give_picture(mine.project, rater_of(mine.project, left))
    Membership.objects.filter(user=left).delete()
    both = cast.member(theirs.project, Membership.Role.LEAD, username="bea", unique=True)
    Membership.objects.create(project=mine.project, user=both, role=Membership.Role.RATER)
    extra = {
        BOTH: both,
        "ex-member": left,
        "lead elsewhere": theirs.lead,
        "owner of the server": cast.person("olga", unique=True, is_superuser=True),
        "deactivated lead": lead_too,
        RATES_TOO: _lead_who_rates(mine),
    }
    second = cast.new_project("second", unique=True)
    Membership.objects.create(project=second, user=mine.lead, role=Membership.Role.LEAD)
    new_question(second, key="other")
    # Whoever rates here rates elsewhere too.
    rater_of(second, mine.people["rater"])
    _reveal(mine)
    # One who could rate, and has nothing to.
    rater_of(mine.project, mine.people["auditor"])
    report = finished_report(mine.project, mine.lead, weights="linear")
    # A page that waits for a worker asks who is there once more; these figures are there.
    look_ahead(mine.lead, reverse("report_time", args=[*report_args(mine), mine.agreement.question_id]))
    return Two(mine, theirs, extra, _tokens(mine, lead_too), report, second)


def _lead_who_rates(world: World) -> User:
    """One who is to be blind of the items of a round that is open."""
    lead = cast.member(world.project, Membership.Role.LEAD, username="ruth", unique=True)
    round_ = Round.objects.create(project=world.project, key="blind", state=Round.State.OPEN)
    rater = rater_of(world.project, lead)
    items = world.project.items.all()
    Assignment.objects.bulk_create(Assignment(rater=rater, item=item, round=round_) for item in items)
    return lead


def _reveal(world: World) -> None:
    """A round in which others labeled too; of one of its items the rater still labels, of another they did before."""
    _, pk = revealed_args(world)
    labels = Label.objects.filter(item__project=world.project).exclude(rater__user=world.people["rater"])
    labels.filter(pk__in=list(labels.values_list("pk", flat=True)[:6])).update(round=pk)
    rater = rater_of(world.project, world.people["rater"])
    still = Round.objects.create(project=world.project, key="still", state=Round.State.OPEN)
    Assignment.objects.create(rater=rater, item=world.item, round=still, pass_number=2)
    other = labels.exclude(item=world.item).select_related("item", "question", "category").first()
    assert other is not None
    Label.objects.create(item=other.item, question=other.question, category=other.category, rater=rater)


def _give_picture(project: Project, left: Rater) -> None:
    """To one who is no member any more, an item that shows the file that the route of files is asked for.

    They labeled it, and it was replaced since.
    """
    content = [{"name": "picture", "kind": "image", "value": "photos/1.png"}]
    item = Item.objects.create(project=project, key="picture", content=content)
    round_ = Round.objects.create(project=project, key="left", state=Round.State.OPEN)
    done_at = timezone.now() - timedelta(hours=1)
    Assignment.objects.create(
        rater=left, item=item, round=round_, state=Assignment.State.DONE, done_at=done_at
    )
    ItemVersion.objects.create(item=item, content=content)


def _tokens(mine: World, lead_too: User) -> dict[str, str]:
    expired, good, revoked = (AuthToken.objects.create(user=mine.lead) for _ in range(3))
    AuthToken.objects.filter(pk=expired[0].pk).update(expiry=timezone.now() - timedelta(seconds=1))
    revoked[0].delete()
    gone = AuthToken.objects.create(user=cast.person("gone", unique=True))
    User.objects.filter(pk=gone[0].user_id).update(is_active=False)
    Membership.objects.create(project=mine.project, user=gone[0].user, role=Membership.Role.LEAD)
    return {
        "good token": good[1],
        "expired token": expired[1],
        "revoked token": revoked[1],
        "token one bit off": good[1][:-1] + chr(ord(good[1][-1]) ^ 1),
        "token of a deactivated lead": gone[1],
    }


def _mark(project: Project) -> None:
    """Put the canary into every word of the project that a page could show."""
    for model, words in ((Question, "prompt"), (Rater, "key"), (Item, "key"), (Round, "key")):
        for row in model._default_manager.filter(project=project):  # type: ignore[attr-defined]
            setattr(row, words, f"{CANARY} {getattr(row, words)}")
            row.save(update_fields=[words])
    Category.objects.filter(question__project=project).update(name=CANARY)
    Label.objects.filter(question__project=project).update(note=CANARY)
    Project.objects.filter(pk=project.pk).update(guidelines=CANARY)
    project.refresh_from_db()


class _Undone(Exception):
    pass


@contextmanager
def undone() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
            raise _Undone
    except _Undone:
        pass


def all_subjects(row: Row) -> list[str]:
    return ["anonymous", "stranger", *MEMBERS, *_like(row), *(["good token", *TOKENS] if row.is_api else [])]


def outsiders(row: Row) -> list[str]:
    """All but members: what those are answered depends on what they did before, and test_routes.py asks it."""
    return ["anonymous", "stranger", *_like(row), *(TOKENS if row.is_api else [])]


def _like(row: Row) -> list[str]:
    # What is for one stranger is not there for another.
    if row.args is own_invitation_args:
        return ["deactivated lead"]
    # What belongs to one rater is not there for another.
    like = [name for name in LIKE if name != BOTH or row.args in (nothing, slug_only)]
    return [name for name in like if name != "owner of the server" or not row.is_owners]


def beside_the_table(row: Row) -> list[str]:
    """Of those whom the table of routes does not ask about one for each row, and one of the useless tokens."""
    place, like = ROWS.index(row), _like(row)
    return [like[place % len(like)], *([TOKENS[place % len(TOKENS)]] if row.is_api else [])]


def by_subjects(two: Two, number: int, subjects: Iterable[str]) -> Iterator[Case]:
    for subject in subjects:
        yield Case(number, subject, lambda subject=subject: _asked(two, ROWS[number], subject))


def _asked(two: Two, row: Row, subject: str) -> Outcome:
    with undone():
        address = reverse(row.name, args=row.args(two.mine)) + row.query
        if subject == "token in the query":
            address += f"{'&' if row.query else '?'}token={two.words['good token']}"
        # Their lead knows their project, and is a stranger in mine.
        is_theirs = subject in {"lead elsewhere", BOTH}
        return outcome_of(two, row, subject, address, may_tell=is_theirs)
    raise AssertionError("not reached")


def smuggled(two: Two, number: int, *, subjects: Sequence[str] = ("lead", "rater")) -> Iterator[Case]:
    """All ids of theirs in the place of mine, and each by itself."""
    row = ROWS[number]
    if row.args in (nothing, slug_only) or "token" in row.name or not row.is_of_project:
        return
    for subject in subjects:
        yield Case(number, f"all ids of theirs as {subject}", lambda s=subject: _foreign(two, row, s, None))
    with undone():
        n_ids = len(row.args(two.mine)) - 1
    if n_ids > 1:
        for place in range(n_ids):
            yield Case(number, f"id {place} of theirs", lambda p=place: _foreign(two, row, "lead", p))


def _foreign(two: Two, row: Row, subject: str, place: int | None) -> Outcome:
    with undone():
        slug, *mine = row.args(two.mine)
        _, *theirs = row.args(two.theirs)
        places = range(len(mine)) if place is None else [place]
        # A key may be the same in both projects, and is then no secret.
        ids = [theirs[at] if at in places else mine[at] for at in range(len(mine))]
        none = [_of_nothing(mine[at]) if at in places else mine[at] for at in range(len(mine))]
        if ids == mine:
            return Outcome(404)
        answers = []
        for args in (none, ids):
            with undone():
                address = reverse(row.name, args=[slug, *args])
                answers.append(body_of(send(two.client(subject), row, address), [*none, *ids]))
        is_same = answers[0] == answers[1]
        outcome = outcome_of(two, row, subject, reverse(row.name, args=[slug, *ids]) + row.query)
        return replace(outcome, same=is_same)
    raise AssertionError("not reached")


def _of_nothing(arg: Any) -> Any:
    if isinstance(arg, uuid.UUID):
        return uuid.UUID(int=0)
    return HUGE if isinstance(arg, int) else "no such key"


def body_of(answer: HttpResponse, args: list[Any]) -> str:
    """The answer without the ids, of both kinds: a short one may stand in the page by chance."""
    text = masked(answer.content.decode(errors="replace"))
    for arg in args:
        text = re.sub(rf"\b{re.escape(str(arg))}\b", "<id>", text)
    return f"{answer.status_code} {text}"


def outcome_of(two: Two, row: Row, subject: str, address: str, *, may_tell: bool = False) -> Outcome:
    client = two.client(subject)
    before = fingerprint(two.theirs) if row.method != "get" else ""
    answer = send(client, row, address)
    after = fingerprint(two.theirs) if row.method != "get" else ""
    text = answer.content.decode(errors="replace")
    tells = CANARY in (text + str(answer.headers)) and not may_tell
    shape = hashlib.sha256(re.sub(r"[0-9a-f]{15,}|[0-9]+", "", masked(text)).encode()).hexdigest()
    return Outcome(answer.status_code, tells, before != after, shape=shape)


def send(client: Client, row: Row, address: str) -> HttpResponse:
    if not row.is_api:
        answer = getattr(client, row.method)(address, row.data)
    elif row.method == "get":
        answer = client.get(address, headers=row.headers)
    else:
        answer = client.generic(
            row.method.upper(),
            address,
            json.dumps(row.data),
            content_type="application/json",
            headers=row.headers,
        )
    if answer.streaming:
        answer = HttpResponse(answer.getvalue(), status=answer.status_code, headers=dict(answer.headers))
    return answer


# Every row that belongs to one project; each statement takes its id.
_TABLES = {
    "projects_project": "t.id = %(p)s",
    "projects_membership": "t.project_id = %(p)s",
    "projects_invitation": "t.project_id = %(p)s",
    "projects_question": "t.project_id = %(p)s",
    "projects_category": "t.question_id IN (SELECT id FROM projects_question WHERE project_id = %(p)s)",
    "projects_batch": "t.project_id = %(p)s",
    "projects_item": "t.project_id = %(p)s",
    "raters_rater": "t.project_id = %(p)s",
    "raters_assignment": "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(p)s)",
    "raters_label": "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(p)s)",
    "raters_labelimport": "t.project_id = %(p)s",
    "reports_report": "t.project_id = %(p)s",
}


def fingerprint(world: World) -> str:
    """Of all rows of a project; another one if any of them was changed, added or deleted."""
    each = (
        f"(SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t.id), '')) FROM {table} t WHERE {where})"
        for table, where in _TABLES.items()
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {' || '.join(each)}", {"p": world.project.pk})
        return str(cursor.fetchone()[0])
