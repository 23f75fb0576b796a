"""One report of every kind of question, by raters whose names and ids nothing else has."""

import itertools
import random
import re
from datetime import UTC, datetime, timedelta

from projects.models import Item, Question
from raters.models import Label, Rater, User
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import keyed, new_question

# In the order in which they join, which is not that of the alphabet.
NAMES = ("Quillfeather", "Zuckermann", "Montezuma", "Featherstone")
IDS = itertools.count(770_000_000, 10)
AN_ID = re.compile(r"(?<![\d.])770000\d{3}(?!\d)")
WORDS = ("good", "fair", "bad")
FIRST_LABEL = datetime(2026, 3, 2, 9, tzinfo=UTC)


def single(lead: User) -> Report:
    return new_report(Question.Kind.SINGLE, lead)


def multiple(lead: User) -> Report:
    return new_report(Question.Kind.MULTIPLE, lead)


def number(lead: User) -> Report:
    return new_report(Question.Kind.NUMBER, lead)


def new_report(kind: str, lead: User, *, people=NAMES, called=None) -> Report:
    """people: in the order in which they join. called: by what names, in place of their own."""
    project = cast.new_project("Shared", unique=True)
    project.memberships.create(user=lead, role="lead")
    categories = () if kind == Question.Kind.NUMBER else WORDS
    level = Question.Level.INTERVAL if kind == Question.Kind.NUMBER else Question.Level.NOMINAL
    question = new_question(project, key="tone", categories=categories, kind=kind, level=level)
    kinds = dict.fromkeys(people, Rater.Kind.HUMAN) | {
        "Montezuma": Rater.Kind.MODEL,
        "Featherstone": Rater.Kind.REFERENCE,
    }
    first_id = next(IDS)
    raters = {
        name: Rater.objects.create(
            pk=first_id + place,
            project=project,
            key=(called or {}).get(name, name),
            kind=kinds[name],
            # Of raters, attributes may say who they are.
            attributes={"alias": f"also {(called or {}).get(name, name)}", "group": "ab"[place % 2]},
        )
        for place, name in enumerate(people)
    }
    _label(question, raters)
    return finished_report(project, lead)


def _label(question, raters) -> None:
    items = keyed(Item, question.project, (f"itemkey-{number:03}" for number in range(40)))
    for item in items.values():
        item.content = [{"type": "text", "value": f"wordsof{item.key[-3:]}"}]
        item.attributes = {"length": "short" if int(item.key[-3:]) % 2 else "long"}
        item.save()
    categories = list(question.categories.order_by("position"))
    labels = []
    for name in NAMES:
        chance = random.Random(name)
        for place, item in enumerate(items.values()):
            if chance.random() < 0.9:
                off = place % 3 if chance.random() < 0.7 else chance.randrange(3)
                labels.append(
                    Label(
                        item=item,
                        rater=raters[name],
                        question=question,
                        labelled_at=FIRST_LABEL + timedelta(hours=place),
                        **_said(question, categories, off, chance),
                    )
                )
    Label.objects.bulk_create(labels)


def _said(question, categories, off, chance):
    if question.kind == Question.Kind.NUMBER:
        return {"number": off * 10 + chance.randrange(5)}
    if question.kind == Question.Kind.MULTIPLE:
        chosen = {categories[off].pk} | ({categories[0].pk} if chance.random() < 0.3 else set())
        return {"category_set": sorted(chosen)}
    return {"category": categories[off]}
