"""Projects with labels, for tests that need some: invented, seeded, with gaps."""

import random
from collections.abc import Iterable, Mapping, Sequence

from django.db import connection

from projects.models import Category, Item, Project, Question, Round
from raters.models import Label, Rater
from tests import cast


def new_question(
    project: Project, *, key: str = "answer", categories: Sequence[str] = ("yes", "no"), **more
) -> Question:
    question = Question.objects.create(project=project, key=key, **more)
    Category.objects.bulk_create(
        Category(question=question, key=name, position=place) for place, name in enumerate(categories)
    )
    return question


def add_labels(question: Question, rows: Iterable[tuple[str, str, str]]) -> None:
    """rows: key of the item, key of the rater, key of the category; items and raters are made as they come."""
    rows = list(rows)
    items = keyed(Item, question.project, (item for item, _, _ in rows))
    raters = keyed(Rater, question.project, (rater for _, rater, _ in rows))
    categories = {category.key: category for category in question.categories.all()}
    copy_labels(
        question,
        "category_id",
        ((items[item].pk, raters[rater].pk, categories[category].pk) for item, rater, category in rows),
    )


def add_labels_in_round(question: Question, key: str, labels: Mapping[str, str]) -> None:
    """labels: by rater, the category of each item, one letter each; a round of this key is made if there is none."""
    rounds = question.project.rounds
    round_, _ = Round.objects.get_or_create(
        project=question.project, key=key, defaults={"position": rounds.count()}
    )
    before = set(Label.objects.filter(question=question).values_list("pk", flat=True))
    add_labels(
        question, [(f"{key}{at}", rater, one) for rater, row in labels.items() for at, one in enumerate(row)]
    )
    Label.objects.filter(question=question).exclude(pk__in=before).update(round=round_)


def copy_labels(
    question: Question,
    column: str,
    rows: Iterable[tuple[int, int, object]],
    *,
    round: Round | None = None,
    pass_number: int = 1,
) -> None:
    """rows: ID of the item, ID of the rater, and what is in this column of the label.

    A run of the suite makes hundreds of thousands of them, on which the ORM would spend more time than most tests.
    """
    same = {
        "question_id": question.pk,
        "batch_id": round and round.pk,
        "pass_number": pass_number,
        "revision": 1,
        "is_abstention": False,
    }
    columns = ", ".join(["item_id", "rater_id", column, *same])
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY raters_label ({columns}) FROM STDIN") as labels,
    ):
        for row in rows:
            labels.write_row((*row, *same.values()))


def keyed(model: type, project: Project, keys: Iterable[str]) -> dict:
    wanted = list(dict.fromkeys(keys))
    known = set(model.objects.filter(project=project, key__in=wanted).values_list("key", flat=True))
    model.objects.bulk_create(model(project=project, key=key) for key in wanted if key not in known)
    return {thing.key: thing for thing in model.objects.filter(project=project, key__in=wanted)}


def from_table(counts: Sequence[Sequence[int]], categories: Sequence[str]) -> list[tuple[str, str, str]]:
    """The labels of two raters, "A" and "B", that make this table of counts (rows A)."""
    rows, number = [], 0
    for a, row in zip(categories, counts, strict=True):
        for b, count in zip(categories, row, strict=True):
            for _ in range(count):
                number += 1
                rows += [(f"item-{number:05}", "A", a), (f"item-{number:05}", "B", b)]
    return rows


def labeled_project(name: str, *, n_items: int = 40, n_raters: int = 4, seed: int = 1) -> Project:
    """A project of its own name with one question; raters agree in seven of ten cases and skip one of ten items."""
    project = cast.new_project(name, unique=True)
    question = new_question(project, categories=("good", "fair", "bad"))
    chance = random.Random(seed)
    names = ["good", "fair", "bad"]
    rows = []
    for item in range(n_items):
        truth = chance.choice(names)
        for rater in range(n_raters):
            if chance.random() < 0.9:
                label = truth if chance.random() < 0.7 else chance.choice(names)
                rows.append((f"item-{item:05}", f"rater-{rater:03}", label))
    add_labels(question, rows)
    return project
