"""Worlds for the test of blindness: a project as one rater meets it, and what all others do in it, which may differ."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from projects.codebook.guidelines import write_guidelines
from projects.events import record
from projects.members import invitations
from projects.models import Event, Item, Membership, Project, Question, Round
from raters.actions import rater_of
from raters.labeling.answers import Answer
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Label, LabelImport, Rater, User
from reports.models import Report
from tests import cast
from tests.finished import World
from tests.labeling import new_question
from tests.live import as_superuser

N_ITEMS = 6
State = Assignment.State


@dataclass(slots=True)
class BlindWorld:
    """`rita` is the one who must not notice; `others` are the raters whose labels differ."""

    project: Project
    theirs: Project
    rita: User
    rater: Rater
    lead: User
    others: list[Rater]
    questions: list[Question]
    items: list[Item]
    ids: dict[str, list[int]] = field(default_factory=dict)

    @property
    def own_places(self) -> list[int]:
        return self.ids["own places"]


def new_blind_world(seed: int) -> BlindWorld:
    """Everything that is the same in both worlds: the plan, the codebook, and what rita has said."""
    chance = random.Random(seed)
    project = cast.new_project(f"Blind {seed}")
    people = {
        name: cast.member(project, role, username=f"{name}{seed}")
        for name, role in [
            ("lena", Membership.Role.LEAD),
            ("ada", Membership.Role.ADJUDICATOR),
            ("rita", Membership.Role.RATER),
            ("ben", Membership.Role.RATER),
            ("cleo", Membership.Role.RATER),
        ]
    }
    write_guidelines(project, "# Look twice\n\nThen *decide*.", by=people["lena"])
    questions = [
        new_question(
            project, key="tone", categories=("good", "fair", "bad"), position=0, confidence="optional"
        ),
        new_question(project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE, position=1),
        Question.objects.create(
            project=project, key="size", kind=Question.Kind.NUMBER, position=2, is_required=False
        ),
        Question.objects.create(
            project=project, key="why", kind=Question.Kind.TEXT, position=3, is_required=False
        ),
    ]
    world = BlindWorld(
        project=project,
        theirs=_other_project(seed, people["lena"]),
        rita=people["rita"],
        rater=rater_of(project, people["rita"]),
        lead=people["lena"],
        others=[
            *(rater_of(project, people[name]) for name in ("ben", "cleo", "ada")),
            *(
                Rater.objects.create(project=project, key=kind, kind=kind)
                for kind in ("model", "reference", "consensus")
            ),
        ],
        questions=questions,
        items=_items(project, N_ITEMS),
    )
    _plan(world, chance)
    invitations.invite(project, by=world.lead, role="rater")
    _label_as_rita(world, chance)
    Round.objects.filter(project=project, key="pilot").update(state="closed", closed_at=timezone.now())
    _know_ids(world)
    return world


def _other_project(seed: int, lead: User) -> Project:
    """One that rita is no member of."""
    theirs = cast.new_project(f"Theirs {seed}")
    Membership.objects.create(project=theirs, user=lead, role=Membership.Role.LEAD)
    new_question(theirs, key="tone")
    _items(theirs, 2)
    return theirs


def _items(project: Project, n: int) -> list[Item]:
    return Item.objects.bulk_create(
        Item(
            project=project,
            key=f"item-{place}",
            content=[
                {"name": "title", "kind": "text", "value": f"Title {place}"},
                {"name": "text", "kind": "markdown", "value": f"Text **{place}**"},
            ],
        )
        for place in range(n)
    )


def _plan(world: BlindWorld, chance: random.Random) -> None:
    """A round that is over, one that is under way, one that is planned, and one with free places."""
    for place, (key, state) in enumerate([("pilot", "open"), ("main", "open"), ("next", "draft")]):
        round_ = Round.objects.create(project=world.project, key=key, state=state, position=place)
        items = world.items[2 * place : 2 * place + 2]
        for rater in [world.rater, *world.others[:2]]:
            chance.shuffle(items)
            Assignment.objects.bulk_create(
                Assignment(rater=rater, item=item, round=round_, position=at) for at, item in enumerate(items)
            )
    spare = Round.objects.create(project=world.project, key="spare", position=3)
    now = timezone.now()
    held = {"handed_out_at": now, "last_seen_at": now}
    Assignment.objects.bulk_create(
        Assignment(
            item=item, round=spare, position=at, is_on_demand=True, rater=rater, **(held if rater else {})
        )
        for at, item in enumerate(_items_of_spare(world))
        for rater in (None, world.others[0])
    )


def _items_of_spare(world: BlindWorld) -> list[Item]:
    items = [Item(project=world.project, key=f"spare-{place}", content=[]) for place in range(2)]
    return Item.objects.bulk_create(items)


def _label_as_rita(world: BlindWorld, chance: random.Random) -> None:
    """All of the first round and a part of the second; a part of it said twice."""
    places = Assignment.objects.filter(rater=world.rater, round__state="open").order_by(
        "round__position", "pk"
    )
    for assignment in list(places)[: 2 + chance.randrange(2)]:
        seen: dict[str, int] = {}
        for _ in range(1 + chance.randrange(2)):
            draft = SubmittedAnswers(answers=answers(chance), revisions=seen, seconds=chance.uniform(1, 60))
            seen = save_answers(world.rater, assignment.pk, draft, key=uuid4(), by=world.rita).revisions


def answers(chance: random.Random) -> dict[str, Answer]:
    answers = {
        "tone": Answer(
            category=chance.choice(["good", "fair", "bad"]),
            note=chance.choice(["", "Look."]),
            confidence=chance.choice([None, 0.25, 1.0]),
        ),
        "themes": Answer(categories=tuple(key for key in "ab" if chance.random() < 0.5)),
    }
    if chance.random() < 0.3:
        answers["tone"] = Answer(is_abstention=True, reason="Blurred")
    if chance.random() < 0.5:
        answers["size"] = Answer(number=float(chance.randrange(9)))
    if chance.random() < 0.5:
        answers["why"] = Answer(text=f"I saw {chance.randrange(9)} of them.")
    return answers


def _know_ids(world: BlindWorld) -> None:
    """Ids of one's own and of others' things, of both projects, and of what one of the worlds may yet make."""
    places = Assignment.objects.filter(round__project=world.project)
    both = [world.project.pk, world.theirs.pk]
    world.ids = {
        "own places": _pks(places.filter(rater=world.rater)),
        "others' places": _pks(places.exclude(rater=world.rater)),
        "items": _pks(Item.objects.filter(project__in=both)),
        "raters": _pks(Rater.objects.filter(project__in=both)),
        "questions": _pks(Question.objects.filter(project__in=both)),
        "categories": [pk for q in world.questions for pk in _pks(q.categories)],
        "rounds": _pks(Round.objects.filter(project__in=both)),
        "members": _pks(Membership.objects.filter(project__in=both)),
        "invitations": _pks(world.project.invitations),
        "to come": [
            _last(model) + step for model in (Report, LabelImport, Label, Assignment) for step in (1, 2)
        ],
    }


def _pks(rows: Any) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _last(model: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT last_value FROM {model._meta.db_table}_id_seq")
        return int(cursor.fetchone()[0])


def differ(world: BlindWorld, seed: int) -> None:
    """What everybody else has done, otherwise for every seed; nothing of it is rita's business."""
    chance = random.Random(seed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    _label(world, chance)
    _states_of_others(world, chance)
    for _ in range(chance.randrange(3)):
        # Beside ids, dates and states of runs, it brings events of people whom rita does not see.
        Report.objects.create(
            project=world.project,
            asked_by=world.lead,
            state=chance.choice(["queued", "running", "cancelled"]),
        )
        record(Event.Kind.ROLE_CHANGED, by=world.lead, project=world.project, about="ben")
    for _ in range(chance.randrange(3)):
        LabelImport.objects.create(
            project=world.project, asked_by=world.lead, state="done", file_name="labels.csv", sha256="0" * 64,
            n_bytes=chance.randrange(1000), n_created=chance.randrange(1000),
        )  # fmt: skip


def _label(world: BlindWorld, chance: random.Random) -> None:
    """Labels of all others, and what some of them changed or took back."""
    tone, themes, size, why = world.questions
    of_tone, of_themes = list(tone.categories.all()), _pks(themes.categories)
    labels, later = [], []
    for rater, item in product(world.others, world.items):
        if chance.random() >= 0.6:
            continue
        shared = {
            "item": item,
            "rater": rater,
            "seconds": chance.uniform(1, 900),
            "note": chance.choice(["", "I think so."]),
        }
        # How sure the others are is their own business, too.
        sure = {"confidence": chance.choice([None, 0.25, 0.5, 0.75, 1.0])}
        labels.append(Label(question=tone, category=chance.choice(of_tone), **shared, **sure))
        if chance.random() < 0.5:
            labels.append(
                Label(question=themes, category_set=of_themes[: chance.randrange(3)], **shared, **sure)
            )
        if chance.random() < 0.7:
            labels.append(Label(question=why, text=f"Seen {chance.randrange(900)} times.", **shared))
        if chance.random() < 0.5:
            later.append(Label(question=size, is_abstention=True, reason="Too small", **shared))
    Label.objects.bulk_create([*labels, *later])
    for label in later:
        if chance.random() < 0.3:
            Label.objects.filter(pk=label.pk).update(is_abstention=False, reason="", number=chance.random())
        elif chance.random() < 0.3:
            label.delete()


def _states_of_others(world: BlindWorld, chance: random.Random) -> None:
    places = Assignment.objects.filter(round__project=world.project, rater__isnull=False)
    theirs = list(places.exclude(rater=world.rater).exclude(round__state="draft"))
    now = timezone.now()
    for assignment in theirs:
        assignment.state = chance.choice(State.values)
        assignment.done_at = now if assignment.state == State.DONE else None
        assignment.last_seen_at = now
        assignment.is_guideline_unclear = chance.random() < 0.3
    Assignment.objects.bulk_update(theirs, ["state", "done_at", "last_seen_at", "is_guideline_unclear"])


class _Undone(Exception):
    pass


@contextmanager
def undone() -> Iterator[None]:
    """Nothing that happens inside is left afterwards, nor do sequences remember it."""
    before = _sequences()
    try:
        with transaction.atomic():
            yield
            raise _Undone
    except _Undone:
        pass
    # Most requests use no number of any sequence.
    if moved := before - _sequences():
        # The program may not set those of the history.
        with _superuser().cursor() as cursor:
            cursor.executemany("SELECT setval(%s, %s, %s)", moved)


_opened: list[psycopg.Connection] = []


def _superuser() -> psycopg.Connection:
    """One connection for all requests of a test, which are hundreds."""
    if not _opened:
        _opened.append(as_superuser())
    return _opened[0]


@pytest.fixture(autouse=True)
def no_superuser_left() -> Iterator[None]:
    """Whoever is connected to a database keeps it from being copied."""
    yield
    while _opened:
        _opened.pop().close()


def _sequences() -> set[tuple[str, int, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(sequencename), coalesce(last_value, 1), last_value IS NOT NULL FROM pg_sequences"
        )
        return set(cursor.fetchall())


def ask_why(world: World, items: list[Item]) -> None:
    """A required question that came late, asked after one category alone: who lacks it has chosen this category."""
    question = world.agreement.question
    early = Round.objects.create(project=world.project, key="early", state=Round.State.OPEN, position=3)
    labels = Label.objects.filter(item__in=items, question=question, rater__kind=Rater.Kind.HUMAN)
    for label in labels:
        Assignment.objects.create(
            rater=label.rater,
            item=label.item,
            round=early,
            state=Assignment.State.DONE,
            done_at=timezone.now(),
        )
    labels.update(round=early)
    first = question.categories.first()
    assert first is not None
    so = {"asked_if_question": question.key, "asked_if_categories": [first.key]}
    new_question(world.project, key="why", position=9, is_required=True, **so)
