"""Versions of a codebook, with the keys of its answers; what stands is the first one where a round was opened.

The keys are those that the labeling page gave until now: what the codebook chose, digits for the first question,
letters for the others, and for numbers what is left.
"""

from itertools import chain
from typing import Any

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models
from django.db.models import Max

DIGITS = "1234567890"
LETTERS = "qwertyiopadhjklzcvbm"
PAGE_KEYS = "nsguxf"
GUARD = """
CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON projects_codebookversion
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON projects_codebookversion
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
"""


def keep_what_stands(apps: Any, _: Any) -> None:
    model = apps.get_model("projects", "CodebookVersion")
    rounds = apps.get_model("projects", "Round").objects.exclude(state="draft")
    for project in sorted(set(rounds.values_list("project_id", flat=True))):
        questions = questions_of(apps, project)
        numbers = apps.get_model("projects", "GuidelinesVersion").objects.filter(project_id=project)
        model.objects.create(
            project_id=project,
            number=1,
            content={"questions": [kept(*each) for each in questions], "given": given(questions)},
            guidelines=numbers.aggregate(last=Max("number"))["last"] or 0,
        )


def questions_of(apps: Any, project: int) -> list[tuple[Any, list[Any]]]:
    questions = apps.get_model("projects", "Question").objects.filter(project_id=project)
    categories = apps.get_model("projects", "Category").objects.filter(merged_into=None)
    return [
        (question, list(categories.filter(question_id=question.pk).order_by("position", "id")))
        for question in questions.order_by("position", "id")
    ]


def given(questions: list[tuple[Any, list[Any]]]) -> list[list[str]]:
    owners: dict[str, tuple[str, str]] = {}
    choices = [(question, [] if question.kind == "number" else found) for question, found in questions]
    for question, categories in choices:
        for category in categories:
            key = category.shortcut.lower()
            if key and key not in PAGE_KEYS and key not in owners:
                owners[key] = (question.key, category.key)
    groups = [[(question.key, category.key) for category in found] for question, found in choices]
    give(owners, DIGITS, groups[:1])
    give(owners, LETTERS, groups[1:] + groups[:1])
    give(owners, LETTERS, [[(question.key, "")] for question, _ in questions if question.kind == "number"])
    return [[key, *owner] for key, owner in owners.items()]


def give(owners: dict[str, tuple[str, str]], keys: str, groups: list[list[tuple[str, str]]]) -> None:
    has_one = set(owners.values())
    waiting = [owner for owner in chain.from_iterable(groups) if owner not in has_one]
    free = [key for key in keys if key not in owners]
    owners |= dict(zip(free, waiting, strict=False))


def kept(question: Any, categories: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"key": question.key, "kind": question.kind}
    if question.prompt:
        found["prompt"] = question.prompt
    if not question.is_required:
        found["is_optional"] = True
    if not question.allows_abstention:
        found["no_abstention"] = True
    if question.kind != "number":
        names = ("key", "name", "definition", "examples")
        found["categories"] = [
            {name: getattr(category, name) for name in names if getattr(category, name)}
            for category in categories
        ]
    return found


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0019_measure_of_a_question"),
        ("raters", "0009_undone_questions"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="CodebookVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1)]),
                ),
                ("content", models.JSONField()),
                ("guidelines", models.PositiveSmallIntegerField(default=0)),
                (
                    "made_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="codebook_versions",
                        to="projects.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "number"), name="codebook_number_once_per_project"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="codebook_number_from_1"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CodebookDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("edits", models.JSONField(default=list)),
                ("rows", models.JSONField(default=list)),
                ("content", models.JSONField(default=dict)),
                ("guidelines", models.TextField(blank=True)),
                ("base", models.PositiveIntegerField(default=0)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="codebook_draft",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(
                choices=[
                    ("signed_in", "Signed in"),
                    ("sign_in_failed", "Sign-in failed"),
                    ("session_ended", "Session ended"),
                    ("password_changed", "Password changed"),
                    ("second_factor_added", "Two-factor authentication turned on"),
                    ("second_factor_removed", "Two-factor authentication turned off"),
                    ("token_made", "Token created"),
                    ("token_revoked", "Token revoked"),
                    ("member_joined", "Joined"),
                    ("member_removed", "Removed"),
                    ("role_changed", "Role changed"),
                    ("invitation_made", "Invitation created"),
                    ("invitation_withdrawn", "Invitation revoked"),
                    ("invitation_declined", "Invitation declined"),
                    ("rater_linked", "Rater linked"),
                    ("rater_unlinked", "Rater unlinked"),
                    ("codebook_changed", "Codebook changed"),
                    ("codebook_drafted", "Codebook draft changed"),
                    ("codebook_published", "Codebook published"),
                    ("item_withdrawn", "Item withdrawn"),
                    ("item_put_back", "Item restored"),
                    ("round_planned", "Round planned"),
                    ("round_changed", "Round changed"),
                    ("round_opened", "Round opened"),
                    ("round_closed", "Round closed"),
                    ("round_revealed", "Round revealed"),
                    ("reveal_refused", "Reveal refused: round not closed"),
                    ("labels_seen", "Other raters’ labels viewed"),
                    ("look_refused", "Other raters’ labels hidden during labeling"),
                    ("final_labels_taken", "Final labels exported"),
                    ("guidelines_changed", "Guidelines changed"),
                    ("media_changed", "Media files changed"),
                    ("exported", "Exported"),
                    ("imported", "Imported"),
                    ("import_undone", "Import undone"),
                    ("webhook_made", "Webhook added"),
                    ("webhook_changed", "Webhook changed"),
                    ("webhook_deleted", "Webhook deleted"),
                    ("webhook_disabled", "Webhook turned off after failures"),
                    ("project_changed", "Settings changed"),
                    ("project_closed", "Project closed"),
                    ("project_reopened", "Project reopened"),
                    ("project_deletion_requested", "Project deletion requested"),
                    ("project_deletion_canceled", "Project restored"),
                    ("project_deleted", "Project deleted"),
                    ("person_erased", "Person erased"),
                    ("project_imported", "Project imported"),
                    ("report_shared", "Report link created"),
                    ("report_link_withdrawn", "Report link revoked"),
                    ("report_link_opened", "Report opened through link"),
                ],
                max_length=30,
            ),
        ),
        migrations.RunSQL(GUARD),
        migrations.RunPython(keep_what_stands, migrations.RunPython.noop),
    ]
