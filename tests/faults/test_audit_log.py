"""P24: what is done about access, and what comes in and goes out, is in the log once; asked of every route that writes.

That signing in and failing to is, tests/raters/test_accounts.py asks; looks, test_label_access.py.
"""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from core.tables.sources import bytes_of
from projects.forms import ProjectForm
from projects.items.item_columns import ItemOptions
from projects.models import Event
from raters.imports import actions
from raters.imports.actions import NamedSource
from raters.imports.file_kinds import KINDS
from raters.imports.label_options import LabelOptions
from raters.models import LabelImport
from tests import live as living
from tests.config.routes import ROWS
from tests.config.routes.asking import client_of
from tests.config.routes.row import Row
from tests.faults.matrix import send, undone
from tests.finished import World, new_world
from tests.sizes import FULL

pytestmark = pytest.mark.faults

# By the row of the table of routes; where there are two of a name, the one that does something.
LOGGED = {
    "post final_rule": "final_rule_changed",
    "patch api_final_rule": "final_rule_changed",
    "post audit_certify": "audit_certified",
    "post api_audit_certificates": "audit_certified",
    "post audit_review_label": "audit_reviewed",
    "put api_audit_label_review": "audit_reviewed",
    "post import_undo": "import_undone",
    "post api_import_undo": "import_undone",
    "post codebook_question_new": "codebook_changed",
    "post codebook_publish": "codebook_published",
    "post codebook_draft_discard": "codebook_drafted",
    "post codebook_question_delete": "codebook_changed",
    "post codebook_question_move": "codebook_changed",
    "post codebook_category_add": "codebook_changed",
    "post codebook_category_delete": "codebook_changed",
    "post codebook_category_move": "codebook_changed",
    "post api_items": "imported",
    "post api_labels": "imported",
    "post codebook_question_kind": "codebook_changed",
    "post api_question_kind": "codebook_changed",
    "post api_guidelines": "guidelines_changed",
    "patch api_question": "codebook_changed",
    "delete api_question": "codebook_changed",
    "post api_questions": "codebook_changed",
    "post api_categories": "codebook_changed",
    "patch api_category": "codebook_changed",
    "delete api_category": "codebook_changed",
    "patch api_project": "guidelines_changed",
    "post invite": "invitation_made",
    "post invitation_revoke": "invitation_withdrawn",
    "post api_invitations": "invitation_made",
    "delete api_invitation": "invitation_withdrawn",
    "post member_change": "role_changed",
    "post member_remove": "member_removed",
    "delete api_member": "member_removed",
    "post project_leave": "member_removed",
    "delete api_own_membership": "member_removed",
    "post session_end": "session_ended",
    "post token_create": "token_made",
    "post token_revoke": "token_revoked",
    "post api_tokens": "token_made",
    "delete api_token": "token_revoked",
    "post webhooks": "webhook_made",
    "post webhook": "webhook_changed",
    "post webhook_secret": "webhook_changed",
    "post webhook_delete": "webhook_deleted",
    "post api_webhooks": "webhook_made",
    "patch api_webhook": "webhook_changed",
    "delete api_webhook": "webhook_deleted",
    "post api_webhook_secret": "webhook_changed",
    "post model_run_cancel": "model_run_canceled",
    "post api_model_run_cancel": "model_run_canceled",
    "get project_file": "exported",
    "get api_project_file": "exported",
    "get report_export": "exported",
    "get api_export": "exported",
    "get log_file": "exported",
    "get scorecard_file": "exported",
    "get api_events_file": "exported",
    "get finals_file": "final_labels_taken",
    "get labels_file": "exported",
    "get api_label_export": "exported",
    "post media_remove": "media_changed",
    "delete api_medium": "media_changed",
    "post item_withdraw": "item_withdrawn",
    "post item_attributes": "project_changed",
    "post rater_attributes": "project_changed",
    "put api_item_withdrawal": "item_withdrawn",
    "patch api_round": "round_changed",
    "delete api_round": "round_deleted",
    "post round_delete": "round_deleted",
    "post round_pause": "round_paused",
    "post api_round_pause": "round_paused",
    "post round_set_back": "round_set_back",
    "post api_round_set_back": "round_set_back",
    "post quality_rule": "quality_rule_changed",
    "put api_quality_rule": "quality_rule_changed",
    "post quality_alert_close": "quality_alert_closed",
    "post api_quality_alert_close": "quality_alert_closed",
    "post rater_pause": "rater_paused",
    "put api_rater_pause": "rater_paused",
    "post label_resume": "rater_resumed",
    "delete api_own_pause": "rater_resumed",
    "post round_pass": "pass_decided",
    "put api_round_pass": "pass_decided",
    "post round_attempt": "attempt_given",
    "post api_round_attempt": "attempt_given",
    "post thread_reply": "question_answered",
    "post api_thread_reply": "question_answered",
    "post thread_into_guidelines": "guidelines_changed",
    "post unclear_reply": "question_answered",
    "post api_unclear_reply": "question_answered",
    "post own_thread": "question_asked",
    "post api_own_thread": "question_asked",
    "post round_adaptive": "adaptive_changed",
    "put api_round_adaptive": "adaptive_changed",
    "delete api_round_adaptive": "adaptive_changed",
    "post round_close": "round_closed",
    "post api_round_close": "round_closed",
    "post round_reveal": "reveal_refused",
    "post report_rename": "report_named",
    "post report_items_list": "item_list_made",
    "post api_item_lists": "item_list_made",
    "patch api_report": "report_named",
    "post report_share": "report_shared",
    "post report_link_revoke": "report_link_withdrawn",
    "post api_report_links": "report_shared",
    "delete api_report_link": "report_link_withdrawn",
}
# Of what they do, labels have a history of their own, and reports and imports are rows that stay.
ASKED = [row for row in ROWS if row.method != "get" or str(row) in LOGGED]
# Several changes at once; each is told.
SEVERAL = {"post api_codebook_copy", "post codebook_publish"}


@pytest.fixture(scope="module")
def logged_world(live_database: str, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), living.use_database(live_database):
        yield new_world("logged", n_items=4, n_raters=3)


def kinds_since(last: int) -> list[str]:
    return list(Event.objects.filter(pk__gt=last).order_by("pk").values_list("kind", flat=True))


def last_event() -> int:
    return Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def logged_by(world: World, row: Row) -> list[str]:
    with undone():
        subject = (
            "rater" if row.answers[2] in {200, 201, 204, 302} and row.answers[5] in {404, 409} else "lead"
        )
        client = client_of(world, subject)
        # What it is about is made after signing in, which clears old sessions away.
        address, last = reverse(row.name, args=row.args(world)) + row.query, last_event()
        send(client, row, address)
        return kinds_since(last)
    raise AssertionError("not reached")


def test_each_change_is_logged_once_and_nothing_else(logged_world):
    wrong = []
    for row in ASKED[:: 1 if FULL else 6]:
        expected = [LOGGED[str(row)]] if str(row) in LOGGED else []
        told = logged_by(logged_world, row)
        if told != expected and str(row) not in SEVERAL:
            wrong.append(f"{row}: {told}, not {expected}")

    assert wrong == []
    assert set(LOGGED) <= {str(row) for row in ASKED}


# A change of each setting, and the events that it leaves; by the page and by the API.
SETTINGS = {
    "name": ("Another name", ["project_changed"]),
    "state": ("closed", ["project_closed"]),
    "is_codebook_closed": (True, ["project_changed"]),
    "coefficient": ("krippendorff_alpha", ["project_changed"]),
    "reading_scale": ("none", ["project_changed"]),
    "thresholds_for": ("alpha", ["project_changed"]),
    "thresholds": ([{"from": 0.5, "name": "enough"}], ["project_changed"]),
    "shows_names": (True, ["project_changed"]),
    "shows_own_figures": (True, ["project_changed"]),
    "adjudicators_see_names": (False, ["project_changed"]),
    "adjudication_reasons": (["A reason"], ["project_changed"]),
    "one_key_saving": ("off", ["project_changed"]),
    "main_field": ("Report", ["project_changed"]),
    "fields_hidden": (["Author"], ["project_changed"]),
    "fields_side_by_side": (["A", "B"], ["project_changed"]),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_logged_once_from_every_entry_point(logged_world, name):
    value, expected = SETTINGS[name]
    slug, client = logged_world.project.slug, client_of(logged_world, "lead")
    form = ProjectForm(instance=logged_world.project)
    fields = {each.name: each.value() for each in form} | {name: value}
    fields = {key: form.fields[key].prepare_value(each) for key, each in fields.items()}
    sent = {key: each for key, each in fields.items() if each not in (False, None)}

    found = []
    for _ in range(2):
        with undone():
            last = last_event()
            if not found:
                client.post(reverse("project_edit", args=[slug]), sent)
            else:
                client.patch(reverse("api_project", args=[slug]), {name: value}, "application/json")
            found.append(kinds_since(last))

    assert set(SETTINGS) == set(ProjectForm.Meta.fields)
    assert found == [expected, expected]


@pytest.mark.parametrize("way", ["page", "api"])
def test_deleting_and_restoring_a_project_are_logged_once(logged_world, way):
    slug, client, body = (
        logged_world.project.slug,
        client_of(logged_world, "lead"),
        {"name": logged_world.project.name},
    )
    api = reverse("api_project_deletion", args=[slug])
    with undone():
        last = last_event()
        for _ in range(2):
            if way == "page":
                client.post(reverse("project_delete", args=[slug]), body)
            else:
                client.post(api, body, "application/json")
        for _ in range(2):
            client.post(reverse("project_restore", args=[slug])) if way == "page" else client.delete(api)

        assert kinds_since(last) == ["project_deletion_requested", "project_deletion_canceled"]


def test_replaced_items_and_changed_questions_are_logged_once(logged_world):
    """One event for the file, and one for each question that it changes, with the old text and the new."""
    with undone():
        at_once_import(logged_world, LabelImport.Kind.ITEMS, b"item,text\nitem-00000,old\n")
        last = last_event()
        at_once_import(logged_world, LabelImport.Kind.ITEMS, b"item,text\nitem-00000,new\n")
        at_once_import(
            logged_world, LabelImport.Kind.QUESTIONS, b"question,prompt,labels\nanswer,Why?,good|fair|bad\n"
        )

        told = list(Event.objects.filter(pk__gt=last).order_by("pk").values_list("kind", "detail"))
        assert [kind for kind, _ in told] == ["imported", "imported", "codebook_changed"]
        assert told[0][1]["replaced"] == 1
        assert told[2][1]["changed"]["prompt"]["new"] == "Why?"


def at_once_import(world: World, kind: LabelImport.Kind, content: bytes) -> None:
    options = KINDS[kind].options(replace=True)
    draft = actions.upload(world.project, "file.csv", bytes_of(content)(), options, by=world.lead, kind=kind)
    actions.confirm(draft, by=world.lead, seen=actions.digest_of_check(draft))


def test_a_canceled_import_is_logged_once(logged_world):
    with undone():
        content = bytes_of(b"item\na\n")()
        draft = actions.upload(
            logged_world.project,
            "items.csv",
            content,
            ItemOptions(),
            by=logged_world.lead,
            kind=LabelImport.Kind.ITEMS,
        )
        last, client = last_event(), client_of(logged_world, "lead")
        for _ in range(2):
            client.post(reverse("import_cancel", args=[logged_world.project.slug, draft.pk]))

        told = Event.objects.filter(pk__gt=last, kind__startswith="import").values_list("kind", "about")
        assert list(told) == [("import_canceled", "items.csv")]


def test_an_import_is_logged_once(logged_world):
    with undone():
        last = last_event()
        labels = NamedSource(
            "labels.csv", bytes_of(b"item,rater,question,label\nitem-00000,new,answer,good\n")
        )
        actions.import_now(logged_world.project, labels, LabelOptions(), by=logged_world.lead)
        draft = actions.upload(
            logged_world.project,
            "items.csv",
            bytes_of(b"item\na\n")(),
            ItemOptions(),
            by=logged_world.lead,
            kind=LabelImport.Kind.ITEMS,
        )
        actions.confirm(draft, by=logged_world.lead, seen=actions.digest_of_check(draft))

        told = Event.objects.filter(pk__gt=last).order_by("pk").values_list("kind", "user_name", "about")
        name = logged_world.lead.username
        assert list(told) == [("imported", name, "labels.csv"), ("imported", name, "items.csv")]
