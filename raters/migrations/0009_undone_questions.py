"""Undoing an import may delete the questions that it created, in one way only, and leaves their history as it is.

A question with a history can be deleted if all of this history is of the import that created it, if no label is left,
and if the same transaction records that this import was undone. What it was is kept, so that its history still belongs
to its project.
"""

from django.db import migrations

DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

FORGET = f"""
CREATE OR REPLACE FUNCTION keep_question_with_history() RETURNS trigger LANGUAGE plpgsql
    {DEFINER} AS $$
DECLARE
    question bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
    undone bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM public.raters_labelrevision r WHERE r.question_id = question) THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF TG_OP = 'DELETE' THEN
        SELECT run.id INTO undone
        FROM public.raters_importedrange made JOIN public.raters_labelimport run ON run.id = made.label_import_id
        WHERE made.kind = 'question' AND question BETWEEN made.first_id AND made.last_id
            AND run.project_id = OLD.project_id
            -- No question goes without an event that says by which import, and when.
            AND EXISTS (
                SELECT FROM public.projects_event e
                WHERE e.kind = 'import_undone' AND e.project_id = OLD.project_id AND e.at = now()
                    AND e.detail->'import' = to_jsonb(run.id)
            )
            AND NOT EXISTS (SELECT FROM public.raters_label l WHERE l.question_id = question)
            AND NOT EXISTS (
                SELECT FROM public.raters_labelrevision r
                WHERE r.question_id = question
                    AND r.source NOT IN ('import ' || run.id, 'undo of import ' || run.id)
            )
        LIMIT 1;
        IF FOUND THEN
            INSERT INTO public.projects_formerquestion (id, project_id, key, kind, label_import_id)
            VALUES (OLD.id, OLD.project_id, OLD.key, OLD.kind, undone);
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'question % has a history: % is refused', question, TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'question_has_history';
END $$;

CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON projects_formerquestion
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON projects_formerquestion
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
"""


class Migration(migrations.Migration):
    dependencies = [("raters", "0008_source_ids"), ("projects", "0018_former_questions")]

    operations = [migrations.RunSQL(FORGET, migrations.RunSQL.noop)]
