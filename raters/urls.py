"""URL routes of this app's pages."""

from django.urls import URLPattern, path

from raters.accounts import joining, people_pages
from raters.accounts import pages as accounts
from raters.accounts import urls as account_urls
from raters.adjudication import bulk_pages, final_pages, item_dispute_pages, reference_pages, rule_pages
from raters.adjudication import pages as adjudication
from raters.archive import import_pages as bundle_imports
from raters.archive import pages as bundle
from raters.correcting import pages as correcting_pages
from raters.imports import api as import_api
from raters.imports import pages as import_pages
from raters.items import list_pages
from raters.items import pages as item_pages
from raters.labeling import own_work_pages, previewing
from raters.labeling import pages as work
from raters.linking import attribute_pages
from raters.linking import pages as rater_pages
from raters.log import label_change_pages
from raters.log import pages as log
from raters.merging import pages as merging_pages
from raters.model_runs import pages as model_runs
from raters.notifications import pages as notification_pages
from raters.progress import pages as progress
from raters.quality import pages as quality
from raters.rounds import adaptive_pages, revealed_pages, round_pages
from raters.rounds import pages as rounds
from raters.scorecard import pages as scorecard_pages
from raters.threads import pages as thread_pages
from raters.writing import pages as writing

urlpatterns: list[URLPattern] = [
    *account_urls.urlpatterns,
    path("join/", joining.Join.as_view(), name="join"),
    path("join/<str:token>/", joining.receive_invitation, name="join_by"),
    path("people/", people_pages.people, name="people"),
    path("people/<id:pk>/erase/", people_pages.erase, name="person_erase"),
    path("people/<id:pk>/password/", people_pages.password_link, name="person_password"),
    path("invitations/<id:pk>/accept/", joining.accept, name="invitation_accept"),
    path("invitations/<id:pk>/decline/", joining.decline, name="invitation_decline"),
    path("account/", accounts.account, name="account"),
    path("account/sessions/<id:pk>/end/", accounts.end_session, name="session_end"),
    path("account/sessions/end-others/", accounts.end_other_sessions, name="session_end_others"),
    path("account/tokens/", accounts.create_token, name="token_create"),
    path("account/tokens/<slug:token_key>/revoke/", accounts.revoke_token, name="token_revoke"),
    path("account/notifications/", accounts.choose_notifications, name="notification_choices"),
    path("notifications/", notification_pages.notifications, name="notifications"),
    path("notifications/read/", notification_pages.read_all, name="notifications_read"),
    path("notifications/<id:pk>/open/", notification_pages.open_notification, name="notification_open"),
    path("notifications/stop/<str:token>/", notification_pages.stop_emails, name="notifications_stop"),
    path("projects/import/", bundle_imports.upload_project, name="project_import"),
    path("projects/import/<id:pk>/", bundle_imports.project_upload, name="project_upload"),
    path("projects/import/<id:pk>/cancel/", bundle_imports.cancel_upload, name="project_upload_cancel"),
    path("p/<slug:slug>/project.zip", bundle.export_project, name="project_file"),
    path("p/<slug:slug>/import/", import_pages.imports, name="imports"),
    path("p/<slug:slug>/import/<id:pk>/", import_pages.label_import, name="import"),
    path("p/<slug:slug>/import/<id:pk>/confirm/", import_pages.confirm_import, name="import_confirm"),
    path("p/<slug:slug>/import/<id:pk>/cancel/", import_pages.cancel_import, name="import_cancel"),
    path("p/<slug:slug>/import/<id:pk>/undo/", import_pages.undo_import, name="import_undo"),
    path("api/v1/projects/<slug:slug>/imports/", import_api.Imports.as_view(), name="api_imports"),
    path("api/v1/projects/<slug:slug>/imports/<id:pk>/", import_api.Import.as_view(), name="api_import"),
    path(
        "api/v1/projects/<slug:slug>/imports/<id:pk>/undo/",
        import_api.ImportUndo.as_view(),
        name="api_import_undo",
    ),
    path("p/<slug:slug>/models/", model_runs.model_runs, name="model_runs"),
    path("p/<slug:slug>/models/new/", model_runs.model_run_new, name="model_run_new"),
    path("p/<slug:slug>/models/<id:pk>/", model_runs.model_run, name="model_run"),
    path("p/<slug:slug>/models/<id:pk>/start/", model_runs.model_run_start, name="model_run_start"),
    path("p/<slug:slug>/models/<id:pk>/review/", model_runs.model_run_review, name="model_run_review"),
    path("p/<slug:slug>/models/<id:pk>/cancel/", model_runs.model_run_cancel, name="model_run_cancel"),
    path("p/<slug:slug>/models/<id:pk>/resume/", model_runs.model_run_resume, name="model_run_resume"),
    path("p/<slug:slug>/log/", log.log, name="log"),
    path("p/<slug:slug>/log/<slug:kind>/", log.log_file, name="log_file"),
    path("p/<slug:slug>/label-history/", label_change_pages.label_changes, name="label_changes"),
    path(
        "p/<slug:slug>/label-history/<slug:format>/",
        label_change_pages.label_changes_download,
        name="label_changes_file",
    ),
    path("p/<slug:slug>/raters/", rater_pages.raters, name="raters"),
    path("p/<slug:slug>/raters/attributes/", attribute_pages.described_by_file, name="raters_attributes"),
    path("p/<slug:slug>/raters/<id:pk>/attributes/", attribute_pages.attributes, name="rater_attributes"),
    path("p/<slug:slug>/raters/<id:pk>/link/", rater_pages.link, name="rater_link"),
    path("p/<slug:slug>/raters/<id:pk>/unlink/", rater_pages.unlink, name="rater_unlink"),
    path("p/<slug:slug>/raters/<id:pk>/type/", rater_pages.kind, name="rater_kind"),
    path("p/<slug:slug>/lists/", list_pages.item_lists, name="item_lists"),
    path("p/<slug:slug>/lists/<id:pk>/", list_pages.item_list, name="item_list"),
    path("p/<slug:slug>/progress/", progress.progress, name="progress"),
    path("p/<slug:slug>/progress/items/", progress.progress_items, name="progress_items"),
    path("p/<slug:slug>/progress/ask/", progress.progress_ask, name="progress_ask"),
    path("p/<slug:slug>/threads/", thread_pages.threads, name="threads"),
    path("p/<slug:slug>/threads/<id:pk>/reply/", thread_pages.thread_reply, name="thread_reply"),
    path("p/<slug:slug>/threads/unclear/<id:pk>/reply/", thread_pages.unclear_reply, name="unclear_reply"),
    path(
        "p/<slug:slug>/threads/<id:pk>/guidelines/",
        thread_pages.thread_into_guidelines,
        name="thread_into_guidelines",
    ),
    path("p/<slug:slug>/scorecard/", scorecard_pages.scorecard, name="scorecard"),
    path("p/<slug:slug>/scorecard/file/", scorecard_pages.scorecard_file, name="scorecard_file"),
    path("p/<slug:slug>/quality/", quality.quality, name="quality"),
    path("p/<slug:slug>/quality/rules/<slug:kind>/", quality.rule, name="quality_rule"),
    path("p/<slug:slug>/quality/alerts/<id:pk>/close/", quality.close, name="quality_alert_close"),
    path("p/<slug:slug>/quality/raters/<id:pk>/pause/", quality.pause, name="rater_pause"),
    path("p/<slug:slug>/quality/raters/<id:pk>/resume/", quality.resume, name="rater_resume"),
    path("p/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("p/<slug:slug>/rounds/new/", rounds.new_round, name="round_new"),
    path("p/<slug:slug>/rounds/<id:pk>/", round_pages.round_page, name="round"),
    path("p/<slug:slug>/rounds/<id:pk>/pause/", round_pages.round_pause, name="round_pause"),
    path("p/<slug:slug>/rounds/<id:pk>/resume/", round_pages.round_resume, name="round_resume"),
    path("p/<slug:slug>/rounds/<id:pk>/set-back/", round_pages.round_set_back, name="round_set_back"),
    path("p/<slug:slug>/rounds/<id:pk>/adaptive/", adaptive_pages.round_adaptive, name="round_adaptive"),
    path(
        "p/<slug:slug>/rounds/<id:pk>/adaptive/stop/",
        adaptive_pages.round_adaptive_stop,
        name="round_adaptive_stop",
    ),
    path("p/<slug:slug>/rounds/<id:pk>/pass/<id:rater>/", round_pages.round_pass, name="round_pass"),
    path("p/<slug:slug>/rounds/<id:pk>/attempt/<id:rater>/", round_pages.round_attempt, name="round_attempt"),
    path("p/<slug:slug>/rounds/<id:pk>/remind/", round_pages.round_remind, name="round_remind"),
    path("p/<slug:slug>/rounds/<id:pk>/delete/", round_pages.round_delete, name="round_delete"),
    path("p/<slug:slug>/rounds/<id:pk>/raters/", rounds.round_reassign, name="round_reassign"),
    path("p/<slug:slug>/rounds/<id:pk>/settings/", rounds.round_settings, name="round_settings"),
    path("p/<slug:slug>/rounds/<id:pk>/revealed/", revealed_pages.revealed, name="revealed"),
    path("p/<slug:slug>/rounds/<id:pk>/open/", rounds.round_open, name="round_open"),
    path("p/<slug:slug>/rounds/<id:pk>/close/", rounds.round_close, name="round_close"),
    path("p/<slug:slug>/rounds/<id:pk>/reveal/", rounds.round_reveal, name="round_reveal"),
    path("p/<slug:slug>/label/", work.label, name="label"),
    path("p/<slug:slug>/label/mine/", own_work_pages.own_work, name="own_work"),
    path("p/<slug:slug>/label/resume/", work.label_resume, name="label_resume"),
    path("p/<slug:slug>/label/<id:pk>/", work.label_item, name="label_item"),
    path("p/<slug:slug>/label/<id:pk>/thread/", thread_pages.own_thread, name="own_thread"),
    path("p/<slug:slug>/label/<id:pk>/thread/read/", thread_pages.own_thread_read, name="own_thread_read"),
    path("p/<slug:slug>/label/<id:pk>/skip/", work.label_skip, name="label_skip"),
    path("p/<slug:slug>/label/<id:pk>/undo/", work.label_undo, name="label_undo"),
    path("p/<slug:slug>/codebook/preview/", previewing.preview, name="codebook_preview"),
    path(
        "p/<slug:slug>/codebook/questions/<id:pk>/kind/",
        correcting_pages.correct,
        name="codebook_question_kind",
    ),
    path(
        "p/<slug:slug>/codebook/categories/<id:pk>/merge/",
        merging_pages.merge,
        name="codebook_category_merge",
    ),
    path("p/<slug:slug>/items/", item_pages.items, name="items"),
    path("p/<slug:slug>/items/<id:pk>/attributes/", item_pages.attributes, name="item_attributes"),
    path("p/<slug:slug>/items/<id:pk>/", item_pages.item, name="item"),
    path("p/<slug:slug>/items/<id:pk>/reference/", reference_pages.item_reference, name="item_reference"),
    path(
        "p/<slug:slug>/items/final/references/",
        reference_pages.references_from_decisions,
        name="references_from_decisions",
    ),
    path("p/<slug:slug>/items/<id:pk>/withdraw/", item_pages.withdraw, name="item_withdraw"),
    path("p/<slug:slug>/items/<id:pk>/restore/", item_pages.restore, name="item_restore"),
    path("p/<slug:slug>/items/final/", final_pages.finals, name="finals"),
    path("p/<slug:slug>/items/final/rules/<id:question>/", rule_pages.final_rule, name="final_rule"),
    path(
        "p/<slug:slug>/items/final/rules/<id:question>/estimate/",
        rule_pages.final_rule_estimate,
        name="final_rule_estimate",
    ),
    path("p/<slug:slug>/items/final/<slug:kind>/", final_pages.finals_file, name="finals_file"),
    path("p/<slug:slug>/export/", writing.export_labels, name="export_labels"),
    path("p/<slug:slug>/export/file/", writing.labels_file, name="labels_file"),
    path("p/<slug:slug>/adjudicate/", adjudication.disputes, name="adjudicate"),
    path("p/<slug:slug>/adjudicate/next/", adjudication.next_dispute, name="adjudicate_next"),
    path("p/<slug:slug>/adjudicate/items/next/", item_dispute_pages.next_item, name="adjudicate_next_item"),
    path(
        "p/<slug:slug>/adjudicate/items/<id:pk>/", item_dispute_pages.adjudicate_item, name="adjudicate_whole"
    ),
    path("p/<slug:slug>/adjudicate/undo/", item_dispute_pages.undo_item_decisions, name="adjudicate_undo"),
    path("p/<slug:slug>/adjudicate/bulk/", bulk_pages.adjudicate_bulk, name="adjudicate_bulk"),
    path(
        "p/<slug:slug>/adjudicate/bulk/<str:bulk_id>/undo/",
        bulk_pages.undo_bulk,
        name="adjudicate_bulk_undo",
    ),
    path(
        "p/<slug:slug>/adjudicate/<id:pk>/<id:question>/",
        adjudication.adjudicate_item,
        name="adjudicate_item",
    ),
    path(
        "p/<slug:slug>/adjudicate/<id:pk>/<id:question>/withdraw/",
        adjudication.withdraw,
        name="adjudicate_withdraw",
    ),
]
