"""Projects with a bit of everything, invented from a number: the same number, the same project."""

import random
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from projects.models import Batch, Category, GuidelinesVersion, Item, Project, Question
from raters.models import Assignment, Label, Rater, User
from raters.work.saving import tell_history
from tests import cast

ODD = ["plain", "=1+1", "naïve κ", "a\tb\nc", "漢字", "'quoted'", '"', "\\", "\u202e", "1e5", " −1"]


def invented_project(seed: int) -> Project:
    chance = random.Random(seed)
    project = cast.new_project(f"Invented {seed}", unique=True)
    people = [cast.person(f"person-{place}", unique=True) for place in range(chance.randint(1, 4))]
    GuidelinesVersion.objects.create(project=project, number=1, text=chance.choice(ODD), made_by=people[0])
    questions = [invented_question(project, place, chance) for place in range(chance.randint(1, 3))]
    batches = [
        Batch.objects.create(project=project, key=f"{chance.choice(ODD)} {place}", position=place)
        for place in range(chance.randint(0, 2))
    ]
    items = [
        Item.objects.create(
            project=project,
            key=f"{chance.choice(ODD)} {place}",
            content=[{"name": "text", "kind": "text", "value": chance.choice(ODD), "more": chance.random()}],
        )
        for place in range(chance.randint(0, 8))
    ]
    raters = [
        Rater.objects.create(
            project=project,
            key=f"{chance.choice(ODD)} {place}",
            kind=chance.choice(Rater.Kind.values),
            user=people[place] if place < len(people) and chance.random() < 0.7 else None,
        )
        for place in range(chance.randint(0, 5))
    ]
    for item in items:
        for rater in raters:
            if chance.random() < 0.7:
                Assignment.objects.create(item=item, rater=rater, batch=chance.choice([None, *batches]))
            for question in questions:
                if chance.random() < 0.6:
                    label_with_history(item, rater, question, batches, people, chance)
    return project


def invented_question(project: Project, place: int, chance: random.Random) -> Question:
    kind = chance.choice(Question.Kind.values)
    question = Question.objects.create(
        project=project,
        key=f"{chance.choice(ODD)} {place}",
        kind=kind,
        level="interval" if kind == "number" else "nominal",
        position=place,
    )
    if kind != "number":
        made = [
            Category.objects.create(question=question, key=f"{chance.choice(ODD)} {n}", position=n)
            for n in range(chance.randint(1, 4))
        ]
        if len(made) > 2:
            gone = made.pop()
            Category.objects.filter(pk=gone.pk).update(merged_into=made[0], position=None, shortcut="")
    return question


def label_with_history(
    item: Item,
    rater: Rater,
    question: Question,
    batches: list[Batch],
    people: list[User],
    chance: random.Random,
) -> None:
    """A label that was made, perhaps changed a few times, and perhaps withdrawn."""
    label = Label(
        item=item,
        rater=rater,
        question=question,
        batch=chance.choice([None, *batches]),
        **said(question, chance),
    )
    label.labelled_at = timezone.now() - timedelta(seconds=chance.random() * 1e6)
    for turn in range(chance.randint(1, 3)):
        with transaction.atomic():
            tell_history(chance.choice(people), "page")
            if turn == 0:
                label.save(force_insert=True)
            else:
                Label.objects.filter(pk=label.pk).update(note=chance.choice(ODD), **said(question, chance))
    if chance.random() < 0.15:
        Label.objects.filter(pk=label.pk).delete()


def said(question: Question, chance: random.Random) -> dict:
    nothing = {"category": None, "category_set": None, "number": None, "is_abstention": False, "reason": ""}
    if chance.random() < 0.1:
        return {**nothing, "is_abstention": True, "reason": chance.choice(ODD)}
    categories = list(question.categories.order_by("pk"))
    if question.kind == "single":
        return {**nothing, "category": chance.choice(categories)}
    if question.kind == "multiple":
        chosen = [category.pk for category in categories if chance.random() < 0.5]
        return {**nothing, "category_set": sorted(chosen)}
    return {**nothing, "number": chance.choice([0.1, -3, 1e-300, 1e99, 1 / 3, 12345678901234567.0])}


def n_rows(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]
