"""Reports remember how far they read by a position in the chain of history; what is there already joins the chain.

Until release 0.1.0 a report kept a pg_snapshot and each revision the number of its transaction, which mean nothing in
another cluster. What snapshots see only grows, so the old transactions can be put in an order in which each report saw
all up to some point: the positions follow that order, and then time.
"""

from django.db import migrations, models

JOIN_THE_CHAIN = """
ALTER TABLE raters_labelrevision DISABLE TRIGGER guard_rows;
ALTER TABLE projects_event DISABLE TRIGGER guard_rows;
ALTER TABLE core_historyentry DISABLE TRIGGER guard_rows;
ALTER TABLE core_historyentry DISABLE TRIGGER link_history;

CREATE TEMPORARY TABLE old_entry ON COMMIT DROP AS
WITH transactions AS (
    SELECT coalesce(q.project_id, 0) AS project_id, r.transaction, min(r.at) AS at, count(*) AS n_rows
    FROM raters_labelrevision r LEFT JOIN projects_question q ON q.id = r.question_id
    WHERE r.entry_id IS NULL
    GROUP BY 1, 2
), ranked AS (
    SELECT t.*, (
        SELECT count(*) FROM (SELECT DISTINCT snapshot FROM reports_report s
            WHERE s.project_id = t.project_id AND s.snapshot <> '') s
        WHERE NOT pg_visible_in_snapshot(t.transaction, s.snapshot::pg_snapshot)
    ) AS unseen
    FROM transactions t
), timed AS (
    SELECT 'R' AS kind, project_id, transaction, NULL::bigint AS event_id, n_rows, at, unseen,
        max(at) OVER (PARTITION BY project_id ORDER BY unseen, at, transaction) AS told_at
    FROM ranked
    UNION ALL
    SELECT 'E', coalesce(project_id, 0), NULL, id, 1, at, 0, at FROM projects_event WHERE entry_id IS NULL
), placed AS (
    SELECT *, row_number() OVER (
        PARTITION BY project_id ORDER BY told_at, kind DESC, unseen, at, transaction, event_id
    ) AS position
    FROM timed
)
SELECT nextval('core_historyentry_id_seq') AS id, ordered.*
FROM (SELECT * FROM placed ORDER BY project_id, position) ordered;
ANALYZE old_entry;

UPDATE raters_labelrevision r SET seconds = l.seconds, labelled_at = l.labelled_at
FROM raters_label l WHERE l.id = r.label_id AND l.revision = r.revision AND r.change <> 'D';
UPDATE raters_labelrevision r
SET entry_id = e.id, digest = revision_digest(r)
FROM old_entry e
WHERE e.kind = 'R' AND e.transaction = r.transaction AND r.entry_id IS NULL
    AND e.project_id = coalesce((SELECT q.project_id FROM projects_question q WHERE q.id = r.question_id), 0);

UPDATE projects_event v SET entry_id = e.id, salt = gen_random_uuid()
FROM old_entry e WHERE e.event_id = v.id;
UPDATE projects_event SET names = event_names(salt, user_name, about, detail) WHERE names IS NULL;

DO $$
DECLARE
    entry record;
    chained bytea;
    place bigint;
    of_project bigint;
BEGIN
    FOR entry IN
        SELECT e.*, coalesce(revisions.content, sha256(event_digest(v))) AS content
        FROM old_entry e
        LEFT JOIN (
            SELECT r.entry_id, sha256(string_agg(r.digest, '' ORDER BY r.id)) AS content
            FROM raters_labelrevision r WHERE r.entry_id IN (SELECT id FROM old_entry) GROUP BY r.entry_id
        ) revisions ON revisions.entry_id = e.id
        LEFT JOIN projects_event v ON v.id = e.event_id
        ORDER BY e.project_id, e.position
    LOOP
        IF of_project IS DISTINCT FROM entry.project_id THEN
            of_project := entry.project_id;
            chained := '';
            place := 0;
        END IF;
        place := place + 1;
        chained := history_entry_digest(chained, entry.project_id, entry.kind, entry.n_rows, entry.content,
            entry.at, place);
        INSERT INTO core_historyentry (id, project_id, kind, n_rows, content, at, position, digest)
        VALUES (entry.id, entry.project_id, entry.kind, entry.n_rows, entry.content, entry.at, place, chained);
    END LOOP;
END $$;

UPDATE reports_report s SET head_position = 0, head_entry = 0 WHERE s.snapshot <> '';
UPDATE reports_report s
SET head_position = seen.position, head_entry = seen.id, head_digest = encode(h.digest, 'hex')
FROM (
    SELECT DISTINCT ON (report.id) report.id AS report_id, e.position, e.id
    FROM reports_report report
    JOIN old_entry e ON e.project_id = report.project_id AND e.kind = 'R'
        AND pg_visible_in_snapshot(e.transaction, report.snapshot::pg_snapshot)
    WHERE report.snapshot <> ''
    ORDER BY report.id, e.position DESC
) seen
JOIN core_historyentry h ON h.id = seen.id
WHERE s.id = seen.report_id;

ALTER TABLE raters_labelrevision ENABLE TRIGGER guard_rows;
ALTER TABLE projects_event ENABLE TRIGGER guard_rows;
ALTER TABLE core_historyentry ENABLE TRIGGER guard_rows;
ALTER TABLE core_historyentry ENABLE TRIGGER link_history;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0001_initial"),
        ("core", "0001_history_chain"),
        ("projects", "0003_history_chain"),
        ("raters", "0003_history_chain"),
    ]

    operations = [
        migrations.AddField("report", "head_position", models.BigIntegerField(null=True)),
        migrations.AddField("report", "head_entry", models.BigIntegerField(null=True)),
        migrations.AddField("report", "head_digest", models.CharField(blank=True, max_length=64, default="")),
        migrations.RunSQL(JOIN_THE_CHAIN),
    ]
