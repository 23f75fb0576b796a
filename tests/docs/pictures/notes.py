"""An invented project for the pictures: five people, a model and a reference label notes in three rounds."""

import random
from datetime import UTC, datetime, timedelta

from projects.actions import create_project
from projects.models import Category, Item, Membership, Project, Question, Round
from raters.models import Assignment, Label, Rater, User
from reports.models import Report
from reports.store.requests import request_report

SLUG = "notes"
RATERS = {"Anna": 0.12, "Bo": 0.16, "Carla": 0.2, "Dmitri": 0.3, "Eve": 0.22, "model": 0.1, "reference": 0.0}
KINDS = {"model": Rater.Kind.MODEL, "reference": Rater.Kind.REFERENCE}
CATEGORIES = ("normal", "benign change", "suspicious", "malignant")
N_ITEMS, N_ROUNDS, N_OPEN = 240, 3, 40
START = datetime(2026, 9, 1, 8, tzinfo=UTC)
PLACES = ("left arm", "right arm", "neck", "back", "shoulder")


def fill(owner: User) -> list[Report]:
    """Reports on the first round, on the last one and on all three; the owner has a round of labeling to do."""
    project = create_project(
        "Notes on skin lesions",
        by=owner,
        slug=SLUG,
        guidelines="Read the **whole** note. Say what the lesion is.",
    )
    question = Question.objects.create(
        project=project, key="finding", prompt="What is the lesion?", level="ordinal"
    )
    categories = [
        Category.objects.create(question=question, key=name, position=place)
        for place, name in enumerate(CATEGORIES)
    ]
    items = [
        Item.objects.create(project=project, key=f"note-{n:03}", content=_content(n))
        for n in range(N_ITEMS + N_OPEN)
    ]
    rounds = [
        Round.objects.create(
            project=project, key=f"round {n}", state="closed", revealed_at=START + timedelta(days=99)
        )
        for n in range(1, N_ROUNDS + 1)
    ]
    _label(question, categories, items[:N_ITEMS], rounds)
    # Of items that nobody has labeled, so that the owner may see the reports.
    _open_round(project, owner, items[N_ITEMS:])
    keys = [round_.key for round_ in rounds]
    return [request_report(project, by=owner, rounds=chosen) for chosen in (keys[:1], keys[-1:], keys)]


def _content(number: int) -> list[dict[str, str]]:
    place, color = PLACES[number % len(PLACES)], "dark" if number % 3 else "pale"
    text = f"Seen on day {number % 28 + 1}. A {color} lesion on the {place}, {3 + number % 9} mm wide."
    return [{"name": "note", "kind": "text", "value": text}]


def _label(question: Question, categories: list[Category], items: list[Item], rounds: list[Round]) -> None:
    """The first round is worse than the others; Dmitri takes much of what is benign for normal."""
    rng = random.Random(7)
    raters = [
        Rater.objects.create(project=question.project, key=key, kind=KINDS.get(key, Rater.Kind.HUMAN))
        for key in RATERS
    ]
    rows = []
    for place, item in enumerate(items):
        round_ = place * N_ROUNDS // N_ITEMS
        truth = rng.choices(range(4), [0.5, 0.26, 0.15, 0.09])[0]
        for turn, rater in enumerate(raters):
            if rater.key not in KINDS and rng.random() < 0.08:
                continue
            slips = rng.random() < RATERS[rater.key] * (1.6 if round_ == 0 else 0.8)
            answer = min(3, max(0, truth + rng.choice([-1, 1]))) if slips else truth
            answer = 0 if rater.key == "Dmitri" and truth == 1 and rng.random() < 0.4 else answer
            rows.append(
                Label(
                    question=question,
                    item=item,
                    rater=rater,
                    round=rounds[round_],
                    category=categories[answer],
                    labelled_at=START
                    + timedelta(days=20 * round_ + place % 80 // 8, minutes=7 * (place % 8) + turn),
                    seconds=None if rater.key in KINDS else rng.lognormvariate(2.2 + turn / 8, 0.5),
                )
            )
    Label.objects.bulk_create(rows)


def _open_round(project: Project, owner: User, items: list[Item]) -> None:
    Membership.objects.get_or_create(project=project, user=owner, defaults={"role": Membership.Role.LEAD})
    round_ = Round.objects.create(project=project, key="round 4", state=Round.State.OPEN)
    rater = Rater.objects.create(project=project, key="you", user=owner)
    Assignment.objects.bulk_create(
        Assignment(rater=rater, item=item, round=round_, position=place) for place, item in enumerate(items)
    )
