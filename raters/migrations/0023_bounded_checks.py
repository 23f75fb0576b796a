"""The triggers of labels look at the rows between the lowest and the highest ID of a statement, and no others.

They asked for each label, and for its item, by ID, but for a hundred thousand labels at once PostgreSQL prefers to read
the whole table, once for each slice of an import, so that ten million labels took far more than ten times a million.
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

RECORD = with_parts(
    _RECORD,
    ("    is_overtaken boolean;\n", "    is_overtaken boolean;\n    lowest bigint;\n    highest bigint;\n"),
    (
        "        is_overtaken := EXISTS (SELECT FROM old_labels o JOIN public.raters_label l ON l.id = o.id);\n",
        "        SELECT min(id), max(id) INTO lowest, highest FROM old_labels;\n"
        "        is_overtaken := EXISTS (SELECT FROM old_labels o JOIN public.raters_label l ON l.id = o.id\n"
        "            AND l.id BETWEEN lowest AND highest);\n",
    ),
    (
        "        is_overtaken := EXISTS (\n"
        "            SELECT FROM new_labels n LEFT JOIN public.raters_label l ON l.id = n.id WHERE",
        "        SELECT min(id), max(id) INTO lowest, highest FROM new_labels;\n"
        "        is_overtaken := EXISTS (\n"
        "            SELECT FROM new_labels n LEFT JOIN public.raters_label l ON l.id = n.id\n"
        "                AND l.id BETWEEN lowest AND highest WHERE",
    ),
)
CHECK = with_parts(
    _CHECK,
    ("    wrong record;\nBEGIN\n", "    wrong record;\n    lowest bigint;\n    highest bigint;\nBEGIN\n"),
    (
        "    SELECT l.item_id, l.question_id, l.rater_id INTO wrong\n",
        "    SELECT min(item_id), max(item_id) INTO lowest, highest FROM new_labels;\n"
        "    SELECT l.item_id, l.question_id, l.rater_id INTO wrong\n",
    ),
    (
        "    JOIN projects_item i ON i.id = l.item_id\n",
        "    JOIN projects_item i ON i.id = l.item_id AND i.id BETWEEN lowest AND highest\n",
    ),
)


class Migration(migrations.Migration):
    dependencies = [("raters", "0022_model_runs")]

    operations = [
        migrations.RunSQL(RECORD, _RECORD),
        migrations.RunSQL(CHECK, _CHECK),
    ]
