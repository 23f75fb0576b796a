"""Questions with every setting, and labels of them, for projects that are invented."""

import random
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from projects.models import (
    Category,
    Item,
    Project,
    Question,
    Round,
)
from raters.labeling.saving import set_history_context
from raters.models import (
    Decision,
    Label,
    Rater,
    User,
)

ODD = ["plain", "=1+1", "naïve κ", "a\tb\nc", "漢字", "'quoted'", '"', "\\", "\u202e", "1e5", " −1"]

NUMBER_RULES = {
    "minimum": -10.0,
    "maximum": 99.0,
    "is_whole": True,
    "step": 0.5,
    "unit": "mm",
    "tolerance": 0.25,
}


def ask_only_some(questions: list[Question]) -> None:
    """The last one hangs on the first, if that one has categories."""
    first, last = questions[0], questions[-1]
    if first is not last and first.has_categories:
        chosen = first.categories.first().key
        Question.objects.filter(pk=last.pk).update(asked_if_question=first.key, asked_if_categories=[chosen])


def invented_question(project: Project, place: int, chance: random.Random) -> Question:
    kind = chance.choice(Question.Kind.values)
    question = Question.objects.create(
        project=project,
        key=f"{chance.choice(ODD)} {place}",
        kind=kind,
        missing_values=[-9.5, 99.0] if kind == Question.Kind.NUMBER else [],
        coefficient="krippendorff_alpha" if kind == Question.Kind.NUMBER else "",
        weights="unweighted" if kind == Question.Kind.NUMBER else "",
        criterion=0.7 if kind == Question.Kind.NUMBER else None,
        final_rule="mean" if kind == Question.Kind.NUMBER else "majority",
        final_threshold=None if kind == Question.Kind.NUMBER else 0.75,
        final_takes_references=kind == Question.Kind.NUMBER,
        **(NUMBER_RULES if kind == Question.Kind.NUMBER else {}),
        max_length=chance.choice([None, 5000]) if kind == Question.Kind.TEXT else None,
        level="interval" if kind == "number" else "nominal",
        prompt=chance.choice(ODD),
        position=place,
        is_required=chance.random() < 0.5,
        allows_abstention=chance.random() < 0.5,
        confidence=Question.Confidence.values[place % 3],
    )
    if question.has_categories:
        made = [
            Category.objects.create(
                question=question,
                key=f"{chance.choice(ODD)} {n}",
                name=chance.choice(ODD),
                definition=chance.choice(ODD),
                examples=chance.choice(ODD),
                position=n,
                value=chance.choice([None, n / 3]),
                shortcut=str(n),
                color=chance.choice(Category.Color.values),
                treated_as_missing=n == 1,
            )
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
    rounds: list[Round],
    people: list[User],
    chance: random.Random,
) -> None:
    """A label that was made, perhaps changed a few times, and perhaps withdrawn."""
    label = Label(
        item=item,
        rater=rater,
        question=question,
        round=chance.choice([None, *rounds]),
        pass_number=chance.randint(1, 2),
        seconds=chance.choice([None, chance.random()]),
        guidelines_version=chance.choice([None, 1]),
        source_id=chance.choice(["", f"{item.pk}/{chance.random()}"]),
        **random_answer(question, chance),
    )
    label.labelled_at = sometime(chance)
    for turn in range(chance.randint(1, 3)):
        with transaction.atomic():
            set_history_context(chance.choice(people), "page")
            if turn == 0:
                label.save(force_insert=True)
            else:
                Label.objects.filter(pk=label.pk).update(
                    note=chance.choice(ODD), **random_answer(question, chance)
                )
    if chance.random() < 0.15:
        Label.objects.filter(pk=label.pk).delete()
    elif rater.kind == Rater.Kind.CONSENSUS:
        Decision.objects.create(
            label=label, decided_by=chance.choice(people), is_for_guidelines=chance.random() < 0.5
        )


def random_answer(question: Question, chance: random.Random) -> dict:
    nothing = {
        "category": None,
        "category_set": None,
        "number": None,
        "text": None,
        "is_abstention": False,
        "reason": "",
        "confidence": None,
        "from_suggestion": False,
    }
    if chance.random() < 0.1:
        return {**nothing, "is_abstention": True, "reason": chance.choice(ODD)}
    # Draws nothing from the chance that everything else hangs on.
    drawn = random.Random(chance.getstate()[1][-1])
    nothing["confidence"] = drawn.choice([None, 0.0, 0.75, 1.0, 1 / 3])
    nothing["from_suggestion"] = drawn.random() < 0.3
    categories = list(question.categories.order_by("pk"))
    if question.kind == "single":
        return {**nothing, "category": chance.choice(categories)}
    if question.kind == "multiple":
        chosen = [category.pk for category in categories if chance.random() < 0.5]
        return {**nothing, "category_set": sorted(chosen)}
    if question.kind == "text":
        return {**nothing, "text": chance.choice(ODD) + chance.choice(["", "\r\n =1 "])}
    return {**nothing, "number": chance.choice([0.1, -3, 1e-300, 1e99, 1 / 3, 12345678901234567.0])}


def sometime(chance: random.Random) -> datetime:
    return timezone.now() - timedelta(seconds=chance.random() * 1e6)
