"""Leads say how the fields of items are laid out for raters: the main one, hidden ones, and those side by side."""

from django.db import migrations, models

import projects.field_names


def names() -> models.JSONField:
    return models.JSONField(
        blank=True,
        db_default=models.Value([], models.JSONField()),
        default=list,
        validators=[projects.field_names.validate_names],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0026_conditions"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="project",
            name="main_field",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(model_name="project", name="fields_hidden", field=names()),
        migrations.AddField(model_name="project", name="fields_side_by_side", field=names()),
    ]
