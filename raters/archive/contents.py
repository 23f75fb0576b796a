"""Which parts of the database a project file contains, table by table, and which it leaves out and why.

A row is identified by its place in its table: IDs belong to one server, but rows are in ID order on every server.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import models

from core.shapes import Json
from projects.models import (
    Category,
    CodebookDraft,
    CodebookVersion,
    Delivery,
    Event,
    FormerQuestion,
    GuidelinesVersion,
    Invitation,
    Item,
    ItemList,
    ItemListEntry,
    ItemVersion,
    MediaFile,
    Membership,
    Project,
    Question,
    Redemption,
    Round,
    RoundAttempt,
    RoundGate,
    Webhook,
)
from raters.models import (
    AdaptiveOverlap,
    Assignment,
    Audit,
    AuditCertificate,
    AuditedLabel,
    Decision,
    DisputeWatch,
    FinalEstimate,
    FormerAssignee,
    ImportChunk,
    ImportedRange,
    Label,
    LabelImport,
    LabelRevision,
    Message,
    ModelConfiguration,
    ModelRequest,
    ModelRun,
    Notification,
    NotificationMail,
    Qualification,
    QualityAlert,
    QualityCount,
    QualityRule,
    Rater,
    ReadBlock,
    StoredFigures,
    Thread,
    User,
)

FORMAT = 1
# Of a table, by the names of its columns.
Row = Json
Model = type[models.Model]


@dataclass(frozen=True)
class RowKind:
    """One table of a project file.

    where: SQL that selects the rows of a project, whose ID is %(project)s; t is the table. plain: columns that hold IDs
    without a foreign key, whose rows may be gone. sets: columns that hold arrays of such IDs.
    """

    model: Model
    where: str
    plain: Mapping[str, Model] = field(default_factory=dict)
    sets: Mapping[str, Model] = field(default_factory=dict)
    # A column that holds a former row of a table as JSON, keyed by that table's column names.
    former: Mapping[str, Model] = field(default_factory=dict)
    # Columns that are meaningful on only one server.
    left_out: frozenset[str] = frozenset()
    # Columns newer than the first project files, with their defaults; a row with the default is written without them.
    added: Mapping[str, Any] = field(default_factory=dict)
    # Newer than the first project files: a file contains this table only if it has rows.
    is_optional: bool = False

    @property
    def name(self) -> str:
        return str(self.model._meta.db_table)

    @property
    def file_name(self) -> str:
        return self.name.split("_", 1)[1] + ".jsonl"

    @cached_property
    def columns(self) -> list[str]:
        """Return all columns except the ID, which the place stands for, and those left out."""
        fields = [each for each in self.model._meta.concrete_fields if not each.primary_key]
        return [str(each.column) for each in fields if each.column not in self.left_out]

    @cached_property
    def references(self) -> dict[str, Model]:
        """Return the model that each column refers to, with or without a foreign key."""
        found: dict[str, Model] = {
            str(each.column): each.related_model
            for each in self.model._meta.concrete_fields
            if isinstance(each, models.ForeignKey)
            and isinstance(each.related_model, type)
            and each.column not in self.left_out
        }
        return found | dict(self.plain)

    def field_of(self, column: str) -> models.Field:
        return next(each for each in self.model._meta.concrete_fields if each.column == column)

    def filled(self, row: Row) -> Row:
        """Return a row of a project file with the columns added that it was written without."""
        return {**self.added, **row}

    def without_defaults(self, row: Row) -> Row:
        return {
            name: value for name, value in row.items() if name not in self.added or value != self.added[name]
        }

    def is_json(self, column: str) -> bool:
        return isinstance(self.field_of(column), models.JSONField)


OF_QUESTION = "t.question_id IN (SELECT id FROM projects_question WHERE project_id = %(project)s)"
OF_PROJECT = "t.project_id = %(project)s"
# Refers to a label whose row may be gone.
OF_LABEL: dict[str, Model] = {
    "label_id": Label, "item_id": Item, "question_id": Question, "rater_id": Rater, "batch_id": Round,
    "category_id": Category, "user_id": User,
}  # fmt: skip

# Ordered so that each table refers only to earlier ones or to itself.
KINDS = (
    RowKind(
        Project,
        "t.id = %(project)s",
        left_out=frozenset({"deletion_due_at"}),
        added={
            "main_field": "",
            "fields_hidden": [],
            "fields_side_by_side": [],
            "one_key_saving": Project.OneKeySaving.RATERS.value,
            "is_audit": False,
        },
    ),
    RowKind(GuidelinesVersion, OF_PROJECT),
    RowKind(
        Question,
        OF_PROJECT,
        added={
            "missing_values": [],
            "coefficient": "",
            "weights": "",
            "criterion": None,
            "minimum": None,
            "maximum": None,
            "is_whole": False,
            "step": None,
            "unit": "",
            "tolerance": None,
            "max_length": None,
            "asked_if_question": "",
            "asked_if_categories": [],
            "confidence": "off",
            "final_rule": "plurality",
            "final_threshold": None,
            "final_takes_references": True,
        },
    ),
    RowKind(Category, OF_QUESTION, added={"treated_as_missing": False}),
    # Reminders belong to the server that sends them.
    RowKind(
        Round,
        OF_PROJECT,
        left_out=frozenset({"remind_days", "reminded_for", "reminded_at", "site"}),
        added={"due_on": None, "paused_at": None, "paused_by_id": None, "pause_note": "", "pass_mark": None},
    ),
    RowKind(
        RoundGate,
        "t.round_id IN (SELECT id FROM projects_batch WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(
        RoundAttempt,
        "t.round_id IN (SELECT id FROM projects_batch WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(Item, OF_PROJECT, added={"attributes": {}}),
    RowKind(
        ItemVersion,
        "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(MediaFile, OF_PROJECT),
    # Like membership, pauses apply to one server only.
    RowKind(
        Rater,
        OF_PROJECT,
        left_out=frozenset({"codebook_seen", "paused_at", "paused_by_id", "pause_note", "may_resume"}),
        added={"attributes": {}},
    ),
    RowKind(
        ModelConfiguration,
        "t.rater_id IN (SELECT id FROM raters_rater WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(
        Qualification,
        "t.rater_id IN (SELECT id FROM raters_rater WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(
        Assignment,
        "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(project)s)",
        sets={"asked_again": Question},
        added={"asked_again": []},
    ),
    # The history comes before the labels: changes already in it are not recorded again.
    RowKind(
        LabelRevision,
        OF_QUESTION,
        plain=OF_LABEL,
        sets={"category_set": Category},
        former={"old_value": Label},
        # The chain is rebuilt on the importing server; seconds and time are those of the label.
        left_out=frozenset({"entry_id", "digest", "seconds", "labelled_at"}),
        added={"text": None, "confidence": None, "from_suggestion": False},
    ),
    RowKind(
        Label,
        OF_QUESTION,
        sets={"category_set": Category},
        added={"source_id": "", "text": None, "confidence": None, "from_suggestion": False},
    ),
    RowKind(
        Decision,
        "t.label_id IN (SELECT l.id FROM raters_label l JOIN projects_question q ON q.id = l.question_id"
        " WHERE q.project_id = %(project)s)",
    ),
    # The audited project may not be on the other server; the audit keeps what it needs of it.
    RowKind(Audit, OF_PROJECT, left_out=frozenset({"source_id"}), is_optional=True),
    RowKind(
        AuditedLabel,
        "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(project)s)",
        left_out=frozenset({"source_label"}),
        is_optional=True,
    ),
    # Without the answers, what raters marked as not covered by the guidelines would be open again.
    RowKind(
        Thread,
        "t.item_id IN (SELECT id FROM projects_item WHERE project_id = %(project)s)",
        is_optional=True,
    ),
    RowKind(
        Message,
        "t.thread_id IN (SELECT h.id FROM raters_thread h JOIN projects_item i ON i.id = h.item_id"
        " WHERE i.project_id = %(project)s)",
        is_optional=True,
    ),
)
BY_MODEL = {kind.model: kind for kind in KINDS}


def kinds_in(manifest: Mapping[str, Any]) -> list[RowKind]:
    """Return the tables that a project file with this manifest must contain."""
    return [kind for kind in KINDS if not kind.is_optional or kind.file_name in manifest["files"]]


# Tables whose rows others refer to: their IDs must be known before any row is written.
REFERRED_TO = {
    model
    for kind in KINDS
    for model in (*kind.references.values(), *kind.sets.values(), *kind.former.values())
} - {User}

# Models that belong to a project but are not exported.
NOT_EXPORTED: dict[Model, str] = {
    Membership: "members are managed separately on each server",
    Invitation: "invitations are valid on one server only",
    Redemption: "see invitations",
    Webhook: "the new server decides which programs are notified",
    Delivery: "see webhooks",
    Event: "the activity log belongs to one server",
    LabelImport: "the history of labels names each import; its file is not kept",
    ModelRun: "sent by one server; the labels and the full configuration of each model are exported",
    ModelRequest: "see model runs",
    ImportChunk: "see imports",
    ReadBlock: "see imports",
    ImportedRange: "see imports",
    ItemList: "lists are for the discussion of those who work on one server",
    ItemListEntry: "see lists of items",
    CodebookDraft: "raters were never shown it, so it is not published by an export",
    CodebookVersion: "shown to raters of one server; elsewhere, the current codebook is the first version",
    Notification: "people are notified of what they do on one server",
    NotificationMail: "see notifications",
    DisputeWatch: "see notifications",
    AdaptiveOverlap: "further raters are added on one server; their round and its labels are exported",
    FormerAssignee: "see members",
    AuditCertificate: "issued on one server; its data and its digest can be taken anywhere",
    StoredFigures: "computed again from the labels",
    FinalEstimate: "estimated again from the labels, which are exported with the rule",
    QualityRule: "the new server decides what is monitored, and who is paused",
    QualityCount: "see quality rules",
    QualityAlert: "see quality rules",
    FormerQuestion: "questions created by an import that was undone are part of the history of one server",
}
