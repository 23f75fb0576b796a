"""What every route shows of the labels of others, for pages and API.

`LABEL_ACCESS` lists the routes that show labels, or figures computed from them, with the rounds. Every other route is
listed too, by what it does instead, so that none is forgotten: tests/reports/test_label_access_routes.py checks this
against the resolver.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.numbers import whole_number
from projects.models import Membership, Project
from projects.roles import PERMISSIONS, Permission
from raters.access import rounds_chosen_by_labels
from raters.models import LabelImport
from reports.models import Report
from reports.store import links
from reports.store.sides import reports_named


@dataclass(frozen=True, slots=True)
class VisibleLabels:
    """The labels that a request would show: of the rounds with these keys, or for None, of the whole project."""

    project: Project
    rounds: frozenset[str] | None


Scope = Callable[[HttpRequest, Mapping[str, Any]], VisibleLabels | None]


def all_labels(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    project = _project_of(request, args)
    return None if project is None else VisibleLabels(project, None)


def of_reports(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the report in the URL, and of those in its query string to compare it with."""
    project = _project_of(request, args)
    if project is None:
        return None
    named = [request.GET.get(name, "") for name in ("first", "second")]
    pks = [pk for text in named if (pk := whole_number(text)) is not None]
    pks += [*reports_named(request.GET), args.get("pk", 0)]
    return VisibleLabels(project, rounds_of(project.reports.filter(pk__in=pks).only("scope")))


def of_import(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for an import of labels, whose preview reveals existing ones; None for items and questions."""
    project = _project_of(request, args)
    if project is None or not project.imports.filter(pk=args["pk"], kind=LabelImport.Kind.LABELS).exists():
        return None
    return VisibleLabels(project, None)


def when_posted(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for a request that creates something from them; the list itself shows none."""
    return all_labels(request, args) if request.method == "POST" else None


def of_imports(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for the list of imports; the view itself refuses uploads, depending on their kind."""
    return None if request.method == "POST" else all_labels(request, args)


def of_round(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the round in the query string, or all; a POST response reveals existing labels."""
    project = _project_of(request, args)
    if project is None:
        return None
    is_one = request.method != "POST" and "round" in request.GET
    return VisibleLabels(project, frozenset({request.GET["round"]}) if is_one else None)


def of_chosen_round(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels by which the round in the query string was chosen; None if it was not chosen by labels."""
    project = _project_of(request, args)
    if project is None or request.method != "GET" or "round" not in request.GET:
        return None
    keys = rounds_chosen_by_labels(project, [request.GET["round"]])
    return VisibleLabels(project, frozenset(keys)) if keys else None


def of_deletion(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for a deletion: refusing it would reveal that there are labels."""
    return all_labels(request, args) if request.method == "DELETE" else None


def of_link(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the report of a link, which raters and former members may open, too."""
    link = links.find(args["token"])
    return None if link is None else VisibleLabels(link.report.project, rounds_of([link.report]))


def _project_of(request: HttpRequest, args: Mapping[str, Any]) -> Project | None:
    """Return the project if the user is a member who sees its labels; the view handles others."""
    membership = Membership.objects.filter(
        project__slug=args["slug"], project__deletion_due_at=None, user=request.user.pk
    )
    found = membership.select_related("project").first()
    return found.project if found and Permission.SEE_LABELS in PERMISSIONS.get(found.role, ()) else None


def rounds_of(reports: Iterable[Report]) -> frozenset[str] | None:
    """Return the keys of the rounds whose labels these reports use; None for all labels."""
    rounds = [report.scope["rounds"] for report in reports]
    return None if None in rounds else frozenset(key for keys in rounds for key in keys)


@dataclass(frozen=True, slots=True)
class LabelAccess:
    """about: what is looked at, in words. is_noted: False if the view itself logs it, with more details."""

    about: str
    scope: Scope
    is_noted: bool = True


LABEL_ACCESS = {
    "project_file": LabelAccess("project file", all_labels, is_noted=False),
    "import": LabelAccess("import of labels", of_import, is_noted=False),
    "import_confirm": LabelAccess("import of labels", of_import, is_noted=False),
    "import_undo": LabelAccess("import of labels", of_import, is_noted=False),
    "label_changes": LabelAccess("label history", all_labels),
    "label_changes_file": LabelAccess("label history", all_labels),
    "api_label_changes": LabelAccess("label history", all_labels),
    "api_label_changes_file": LabelAccess("label history", all_labels),
    "codebook_category_merge": LabelAccess("labels of a category", all_labels),
    "codebook_question_kind": LabelAccess("labels of a question", all_labels),
    "api_question_kind": LabelAccess("labels of a question", all_labels),
    "codebook_category_delete": LabelAccess("labels of a category", all_labels, is_noted=False),
    # A digest of labels allows checking a guess of a label.
    "project_history": LabelAccess("history", all_labels),
    "project_history_verify": LabelAccess("history", all_labels),
    "api_history": LabelAccess("history", all_labels),
    "api_history_verify": LabelAccess("history", all_labels),
    # Strata and groups are counted by the label that was given.
    "audit_new": LabelAccess("labels to audit", all_labels),
    "audit": LabelAccess("audit", all_labels),
    "audit_review": LabelAccess("differences in an audit", all_labels),
    "audit_review_label": LabelAccess("differences in an audit", all_labels),
    "audit_assign": LabelAccess("audit", all_labels),
    "audit_certify": LabelAccess("audit", all_labels),
    "audit_file": LabelAccess("labels of an audit", all_labels),
    "audit_certificate": LabelAccess("certificate of an audit", all_labels),
    "audit_certificate_file": LabelAccess("certificate of an audit", all_labels),
    "api_audits": LabelAccess("labels to audit", when_posted, is_noted=False),
    "api_audit": LabelAccess("audit", all_labels),
    "api_audit_labels": LabelAccess("labels of an audit", all_labels),
    "api_audit_label_review": LabelAccess("differences in an audit", all_labels),
    "api_audit_certificate": LabelAccess("certificate of an audit", all_labels),
    "api_audit_certificates": LabelAccess("certificate of an audit", all_labels),
    "two_reports": LabelAccess("two reports", of_reports),
    "report": LabelAccess("report", of_reports),
    "report_question": LabelAccess("report of a question", of_reports),
    "report_compare": LabelAccess("comparison", of_reports),
    "report_time": LabelAccess("agreement over time", of_reports),
    "report_subgroups": LabelAccess("agreement by subgroup", of_reports),
    "report_subgroups_file": LabelAccess("agreement by subgroup", of_reports),
    "report_models": LabelAccess("models against people", of_reports),
    "report_models_file": LabelAccess("models against people", of_reports),
    "report_decisions": LabelAccess("what a model may decide", of_reports),
    "report_decisions_file": LabelAccess("what a model may decide", of_reports),
    "report_sample_file": LabelAccess("models against people", of_reports),
    "report_decisions_round": LabelAccess("what a model may decide", of_reports, is_noted=False),
    "report_effect": LabelAccess("effect of changes", of_reports),
    "report_network": LabelAccess("network of raters", of_reports),
    "report_picture": LabelAccess("chart of a report", of_reports, is_noted=False),
    "report_raters": LabelAccess("raters of a report", of_reports),
    "report_rater": LabelAccess("rater of a report", of_reports),
    "report_rater_items": LabelAccess("items of a rater", of_reports),
    "report_rater_picture": LabelAccess("rater of a report", of_reports),
    "report_categories": LabelAccess("categories of a report", of_reports),
    "report_confidence": LabelAccess("confidence of raters in a report", of_reports),
    "report_filter": LabelAccess("filtered labels of a question", of_reports),
    "report_finding_note": LabelAccess("report of a question", of_reports, is_noted=False),
    "api_items": LabelAccess("items of a round chosen by labels", of_chosen_round, is_noted=False),
    "report_items_list": LabelAccess("items of a question", of_reports, is_noted=False),
    "report_items": LabelAccess("items of a question", of_reports, is_noted=False),
    "pair": LabelAccess("pair", of_reports),
    "pair_picture": LabelAccess("chart of a pair", of_reports, is_noted=False),
    "pair_items": LabelAccess("items of a pair", of_reports, is_noted=False),
    "pair_item": LabelAccess("item of a pair", of_reports, is_noted=False),
    # Its text contains figures.
    "report_exports": LabelAccess("exports of a report", of_reports),
    "report_export": LabelAccess("export of a report", of_reports, is_noted=False),
    "provenance": LabelAccess("provenance of a report", of_reports),
    "verify": LabelAccess("provenance of a report", of_reports),
    "report_share": LabelAccess("provenance of a report", of_reports),
    "shared_report": LabelAccess("report opened by a link", of_link, is_noted=False),
    "shared_page": LabelAccess("report opened by a link", of_link, is_noted=False),
    "api_project_file": LabelAccess("project file", all_labels, is_noted=False),
    "api_imports": LabelAccess("imports of labels", of_imports, is_noted=False),
    "api_import": LabelAccess("import of labels", of_import, is_noted=False),
    "api_labels": LabelAccess("labels", of_round),
    "api_import_undo": LabelAccess("import of labels", of_import, is_noted=False),
    "api_category": LabelAccess("labels of a category", of_deletion, is_noted=False),
    "api_category_merge": LabelAccess("labels of a category", all_labels),
    "api_model_requests": LabelAccess("answers of a model", all_labels),
    "api_model_request": LabelAccess("answers of a model", all_labels),
    "api_two_reports": LabelAccess("two reports", of_reports),
    "api_report": LabelAccess("report", of_reports),
    "api_exports": LabelAccess("exports of a report", of_reports, is_noted=False),
    "api_export": LabelAccess("export of a report", of_reports, is_noted=False),
    "api_report_verify": LabelAccess("provenance of a report", of_reports),
    "api_report_changes": LabelAccess("changes since a report", of_reports),
    "api_report_links": LabelAccess("links to a report", of_reports, is_noted=False),
    "api_statistics": LabelAccess("report of a question", of_reports),
    "api_report_findings": LabelAccess("report of a question", of_reports),
    "api_report_finding_notes": LabelAccess("report of a question", of_reports, is_noted=False),
    "api_report_effect": LabelAccess("effect of changes", of_reports),
    "api_report_time": LabelAccess("agreement over time", of_reports),
    "api_report_subgroups": LabelAccess("agreement by subgroup", of_reports),
    "api_report_models": LabelAccess("models against people", of_reports),
    "api_report_decisions": LabelAccess("what a model may decide", of_reports),
    "api_report_decided_items": LabelAccess("what a model may decide", of_reports),
    "api_report_sampled_items": LabelAccess("models against people", of_reports),
    "api_report_rater": LabelAccess("rater of a report", of_reports),
    "api_report_confidence": LabelAccess("confidence of raters in a report", of_reports),
    "api_comparison": LabelAccess("comparison", of_reports),
    "api_matrix": LabelAccess("matrix", of_reports),
    "api_pairs": LabelAccess("pairs", of_reports),
    "api_pair": LabelAccess("pair", of_reports),
}
# These leave out what is hidden from the user, with `raters.access`.
LEFT_OUT = {
    "project": "overview",
    "agreement": "agreement",
    "progress": "progress",
    "progress_items": "items behind a number",
    "api_progress": "progress",
    "scorecard": "scorecard",
    "scorecard_file": "scorecard",
    "api_scorecard": "scorecard",
    "api_reports": "reports",
    # For a report without results yet.
    "api_report_cancel": "report",
    "api_report_retry": "report",
    "model_run": "model run",
    "model_run_resume": "model run",
}
# So do these, or refuse it: they show one item or round, and log the look themselves.
BY_ITEM = frozenset(
    {
        *("item", "item_list", "api_item_list", "api_item_history"),
        *(
            "adjudicate",
            "adjudicate_next",
            "adjudicate_item",
            "adjudicate_withdraw",
            "adjudicate_next_item",
            "adjudicate_whole",
            "adjudicate_undo",
            "item_reference",
            "references_from_decisions",
            "adjudicate_bulk",
            "adjudicate_bulk_undo",
            "api_adjudication_bulk",
            "api_adjudication_bulk_undo",
            "api_adjudication_item",
            "api_disputes",
            "api_case",
        ),
        *("finals", "finals_file", "api_finals", "api_references_from_decisions"),
        *("export_labels", "labels_file", "api_label_exports", "api_label_export"),
        *("revealed", "api_revealed", "api_revealed_agreement", "api_revealed_items"),
        # Accepts items and questions as well, and refuses files of labels.
        "imports",
    }
)
# No labels but the user's own; at most counts of labels.
NO_LABELS = frozenset(
    {
        *(
            "healthz",
            "readyz",
            "documentation",
            "documentation_file",
            "statistics",
            "statistics_guide",
            "calculate",
            "calculate_save",
            "plan_items",
            "plan_picture",
            "plan_audit",
            "audit_plan_picture",
            "audits",
            "audit_open",
            "api_published",
        ),
        *("api_plan_items", "api_plan_audit", "api_help", "api_schema", "api_codebook_starters"),
        *("account_login", "account_logout", "account_signup", "account_inactive", "account_reauthenticate"),
        *(
            "account_email",
            "account_email_verification_sent",
            "account_confirm_email",
            "account_change_password",
        ),
        *("account_set_password", "account_reset_password", "account_reset_password_done"),
        *("account_reset_password_from_key", "account_reset_password_from_key_done"),
        *("mfa_authenticate", "mfa_reauthenticate", "mfa_index", "mfa_activate_totp", "mfa_deactivate_totp"),
        *("mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_download_recovery_codes"),
        # Events, but never anyone's labels.
        *("notifications", "notifications_read", "notification_open", "notifications_stop"),
        *("notification_choices", "api_notifications", "api_notifications_read", "api_notification_read"),
        *("account", "token_create", "token_revoke", "api_tokens", "api_token"),
        *("join", "join_by", "api_join", "invitation_accept", "invitation_decline"),
        *("api_own_invitations", "api_invitation_accept", "api_invitation_decline"),
        # Figures of projects in which the user does not rate.
        *("projects", "api_projects", "project_new", "project_edit", "api_project"),
        *(
            "members",
            "member_change",
            "member_remove",
            "project_leave",
            "api_own_membership",
            "invite",
            "invitation_revoke",
            "api_members",
            "api_member",
        ),
        *("api_invitations", "api_invitation"),
        *("webhooks", "webhook", "webhook_secret", "webhook_test", "webhook_delete", "webhook_send_again"),
        *("api_webhooks", "api_webhook", "api_webhook_secret", "api_webhook_test", "api_deliveries"),
        "api_delivery_send",
        # How many items a model has labeled, but not how.
        *("model_runs", "model_run_new", "model_run_start", "model_run_review", "model_run_cancel"),
        *("api_model_runs", "api_model_run", "api_model_run_start", "api_model_run_cancel"),
        "api_model_run_resume",
        # Who did what and when.
        *("log", "log_file", "api_events", "api_events_file"),
        *("project_delete", "project_restore", "api_project_deletion"),
        *(
            "people",
            "person_erase",
            "person_password",
            "api_people",
            "api_person_erase",
            "session_end",
            "session_end_others",
        ),
        *("project_import", "project_upload", "project_upload_cancel", "api_project_files"),
        *("codebook", "codebook_order", "codebook_copy", "codebook_start", "codebook_question_new"),
        *("codebook_draft", "codebook_publish", "codebook_draft_update", "codebook_draft_discard"),
        "codebook_preview",
        *("codebook_question", "codebook_question_delete", "codebook_question_move"),
        *("codebook_category_order", "codebook_category_add", "codebook_category"),
        *("codebook_category_move", "guidelines", "guidelines_edit"),
        *("guidelines_version", "api_codebook", "api_codebook_order", "api_codebook_copy", "api_guidelines"),
        *("api_guidelines_version", "api_questions", "api_question", "api_categories", "api_category_order"),
        *("media", "media_remove", "api_media", "api_medium", "api_media_file"),
        *(
            "import_cancel",
            "items",
            # The names of lists.
            "item_lists",
            "api_item_lists",
            "item_withdraw",
            "item_restore",
            "api_item",
            "api_item_withdrawal",
        ),
        *("raters", "rater_link", "rater_unlink", "rater_kind", "api_raters", "api_rater"),
        # Attributes of items and raters, not labels.
        *("rater_attributes", "raters_attributes", "item_attributes"),
        *(
            "label",
            "own_work",
            "label_item",
            "label_skip",
            "label_undo",
            "api_assignments",
            "api_next_assignment",
            "api_assignment",
            "label_resume",
            "api_own_pause",
        ),
        # Messages of raters, except about items that the viewer still labels.
        *(
            "own_thread",
            "own_thread_read",
            "threads",
            "thread_reply",
            "thread_into_guidelines",
            "unclear_reply",
            "api_inquiries",
            "api_unclear_reply",
            "api_threads",
            "api_thread_reply",
            "api_own_threads",
            "api_own_thread",
        ),
        # How often answers differ from a reference or are too fast, but not which.
        *(
            "quality",
            "quality_rule",
            "quality_alert_close",
            "rater_pause",
            "rater_resume",
            "api_quality_rules",
            "api_quality_rule",
            "api_quality_alerts",
            "api_quality_alert_close",
            "api_rater_pause",
            "api_round_adaptive",
            "final_rule",
            "final_rule_estimate",
            "api_final_rules",
            "api_final_rule",
            "api_final_rule_estimate",
            "api_round_passes",
            "api_round_pass",
            "api_round_attempt",
        ),
        *("api_answers", "api_skip", "api_undo"),
        *(
            "progress_ask",
            "api_missing_answers",
            "rounds",
            "round_new",
            "round_reassign",
            "round_settings",
            "round",
            "round_pause",
            "round_resume",
            "round_set_back",
            "round_pass",
            "round_attempt",
            "round_adaptive",
            "round_adaptive_stop",
            "round_remind",
            "round_delete",
            "round_open",
            "round_close",
            "round_reveal",
        ),
        *(
            "api_rounds",
            "api_round_preview",
            "api_round",
            "api_round_raters",
            "api_round_progress",
            "api_round_pause",
            "api_round_resume",
            "api_round_set_back",
            "api_round_remind",
            "api_round_open",
            "api_round_close",
        ),
        "api_round_reveal",
        # These lead to a report, which is refused, or show the progress of a run.
        *(
            "report_recompute",
            "report_cancel",
            "round_before_after",
            "report_retry",
            "report_rename",
            "on_demand_cancel",
            "on_demand_retry",
            "report_link_revoke",
        ),
        *("api_on_demand_cancel", "api_on_demand_retry", "api_report_link"),
    }
)
