"""API routes of raters and accounts, under /api/v1/."""

from django.urls import URLPattern, path

from raters.accounts import api as api_accounts
from raters.accounts import joining_api as api_joining
from raters.accounts import people_api
from raters.adjudication import api as adjudication
from raters.adjudication import bulk_api, item_dispute_api, reference_api, rule_api
from raters.archive import import_api as bundle_imports
from raters.archive import pages as bundle
from raters.correcting import api as correcting_api
from raters.items import list_api, media_api
from raters.labeling import api as work
from raters.log import api as log
from raters.log import label_change_api
from raters.merging import api as merging_api
from raters.model_runs import api as model_runs
from raters.notifications import api as notifications
from raters.progress import api as progress
from raters.progress import missing_answers_api
from raters.quality import api as quality
from raters.rounds import adaptive_api, revealed_api
from raters.rounds import api as rounds
from raters.scorecard import api as scorecard
from raters.sending import api as sending
from raters.threads import api as threads
from raters.writing import api as writing

ROUND = "projects/<slug:slug>/rounds/<id:pk>/"
MODEL_RUN = "projects/<slug:slug>/model-runs/<id:pk>/"

urlpatterns: list[URLPattern] = [
    path("notifications/", notifications.NotificationList.as_view(), name="api_notifications"),
    path("notifications/read/", notifications.NotificationsRead.as_view(), name="api_notifications_read"),
    path(
        "notifications/<id:pk>/read/", notifications.NotificationRead.as_view(), name="api_notification_read"
    ),
    path("tokens/", api_accounts.TokenList.as_view(), name="api_tokens"),
    path("tokens/<slug:token_key>/", api_accounts.TokenDetail.as_view(), name="api_token"),
    path("people/", people_api.People.as_view(), name="api_people"),
    path("people/<id:pk>/erase/", people_api.Erasure.as_view(), name="api_person_erase"),
    path("project-files/", bundle_imports.ProjectFiles.as_view(), name="api_project_files"),
    path("projects/<slug:slug>/project.zip", bundle.ProjectFile.as_view(), name="api_project_file"),
    path("projects/<slug:slug>/events/", log.Events.as_view(), name="api_events"),
    path(
        "projects/<slug:slug>/label-history/",
        label_change_api.LabelChanges.as_view(),
        name="api_label_changes",
    ),
    path(
        "projects/<slug:slug>/label-history/file/",
        label_change_api.LabelChangesFile.as_view(),
        name="api_label_changes_file",
    ),
    path("projects/<slug:slug>/events/file/", log.EventFile.as_view(), name="api_events_file"),
    path("projects/<slug:slug>/model-runs/", model_runs.ModelRuns.as_view(), name="api_model_runs"),
    path(MODEL_RUN, model_runs.ModelRunDetail.as_view(), name="api_model_run"),
    path(f"{MODEL_RUN}start/", model_runs.ModelRunStart.as_view(), name="api_model_run_start"),
    path(f"{MODEL_RUN}cancel/", model_runs.ModelRunCancel.as_view(), name="api_model_run_cancel"),
    path(f"{MODEL_RUN}resume/", model_runs.ModelRunResume.as_view(), name="api_model_run_resume"),
    path(f"{MODEL_RUN}requests/", model_runs.ModelRequests.as_view(), name="api_model_requests"),
    path(
        f"{MODEL_RUN}requests/<id:position>/",
        model_runs.ModelRequestDetail.as_view(),
        name="api_model_request",
    ),
    path("projects/<slug:slug>/labels/", sending.LabelList.as_view(), name="api_labels"),
    path("projects/<slug:slug>/raters/", api_accounts.RaterList.as_view(), name="api_raters"),
    path("projects/<slug:slug>/raters/<id:pk>/", api_accounts.RaterDetail.as_view(), name="api_rater"),
    path(
        "projects/<slug:slug>/codebook/questions/<id:pk>/kind/",
        correcting_api.QuestionKindChange.as_view(),
        name="api_question_kind",
    ),
    path(
        "projects/<slug:slug>/codebook/questions/<id:question>/categories/<id:pk>/merge/",
        merging_api.CategoryMerge.as_view(),
        name="api_category_merge",
    ),
    path("invitations/", api_joining.OwnInvitations.as_view(), name="api_own_invitations"),
    path("invitations/redeem/", api_joining.Redeem.as_view(), name="api_join"),
    path("invitations/<id:pk>/accept/", api_joining.Accept.as_view(), name="api_invitation_accept"),
    path("invitations/<id:pk>/decline/", api_joining.Decline.as_view(), name="api_invitation_decline"),
    path("projects/<slug:slug>/item-lists/", list_api.ItemLists.as_view(), name="api_item_lists"),
    path("projects/<slug:slug>/item-lists/<id:pk>/", list_api.ItemListItems.as_view(), name="api_item_list"),
    path("projects/<slug:slug>/adjudication/", adjudication.Disputes.as_view(), name="api_disputes"),
    path(
        "projects/<slug:slug>/adjudication/bulk/",
        bulk_api.BulkDecisions.as_view(),
        name="api_adjudication_bulk",
    ),
    path(
        "projects/<slug:slug>/adjudication/bulk/<str:bulk_id>/",
        bulk_api.BulkDecision.as_view(),
        name="api_adjudication_bulk_undo",
    ),
    path(
        "projects/<slug:slug>/adjudication/items/<id:item>/",
        item_dispute_api.ItemCase.as_view(),
        name="api_adjudication_item",
    ),
    path(
        "projects/<slug:slug>/adjudication/<id:item>/<id:question>/",
        adjudication.CaseDetail.as_view(),
        name="api_case",
    ),
    path(
        "projects/<slug:slug>/final-labels/references/",
        reference_api.ReferencesFromDecisions.as_view(),
        name="api_references_from_decisions",
    ),
    path("projects/<slug:slug>/final-labels/rules/", rule_api.FinalRules.as_view(), name="api_final_rules"),
    path(
        "projects/<slug:slug>/final-labels/rules/<id:question>/",
        rule_api.FinalRuleDetail.as_view(),
        name="api_final_rule",
    ),
    path(
        "projects/<slug:slug>/final-labels/rules/<id:question>/estimate/",
        rule_api.FinalRuleEstimate.as_view(),
        name="api_final_rule_estimate",
    ),
    path("projects/<slug:slug>/final-labels/", adjudication.FinalLabels.as_view(), name="api_finals"),
    path("projects/<slug:slug>/exports/", writing.LabelExports.as_view(), name="api_label_exports"),
    path(
        "projects/<slug:slug>/exports/<slug:target>/",
        writing.LabelExport.as_view(),
        name="api_label_export",
    ),
    path(
        "projects/<slug:slug>/items/<id:pk>/history/",
        adjudication.ItemHistory.as_view(),
        name="api_item_history",
    ),
    path("projects/<slug:slug>/media/<id:pk>/file/", media_api.MediaContent.as_view(), name="api_media_file"),
    path("projects/<slug:slug>/assignments/", work.OwnWork.as_view(), name="api_assignments"),
    path("projects/<slug:slug>/assignments/next/", work.Next.as_view(), name="api_next_assignment"),
    path("projects/<slug:slug>/assignments/<id:pk>/", work.AssignmentDetail.as_view(), name="api_assignment"),
    path("projects/<slug:slug>/assignments/<id:pk>/answers/", work.ItemAnswers.as_view(), name="api_answers"),
    path("projects/<slug:slug>/assignments/<id:pk>/skip/", work.Skip.as_view(), name="api_skip"),
    path("projects/<slug:slug>/assignments/<id:pk>/undo/", work.Undo.as_view(), name="api_undo"),
    path("projects/<slug:slug>/progress/", progress.ProjectProgress.as_view(), name="api_progress"),
    path(
        "projects/<slug:slug>/missing-answers/",
        missing_answers_api.IncompleteAssignments.as_view(),
        name="api_missing_answers",
    ),
    path("projects/<slug:slug>/rounds/", rounds.RoundList.as_view(), name="api_rounds"),
    path("projects/<slug:slug>/rounds/preview/", rounds.RoundPreview.as_view(), name="api_round_preview"),
    path("projects/<slug:slug>/scorecard/", scorecard.Scorecard.as_view(), name="api_scorecard"),
    path("projects/<slug:slug>/inquiries/", threads.InquiryList.as_view(), name="api_inquiries"),
    path(
        "projects/<slug:slug>/inquiries/unclear/<id:pk>/reply/",
        threads.UnclearReply.as_view(),
        name="api_unclear_reply",
    ),
    path("projects/<slug:slug>/threads/", threads.Threads.as_view(), name="api_threads"),
    path(
        "projects/<slug:slug>/threads/<id:pk>/reply/", threads.ThreadReply.as_view(), name="api_thread_reply"
    ),
    path("projects/<slug:slug>/assignments/threads/", threads.OwnThreads.as_view(), name="api_own_threads"),
    path(
        "projects/<slug:slug>/assignments/<id:pk>/thread/",
        threads.OwnThread.as_view(),
        name="api_own_thread",
    ),
    path("projects/<slug:slug>/quality/rules/", quality.QualityRuleList.as_view(), name="api_quality_rules"),
    path(
        "projects/<slug:slug>/quality/rules/<slug:kind>/",
        quality.QualityRuleDetail.as_view(),
        name="api_quality_rule",
    ),
    path("projects/<slug:slug>/quality/alerts/", quality.Alerts.as_view(), name="api_quality_alerts"),
    path(
        "projects/<slug:slug>/quality/alerts/<id:pk>/close/",
        quality.AlertClose.as_view(),
        name="api_quality_alert_close",
    ),
    path("projects/<slug:slug>/raters/<id:pk>/pause/", quality.RaterPause.as_view(), name="api_rater_pause"),
    path("projects/<slug:slug>/assignments/pause/", quality.OwnPause.as_view(), name="api_own_pause"),
    path(f"{ROUND}adaptive/", adaptive_api.RoundAdaptive.as_view(), name="api_round_adaptive"),
    path(f"{ROUND}passes/", quality.RoundPasses.as_view(), name="api_round_passes"),
    path(f"{ROUND}passes/<id:rater>/attempt/", rounds.RoundRetry.as_view(), name="api_round_attempt"),
    path(f"{ROUND}passes/<id:rater>/", quality.RoundPass.as_view(), name="api_round_pass"),
    path(ROUND, rounds.RoundDetail.as_view(), name="api_round"),
    path(f"{ROUND}raters/", rounds.RoundRaters.as_view(), name="api_round_raters"),
    path(f"{ROUND}open/", rounds.RoundOpen.as_view(), name="api_round_open"),
    path(f"{ROUND}progress/", rounds.RoundProgressDetail.as_view(), name="api_round_progress"),
    path(f"{ROUND}pause/", rounds.RoundPause.as_view(), name="api_round_pause"),
    path(f"{ROUND}resume/", rounds.RoundResume.as_view(), name="api_round_resume"),
    path(f"{ROUND}set-back/", rounds.RoundSetBack.as_view(), name="api_round_set_back"),
    path(f"{ROUND}remind/", rounds.RoundRemind.as_view(), name="api_round_remind"),
    path(f"{ROUND}close/", rounds.RoundClose.as_view(), name="api_round_close"),
    path(f"{ROUND}reveal/", rounds.RoundReveal.as_view(), name="api_round_reveal"),
    path(f"{ROUND}agreement/", revealed_api.RevealedAgreement.as_view(), name="api_revealed_agreement"),
    path(f"{ROUND}items/", revealed_api.RevealedItems.as_view(), name="api_revealed_items"),
    path("projects/<slug:slug>/revealed/", revealed_api.RevealedList.as_view(), name="api_revealed"),
]
