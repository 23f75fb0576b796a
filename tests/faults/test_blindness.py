"""P8: raters are blind. Two worlds that differ in other raters' work alone look the same to a rater, on every route."""

import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import timezone

from raters import cache
from raters.labeling import assignment_context as showing
from raters.labeling import progress
from raters.labeling.answers import Answer
from raters.models import Assignment, Label
from tests.faults.arena import SEED
from tests.faults.blind_world import BlindWorld, answers, differ, new_blind_world, undone
from tests.faults.walking import Script, Seen, Step, routes, walk
from tests.sizes import FULL
from tests.working import Work, answer, new_work

# Which worlds to try, and thus how many: half a minute each in full. BLIND_WORLDS=0-200 takes hours.
pytestmark = [pytest.mark.faults, pytest.mark.timeout(6 * 3600 if FULL else 600)]
FIRST, END = map(int, os.environ.get("BLIND_WORLDS", "0-50" if FULL else "0-1").split("-"))
# In `make test` a world walks one route in so many, each world others; all of them walk those of one's own work.
EVERY = 1 if FULL else 9
OWN_WORK = {
    "label",
    "label_item",
    "label_undo",
    "api_assignments",
    "api_next_assignment",
    "api_assignment",
    "api_answers",
    "api_undo",
}
N_TIMED = 1000


@pytest.fixture
def still_clock(db, monkeypatch):
    """The clock stands still, so that no date differs."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    # This field keeps the clock that it was made with.
    monkeypatch.setattr(UserSession._meta.get_field("created_at"), "_get_default", lambda: now)
    # Now and then a request clears away what has expired, by chance.
    monkeypatch.setattr(cache, "CLEARING", 10**9)
    # It asks the database about its tables once in a process.
    Client().get("/readyz")


def script_of_rita(world: BlindWorld, seed: int, *, every: int) -> list[Step]:
    """`every`: she walks one in so many routes, and those of her own work; 0: these alone."""
    chance = random.Random(seed)
    script = Script(
        chance=chance,
        slugs=[world.project.slug, world.theirs.slug],
        ids=[pk for pks in world.ids.values() for pk in pks],
        own=world.own_places,
        special={},
    )
    bodies = Bodies(world, chance)
    script.special = {
        ("api_answers", "put"): bodies.of_answers,
        ("api_undo", "post"): bodies.of_undo,
        ("api_next_assignment", "post"): lambda _: ({"held": chance.sample(world.own_places, 2)}, {}),
        ("label_item", "post"): bodies.of_form,
        ("label_undo", "post"): bodies.of_form,
        ("label", "get"): lambda _: ({"held": chance.choice(world.own_places)}, {}),
        ("label_item", "get"): lambda _: ({"saved": chance.choice(script.ids)}, {}),
    }
    own = [route for route in routes() if route.name in OWN_WORK]
    walked = [route for place, route in enumerate(routes()) if every and place % every == seed % every]
    return [*script.steps(own), *script.steps(walked), *script.steps(own)]


@dataclass(slots=True)
class Bodies:
    """What rita sends: mostly as her page would, and now and then as a page that is out of date."""

    world: BlindWorld
    chance: random.Random

    def of_answers(self, parts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        chosen = [_as_json(key, given) for key, given in answers(self.chance).items()]
        return {"answers": chosen, "revisions": self._revisions(parts["pk"])}, self._once()

    def of_undo(self, parts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        return {"revisions": self._revisions(parts["pk"])}, self._once()

    def of_form(self, parts: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        tone, themes, size, why = self.world.questions
        seen = {seen["question"]: seen["revision"] for seen in self._revisions(parts["pk"])}
        form = {
            "key": self._once()["Idempotency-Key"],
            f"answer-{tone.pk}": self.chance.choice(self.world.ids["categories"][:4]),
            f"answer-{themes.pk}": "none",
            f"answer-{size.pk}": self.chance.randrange(9),
            f"text-{why.pk}": self.chance.choice(["", "As before."]),
            "note": self.chance.choice(["", "Look."]),
        }
        return form | {f"revision-{q.pk}": seen.get(q.key, 0) for q in self.world.questions}, {}

    def _revisions(self, pk: int) -> list[dict[str, Any]]:
        place = Assignment.objects.filter(pk=pk, rater=self.world.rater).first()
        if place is None:
            return []
        labels = Label.objects.filter(rater=place.rater, item=place.item).select_related("question")
        late = self.chance.random() < 0.2
        return [{"question": label.question.key, "revision": label.revision + late} for label in labels]

    def _once(self) -> dict[str, str]:
        return {"Idempotency-Key": str(UUID(int=self.chance.getrandbits(128), version=4))}


def _as_json(key: str, given: Answer) -> dict[str, Any]:
    if given.is_abstention:
        return {"question": key, "cannot_tell": True, "reason": given.reason}
    values = {
        "category": given.category,
        "number": given.number,
        "text": given.text,
        "categories": None if given.categories is None else list(given.categories),
    }
    return {"question": key, "note": given.note} | {k: v for k, v in values.items() if v is not None}


def seen_by_rita(world: BlindWorld, steps: list[Step], *, seed: int) -> list[Seen]:
    with undone():
        differ(world, seed)
        return walk(steps, by=world.rita)


def differences(seed: int, *, every: int = EVERY) -> list[str]:
    """What rita could tell two worlds apart by."""
    with undone():
        world = new_blind_world(seed)
        steps = script_of_rita(world, seed, every=every)
        first, second = (seen_by_rita(world, steps, seed=2 * seed + place) for place in (0, 1))
    assert [seen for seen in first + second if seen.status >= 500] == []
    return [f"{step}\n{a}\n{b}" for step, a, b in zip(steps, first, second, strict=True) if a != b]


def test_two_worlds_look_the_same_to_a_rater(still_clock):
    found = [words for number in range(FIRST, END) for words in differences(SEED + number)]

    assert found == [], f"{len(found)} differences, the first of them:\n{found[0]}"


def _count_of_all(rater: Any) -> progress.OwnProgress:
    return progress.OwnProgress(0, Label.objects.filter(question__project=rater.project_id).count())


LEAKS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "how much others have said": (progress, "progress_of", _count_of_all),
    "what others did before": (showing, "done_before", lambda rater, assignment: Label.objects.count()),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_seen(leak, still_clock, monkeypatch):
    module, name, leaking = LEAKS[leak]
    for using in ("raters.labeling.api", "raters.labeling.pages", module.__name__):
        monkeypatch.setattr(f"{using}.{name}", leaking, raising=False)

    # In one pair of worlds the number may happen to be the same.
    assert any(differences(SEED + place, every=EVERY if FULL else 0) for place in range(4))


def test_a_header_that_tells_is_seen(still_clock, monkeypatch):
    inner = Client.request

    def telling(self, **request):
        response = inner(self, **request)
        response["X-Labels"] = str(Label.objects.count())
        return response

    monkeypatch.setattr(Client, "request", telling)

    # In one pair of worlds the number may happen to be the same.
    assert any(differences(SEED + place, every=EVERY if FULL else 0) for place in range(4))


@pytest.mark.skipif(not FULL, reason="takes minutes, and a quiet machine")
def test_the_clock_tells_nothing_either(committed_db):
    """Medians within 5 % over 1,000 requests, in turn to a world where others have said much and one of silence."""
    worlds = [_timed_world(n_labels) for n_labels in (0, 40)]
    for name in ("get api", "next", "page", "save"):
        spent: list[list[float]] = [[], []]
        for number in range(N_TIMED):
            for place, (work, client) in enumerate(worlds):
                started = time.perf_counter()
                status = _ask(name, work, client, number)
                spent[place].append(time.perf_counter() - started)
                assert status == 200
        silent, loud = (statistics.median(times) for times in spent)
        print(f"{name}: {silent * 1000:.2f} ms and {loud * 1000:.2f} ms")
        assert abs(loud / silent - 1) < 0.05, f"{name}: {silent:.5f} s and {loud:.5f} s"


def _timed_world(n_labels: int) -> tuple[Work, Client]:
    work = new_work(n_items=50, n_raters=5)
    for place in range(n_labels):
        for rater in range(1, 5):
            answer(work, "good", place=place, rater=rater, seconds=3.0)
    client = Client()
    client.force_login(work.user())
    return work, client


def _ask(name: str, work: Work, client: Client, number: int) -> int:
    place = work.assignment(number % 50).pk
    api = f"/api/v1/projects/{work.project.slug}/assignments/"
    if name == "get api":
        return client.get(f"{api}{place}/").status_code
    if name == "next":
        return client.post(f"{api}next/", "{}", content_type="application/json").status_code
    if name == "page":
        return client.get(f"/p/{work.project.slug}/label/{place}/").status_code
    category = ["good", "bad"][number // 50 % 2]
    body = {
        "answers": [{"question": "tone", "category": category}],
        "revisions": [{"question": "tone", "revision": number // 50}] if number >= 50 else [],
    }
    return client.put(
        f"{api}{place}/answers/",
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid4())},
    ).status_code
