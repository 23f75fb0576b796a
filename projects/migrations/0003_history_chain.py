"""Events join the chain of history: the program asks a function of the owner to write them."""

from django.db import migrations, models

DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

# Names of people are salted, so that a person can be erased from the log: with the salt gone, the digest says no more.
# Until release 0.1.0 the detail of an event could name people too, as `user` and `raters`.
EVENTS = f"""
CREATE FUNCTION event_names(salt uuid, user_name text, about text, detail jsonb) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(uuid_send(salt) || record_send(ROW(user_name, about, detail->'user', detail->'raters')));

CREATE FUNCTION event_digest(
    id bigint, at timestamptz, kind text, project_id bigint, user_id bigint, names bytea, detail jsonb
) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(record_send(ROW(id, at, kind, project_id, user_id, names, detail - ARRAY['user', 'raters'])));
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
    event.names := public.event_names(event.salt, event.user_name, event.about, event.detail);
    event.entry_id := nextval('public.core_historyentry_id_seq');
    INSERT INTO public.projects_event SELECT event.*;
    INSERT INTO public.core_historyentry (id, project_id, kind, n_rows, content)
    VALUES (event.entry_id, coalesce(event.project_id, 0), 'E', 1, sha256(public.event_digest(event)));
    RETURN NEXT event;
END $$;

-- Puts the pseudonym of an account that was erased where events name the person by this name.
CREATE FUNCTION forget_person(account bigint, name text, kinds text[]) RETURNS void LANGUAGE plpgsql
    {DEFINER} AS $$
DECLARE
    pseudonym text := (SELECT u.username FROM public.raters_user u WHERE u.id = account AND NOT u.is_active);
BEGIN
    IF name = '' OR pseudonym IS NULL OR pseudonym !~ ('^erased-' || account || 'x*$') THEN
        RAISE EXCEPTION 'account % is not erased', account USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT kinds <@ ARRAY['signed_in', 'sign_in_failed', 'session_ended', 'password_changed', 'second_factor_added',
        'second_factor_removed', 'member_joined', 'member_removed', 'role_changed', 'invitation_made',
        'invitation_withdrawn', 'invitation_declined'] THEN
        RAISE EXCEPTION 'not all of % are about people', kinds USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Names never change without an event that says whose, and when.
    IF NOT EXISTS (
        SELECT FROM public.projects_event e
        WHERE e.kind = 'person_erased' AND e.project_id IS NULL AND e.at = now() AND e.about = pseudonym
            AND e.detail->'account' = to_jsonb(account)
    ) THEN
        RAISE EXCEPTION 'the erasure of account % is not recorded', account USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE public.projects_event e SET
        salt = NULL,
        user_name = CASE WHEN e.user_id = account THEN pseudonym ELSE e.user_name END,
        about = CASE
            WHEN e.kind = ANY (kinds) AND lower(e.about) = lower(name) THEN pseudonym
            WHEN e.kind IN ('rater_linked', 'rater_unlinked') AND position(lower(name) IN lower(e.about)) > 0
                THEN pseudonym
            ELSE e.about
        END,
        detail = CASE
            WHEN e.detail->'user' = to_jsonb(name) THEN e.detail || jsonb_build_object('user', pseudonym)
            WHEN e.kind = 'round_changed' AND e.detail->'raters' ? name
                THEN e.detail || jsonb_build_object('raters', (e.detail->'raters') - name || to_jsonb(pseudonym))
            ELSE e.detail
        END
    WHERE e.user_id = account AND e.user_name <> pseudonym
        OR e.kind = ANY (kinds) AND lower(e.about) = lower(name)
        OR e.kind IN ('rater_linked', 'rater_unlinked') AND position(lower(name) IN lower(e.about)) > 0
        OR e.detail->'user' = to_jsonb(name)
        OR e.kind = 'round_changed' AND e.detail->'raters' ? name;
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
