"""Who loses assignments in a round, or the link to their rater, stays blind until the round is closed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Written by the database, so that no way of losing assignments is missed. Assignments may be planned again as long as
# the round is planned; those of an unlinked rater stay and may be linked again.
KEEP = """
CREATE FUNCTION raters_keep_unlinked_blind() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO raters_formerassignee (user_id, round_id)
    SELECT DISTINCT OLD.user_id, b.id FROM raters_assignment a JOIN projects_batch b ON b.id = a.batch_id
    WHERE a.rater_id = OLD.id AND b.state <> 'closed'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_unlinked_blind AFTER UPDATE OF user_id ON raters_rater FOR EACH ROW
    WHEN (OLD.user_id IS NOT NULL AND OLD.user_id IS DISTINCT FROM NEW.user_id)
    EXECUTE FUNCTION raters_keep_unlinked_blind();

CREATE FUNCTION raters_keep_replaced_blind() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO raters_formerassignee (user_id, round_id)
    SELECT r.user_id, b.id FROM raters_rater r JOIN projects_batch b ON b.id = OLD.batch_id
    WHERE r.id = OLD.rater_id AND r.user_id IS NOT NULL AND b.state = 'open'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_replaced_blind AFTER UPDATE OF rater_id, batch_id ON raters_assignment FOR EACH ROW
    WHEN (OLD.rater_id IS NOT NULL
        AND (OLD.rater_id IS DISTINCT FROM NEW.rater_id OR OLD.batch_id IS DISTINCT FROM NEW.batch_id))
    EXECUTE FUNCTION raters_keep_replaced_blind();

CREATE FUNCTION raters_keep_removed_blind() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF coalesce(current_setting('interrater.purging', true), '') <> 'on' THEN
        INSERT INTO raters_formerassignee (user_id, round_id)
        SELECT DISTINCT r.user_id, b.id
        FROM removed a JOIN projects_batch b ON b.id = a.batch_id JOIN raters_rater r ON r.id = a.rater_id
        WHERE r.user_id IS NOT NULL AND b.state = 'open'
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_removed_blind AFTER DELETE ON raters_assignment REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION raters_keep_removed_blind();
"""
KEEP_NO_MORE = """
DROP TRIGGER keep_removed_blind ON raters_assignment;
DROP FUNCTION raters_keep_removed_blind();
DROP TRIGGER keep_replaced_blind ON raters_assignment;
DROP FUNCTION raters_keep_replaced_blind();
DROP TRIGGER keep_unlinked_blind ON raters_rater;
DROP FUNCTION raters_keep_unlinked_blind();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0041_run_request_id"),
        ("raters", "0033_history_filters"),
    ]

    operations = [
        migrations.CreateModel(
            name="FormerAssignee",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_assignees",
                        to="projects.round",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "round"), name="former_assignee_once_per_round")
                ],
            },
        ),
        migrations.RunSQL(KEEP, KEEP_NO_MORE),
    ]
