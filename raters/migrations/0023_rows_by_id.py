"""The triggers of labels look up each label, and its item, by ID.

For a hundred thousand labels at once, PostgreSQL preferred to read the whole tables, once for each slice of an import,
so that ten million labels took far more than ten times a million.
"""

from importlib import import_module

from django.db import migrations


def with_parts(sql: str, *parts: tuple[str, str]) -> str:
    """The function with these parts replaced, each of which it has once."""
    for former, part in parts:
        if sql.count(former) != 1:
            raise ValueError(f"not once in the function: {former}")
        sql = sql.replace(former, part)
    return sql


_RECORD: str = import_module("raters.migrations.0021_from_suggestion").RECORD
_CHECK: str = import_module("raters.migrations.0015_text_labels").CHECK

# OFFSET 0 keeps the planner from joining the tables, whatever it believes about their sizes.
RECORD = with_parts(
    _RECORD,
    (
        "FROM old_labels o JOIN public.raters_label l ON l.id = o.id);",
        "FROM old_labels o\n"
        "            CROSS JOIN LATERAL (SELECT FROM public.raters_label WHERE id = o.id OFFSET 0) l);",
    ),
    (
        "SELECT FROM new_labels n LEFT JOIN public.raters_label l ON l.id = n.id WHERE l IS DISTINCT FROM n);",
        "SELECT FROM new_labels n\n"
        "            LEFT JOIN LATERAL (\n"
        "                SELECT label FROM public.raters_label label WHERE label.id = n.id OFFSET 0\n"
        "            ) l ON true\n"
        "            WHERE l.label IS DISTINCT FROM n);",
    ),
)
CHECK = with_parts(
    _CHECK,
    (
        "    JOIN projects_item i ON i.id = l.item_id\n",
        "    CROSS JOIN LATERAL (SELECT project_id FROM projects_item WHERE id = l.item_id OFFSET 0) i\n",
    ),
)


class Migration(migrations.Migration):
    dependencies = [("raters", "0022_model_runs")]

    operations = [
        migrations.RunSQL(RECORD, _RECORD),
        migrations.RunSQL(CHECK, _CHECK),
    ]
