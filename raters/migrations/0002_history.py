"""What the database itself sees to: labels of one project and of the right kind, and a history that nobody rewrites.

All triggers on labels run once for each statement over its transition tables, so that a load of a million labels
stays fast.
"""

from django.db import migrations

# The transaction that wrote a revision tells, with a stored pg_snapshot, whether a report could see it.
TRANSACTION = """
ALTER TABLE raters_labelrevision
    ADD COLUMN transaction xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX revision_of_question ON raters_labelrevision (question_id, transaction);
"""

CHECK_LABELS = """
CREATE FUNCTION check_labels() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong record;
BEGIN
    -- A change of the question or of its categories waits for the end of this transaction, and this for the end of it.
    PERFORM FROM projects_question WHERE id IN (SELECT question_id FROM new_labels) ORDER BY id FOR KEY SHARE;

    SELECT l.item_id, l.question_id, l.rater_id INTO wrong
    FROM new_labels l
    JOIN projects_item i ON i.id = l.item_id
    JOIN projects_question q ON q.id = l.question_id
    JOIN raters_rater r ON r.id = l.rater_id
    LEFT JOIN projects_batch b ON b.id = l.batch_id
    WHERE i.project_id <> q.project_id OR r.project_id <> q.project_id OR b.project_id <> q.project_id
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'item %, question % and rater % of a label must be of one project',
            wrong.item_id, wrong.question_id, wrong.rater_id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'label_within_one_project';
    END IF;

    SELECT l.question_id, q.kind INTO wrong
    FROM new_labels l
    JOIN projects_question q ON q.id = l.question_id
    LEFT JOIN projects_category c ON c.id = l.category_id
    WHERE NOT l.is_abstention AND NOT CASE q.kind
        WHEN 'single' THEN l.category_id IS NOT NULL AND c.question_id = l.question_id AND c.merged_into_id IS NULL
        WHEN 'multiple' THEN l.category_set IS NOT NULL
        ELSE l.number IS NOT NULL
    END
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a label of question % must hold what its kind (%) asks for, of its own categories',
            wrong.question_id, wrong.kind
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'label_value_fits_question';
    END IF;

    SELECT l.question_id, chosen.id INTO wrong
    FROM new_labels l
    CROSS JOIN LATERAL unnest(l.category_set) WITH ORDINALITY AS chosen (id, place)
    LEFT JOIN projects_category c ON c.id = chosen.id AND c.question_id = l.question_id
        AND c.merged_into_id IS NULL
    WHERE l.category_set IS NOT NULL
        AND (c.id IS NULL OR chosen.id <= (l.category_set)[chosen.place - 1])
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a set of categories of question % must be ascending and its own, got category %',
            wrong.question_id, wrong.id
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'label_set_fits_question';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER check_new_labels AFTER INSERT ON raters_label
    REFERENCING NEW TABLE AS new_labels FOR EACH STATEMENT EXECUTE FUNCTION check_labels();
CREATE TRIGGER check_changed_labels AFTER UPDATE ON raters_label
    REFERENCING NEW TABLE AS new_labels FOR EACH STATEMENT EXECUTE FUNCTION check_labels();

-- A category in a set has no foreign key that would keep it.
CREATE FUNCTION keep_chosen_category() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM raters_label WHERE question_id = OLD.question_id AND OLD.id = ANY (category_set)
    ) THEN
        RAISE EXCEPTION 'category % has labels', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'category_set_has_labels';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER keep_chosen_category BEFORE DELETE ON projects_category
    FOR EACH ROW EXECUTE FUNCTION keep_chosen_category();
"""

# Who and from where are told by SET LOCAL interrater.user_id and interrater.source; without them it was plain SQL.
RECORD_REVISIONS = """
CREATE FUNCTION record_revisions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    actor bigint := nullif(current_setting('interrater.user_id', true), '')::bigint;
    origin text := coalesce(nullif(current_setting('interrater.source', true), ''), 'sql by ' || session_user);
BEGIN
    IF TG_OP = 'INSERT' AND origin = 'project file' THEN
        -- A label that comes with its own history: there is nothing to add where the history tells it already.
        INSERT INTO raters_labelrevision (
            label_id, change, item_id, question_id, rater_id, batch_id, pass_number, revision, old_value,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version,
            user_id, source
        )
        SELECT id, 'I', item_id, question_id, rater_id, batch_id, pass_number, revision, NULL,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version, actor, origin
        FROM new_labels n
        WHERE NOT EXISTS (
            SELECT FROM raters_labelrevision r
            WHERE (r.label_id, r.revision, r.item_id, r.question_id, r.rater_id, r.pass_number)
                    = (n.id, n.revision, n.item_id, n.question_id, n.rater_id, n.pass_number)
                AND r.change <> 'D'
                AND (r.batch_id, r.category_id, r.category_set, r.number, r.is_abstention, r.reason, r.note,
                    r.guidelines_version)
                    IS NOT DISTINCT FROM (n.batch_id, n.category_id, n.category_set, n.number, n.is_abstention,
                    n.reason, n.note, n.guidelines_version)
        );
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO raters_labelrevision (
            label_id, change, item_id, question_id, rater_id, batch_id, pass_number, revision, old_value,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version,
            user_id, source
        )
        SELECT id, 'I', item_id, question_id, rater_id, batch_id, pass_number, revision, NULL,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version, actor, origin
        FROM new_labels;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO raters_labelrevision (
            label_id, change, item_id, question_id, rater_id, batch_id, pass_number, revision, old_value,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version,
            user_id, source
        )
        SELECT n.id, 'U', n.item_id, n.question_id, n.rater_id, n.batch_id, n.pass_number, n.revision, to_jsonb(o),
            n.category_id, n.category_set, n.number, n.is_abstention, n.reason, n.note, n.guidelines_version,
            actor, origin
        FROM new_labels n JOIN old_labels o ON o.id = n.id
        WHERE n IS DISTINCT FROM o;
    ELSE
        INSERT INTO raters_labelrevision (
            label_id, change, item_id, question_id, rater_id, batch_id, pass_number, revision, old_value,
            category_id, category_set, number, is_abstention, reason, note, guidelines_version,
            user_id, source
        )
        SELECT id, 'D', item_id, question_id, rater_id, batch_id, pass_number, revision + 1, to_jsonb(o),
            NULL, NULL, NULL, is_abstention, '', '', NULL, actor, origin
        FROM old_labels o;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER record_created AFTER INSERT ON raters_label
    REFERENCING NEW TABLE AS new_labels FOR EACH STATEMENT EXECUTE FUNCTION record_revisions();
CREATE TRIGGER record_changed AFTER UPDATE ON raters_label
    REFERENCING OLD TABLE AS old_labels NEW TABLE AS new_labels
    FOR EACH STATEMENT EXECUTE FUNCTION record_revisions();
CREATE TRIGGER record_withdrawn AFTER DELETE ON raters_label
    REFERENCING OLD TABLE AS old_labels FOR EACH STATEMENT EXECUTE FUNCTION record_revisions();

-- A changed label is a new revision of it, whatever wrote it, and stays the label of the same rater on the same item.
CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.item_id, OLD.question_id, OLD.rater_id, OLD.pass_number)
        IS DISTINCT FROM (NEW.id, NEW.item_id, NEW.question_id, NEW.rater_id, NEW.pass_number) THEN
        RAISE EXCEPTION 'a label may not move to another item, question, rater or pass'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'label_stays_in_place';
    END IF;
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER count_revision BEFORE UPDATE ON raters_label
    FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION count_revision();

CREATE FUNCTION refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% may not be emptied', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- TRUNCATE fires no DELETE trigger, so it would leave no revision.
CREATE TRIGGER keep_labels BEFORE TRUNCATE ON raters_label
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
"""

GUARD_HISTORY = """
CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the history in % is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON raters_labelrevision
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON raters_labelrevision
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON projects_event
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON projects_event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON projects_guidelinesversion
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON projects_guidelinesversion
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
"""


class Migration(migrations.Migration):
    dependencies = [("raters", "0001_initial"), ("projects", "0002_initial")]

    operations = [
        migrations.RunSQL(TRANSACTION),
        migrations.RunSQL(CHECK_LABELS),
        migrations.RunSQL(RECORD_REVISIONS),
        migrations.RunSQL(GUARD_HISTORY),
    ]
