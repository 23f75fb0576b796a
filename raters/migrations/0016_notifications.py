"""What people are notified of, and how far disputes were looked for: in projects of today, from now on."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0034_pass_marks"),
        ("raters", "0015_text_labels"),
    ]

    operations = [
        migrations.CreateModel(
            name="DisputeWatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("looked_up_to", models.BigIntegerField(default=0)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="NotificationMail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Not started"),
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Canceled"),
                        ],
                        default="queued",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0, editable=False)),
                ("losses", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("sent_at", models.DateTimeField(editable=False, null=True)),
                ("sends", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("stage", models.CharField(blank=True, editable=False, max_length=60)),
                ("share_done", models.FloatField(default=0, editable=False)),
                ("failure", models.TextField(blank=True, editable=False)),
                (
                    "asked_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("n_tries", models.PositiveSmallIntegerField(default=0)),
                ("handed_at", models.DateTimeField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("assigned", "Items to label"),
                            ("deadline", "Deadline of a round"),
                            ("asked", "Question from a rater"),
                            ("answered", "Answer to your question"),
                            ("guidelines", "New guidelines"),
                            ("codebook", "New codebook"),
                            ("report_done", "Report done"),
                            ("report_failed", "Report failed"),
                            ("disputes", "Disputes to decide"),
                            ("alert", "Quality alert"),
                            ("paused", "Labeling paused"),
                            ("passed", "Round passed"),
                            ("not_passed", "Round not passed"),
                        ],
                        max_length=20,
                    ),
                ),
                ("subject_id", models.BigIntegerField(null=True)),
                ("due_on", models.DateField(null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("read_at", models.DateTimeField(null=True)),
                ("mailed_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="projects.round",
                    ),
                ),
                (
                    "mail",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="notifications",
                        to="raters.notificationmail",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="NotificationChoice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "topic",
                    models.CharField(
                        choices=[
                            ("assigned", "Items to label"),
                            ("deadline", "Deadlines"),
                            ("reply", "Questions and answers"),
                            ("guidelines", "Guidelines and codebook"),
                            ("report", "Reports"),
                            ("dispute", "Disputes"),
                            ("alert", "Quality alerts and pauses"),
                            ("pass", "Passed rounds"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("at_once", "By email at once"),
                            ("digest", "In a daily email"),
                            ("program", "In the program only"),
                            ("off", "Off"),
                        ],
                        max_length=7,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notification_choices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "topic"), name="notification_choice_once")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="notificationmail",
            index=models.Index(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=["due_at"],
                name="notification_mail_under_way",
            ),
        ),
        migrations.AddIndex(
            model_name="notificationmail",
            index=models.Index(fields=["asked_at"], name="notification_mail_by_age"),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(fields=["recipient", "-id"], name="notification_of_recipient"),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(
                condition=models.Q(("read_at", None)), fields=["recipient"], name="notification_unread"
            ),
        ),
        migrations.AddIndex(
            model_name="notification",
            index=models.Index(fields=["created_at"], name="notification_by_age"),
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "deadline")),
                fields=("recipient", "round", "due_on"),
                name="notification_once_per_deadline",
            ),
        ),
        migrations.RunSQL(
            """
            INSERT INTO raters_disputewatch (project_id, looked_up_to)
            SELECT p.id, coalesce(
                (SELECT max(position) FROM core_historyentry e WHERE e.project_id = p.id AND e.position IS NOT NULL), 0
            ) FROM projects_project p
            """,
            migrations.RunSQL.noop,
        ),
    ]
