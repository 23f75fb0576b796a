"""The log of what was done about access."""

import json
import logging

import pytest
from django.db import DatabaseError, connection, transaction

from projects.events import events_of, record
from projects.models import Event
from tests import cast


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE projects_event SET about = 'x'",
        "DELETE FROM projects_event",
        "TRUNCATE projects_event",
    ],
)
def test_nobody_rewrites_it(project, lead, statement):
    record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about="rita")

    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        connection.cursor().execute(statement)

    assert Event.objects.get().about == "rita"


def test_a_name_cannot_forge_a_line(project, lead, caplog):
    forged = 'rita\nmember_removed {"by": "lena"}\r\u2028\u202eevil\0'

    with caplog.at_level(logging.INFO, logger="projects.events"):
        event = record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about=forged, role="rater")

    (line,) = caplog.messages
    assert line.isascii()
    assert line.isprintable()
    kind, _, words = line.partition(" ")
    assert kind == "member_joined"
    assert json.loads(words) == {
        "project": project.slug,
        "by": "lena",
        "about": forged.replace("\0", ""),
        "role": "rater",
    }
    assert event.about == forged.replace("\0", "")


def test_events_of_a_project_are_its_own_newest_first(project, lead):
    other = cast.new_project("Other")
    record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about="first")
    record(Event.Kind.MEMBER_JOINED, by=lead, project=other, about="elsewhere")
    record(Event.Kind.SIGNED_IN, by=lead, about="nowhere")
    record(Event.Kind.MEMBER_REMOVED, by=lead, project=project, about="second")

    assert [event.about for event in events_of(project)] == ["second", "first"]
    assert str(events_of(project)[0]).startswith("member_removed ")


def test_what_is_rolled_back_was_not_done(project, lead):
    with transaction.atomic():
        record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about="rita")
        transaction.set_rollback(True)

    assert not Event.objects.exists()
