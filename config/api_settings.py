"""The part of the settings for the API: Django REST framework, its tokens, and its OpenAPI description."""

from datetime import timedelta

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "raters.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "reports.label_access.NotLabelingPermission",
        "reports.hidden_names.LettersPermission",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.web.strict.StrictJSONParser"],
    "EXCEPTION_HANDLER": "core.web.api_errors.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105
REST_KNOX = {"TOKEN_TTL": timedelta(days=90), "TOKEN_PREFIX": "irr_"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Interrater",
    "VERSION": "1",
    "DESCRIPTION": "Projects, labels, and agreement reports.",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.openapi.strict",
    ],
    "ENUM_NAME_OVERRIDES": {
        "ProjectState": "projects.models.Project.State",
        "RoundState": "projects.models.Round.State",
        "RunState": "core.runs.ledger.Run.State",
        "QuestionKind": "projects.models.Question.Kind",
        "Level": "projects.models.Question.Level",
        "ProjectCoefficient": "projects.thresholds.CoefficientChoice",
        "QuestionCoefficient": "projects.measures.QuestionCoefficient",
        "QuestionWeights": "projects.measures.QuestionWeights",
        "Weights": "reports.models.Report.Weights",
        "ReportWeights": "reports.api.report_serializers.REPORT_WEIGHTS",
        "RaterKind": "raters.models.Rater.Kind",
        "AddRatersUntil": "raters.models.AdaptiveOverlap.Until",
        "FindingKindEnum": "reports.api.finding_serializers.FINDING_KINDS",
        "QualityRuleKind": "raters.models.QualityRule.Kind",
        "AuditVerdict": "raters.models.AuditedLabel.Verdict",
        "AuditSeverity": "raters.models.AuditedLabel.Severity",
        "FinalRule": "projects.final_rules.FinalRule",
        "RuleEnum": "raters.adjudication.bulk_api.RULES",
        "ItemChoiceKind": "raters.rounds.choice_api.KINDS",
        "ImportedRaterKind": "raters.imports.label_options.RATER_KINDS",
        "ImportKind": "raters.models.LabelImport.Kind",
        "TrueOrFalse": "raters.imports.submitted_file.FLAG",
        "ModelRequestState": "raters.models.ModelRequest.State",
        "AnswerFormat": "raters.model_runs.api.ANSWER_FORMATS",
        "Role": "projects.models.Membership.Role",
        "TokenScope": "raters.models.TokenGrant.Scope",
    },
}
