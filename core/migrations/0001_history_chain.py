"""The chain of history: entries, their linking at commit, and the guard that keeps them."""

import django.db.models.functions.datetime
from django.db import migrations, models

CHAIN = """
CREATE FUNCTION history_entry_digest(
    before bytea, project_id bigint, kind text, n_rows bigint, content bytea, at timestamptz, place bigint
) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(before || record_send(ROW(project_id, kind, n_rows, content, at, place)));

-- Runs once for each entry when its transaction commits, and links all of them at the last one: the lock that puts the
-- transactions of a project in an order is then held for no longer than the commit takes.
CREATE FUNCTION link_history() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry public.core_historyentry;
    last public.core_historyentry;
BEGIN
    -- Entries without a position are of this transaction: others' are linked before anyone sees them.
    IF EXISTS (SELECT FROM public.core_historyentry e WHERE e.position IS NULL AND e.id > NEW.id) THEN
        RETURN NULL;
    END IF;
    -- In the order of projects, so that two transactions never wait for each other.
    FOR entry IN SELECT * FROM public.core_historyentry e WHERE e.position IS NULL ORDER BY e.project_id, e.id LOOP
        -- The number is that of this lock; any would do that nobody else uses.
        PERFORM pg_advisory_xact_lock((7221406::bigint << 32) + entry.project_id);
        last := NULL;
        SELECT * INTO last FROM public.core_historyentry e
            WHERE e.project_id = entry.project_id AND e.position IS NOT NULL ORDER BY e.position DESC LIMIT 1;
        UPDATE public.core_historyentry e
            SET position = coalesce(last.position, 0) + 1,
                digest = public.history_entry_digest(coalesce(last.digest, ''), e.project_id, e.kind, e.n_rows,
                    e.content, e.at, coalesce(last.position, 0) + 1)
            WHERE e.id = entry.id;
    END LOOP;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER link_history AFTER INSERT ON core_historyentry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION link_history();

-- An entry gets its position once; nothing else of it ever changes.
CREATE FUNCTION guard_history_entry() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Only the owner may delete here at all; it does so where a project was deleted and its time has come.
    IF TG_OP = 'DELETE' AND current_setting('interrater.purging', true) = 'on' THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.position IS NULL AND NEW.position IS NOT NULL
        AND (NEW.id, NEW.project_id, NEW.kind, NEW.n_rows, NEW.content, NEW.at)
            IS NOT DISTINCT FROM (OLD.id, OLD.project_id, OLD.kind, OLD.n_rows, OLD.content, OLD.at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the history in % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON core_historyentry
    FOR EACH ROW EXECUTE FUNCTION guard_history_entry();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON core_historyentry
    FOR EACH STATEMENT EXECUTE FUNCTION guard_history_entry();
"""

# The program may count the rows of tables that it does not own.
ANALYZE = """
CREATE FUNCTION analyze_tables(names text[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Whoever counts a table at this moment does it for us.
    EXECUTE 'ANALYZE (SKIP_LOCKED) ' || (SELECT string_agg(format('public.%I', name), ', ') FROM unnest(names) name);
END $$;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="HistoryEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("project_id", models.BigIntegerField()),
                (
                    "kind",
                    models.CharField(choices=[("R", "Revisions of labels"), ("E", "Event")], max_length=1),
                ),
                ("n_rows", models.BigIntegerField()),
                ("content", models.BinaryField(max_length=32)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("position", models.BigIntegerField(null=True)),
                ("digest", models.BinaryField(max_length=32, null=True)),
            ],
            options={
                "verbose_name_plural": "history entries",
                "indexes": [
                    models.Index(
                        condition=models.Q(("position", None)),
                        fields=["project_id", "id"],
                        name="history_pending",
                    ),
                    models.Index(fields=["project_id", "id"], name="history_of_project"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project_id", "position"), name="history_position_once_per_project"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("digest__isnull", True), ("position__isnull", True)),
                            models.Q(("digest__isnull", False), ("position__isnull", False)),
                            _connector="OR",
                        ),
                        name="history_position_with_digest",
                    ),
                ],
            },
        ),
        migrations.RunSQL(CHAIN),
        migrations.RunSQL(ANALYZE),
    ]
