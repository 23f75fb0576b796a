"""Every look at labels, or at figures of them, by someone who also rates is logged: on every page, in every answer.

What shows labels is not listed anywhere: it is what looks otherwise when labels are changed.
"""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from projects.models import Event, Item, Round
from raters.actions import rater_of
from raters.models import Assignment, Label, Notification, Rater
from reports.models import QuestionAgreement, Report
from tests import cast
from tests.config.routes import ROWS
from tests.config.routes.row import Row
from tests.faults.blind_world import undone
from tests.faults.matrix import send
from tests.faults.walking import masked
from tests.finished import World, finished_report, new_world
from tests.sizes import FULL

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
Kind = Event.Kind
# A file that is taken away has its own entry, which says whose hands it went into.
LOOKS = {Kind.LABELS_SEEN, Kind.EXPORTED, Kind.FINAL_LABELS_TAKEN, Kind.REPORT_LINK_OPENED}
EVERY = 1 if FULL else 10
UNTOLD = "|".join(
    [
        r"\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d\d:\d\d\b",
        '<code title="[0-9a-f]{64}">[0-9a-f]{8}</code>',
        r"/join/[\w-]{43}/",
        r"whsec_[\w+/]{43}=",
    ]
)


@pytest.fixture
def labeled_world(committed_db, monkeypatch) -> World:
    """Its lead has labeled in a round that is closed."""
    made = new_world("looks", n_items=4, n_raters=3)
    round_ = Round.objects.create(project=made.project, key="over", state=Round.State.CLOSED)
    Assignment.objects.create(rater=rater_of(made.project, made.lead), item=made.item, round=round_)
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    # Every page shows how many there are, such as of reports that are done.
    Notification.objects.filter(project=made.project).delete()
    return made


def asked(world: World, row: Row, subject: str = "lead") -> tuple[int, str, bool]:
    """What this one is answered, and whether the look was logged."""
    with undone():
        address = reverse(row.name, args=row.args(world)) + row.query
        client = Client(raise_request_exception=False)
        cast.sign_in(client, world.people[subject])
        last = Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        answer = send(client, row, address)
        # Wherever it is told of: a look at this project is none at another.
        looks = Event.objects.filter(pk__gt=last, kind__in=LOOKS)
        # When a row was made, the database says, whose clock goes on. Digests, invitations, and
        # secrets tell nothing of labels.
        text = re.sub(UNTOLD, "", masked(answer.content.decode(errors="replace")))
        return answer.status_code, text, looks.exists()
    raise AssertionError("not reached")


def change_labels(world: World) -> None:
    """All that others said becomes something else; the report is as if it had always been of that."""
    mine = Rater.objects.get(project=world.project, user=world.lead)
    categories = list(world.agreement.question.categories.all())
    for number, label in enumerate(Label.objects.filter(item__project=world.project).exclude(rater=mine)):
        place = (categories.index(label.category) + 1 + number % 2) % len(categories)
        Label.objects.filter(pk=label.pk).update(category=categories[place], note=f"Note {number}")
    new = finished_report(world.project, world.lead)
    QuestionAgreement.objects.filter(report=world.report).delete()
    QuestionAgreement.objects.filter(report=new).update(report=world.report)
    found = Report.objects.values("codebook", "snapshot", "digest").get(pk=new.pk)
    Report.objects.filter(pk=world.report.pk).update(**found)
    new.delete()
    Notification.objects.filter(project=world.project).delete()


def test_what_labels_change_is_logged_when_one_who_rates_looks_at_it(labeled_world):
    # A notification is made for the request, with an ID of its own.
    rows = [row for row in ROWS[::EVERY] if row.name != "api_notification_read"]
    before = [asked(labeled_world, row) for row in rows]
    change_labels(labeled_world)
    after = [asked(labeled_world, row) for row in rows]

    looked = {
        str(row): second[2]
        for row, first, second in zip(rows, before, after, strict=True)
        if second[0] == 200 and first[1] != second[1]
    }

    assert len(looked) >= 20 / EVERY
    assert [name for name, is_logged in looked.items() if not is_logged] == []


def test_who_does_not_rate_looks_without_a_line_for_each_page(labeled_world):
    rows = [row for row in ROWS if row.name in {"report_question", "item", "api_matrix", "progress"}]
    elsewhere = cast.new_project("elsewhere", unique=True)
    item = Item.objects.create(project=elsewhere, key="item")
    Assignment.objects.create(rater=rater_of(elsewhere, labeled_world.people["auditor"]), item=item)

    assert [asked(labeled_world, row, "auditor")[0::2] for row in rows] == [(200, False)] * 4
