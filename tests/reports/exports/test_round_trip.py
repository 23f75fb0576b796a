"""Labels that are exported and imported elsewhere come back whole, to the byte."""

from datetime import UTC, datetime

import pytest

from projects.models import Round
from raters.models import Label, Rater
from tests import cast
from tests.files import load
from tests.finished import finished_report
from tests.reports.exports.test_tables import csv_rows, taken
from tests.reports.looking import led_by


@pytest.fixture
def fully_labeled(mixed):
    """A project whose labels have all that a label can have."""
    labels = list(Label.objects.filter(question__project=mixed, question__key="=answer").order_by("pk"))
    first, second, third, fourth = labels[:4]
    round_ = Round.objects.create(project=mixed, key="=round 1", position=1)
    Label.objects.filter(pk__in=[label.pk for label in labels]).update(round=round_)
    Label.objects.filter(pk=first.pk).update(
        note="=1+1\nand a second line, “quoted”",
        seconds=12.25,
        labelled_at=datetime(2026, 3, 2, 10, 11, 0, 100, UTC),
    )
    Label.objects.filter(pk=second.pk).update(
        is_abstention=True, category=None, reason="too blurred", note="'why"
    )
    Label.objects.filter(pk=third.pk).update(guidelines_version=2, seconds=0)
    Label.objects.create(
        item=fourth.item, question=fourth.question, rater=fourth.rater, category=first.category, pass_number=2
    )
    Rater.objects.filter(project=mixed, key="+1").update(kind=Rater.Kind.MODEL)
    return mixed


def test_long_labels_come_back_to_the_byte(client, lead, fully_labeled):
    sent = taken(client, finished_report(fully_labeled, lead), "labels-long.csv")
    other = led_by(lead, cast.new_project("Copy", unique=True))

    load(other, sent)
    back = taken(client, finished_report(other, lead), "labels-long.csv")

    assert back.decode() == sent.decode()
    assert {row["cannot_tell"] for row in csv_rows(sent)} == {"0", "1"}


def test_wide_labels_come_back_to_the_byte(client, lead, own_cats):
    sent = taken(client, finished_report(own_cats, lead), "labels-wide.csv")
    other = led_by(lead, cast.new_project("Copy", unique=True))

    load(other, sent)
    back = taken(client, finished_report(other, lead), "labels-wide.csv")

    assert back.decode() == sent.decode()


def test_wide_labels_of_several_questions_and_passes_come_back(client, lead, fully_labeled):
    """An empty cell of a wide file may be no answer, "cannot tell" or an empty set: only the long file tells."""
    Label.objects.filter(question__project=fully_labeled, is_abstention=True).delete()
    Label.objects.filter(question__project=fully_labeled, category_set=[]).delete()
    sent = taken(client, finished_report(fully_labeled, lead), "labels-wide.csv")
    other = led_by(lead, cast.new_project("Copy", unique=True))

    load(other, sent)
    back = taken(client, finished_report(other, lead), "labels-wide.csv")

    assert back.decode() == sent.decode()
