"""A label can say how probable it is that it is right, and its history says so too.

A revision with a confidence has it, and its text, in its digest; one without keeps the digest that it always had.
"""

from django.db import migrations, models

# What a revision is, in the order in which its digest takes it: name and type.
FIELDS = (
    ("id", "bigint"),
    ("label_id", "bigint"),
    ("change", "text"),
    ("item_id", "bigint"),
    ("question_id", "bigint"),
    ("rater_id", "bigint"),
    ("batch_id", "bigint"),
    ("pass_number", "integer"),
    ("revision", "integer"),
    ("old_value", "jsonb"),
    ("category_id", "bigint"),
    ("category_set", "bigint[]"),
    ("number", "double precision"),
    ("is_abstention", "boolean"),
    ("reason", "text"),
    ("note", "text"),
    ("guidelines_version", "integer"),
    ("user_id", "bigint"),
    ("source", "text"),
    ("at", "timestamptz"),
    ("seconds", "double precision"),
    ("labelled_at", "timestamptz"),
    ("text", "text"),
    ("confidence", "double precision"),
)
COLUMNS = ", ".join(name for name, _ in FIELDS)
FORMER = ", ".join(name for name, _ in FIELDS[:-1])
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

# Another number of arguments makes another function: the former one remains as it was.
DIGEST = f"""
CREATE FUNCTION revision_digest({", ".join(f"{name} {kind}" for name, kind in FIELDS)}) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN CASE
        WHEN confidence IS NULL THEN revision_digest({FORMER})
        ELSE sha256(record_send(ROW({COLUMNS})))
    END;
CREATE OR REPLACE FUNCTION revision_digest(r raters_labelrevision) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN revision_digest({", ".join(f"r.{name}" for name, _ in FIELDS)});
ALTER TABLE raters_stagedrevision ADD COLUMN confidence double precision;
"""


def written(rows: str) -> str:
    """SQL that writes the revisions that `rows` selects, and the entry that they are in."""
    return f"""
            WITH revisions AS (
                INSERT INTO public.raters_labelrevision ({COLUMNS}, entry_id, digest)
                SELECT {COLUMNS}, entry, public.revision_digest({COLUMNS})
                FROM (
                    SELECT nextval('public.raters_labelrevision_id_seq') AS id, now() AS at, changed.*
                    FROM ({rows}) changed
                    WHERE is_one_project OR changed.question_id IN (
                        SELECT q.id FROM public.projects_question q WHERE q.project_id = project)
                ) numbered
                RETURNING id, digest
            )
            INSERT INTO public.core_historyentry (id, project_id, kind, n_rows, content)
            SELECT entry, project, 'R', count(*), sha256(string_agg(digest, '' ORDER BY id))
            FROM revisions HAVING count(*) > 0;"""


CREATED = """SELECT n.id AS label_id, 'I' AS change, n.item_id, n.question_id, n.rater_id, n.batch_id, n.pass_number,
                n.revision, NULL::jsonb AS old_value, n.category_id, n.category_set, n.number, n.is_abstention,
                n.reason, n.note, n.guidelines_version, actor AS user_id, origin AS source, n.seconds, n.labelled_at,
                n.text, n.confidence
            FROM new_labels n"""
# A label that comes with its own history: where its last revision tells it already, there is nothing to add.
ADOPTED = (
    CREATED
    + """
            WHERE NOT EXISTS (
                SELECT FROM public.raters_labelrevision r
                WHERE r.item_id = n.item_id AND r.question_id = n.question_id AND r.label_id = n.id
                    AND r.change <> 'D' AND r.revision = n.revision
                    AND (r.rater_id, r.pass_number) = (n.rater_id, n.pass_number)
                    AND (r.batch_id, r.category_id, r.category_set, r.number, r.text, r.is_abstention, r.reason, r.note,
                        r.guidelines_version, r.confidence)
                        IS NOT DISTINCT FROM (n.batch_id, n.category_id, n.category_set, n.number, n.text,
                        n.is_abstention, n.reason, n.note, n.guidelines_version, n.confidence)
                    AND (r.labelled_at IS NULL
                        OR (r.labelled_at, r.seconds) IS NOT DISTINCT FROM (n.labelled_at, n.seconds))
                    AND NOT EXISTS (
                        SELECT FROM public.raters_labelrevision later
                        WHERE later.item_id = r.item_id AND later.question_id = r.question_id
                            AND later.label_id = r.label_id AND later.id > r.id
                    )
            )"""
)
CHANGED = """SELECT n.id AS label_id, 'U' AS change, n.item_id, n.question_id, n.rater_id, n.batch_id, n.pass_number,
                n.revision, to_jsonb(o) AS old_value, n.category_id, n.category_set, n.number, n.is_abstention,
                n.reason, n.note, n.guidelines_version, actor AS user_id, origin AS source, n.seconds, n.labelled_at,
                n.text, n.confidence
            FROM new_labels n JOIN old_labels o ON o.id = n.id
            WHERE n *<> o"""
WITHDRAWN = """SELECT o.id AS label_id, 'D' AS change, o.item_id, o.question_id, o.rater_id, o.batch_id, o.pass_number,
                o.revision + 1 AS revision, to_jsonb(o) AS old_value, NULL::bigint AS category_id,
                NULL::bigint[] AS category_set, NULL::float8 AS number, o.is_abstention, '' AS reason, '' AS note,
                NULL::smallint AS guidelines_version, actor AS user_id, origin AS source, NULL::float8 AS seconds,
                NULL::timestamptz AS labelled_at, NULL::text AS text, NULL::float8 AS confidence
            FROM old_labels o"""

# As in 0015_text_labels, with one column more.
RECORD = f"""
CREATE OR REPLACE FUNCTION record_revisions() RETURNS trigger LANGUAGE plpgsql
    {DEFINER} SET work_mem = '64MB' AS $$
DECLARE
    actor bigint := nullif(current_setting('interrater.user_id', true), '')::bigint;
    origin text := coalesce(nullif(current_setting('interrater.source', true), ''), 'sql by ' || session_user);
    projects bigint[];
    project bigint;
    is_one_project boolean;
    entry bigint;
    is_overtaken boolean;
BEGIN
    -- A statement can call a function that writes the same label; its revision would come before that of the statement.
    IF TG_OP = 'DELETE' THEN
        is_overtaken := EXISTS (SELECT FROM old_labels o JOIN public.raters_label l ON l.id = o.id);
    ELSE
        is_overtaken := EXISTS (
            SELECT FROM new_labels n LEFT JOIN public.raters_label l ON l.id = n.id WHERE l IS DISTINCT FROM n);
    END IF;
    IF is_overtaken THEN
        RAISE EXCEPTION 'a label was written again within one statement'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'label_written_once_per_statement';
    END IF;
    IF TG_OP = 'DELETE' THEN
        projects := (SELECT array_agg(DISTINCT q.project_id) FROM public.projects_question q
            WHERE q.id IN (SELECT question_id FROM old_labels));
    ELSE
        projects := (SELECT array_agg(DISTINCT q.project_id) FROM public.projects_question q
            WHERE q.id IN (SELECT question_id FROM new_labels));
    END IF;
    is_one_project := cardinality(projects) = 1;
    FOREACH project IN ARRAY coalesce(projects, '{{}}') LOOP
        entry := nextval('public.core_historyentry_id_seq');
        IF TG_OP = 'INSERT' AND origin = 'project file' THEN{written(ADOPTED)}
        ELSIF TG_OP = 'INSERT' THEN{written(CREATED)}
        ELSIF TG_OP = 'UPDATE' THEN{written(CHANGED)}
        ELSE{written(WITHDRAWN)}
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
"""

ADOPT = f"""
CREATE OR REPLACE FUNCTION adopt_revisions(project bigint) RETURNS bigint LANGUAGE plpgsql
    {DEFINER} AS $$
DECLARE
    entry bigint;
    n bigint;
BEGIN
    -- The lock of `link_history`: whatever else is written to this project comes after what is adopted.
    PERFORM pg_advisory_xact_lock((7221406::bigint << 32) + project);
    IF EXISTS (SELECT FROM public.core_historyentry e WHERE e.project_id = project AND e.kind = 'R') THEN
        RAISE EXCEPTION 'project % has a history of its own', project USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (
        SELECT FROM public.raters_stagedrevision s
        WHERE s.project_id = project
            AND s.question_id NOT IN (SELECT q.id FROM public.projects_question q WHERE q.project_id = project)
    ) THEN
        RAISE EXCEPTION 'a revision is not of a question of project %', project
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    SELECT count(*) INTO n FROM public.raters_stagedrevision s WHERE s.project_id = project;
    IF n = 0 THEN
        RETURN 0;
    END IF;
    entry := nextval('public.core_historyentry_id_seq');
    WITH moved AS (
        DELETE FROM public.raters_stagedrevision s WHERE s.project_id = project RETURNING *
    ), numbered AS (
        SELECT nextval('public.raters_labelrevision_id_seq') AS id, m.*
        FROM (SELECT * FROM moved ORDER BY moved.position) m
    ), revisions AS (
        INSERT INTO public.raters_labelrevision ({COLUMNS}, entry_id, digest)
        SELECT {COLUMNS}, entry, public.revision_digest({COLUMNS}) FROM numbered
        RETURNING id, digest
    )
    INSERT INTO public.core_historyentry (id, project_id, kind, n_rows, content)
    SELECT entry, project, 'R', count(*), sha256(string_agg(digest, '' ORDER BY id)) FROM revisions;
    RETURN n;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("raters", "0016_notifications"), ("projects", "0038_question_confidence")]

    operations = [
        # An upgrade is one transaction: what an earlier migration changed is checked now, since a table cannot be
        # altered while its constraints wait.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField("label", "confidence", models.FloatField(blank=True, null=True)),
        migrations.AddField("labelrevision", "confidence", models.FloatField(null=True)),
        migrations.AddConstraint(
            "label",
            models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", True),
                    models.Q(("confidence__range", (0.0, 1.0)), ("is_abstention", False)),
                    _connector="OR",
                ),
                name="label_confidence_is_a_probability",
            ),
        ),
        migrations.AddConstraint(
            "labelrevision",
            models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", True),
                    models.Q(("confidence__range", (0.0, 1.0)), ("is_abstention", False)),
                    _connector="OR",
                ),
                name="revision_confidence_is_a_probability",
            ),
        ),
        migrations.RunSQL(DIGEST),
        migrations.RunSQL(RECORD),
        migrations.RunSQL(ADOPT),
    ]
