"""Erasing a person: nothing names them any more, and their labels stay."""

import json
import secrets

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from projects import actions
from projects.events import forget, record
from projects.members import invitations
from projects.models import Event, Membership
from raters.accounts.erasing import CannotErase, erase
from raters.linking import actions as linking
from raters.models import Label, LabelImport, LabelRevision, NotificationChoice, Rater, User
from raters.notifications.notification_kinds import How, Topic
from raters.notifications.preferences import choices_of, choose
from reports.store.history_verification import verify_history
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import labeled_project


@pytest.fixture
def owner(db) -> User:
    return cast.person("olga", is_superuser=True)


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def tables_that_name(text: str) -> dict[str, int]:
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT count(*) FROM {table} t WHERE t::text ILIKE %s", [f"%{text}%"])
            found[table] = cursor.fetchone()[0]
    return {table: n for table, n in found.items() if n}


def test_nothing_in_the_database_names_them_and_reports_still_verify(committed_db):
    name = f"wilma{secrets.token_hex(4)}"
    project = labeled_project(f"Erased {secrets.token_hex(4)}", n_items=12, n_raters=3)
    lead = cast.member(project, Membership.Role.LEAD, username="lead", unique=True)
    person = User.objects.create(username=name, email=f"{name}@example.org", first_name=name)
    record(Event.Kind.MEMBER_JOINED, by=lead, project=project, about=person.username)
    by_name, _ = invitations.invite(project, by=lead, role="rater", username=name.upper())
    invitations.decline(by_name, by=person)
    Membership.objects.create(project=project, user=person, role="rater")
    rater = Rater.objects.filter(project=project).first()
    Rater.objects.filter(pk=rater.pk).update(key=f"Dr. {name.upper()}", kind="human")
    linking.link(Rater.objects.get(pk=rater.pk), by=lead, user=person)
    EmailAddress.objects.create(user=person, email=f"{name}@example.org", verified=True)
    invitations.invite(project, by=lead, role="rater", email=f"{name}@example.org")
    elsewhere = cast.new_project(f"Elsewhere {secrets.token_hex(4)}")
    invitations.invite(elsewhere, by=lead, role="rater", username=name)
    record(Event.Kind.SESSION_ENDED, by=person, about=name)
    record(Event.Kind.SIGNED_IN, by=person, about=name)
    record(Event.Kind.SIGN_IN_FAILED, about=f"{name}@EXAMPLE.org")
    # As version 0.1.0 wrote them.
    record(Event.Kind.RATER_LINKED, by=lead, project=project, about="x", user=name)
    record(Event.Kind.ROUND_CHANGED, by=lead, project=project, about="r", raters=["other", name])
    plan = {"raters": [f"Dr. {name.upper()}", "other"], "by": name}
    round_ = project.rounds.create(key="planned", plans=[plan])
    LabelImport.objects.create(
        project=project, file_name="x", sha256="", n_bytes=1, state="done",
        preview={"new": {"rater": {"names": [f"Dr. {name.upper()}"]}}},
    )  # fmt: skip
    report = finished_report(project, lead, reference=f"Dr. {name.upper()}")
    n_labels = Label.objects.filter(rater=rater).count()
    assert {"raters_rater", "reports_questionagreement", "projects_batch"} <= set(tables_that_name(name))

    with transaction.atomic():
        erase(person, by=lead, username=name)

    assert tables_that_name(name) == {}
    assert not invitations.usable().filter(project__in=[project, elsewhere]).exists()
    assert verify_history(project).faults == []
    assert verify(report) == []
    assert Label.objects.filter(rater=rater).count() == n_labels > 0
    round_.refresh_from_db()
    assert round_.plans == [{"raters": [f"rater-{rater.pk}", "other"], "by": f"erased-{person.pk}"}]
    agreement = report.questions.get()
    assert f"rater-{rater.pk}" in [each["key"] for each in agreement.raters]
    last = Event.objects.filter(kind="person_erased").latest("pk")
    assert (last.user_id, last.about, last.detail) == (
        lead.pk,
        f"erased-{person.pk}",
        {"account": person.pk},
    )
    assert Event.objects.get(project_id=project.pk, kind="member_removed").about == f"erased-{person.pk}"


def test_every_way_in_is_gone(project, rita, owner):
    client = client_of(rita)
    key = client.session.session_key
    UserSession.objects.create(user=rita, session_key=key, ip="192.0.2.7", user_agent="Firefox")
    _, token = AuthToken.objects.create(user=rita)
    Authenticator.objects.create(user=rita, type="totp", data={})
    with transaction.atomic():
        erase(rita, by=owner, username="rita")

    rita.refresh_from_db()
    assert (rita.username, rita.is_active, rita.has_usable_password()) == (f"erased-{rita.pk}", False, False)
    assert client.get("/").status_code == 302
    assert Client().get("/api/v1/projects/", headers={"Authorization": f"Token {token}"}).status_code == 401
    assert not Membership.objects.filter(user=rita).exists()
    left = (model.objects.count() for model in (AuthToken, Authenticator, EmailAddress, Session, UserSession))
    assert sum(left) == 0


def test_others_are_left_alone(project, lead, auditor, owner):
    actions.change_project(project, by=lead, name="Second")
    record(Event.Kind.IMPORTED, by=lead, project=project, about="otto")
    before = list(Event.objects.order_by("pk").values_list())

    with pytest.raises(DatabaseError, match="is not erased"), transaction.atomic():
        forget(auditor.pk, "otto")

    assert list(Event.objects.order_by("pk").values_list()) == before


def test_the_only_lead_is_not_erased(project, lead, owner):
    with pytest.raises(CannotErase, match="only lead of Reviews"):
        erase(lead, by=owner, username="lena")


@pytest.mark.parametrize("typed", ["Rita", "rita ", ""])
def test_the_name_is_typed_to_confirm(rita, owner, typed):
    with pytest.raises(CannotErase, match="exactly"):
        erase(rita, by=owner, username=typed)


def test_an_owner_does_not_erase_themselves_and_nobody_is_erased_twice(rita, owner):
    with pytest.raises(CannotErase, match="your own"):
        erase(owner, by=owner, username="olga")
    with transaction.atomic():
        erase(rita, by=owner, username="rita")
    with pytest.raises(CannotErase, match="already"):
        erase(rita, by=owner, username=f"erased-{rita.pk}")


def test_a_pseudonym_that_somebody_has_is_not_taken(project, rita, owner):
    cast.person(f"erased-{rita.pk}")
    rater = Rater.objects.create(project=project, key="rita", user=rita)
    Rater.objects.create(project=project, key=f"rater-{rater.pk}")

    with transaction.atomic():
        erase(rita, by=owner, username="rita")

    rita.refresh_from_db()
    rater.refresh_from_db()
    assert (rita.username, rater.key) == (f"erased-{rita.pk}x", f"rater-{rater.pk}x")


def test_by_page_api_and_command(project, rita, auditor, adjudicator, owner):
    client = client_of(owner)
    page = reverse("person_erase", args=[rita.pk])
    api = reverse("api_person_erase", args=[auditor.pk])

    assert "rita" in client.get(reverse("people")).content.decode()
    assert client.get(page).status_code == 200
    assert client.post(page, {"username": "x"}).status_code == 400
    with transaction.atomic():
        assert client.post(page, {"username": "rita"}).status_code == 302
        body = json.dumps({"username": "otto"})
        shown = client.post(api, body, content_type="application/json").json()
        with pytest.raises(CommandError):
            call_command("erase_person", "ada", confirm="x")
        call_command("erase_person", "ada", confirm="ada", by="olga")

    assert shown == {"id": auditor.pk, "username": f"erased-{auditor.pk}", "is_active": False}
    assert {row["username"] for row in client.get(reverse("api_people")).json()["results"]} == {
        "olga",
        *(f"erased-{user.pk}" for user in (rita, auditor, adjudicator)),
    }
    assert Event.objects.filter(kind="person_erased", user_name="olga").count() == 3


def test_the_history_of_labels_keeps_who_by_number(committed_db):
    """Revisions have no names, so there is nothing to rewrite in them."""
    names = {each.name for each in LabelRevision._meta.concrete_fields}
    assert "user_id" in names
    assert not names & {"user_name", "rater_key"}


def test_the_list_offers_neither_oneself_nor_who_was_erased(rita, stranger, owner):
    with transaction.atomic():
        erase(rita, by=owner, username="rita")

    shown = client_of(owner).get(reverse("people")).content.decode()

    offered = [user for user in (rita, stranger, owner) if reverse("person_erase", args=[user.pk]) in shown]
    assert offered == [stranger]


def test_the_only_owner_is_not_erased(owner):
    with pytest.raises(CommandError, match="only server owner"):
        call_command("erase_person", owner.username, confirm=owner.username)


def test_what_others_chose_to_be_notified_of_stays(owner):
    leaving, staying = cast.person("leonie"), cast.person("stella")
    topic = next(iter(Topic))
    for person in (leaving, staying):
        choose(person, {topic: How.OFF if person == staying else How.AT_ONCE})

    erase(leaving, by=owner, username="leonie")

    assert not NotificationChoice.objects.filter(user=leaving).exists()
    assert choices_of(staying)[topic] == How.OFF
    assert choices_of(owner) != choices_of(staying)
