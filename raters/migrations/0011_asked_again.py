"""An assignment knows which questions its rater was asked again."""

import django.contrib.postgres.fields
from django.db import migrations, models

# Whichever way a question goes: deleted by a lead, or with the import that created it.
FORGET = """
CREATE FUNCTION raters_forget_asked() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE raters_assignment SET
        asked_again = array_remove(asked_again, OLD.id),
        state = CASE WHEN state = 'pending' AND asked_again = ARRAY[OLD.id] THEN 'done' ELSE state END
    WHERE asked_again <> '{}' AND OLD.id = ANY (asked_again);
    RETURN NULL;
END $$;
CREATE TRIGGER question_forget_asked AFTER DELETE ON projects_question
    FOR EACH ROW EXECUTE FUNCTION raters_forget_asked();
"""
FORGET_NO_MORE = """
DROP TRIGGER question_forget_asked ON projects_question;
DROP FUNCTION raters_forget_asked();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("raters", "0010_codebook_seen"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="assignment",
            name="asked_again",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), blank=True, db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["rater"],
                condition=models.Q(("asked_again", []), _negated=True),
                name="assignment_asked_again",
            ),
        ),
        migrations.RunSQL(FORGET, FORGET_NO_MORE),
    ]
