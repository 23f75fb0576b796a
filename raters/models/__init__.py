"""Models for users, raters, assignments, labels, and their history."""

from raters.models.accounts import CachedValue, TokenGrant, User
from raters.models.assignments import AdaptiveOverlap, Assignment, FormerAssignee, Rater, counted
from raters.models.audits import Audit, AuditCertificate, AuditedLabel
from raters.models.labels import Decision, Label, LabelRevision, Submission
from raters.models.model_runs import ModelConfiguration, ModelRequest, ModelRun
from raters.models.notifications import DisputeWatch, Notification, NotificationChoice, NotificationMail
from raters.models.quality import Qualification, QualityAlert, QualityCount, QualityRule
from raters.models.reliability_estimates import FinalEstimate
from raters.models.stored_figures import StoredFigures
from raters.models.threads import Message, Thread
from raters.models.uploads import (
    ImportChunk,
    ImportedRange,
    LabelImport,
    ProjectUpload,
    ProjectUploadPiece,
    ReadBlock,
)

__all__ = [
    "AdaptiveOverlap",
    "Assignment",
    "Audit",
    "AuditCertificate",
    "AuditedLabel",
    "CachedValue",
    "Decision",
    "DisputeWatch",
    "FinalEstimate",
    "FormerAssignee",
    "ImportChunk",
    "ImportedRange",
    "Label",
    "LabelImport",
    "LabelRevision",
    "Message",
    "ModelConfiguration",
    "ModelRequest",
    "ModelRun",
    "Notification",
    "NotificationChoice",
    "NotificationMail",
    "ProjectUpload",
    "ProjectUploadPiece",
    "Qualification",
    "QualityAlert",
    "QualityCount",
    "QualityRule",
    "Rater",
    "ReadBlock",
    "StoredFigures",
    "Submission",
    "Thread",
    "TokenGrant",
    "User",
    "counted",
]
