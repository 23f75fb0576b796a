"""What is kept for a time only is cleared away after it, and nothing else."""

from datetime import timedelta
from io import StringIO
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from core.runs.dispatcher import CLEAR_EVERY, Dispatcher
from projects.members import invitations
from projects.models import Invitation
from raters.expiring import clear_expired
from raters.models import CachedValue, ImportChunk, LabelImport, Submission


def ago(**age: float):
    return timezone.now() - timedelta(**age)


def new_import(project, state: str, asked_at) -> LabelImport:
    run = LabelImport.objects.create(
        project=project, file_name="x", sha256="", n_bytes=1, state=state, asked_at=asked_at,
        preview={"staged": {"columns": [], "places": {}}, "new": {}, "other_tables": []},
    )  # fmt: skip
    run.chunks.create(position=0, content=b"x")
    return run


@pytest.mark.parametrize(
    ("state", "asked_at", "after", "n_chunks"),
    [
        ("draft", {"hours": 25}, "cancelled", 0),
        ("draft", {"hours": 23}, "draft", 1),
        ("queued", {"days": 9}, "queued", 1),
        ("running", {"days": 9}, "running", 1),
        ("done", {"minutes": 1}, "done", 0),
        ("failed", {"minutes": 1}, "failed", 0),
    ],
)
def test_drafts_and_the_files_of_ended_imports(project, state, asked_at, after, n_chunks):
    run = new_import(project, state, ago(**asked_at))

    clear_expired()

    run.refresh_from_db()
    assert (run.state, ImportChunk.objects.count()) == (after, n_chunks)


def test_the_page_of_a_draft_says_when_it_expires(project, lead):
    run = new_import(project, "draft", ago(hours=1))
    client = Client()
    client.force_login(lead)

    response = client.get(run.get_absolute_url())

    assert response.context["run"].expires_at == run.asked_at + timedelta(days=1)
    assert 'id="expires"' in response.content.decode()


@pytest.mark.parametrize(("age", "stays"), [({"days": 31}, False), ({"days": 29}, True)])
def test_submissions(db, age, stays):
    Submission.objects.create(user_id=1, key=uuid4(), digest=b"x", status=200, answer={}, at=ago(**age))

    clear_expired()

    assert Submission.objects.exists() == stays


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ({"expires_at": {"days": 91}}, False),
        ({"expires_at": {"days": 89}}, True),
        ({"withdrawn_at": {"days": 91}}, False),
        ({"withdrawn_at": {"days": 1}}, True),
        ({}, True),
    ],
)
def test_invitations_and_who_came_by_them(project, lead, stranger, fields, stays):
    invitation, key = invitations.invite(project, by=lead, role="rater", max_uses=2)
    invitations.redeem(invitations.hashed(key), user=stranger, addresses=[])
    times = {name: ago(**age) for name, age in fields.items()}
    if times:
        Invitation.objects.filter(pk=invitation.pk).update(**times)

    clear_expired()

    assert Invitation.objects.exists() == stays
    assert project.memberships.filter(user=stranger).exists()


def test_sessions_tokens_and_cached_values(rita):
    for days in (-1, 1):
        end = timezone.now() + timedelta(days=days)
        Session.objects.create(session_key=f"s{days}", session_data="x", expire_date=end)
        made, _ = AuthToken.objects.create(user=rita)
        AuthToken.objects.filter(pk=made.pk).update(expiry=end)
        CachedValue.objects.create(key=f"k{days}", value=[1], expires_at=end)
    CachedValue.objects.create(key="for ever", value=[1])

    out = StringIO()
    call_command("clear_expired", stdout=out)

    assert list(Session.objects.values_list("session_key", flat=True)) == ["s1"]
    assert AuthToken.objects.count() == 1
    assert set(CachedValue.objects.values_list("key", flat=True)) == {"k1", "for ever"}
    assert out.getvalue().splitlines() == [
        "1 sessions cleared",
        "1 tokens cleared",
        "1 cached values cleared",
    ]


def test_the_dispatcher_clears_once_an_hour(db):
    dispatcher = Dispatcher()
    with patch("core.runs.dispatcher.time.monotonic") as now:
        found = []
        for now.return_value in (1e6, 1e6 + 60, 1e6 + CLEAR_EVERY - 1, 1e6 + CLEAR_EVERY):
            Submission.objects.create(
                user_id=1, key=uuid4(), digest=b"", status=200, answer={}, at=ago(days=99)
            )
            dispatcher.clear()
            found.append(Submission.objects.count())

    assert found == [0, 1, 2, 0]


def test_what_cannot_be_cleared_does_not_stop_the_dispatcher(db, caplog):
    dispatcher = Dispatcher()
    with patch("core.runs.dispatcher.call_command", side_effect=DatabaseError):
        dispatcher.clear()

    assert "Could not delete" in caplog.text
