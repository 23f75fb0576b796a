"""Events join the chain of history: the program asks a function of the owner to write them."""

from django.db import migrations, models

DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

# Names of people are salted, so that a person can be erased from the log: with the salt gone, the digest says no more.
EVENTS = f"""
CREATE FUNCTION event_names(salt uuid, user_name text, about text) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    RETURN sha256(uuid_send(salt) || convert_to(user_name, 'UTF8') || '\\x00' || convert_to(about, 'UTF8'));

CREATE FUNCTION event_digest(
    id bigint, at timestamptz, kind text, project_id bigint, user_id bigint, names bytea, detail jsonb
) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(record_send(ROW(id, at, kind, project_id, user_id, names, detail)));
CREATE FUNCTION event_digest(v projects_event) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN event_digest(v.id, v.at, v.kind, v.project_id, v.user_id, v.names, v.detail);

CREATE FUNCTION record_event(
    kind text, project_id bigint, user_id bigint, user_name text, about text, detail jsonb
) RETURNS SETOF projects_event LANGUAGE plpgsql
    {DEFINER} AS $$
DECLARE
    event public.projects_event;
BEGIN
    event.id := nextval('public.projects_event_id_seq');
    event.at := now();
    event.kind := record_event.kind;
    event.project_id := record_event.project_id;
    event.user_id := record_event.user_id;
    event.user_name := record_event.user_name;
    event.about := record_event.about;
    event.detail := record_event.detail;
    event.salt := gen_random_uuid();
    event.names := public.event_names(event.salt, event.user_name, event.about);
    event.entry_id := nextval('public.core_historyentry_id_seq');
    INSERT INTO public.projects_event SELECT event.*;
    INSERT INTO public.core_historyentry (id, project_id, kind, n_rows, content)
    VALUES (event.entry_id, coalesce(event.project_id, 0), 'E', 1, sha256(public.event_digest(event)));
    RETURN NEXT event;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("projects", "0002_initial"), ("core", "0001_history_chain")]

    operations = [
        migrations.AddField("event", "salt", models.UUIDField(null=True)),
        migrations.AddField("event", "names", models.BinaryField(max_length=32, null=True)),
        migrations.AddField("event", "entry_id", models.BigIntegerField(null=True)),
        migrations.RunSQL(EVENTS),
    ]
