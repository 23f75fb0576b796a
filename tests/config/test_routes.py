"""Who may follow which route: a row for every route that the resolver knows, so that a new one without a row fails."""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from knox.models import AuthToken

from core.tables.sources import bytes_of
from projects.imports.options import ReadOptions
from projects.members import invitations
from projects.models import Membership, Project, Round
from raters.actions import rater_of
from raters.imports import actions
from raters.models import Assignment, Label, LabelImport, Rater
from reports.models import LaterFigures, Report
from reports.store import links
from tests.config import adjudication_rows as adjudication
from tests.config import codebook_rows, media_rows
from tests.config.access_table import FILE, SUBJECTS, document
from tests.finished import World, draft_import, new_world

# What each subject is answered, in the order of SUBJECTS.
PUBLIC = (200,) * 6
ACCOUNT = (302, *(200,) * 5)
SEE_PROJECT = (302, 404, 200, 200, 200, 200)
SEE_LABELS = (302, 404, 404, 200, 200, 200)
LEAD_ONLY = (302, 404, 403, 403, 403, 200)
# The form lacks what it needs.
LEAD_EMPTY = (302, 404, 403, 403, 403, 400)
LEAD_GOES_ON = (302, 404, 403, 403, 403, 302)
SHARE_GOES_ON = (302, 404, 404, 403, 403, 302)
ASK_GOES_ON = (302, 404, 404, 403, 302, 302)
SEE_LOG = (302, 404, 404, 200, 403, 200)
API_SEE_LOG = (401, 404, 404, 200, 403, 200)
# Owners of the server, whatever their role.
OWNERS_ONLY = (302, *(404,) * 5)
API_ACCOUNT = (401, *(200,) * 5)
API_SEE_PROJECT = (401, 404, 200, 200, 200, 200)
API_SEE_LABELS = (401, 404, 404, 200, 200, 200)
# The figures are left to a worker.
API_LOOK_LATER = (401, 404, 404, 202, 202, 202)
API_LEAD_ONLY = (401, 404, 403, 403, 403, 200)
API_SHARE = (401, 404, 404, 403, 403, 200)


def slug_only(world: World) -> list[Any]:
    return [world.project.slug]


@dataclass(frozen=True, slots=True)
class Row:
    """One request: the route's name, its method, what each subject is answered, and what it takes."""

    name: str
    answers: tuple[int, ...]
    method: str = "get"
    args: Callable[[World], list[Any]] = slug_only
    data: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    wrong_method: str = "delete"
    # False: what it takes is no part of a project.
    is_of_project: bool = True
    # True: it leads everyone on, also who is not signed in.
    leads_on: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    # True: an owner of the server may do it in any project.
    is_owners: bool = False

    @property
    def is_api(self) -> bool:
        return self.name.startswith("api_") and self.name not in {"api_help"}

    def __str__(self) -> str:
        return f"{self.method} {self.name}"


def nothing(world: World) -> list[Any]:
    return []


def report_args(world: World) -> list[Any]:
    return [world.project.slug, world.report.pk]


def queued_args(world: World) -> list[Any]:
    report = Report.objects.create(
        project=world.project, scope=world.report.scope, options={"weights": "linear"}, asked_by=world.lead
    )
    return [world.project.slug, report.pk]


def link_args(world: World) -> list[Any]:
    link, _ = links.share(world.report, by=world.lead)
    return [*report_args(world), link.pk]


def failed_args(world: World) -> list[Any]:
    slug, pk = queued_args(world)
    Report.objects.filter(pk=pk).update(state=Report.State.FAILED, failure="Because.")
    return [slug, pk]


def later_args(world: World) -> list[Any]:
    figures = LaterFigures.objects.create(
        agreement=world.agreement, what=LaterFigures.What.OVER_TIME, asked={"by": secrets.token_hex(4)}
    )
    return [world.project.slug, figures.pk]


def failed_later_args(world: World) -> list[Any]:
    slug, pk = later_args(world)
    LaterFigures.objects.filter(pk=pk).update(state=LaterFigures.State.FAILED, failure="Because.")
    return [slug, pk]


def question_args(world: World) -> list[Any]:
    return [*report_args(world), world.agreement.question_id]


def key_args(world: World) -> list[Any]:
    return [*report_args(world), world.agreement.question.key]


def pair_args(world: World) -> list[Any]:
    return [*question_args(world), world.pair.rater_a_id, world.pair.rater_b_id]


def rater_in_report_args(world: World) -> list[Any]:
    return [*question_args(world), world.pair.rater_a_id]


def own_page_args(world: World) -> list[Any]:
    """The rater's own page where the lead allows it: the labels are of a round that is revealed."""
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="revealed", defaults={"state": "closed", "revealed_at": timezone.now()}
    )
    Rater.objects.filter(project=world.project, user=world.people["rater"]).update(user=None)
    Rater.objects.filter(pk=world.pair.rater_a_id).update(user=world.people["rater"])
    Label.objects.filter(rater=world.pair.rater_a_id).update(round=round_)
    return rater_in_report_args(world)


def page_of_another_args(world: World) -> list[Any]:
    """The page of another rater, where the lead allows raters to see their own."""
    return [*own_page_args(world)[:-1], world.pair.rater_b_id]


def item_args(world: World) -> list[Any]:
    return [world.project.slug, world.item.pk]


def member_args(world: World) -> list[Any]:
    member = Membership.objects.get_or_create(
        project=world.project, user=world.people["stranger"], defaults={"role": "rater"}
    )[0]
    return [world.project.slug, member.pk]


def removed_member_args(world: World) -> list[Any]:
    return [
        world.project.slug,
        Membership.objects.get(project=world.project, user=world.people["auditor"]).pk,
    ]


def import_args(world: World) -> list[Any]:
    run = draft_import(world)
    LabelImport.objects.filter(pk=run.pk).update(state=LabelImport.State.DONE)
    return [world.project.slug, run.pk]


def draft_args(world: World) -> list[Any]:
    return [world.project.slug, draft_import(world).pk]


def items_args(world: World) -> list[Any]:
    kind, blocks = LabelImport.Kind.ITEMS, bytes_of(b"item\na\n")()
    draft = actions.upload(world.project, "items.csv", blocks, ReadOptions(), by=world.lead, kind=kind)
    return [world.project.slug, draft.pk]


def foreign_token(world: World) -> list[Any]:
    """A token of the lead: for everyone else it does not exist."""
    token, _ = AuthToken.objects.create(user=world.lead)
    return [token.token_key]


def foreign_session(world: World) -> list[Any]:
    """A session of the lead: for everyone else it does not exist."""
    key = secrets.token_hex(16)
    session = UserSession.objects.create(user=world.lead, session_key=key, ip="192.0.2.1", user_agent="")
    return [session.pk]


NEW_TOKEN = {"name": "script", "scope": "read", "days": 30}


def words_of(*args: Any) -> Callable[[World], list[Any]]:
    return lambda world: list(args)


def invitation_args(world: World) -> list[Any]:
    invitation, _ = invitations.invite(world.project, by=world.lead, role="rater")
    return [world.project.slug, invitation.pk]


def rater_args(world: World) -> list[Any]:
    return [world.project.slug, world.pair.rater_a_id]


def own_invitation_args(world: World) -> list[Any]:
    """To the stranger: for everyone else it does not exist."""
    invitation, _ = invitations.invite(
        world.project, by=world.lead, role="rater", username=world.people["stranger"].username
    )
    return [invitation.pk]


# Pages of signing in that everyone may open, most of them to learn that there is nothing to do.
SIGNING_IN = [
    Row("account_login", (200, *(302,) * 5), args=nothing),
    Row("account_signup", (200, *(302,) * 5), args=nothing),
    Row("account_logout", (302,) * 6, method="post", args=nothing, wrong_method="get", leads_on=True),
    Row("account_inactive", PUBLIC, args=nothing),
    Row("account_reset_password", PUBLIC, args=nothing),
    Row("account_reset_password_done", PUBLIC, args=nothing),
    Row("account_reset_password_from_key", PUBLIC, args=words_of("1", "no-key"), is_of_project=False),
    Row("account_reset_password_from_key_done", PUBLIC, args=nothing),
    Row("account_email_verification_sent", PUBLIC, args=nothing),
    Row("account_confirm_email", PUBLIC, args=words_of("no-key"), is_of_project=False),
    Row("mfa_authenticate", (302,) * 6, args=nothing),
    Row("join", (404,) * 6, args=nothing),
    Row("join", (302, *(404,) * 5), method="post", args=nothing),
    Row("join_by", (302,) * 6, args=words_of("no-token"), is_of_project=False, leads_on=True),
]
OWN_ACCOUNT = [
    Row("account", ACCOUNT, args=nothing),
    Row("account_change_password", ACCOUNT, args=nothing),
    Row("account_set_password", (302,) * 6, args=nothing),
    Row("account_reauthenticate", ACCOUNT, args=nothing),
    Row("account_email", ACCOUNT, args=nothing),
    Row("mfa_index", ACCOUNT, args=nothing),
    Row("mfa_reauthenticate", (302,) * 6, args=nothing),
    # Each leads to the password first, or to nothing for one without a second factor.
    Row("mfa_activate_totp", (302,) * 6, args=nothing),
    Row("mfa_deactivate_totp", (302, *(404,) * 5), args=nothing),
    Row("mfa_view_recovery_codes", (302, *(404,) * 5), args=nothing),
    Row("mfa_download_recovery_codes", (302, *(404,) * 5), args=nothing),
    Row("mfa_generate_recovery_codes", (302,) * 6, args=nothing),
]
MEMBERS = [
    Row(
        "invite",
        LEAD_ONLY,
        method="post",
        data={"role": "rater", "max_uses": 2, "days": 3},
        wrong_method="get",
    ),
    Row("invitation_withdraw", LEAD_GOES_ON, method="post", args=invitation_args, wrong_method="get"),
    # For owners of the server; for everyone else there is nothing.
    Row("people", (302, *(404,) * 5), args=nothing, is_owners=True),
    Row("person_erase", (302, *(404,) * 5), args=words_of(1), is_of_project=False, is_owners=True),
    Row("person_erase", (302, *(404,) * 5), "post", words_of(1), is_of_project=False, is_owners=True),
    Row("api_people", (401, *(404,) * 5), args=nothing, is_owners=True),
    Row(
        "api_person_erase",
        (401, *(404,) * 5),
        method="post",
        args=words_of(1),
        data={"username": "x"},
        wrong_method="get",
        is_of_project=False,
        is_owners=True,
    ),
    Row("project_delete", LEAD_ONLY, is_owners=True),
    # The name is not that of the project.
    Row("project_delete", LEAD_EMPTY, method="post", data={"name": "x"}, is_owners=True),
    Row("project_restore", LEAD_GOES_ON, method="post", wrong_method="get", is_owners=True),
    Row("api_project_deletion", API_LEAD_ONLY, wrong_method="put", is_owners=True),
    Row(
        "api_project_deletion",
        (401, 404, 403, 403, 403, 400),
        method="post",
        data={"name": "x"},
        wrong_method="put",
        is_owners=True,
    ),
    Row("api_project_deletion", API_LEAD_ONLY, method="delete", wrong_method="put", is_owners=True),
    Row("raters", LEAD_ONLY),
    # Nobody is chosen.
    Row("rater_link", (302, 404, 403, 403, 403, 400), method="post", args=rater_args, wrong_method="get"),
    Row("rater_unlink", LEAD_GOES_ON, method="post", args=rater_args, wrong_method="get"),
    Row("api_members", API_LEAD_ONLY),
    Row(
        "api_member",
        API_LEAD_ONLY,
        method="patch",
        args=removed_member_args,
        data={"role": "auditor"},
        wrong_method="get",
    ),
    Row(
        "api_member",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=removed_member_args,
        wrong_method="get",
    ),
    Row("api_invitations", API_LEAD_ONLY),
    Row("api_invitations", (401, 404, 403, 403, 403, 201), method="post", data={"role": "rater"}),
    Row(
        "api_invitation",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=invitation_args,
        wrong_method="get",
    ),
    Row("log", SEE_LOG, query="?kind=imported&person=a&since=2026-01-01&until=2026-12-31"),
    Row("log_file", SEE_LOG, args=lambda world: [world.project.slug, "csv"], is_of_project=False),
    Row("api_events", API_SEE_LOG),
    Row("api_events_file", API_SEE_LOG, query="?as=jsonl"),
    *(
        Row(
            f"invitation_{what}",
            (302, 302, *(404,) * 4),
            method="post",
            args=own_invitation_args,
            wrong_method="get",
            is_of_project=False,
        )
        for what in ("accept", "decline")
    ),
    *(
        Row(
            f"api_invitation_{what}",
            (401, status, *(404,) * 4),
            method="post",
            args=own_invitation_args,
            wrong_method="get",
            is_of_project=False,
        )
        for what, status in (("accept", 200), ("decline", 204))
    ),
    Row("api_own_invitations", API_ACCOUNT, args=nothing),
    Row("api_rater", API_LEAD_ONLY, method="patch", args=rater_args, data={"user": None}, wrong_method="get"),
    Row(
        "api_join",
        (401, *(404,) * 5),
        method="post",
        args=nothing,
        data={"token": "none"},
        wrong_method="get",
    ),
]


def place_args(world: World) -> list[Any]:
    """A place of the rater's in an open round: for everyone else it does not exist."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    rater = rater_of(world.project, world.people["rater"])
    place, _ = Assignment.objects.get_or_create(rater=rater, item=world.item, round=round_)
    return [world.project.slug, place.pk]


def round_args(world: World) -> list[Any]:
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    return [world.project.slug, round_.pk]


def revealed_args(world: World) -> list[Any]:
    """A revealed round in which the rater has labeled: for who has not, it does not exist."""
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="revealed", defaults={"state": "closed", "revealed_at": timezone.now()}
    )
    question = world.agreement.question
    Label.objects.get_or_create(
        item=world.item,
        question=question,
        rater=rater_of(world.project, world.people["rater"]),
        defaults={"round": round_, "category": question.categories.first()},
    )
    return [world.project.slug, round_.pk]


# Whoever may label has work of their own, and nobody else's exists.
LABEL = (302, 404, 200, 403, 403, 200)
OWN_PLACE = (302, 404, 200, 403, 403, 404)
API_LABEL = (401, 404, 200, 403, 403, 200)
API_OWN_PLACE = (401, 404, 200, 403, 403, 404)
# Nobody of this name may label.
NO_DESIGN = {"key": "new", "design": "everyone", "raters": ["nobody"]}
ONCE = {"Idempotency-Key": "b7a1c5de-5a4e-4a53-9f3e-6d2f1c0b9a87"}

CODEBOOK = [
    Row("codebook", SEE_PROJECT),
    Row("codebook_order", LEAD_GOES_ON, method="post", wrong_method="get"),
    # Nothing is chosen.
    Row("codebook_copy", (302, 404, 403, 403, 403, 400), method="post", wrong_method="get"),
    Row("codebook_start", (302, 404, 403, 403, 403, 400), method="post", wrong_method="get"),
    Row("codebook_question_new", LEAD_ONLY),
    Row(
        "codebook_question_new",
        LEAD_GOES_ON,
        method="post",
        data={"key": "new", "kind": "single", "level": "nominal"},
    ),
    Row("codebook_question", LEAD_ONLY, args=codebook_rows.labeled_args),
    Row(
        "codebook_question_delete",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.free_args,
        wrong_method="get",
    ),
    Row(
        "codebook_question_move",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.labeled_args,
        data={"to": "up"},
        wrong_method="get",
    ),
    Row(
        "codebook_category_order",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.labeled_args,
        wrong_method="get",
    ),
    Row(
        "codebook_category_add",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.labeled_args,
        data={"new-key": "new"},
        wrong_method="get",
    ),
    Row("codebook_category", LEAD_ONLY, args=codebook_rows.category_args),
    Row(
        "codebook_category_delete",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.category_args,
        wrong_method="get",
    ),
    Row(
        "codebook_category_move",
        LEAD_GOES_ON,
        method="post",
        args=codebook_rows.category_args,
        data={"to": "down"},
        wrong_method="get",
    ),
    Row("codebook_category_merge", LEAD_ONLY, args=codebook_rows.category_args),
    Row("guidelines", SEE_PROJECT),
    Row("guidelines_edit", LEAD_ONLY),
    Row("guidelines_version", SEE_PROJECT, args=codebook_rows.guidelines_args),
    Row("api_codebook_starters", API_ACCOUNT, args=nothing),
    Row("api_codebook", API_SEE_PROJECT),
    Row(
        "api_codebook_order",
        (401, 404, 403, 403, 403, 409),
        method="put",
        data={"ids": []},
        wrong_method="get",
    ),
    Row(
        "api_codebook_copy",
        (401, 404, 403, 403, 403, 201),
        method="post",
        data={"starter": "sentiment"},
        wrong_method="get",
    ),
    Row("api_guidelines", API_SEE_PROJECT),
    Row("api_guidelines", API_LEAD_ONLY, method="post", data={"text": "Look twice."}),
    Row("api_guidelines_version", API_SEE_PROJECT, args=codebook_rows.guidelines_args),
    Row(
        "api_question",
        API_LEAD_ONLY,
        method="patch",
        args=codebook_rows.labeled_args,
        data={"prompt": "?"},
        wrong_method="get",
    ),
    Row(
        "api_question",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=codebook_rows.free_args,
        wrong_method="get",
    ),
    Row(
        "api_category_order",
        (401, 404, 403, 403, 403, 409),
        method="put",
        args=codebook_rows.labeled_args,
        data={"ids": []},
        wrong_method="get",
    ),
    Row(
        "api_categories",
        (401, 404, 403, 403, 403, 201),
        method="post",
        args=codebook_rows.labeled_args,
        data={"key": "new"},
        wrong_method="get",
    ),
    Row(
        "api_category",
        API_LEAD_ONLY,
        method="patch",
        args=codebook_rows.category_in_question_args,
        data={"name": "A"},
        wrong_method="get",
    ),
    Row(
        "api_category",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=codebook_rows.spare_args,
        wrong_method="get",
    ),
    # There is no such category.
    Row(
        "api_category_merge",
        (401, 404, 403, 403, 403, 409),
        method="post",
        args=codebook_rows.category_in_question_args,
        data={"into": 1},
        wrong_method="get",
    ),
]

EMPTY_FORMS = [
    Row("codebook_question", LEAD_EMPTY, method="post", args=codebook_rows.labeled_args),
    Row("codebook_category", LEAD_GOES_ON, method="post", args=codebook_rows.category_args),
    Row("codebook_category_merge", LEAD_EMPTY, method="post", args=codebook_rows.category_args),
    Row("guidelines_edit", LEAD_EMPTY, method="post"),
    Row("project_edit", LEAD_EMPTY, method="post"),
    Row("imports", LEAD_EMPTY, method="post"),
    # Read as it was before.
    Row("import", LEAD_ONLY, method="post", args=items_args),
    Row("label_item", (302, 404, 400, 403, 403, 404), method="post", args=place_args),
    Row("round_new", LEAD_EMPTY, method="post"),
    Row("round_again", LEAD_EMPTY, method="post", args=round_args),
    Row("round_settings", LEAD_EMPTY, method="post", args=round_args),
]

ADJUDICATION = [
    Row("adjudicate", adjudication.ADJUDICATE),
    Row("adjudicate_next", adjudication.GOES_ON),
    Row("adjudicate_item", adjudication.ADJUDICATE, args=adjudication.case_args),
    # A form that decides nothing.
    Row("adjudicate_item", (302, 404, 404, 403, 400, 400), method="post", args=adjudication.case_args),
    Row(
        "adjudicate_withdraw",
        adjudication.GOES_ON,
        method="post",
        args=adjudication.case_args,
        wrong_method="get",
    ),
    Row("finals", SEE_LABELS),
    Row("finals_file", SEE_LABELS, args=adjudication.kind_args, is_of_project=False),
    Row("api_disputes", adjudication.API_ADJUDICATE),
    Row("api_case", adjudication.API_ADJUDICATE, args=adjudication.case_args, wrong_method="post"),
    Row(
        "api_case",
        (401, 404, 404, 403, 200, 409),
        method="put",
        args=adjudication.case_args,
        data={"category": "good", "reason": "Rater slip", "revision": 0},
        wrong_method="post",
    ),
    # Nothing is decided, so that there is nothing to withdraw.
    Row(
        "api_case",
        (401, 404, 404, 403, 409, 409),
        method="delete",
        args=adjudication.case_args,
        query="?revision=1",
        wrong_method="post",
    ),
    Row("api_finals", API_SEE_LABELS),
    Row("api_item_history", API_SEE_LABELS, args=item_args),
]

ROWS: list[Row] = [
    *CODEBOOK,
    *EMPTY_FORMS,
    *ADJUDICATION,
    *SIGNING_IN,
    *OWN_ACCOUNT,
    *MEMBERS,
    Row("healthz", PUBLIC, args=nothing),
    Row("readyz", PUBLIC, args=nothing),
    Row("documentation", PUBLIC, args=nothing),
    Row("documentation_file", PUBLIC, args=lambda world: ["glossary.html"], is_of_project=False),
    Row(
        "session_end",
        (302, *(404,) * 4, 302),
        method="post",
        args=foreign_session,
        wrong_method="get",
        is_of_project=False,
    ),
    Row("session_end_others", (302,) * 6, method="post", args=nothing, wrong_method="get"),
    Row("token_create", ACCOUNT, method="post", args=nothing, data=NEW_TOKEN, wrong_method="get"),
    Row("token_revoke", (302, *(404,) * 4, 302), method="post", args=foreign_token, wrong_method="get"),
    Row("projects", ACCOUNT, args=nothing),
    Row("project_new", ACCOUNT, args=nothing),
    Row("project", SEE_PROJECT),
    Row("project_edit", LEAD_ONLY),
    Row("members", LEAD_ONLY),
    Row(
        "member_change",
        LEAD_GOES_ON,
        method="post",
        args=removed_member_args,
        data={"role": "adjudicator"},
        wrong_method="get",
    ),
    Row("member_remove", LEAD_GOES_ON, method="post", args=removed_member_args, wrong_method="get"),
    Row("project_file", LEAD_ONLY),
    Row("project_import", OWNERS_ONLY, is_owners=True, args=nothing),
    Row("project_upload", OWNERS_ONLY, is_owners=True, args=words_of(1), is_of_project=False),
    Row(
        "project_upload_cancel",
        OWNERS_ONLY,
        is_owners=True,
        method="post",
        args=words_of(1),
        wrong_method="get",
        is_of_project=False,
    ),
    Row(
        "api_project_files",
        (401, *(404,) * 5),
        method="post",
        args=nothing,
        wrong_method="get",
        is_owners=True,
    ),
    Row("api_project_file", API_LEAD_ONLY),
    Row("imports", LEAD_ONLY),
    Row("import", LEAD_ONLY, args=import_args),
    Row("import", LEAD_ONLY, args=items_args),
    Row("import_confirm", LEAD_GOES_ON, method="post", args=import_args, wrong_method="get"),
    Row("import_confirm", LEAD_GOES_ON, method="post", args=items_args, wrong_method="get"),
    Row("import_cancel", LEAD_GOES_ON, method="post", args=import_args, wrong_method="get"),
    Row("media", LEAD_ONLY),
    # No file is chosen.
    Row("media", (302, 404, 403, 403, 403, 400), method="post"),
    Row("media_remove", LEAD_GOES_ON, method="post", args=media_rows.media_args, wrong_method="get"),
    Row("label", LABEL),
    Row("label_item", OWN_PLACE, args=place_args),
    Row("label_skip", (302, 404, 302, 403, 403, 404), method="post", args=place_args, wrong_method="get"),
    Row("label_undo", (302, 404, 302, 403, 403, 404), method="post", args=place_args, wrong_method="get"),
    Row("items", SEE_LABELS),
    Row("item", SEE_LABELS, args=item_args),
    Row("item_withdraw", LEAD_GOES_ON, method="post", args=item_args, wrong_method="get"),
    Row("item_put_back", LEAD_GOES_ON, method="post", args=item_args, wrong_method="get"),
    Row("progress", SEE_LABELS),
    Row("progress_items", SEE_LABELS, query="?what=labels"),
    Row("rounds", LEAD_ONLY),
    Row("round_new", LEAD_ONLY),
    Row("round_again", LEAD_ONLY, args=round_args),
    Row("round_open", LEAD_GOES_ON, method="post", args=round_args, wrong_method="get"),
    Row("round_close", LEAD_GOES_ON, method="post", args=round_args, wrong_method="get"),
    Row("round_reveal", LEAD_ONLY, args=round_args),
    Row("round_reveal", LEAD_GOES_ON, method="post", args=round_args),
    Row("round_settings", LEAD_ONLY, args=round_args),
    Row("revealed", OWN_PLACE, args=revealed_args),
    Row("agreement", SEE_LABELS),
    Row("agreement", ASK_GOES_ON, method="post", data={"weights": "unweighted"}),
    Row("report", (302, 404, 404, 302, 302, 302), args=report_args),
    Row("report", SEE_LABELS, args=queued_args),
    Row("report", SEE_LABELS, args=queued_args, query="?part=progress"),
    Row("take_away", SEE_LABELS, args=report_args),
    Row("take_file", SEE_LABELS, args=lambda world: [*report_args(world), "labels-long.csv"]),
    Row("project_history", SEE_LABELS),
    Row("project_history_verify", SEE_LABELS, method="post", wrong_method="get"),
    Row("trust", SEE_LABELS, args=report_args),
    Row("verify", SEE_LABELS, method="post", args=report_args, wrong_method="get"),
    Row("report_share", SHARE_GOES_ON, method="post", args=report_args, data={"days": 3}, wrong_method="get"),
    Row("report_link_withdraw", SHARE_GOES_ON, method="post", args=link_args, wrong_method="get"),
    Row("shared_report", (404,) * 6, args=words_of("no-token"), is_of_project=False),
    Row("statistics", PUBLIC, args=nothing),
    Row("statistics_guide", PUBLIC, args=nothing),
    Row("plan_items", ACCOUNT, args=nothing),
    Row("plan_picture", ACCOUNT, args=words_of("prevalence.svg"), is_of_project=False),
    Row("report_again", ASK_GOES_ON, method="post", args=report_args, wrong_method="get"),
    Row("report_cancel", ASK_GOES_ON, method="post", args=queued_args, wrong_method="get"),
    Row("report_retry", ASK_GOES_ON, method="post", args=failed_args, wrong_method="get"),
    Row("later_cancel", ASK_GOES_ON, method="post", args=later_args, wrong_method="get"),
    Row("later_again", ASK_GOES_ON, method="post", args=failed_later_args, wrong_method="get"),
    Row("report_question", SEE_LABELS, args=question_args),
    Row("report_compare", SEE_LABELS, args=question_args),
    # One report only, so that there is nothing to compare it with.
    Row("two_reports", SEE_LABELS),
    Row("report_time", SEE_LABELS, args=question_args),
    Row("report_raters", SEE_LABELS, args=question_args),
    Row("report_network", SEE_LABELS, args=question_args),
    Row("report_picture", SEE_LABELS, args=lambda world: [*question_args(world), "forest.svg"]),
    Row("pair_picture", SEE_LABELS, args=lambda world: [*pair_args(world), "prevalence.svg"]),
    Row("report_rater", SEE_LABELS, args=rater_in_report_args),
    Row("report_rater", SEE_PROJECT, args=own_page_args),
    Row("report_rater", SEE_LABELS, args=page_of_another_args),
    Row("report_rater_items", SEE_LABELS, args=rater_in_report_args),
    Row("report_rater_items", SEE_PROJECT, args=own_page_args),
    # Too few labels to draw.
    Row(
        "report_rater_picture",
        (302, *(404,) * 5),
        args=lambda world: [*rater_in_report_args(world), "drift.svg"],
    ),
    Row("report_categories", SEE_LABELS, args=question_args),
    Row("report_items", SEE_LABELS, args=question_args),
    Row("pair", SEE_LABELS, args=pair_args),
    Row("pair_items", SEE_LABELS, args=pair_args),
    Row("pair_item", SEE_LABELS, args=lambda world: [*pair_args(world), world.item.pk]),
    Row("api_help", ACCOUNT, args=nothing),
    Row("api_schema", API_ACCOUNT, args=nothing),
    Row("api_published", PUBLIC, args=nothing),
    Row("api_plan_items", API_ACCOUNT, args=nothing),
    Row("api_tokens", API_ACCOUNT, args=nothing),
    Row("api_tokens", (401, *(201,) * 5), method="post", args=nothing, data=NEW_TOKEN),
    Row("api_token", (401, *(404,) * 4, 204), method="delete", args=foreign_token, wrong_method="put"),
    Row("api_projects", API_ACCOUNT, args=nothing),
    Row("api_project", API_SEE_PROJECT),
    Row("api_project", API_LEAD_ONLY, method="patch", data={"guidelines": "Look twice."}),
    Row("api_questions", API_SEE_PROJECT),
    Row("api_questions", (401, 404, 403, 403, 403, 201), method="post", data={"key": "new"}),
    Row("api_items", API_SEE_LABELS),
    Row("api_item", API_SEE_LABELS, args=item_args),
    Row("api_item_withdrawal", API_LEAD_ONLY, method="put", args=item_args, wrong_method="get"),
    Row("api_item_withdrawal", API_LEAD_ONLY, method="delete", args=item_args, wrong_method="get"),
    Row("api_raters", API_SEE_LABELS),
    Row("api_media", API_SEE_LABELS),
    # Neither comes with a file.
    Row("api_media", (401, 404, 403, 403, 403, 415), method="post"),
    Row("api_imports", (401, 404, 403, 403, 403, 400), method="post"),
    Row("api_medium", API_SEE_LABELS, args=media_rows.media_args, wrong_method="put"),
    Row(
        "api_medium",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=media_rows.media_args,
        wrong_method="put",
    ),
    # No item of the rater's shows it.
    Row("api_media_file", API_SEE_LABELS, args=media_rows.media_args),
    Row("api_imports", API_LEAD_ONLY),
    Row("api_import", API_LEAD_ONLY, args=import_args),
    Row("api_work", API_LABEL),
    Row("api_work_next", API_LABEL, method="post"),
    Row("api_assignment", API_OWN_PLACE, args=place_args),
    Row(
        "api_answers",
        API_OWN_PLACE,
        method="put",
        args=place_args,
        data={"answers": [{"question": "answer", "category": "good"}], "revisions": []},
        headers=ONCE,
    ),
    Row("api_skip", API_OWN_PLACE, method="post", args=place_args, wrong_method="get"),
    Row(
        "api_undo",
        (401, 404, 409, 403, 403, 404),
        method="post",
        args=place_args,
        data={"revisions": []},
        headers=ONCE,
    ),
    Row("api_progress", API_SEE_LABELS),
    Row("api_rounds", API_LEAD_ONLY),
    Row("api_rounds", (401, 404, 403, 403, 403, 400), method="post", data=NO_DESIGN),
    Row(
        "api_round_preview",
        (401, 404, 403, 403, 403, 400),
        method="post",
        data={"design": "everyone", "raters": ["nobody"]},
        wrong_method="get",
    ),
    Row("api_round", API_LEAD_ONLY, args=round_args),
    Row("api_round", API_LEAD_ONLY, method="patch", args=round_args, data={"idle_minutes": 5}),
    # The round was not planned here.
    Row(
        "api_round_raters",
        (401, 404, 403, 403, 403, 400),
        method="put",
        args=round_args,
        data={"raters": ["nobody"]},
        wrong_method="get",
    ),
    Row("api_round_open", API_LEAD_ONLY, method="post", args=round_args, wrong_method="get"),
    Row("api_round_close", API_LEAD_ONLY, method="post", args=round_args, wrong_method="get"),
    Row("api_round_reveal", API_LEAD_ONLY, method="post", args=revealed_args, wrong_method="get"),
    Row("api_revealed", API_LABEL),
    Row("api_revealed_agreement", API_OWN_PLACE, args=revealed_args),
    Row("api_revealed_items", API_OWN_PLACE, args=revealed_args),
    Row("api_reports", API_SEE_LABELS),
    Row("api_reports", (401, 404, 404, 403, 200, 200), method="post", data={}),
    Row("api_report", API_SEE_LABELS, args=report_args),
    Row("api_report_cancel", (401, 404, 404, 403, 200, 409), method="post", args=queued_args),
    Row("api_report_retry", (401, 404, 404, 403, 202, 409), method="post", args=failed_args),
    Row("api_later_cancel", (401, 404, 404, 403, 200, 409), method="post", args=later_args),
    Row("api_later_retry", (401, 404, 404, 403, 202, 409), method="post", args=failed_later_args),
    Row("api_exports", API_SEE_LABELS, args=report_args),
    Row("api_export", API_SEE_LABELS, args=lambda world: [*report_args(world), "results.json"]),
    Row("api_history", API_SEE_LABELS),
    Row("api_history_verify", API_SEE_LABELS, method="post", wrong_method="get"),
    Row("api_report_verify", API_SEE_LABELS, method="post", args=report_args, wrong_method="get"),
    Row("api_report_changes", API_SEE_LABELS, args=report_args),
    Row("api_report_links", API_SHARE, args=report_args),
    Row(
        "api_report_links", (401, 404, 404, 403, 403, 201), method="post", args=report_args, data={"days": 3}
    ),
    Row(
        "api_report_link",
        (401, 404, 404, 403, 403, 204),
        method="delete",
        args=link_args,
        wrong_method="get",
    ),
    # A report that is not there.
    Row("api_two_reports", (401, 404, 404, 400, 400, 400), query="?first=1&second=x"),
    Row("api_report_time", API_LOOK_LATER, args=key_args),
    Row("api_comparison", API_LOOK_LATER, args=key_args, query="?first=all&second=all"),
    Row("api_statistics", API_SEE_LABELS, args=key_args),
    Row(
        "api_report_rater",
        API_SEE_LABELS,
        args=lambda world: [*key_args(world), world.pair.rater_a_id],
    ),
    Row(
        "api_report_rater",
        API_SEE_PROJECT,
        args=lambda world: [*key_args(world), own_page_args(world)[-1]],
    ),
    Row("api_matrix", API_SEE_LABELS, args=key_args),
    Row("api_pairs", API_SEE_LABELS, args=key_args),
    Row(
        "api_pair",
        API_SEE_LABELS,
        args=lambda world: [*key_args(world), world.pair.rater_a_id, world.pair.rater_b_id],
    ),
]


def route_names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from route_names(pattern.url_patterns)
        else:
            assert pattern.name, f"the route {pattern.pattern} has no name"
            yield pattern.name


def test_every_route_has_a_row():
    assert set(route_names(get_resolver().url_patterns)) == {row.name for row in ROWS}


def test_the_table_of_the_documentation_is_these_rows():
    assert FILE.read_text(encoding="utf-8") == document(ROWS), "Run: python -m tests.config.access_table"


# By username, of those whose world is made once: to sign in for each request took a third of the time.
SESSIONS: dict[str, str] = {}


def client_of(world: World, subject: str) -> Client:
    client = Client()
    if subject != "anonymous":
        user = world.people[subject]
        if user.username in SESSIONS:
            client.cookies[settings.SESSION_COOKIE_NAME] = SESSIONS[user.username]
        else:
            client.force_login(user)
    return client


def send(client: Client, method: str, address: str, row: Row) -> int:
    if row.is_api:
        return client.generic(
            method.upper(),
            address,
            *([] if method == "get" else [json.dumps(row.data)]),
            content_type="application/json",
            headers=row.headers,
        ).status_code
    return getattr(client, method)(address, row.data).status_code


@cache
def made_once(name: str) -> World:
    world = new_world(name, n_items=6, n_raters=3)
    for subject, user in world.people.items():
        SESSIONS[user.username] = client_of(world, subject).cookies[settings.SESSION_COOKIE_NAME].value
    return world


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_subject_is_answered_as_they_may(worlds, row):
    world, _ = worlds
    address = reverse(row.name, args=row.args(world)) + row.query

    answers = [send(client_of(world, subject), row.method, address, row) for subject in SUBJECTS]

    assert dict(zip(SUBJECTS, answers, strict=True)) == dict(zip(SUBJECTS, row.answers, strict=True))


METHODS = {name: {row.method for row in ROWS if row.name == name} for name in {row.name for row in ROWS}}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_wrong_method_is_refused(worlds, row):
    world, _ = worlds
    address = reverse(row.name, args=row.args(world))

    for method in (row.wrong_method, "trace"):
        response = client_of(world, "lead").generic(method.upper(), address)

        assert response.status_code == 405
        allowed = {name.lower() for name in response["Allow"].split(", ")} - {"head", "options"}
        # Pages of one's own account are forms of a library, which test_sign_up and others send.
        assert row.args is nothing or not row.is_of_project or allowed <= METHODS[row.name]


PROJECT_ROWS = [
    row for row in ROWS if row.args is not nothing and "token" not in row.name and row.is_of_project
]


@pytest.mark.parametrize("row", PROJECT_ROWS, ids=str)
def test_ids_of_another_project_do_not_exist_in_mine(worlds, row):
    mine, theirs = worlds
    args = row.args(theirs)
    smuggled = [mine.project.slug, *args[1:]] if len(args) > 1 else args
    address = reverse(row.name, args=smuggled)

    assert send(client_of(mine, "lead"), row.method, address, row) == 404


# An id that nothing has.
HUGE = 10**17


@pytest.mark.parametrize("row", [row for row in PROJECT_ROWS if row.args is not slug_only], ids=str)
def test_ids_that_nothing_has_are_not_found(worlds, row):
    world, _ = worlds
    slug, *args = row.args(world)
    strange = [slug, *(HUGE if isinstance(arg, int) else "no such key" for arg in args)]

    assert send(client_of(world, "lead"), row.method, reverse(row.name, args=strange), row) == 404
