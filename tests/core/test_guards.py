"""The guards of history: what the database refuses to everybody, and records whatever is done."""

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from core import database_roles
from projects.events import record
from projects.models import Event, Item
from raters.models import Label, LabelRevision, Rater, User
from tests import cast
from tests.core.attempts import ATTEMPTS
from tests.core.catalog import history_tables, refused
from tests.labeling import keyed, new_question
from tests.live import as_superuser


@pytest.fixture
def guarded_question(db):
    return new_question(cast.new_project("History", unique=True), key="tone", categories=("good", "bad"))


def label(question):
    """An unsaved label of a new item."""
    [item] = keyed(Item, question.project, ["item-1"]).values()
    [rater] = keyed(Rater, question.project, ["ana"]).values()
    return Label(item=item, rater=rater, question=question, category=question.categories.first())


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_program_rewrites_no_history(guarded_question, attempt):
    label(guarded_question).save()
    for table in sorted(
        database_roles.WRITTEN_BY_THE_DATABASE - {"django_migrations"} | database_roles.APPENDED
    ):
        message = refused(attempt.replace("{}", table))

        assert message, table
        assert "permission denied" in message or "must be owner" in message or "append-only" in message, (
            table,
            message,
        )


@pytest.mark.parametrize(
    "table", ["raters_labelrevision", "core_historyentry", "projects_event", "projects_question"]
)
def test_a_table_in_front_of_the_history_deceives_no_trigger(guarded_question, table):
    """Seen: with a temporary table of the same name the program changed labels without a revision."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {table} (LIKE public.{table} INCLUDING DEFAULTS) ON COMMIT DROP"
        )
        cursor.execute("SET LOCAL search_path = pg_temp, public")
        made = label(guarded_question)
        with connection.cursor() as plain:
            plain.execute("SELECT count(*) FROM public.raters_labelrevision")
            before = plain.fetchone()[0]
        cursor.execute(
            "INSERT INTO public.raters_label (item_id, question_id, rater_id, pass_number, category_id, is_abstention,"
            " revision) VALUES (%s, %s, %s, 1, %s, false, 1) RETURNING id",
            [made.item_id, made.question_id, made.rater_id, made.category_id],
        )
        pk = cursor.fetchone()[0]
        cursor.execute("UPDATE public.raters_label SET note = 'changed' WHERE id = %s", [pk])
        cursor.execute("SELECT count(*) FROM public.raters_labelrevision")
        after = cursor.fetchone()[0]

    assert after == before + 2


def test_an_event_comes_by_the_door_alone(guarded_question):
    event = record(Event.Kind.EXPORTED, project=guarded_question.project, about="labels.csv", format="csv")

    stored = Event.objects.get(pk=event.pk)
    assert (stored.about, stored.detail) == ("labels.csv", {"format": "csv"})
    assert stored.entry_id is not None


def test_a_withdrawn_label_cannot_come_back_unrecorded(guarded_question):
    """With the source of a project file, a label whose last revision tells it is not recorded again; one that was
    withdrawn is.
    """
    made = label(guarded_question)
    made.save()
    pk, item, rater, category = made.pk, made.item_id, made.rater_id, made.category_id
    made.delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'project file', true)")
        cursor.execute(
            "INSERT INTO raters_label (id, item_id, question_id, rater_id, pass_number, category_id, is_abstention,"
            " revision) VALUES (%s, %s, %s, %s, 1, %s, false, 1)",
            [pk, item, guarded_question.pk, rater, category],
        )

    changes = LabelRevision.objects.filter(label_id=pk).order_by("id").values_list("change", flat=True)
    assert list(changes) == ["I", "D", "I"]


def test_no_revision_is_slipped_into_a_history(guarded_question):
    label(guarded_question).save()
    before = LabelRevision.objects.count()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO raters_stagedrevision (project_id, label_id, change, item_id, question_id, rater_id,"
            " pass_number, revision, is_abstention, source, at)"
            " VALUES (%s, 1, 'I', 1, %s, 1, 1, 1, true, 'forged', now())",
            [guarded_question.project_id, guarded_question.pk],
        )

    message = refused(f"SELECT adopt_revisions({guarded_question.project_id})")

    assert "has a history of its own" in message
    assert LabelRevision.objects.count() == before


def test_the_owner_itself_is_refused(db):
    """Whoever migrates could switch the guards off, and cannot rewrite anything by mistake."""
    with as_superuser() as owner:
        owner.execute("SET ROLE interrater_owner")
        for table in sorted(history_tables()):
            for attempt in ("TRUNCATE {} CASCADE", "DELETE FROM {}", "UPDATE {} SET id = id"):
                with owner.transaction(force_rollback=True):
                    if (
                        "TRUNCATE" not in attempt
                        and not owner.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
                    ):
                        continue
                    with (
                        pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"),
                        owner.transaction(),
                    ):
                        owner.execute(attempt.format(table))


def test_labels_are_written_by_the_program(guarded_question):
    made = label(guarded_question)
    made.save()
    made.note = "changed"
    made.save()
    made.delete()

    assert list(LabelRevision.objects.order_by("id").values_list("change", flat=True)) == ["I", "U", "D"]
    assert not Label.objects.exists()


def execute(statement, *params):
    with connection.cursor() as cursor:
        cursor.execute(statement, params or None)


NESTED = "CREATE FUNCTION pg_temp.again() RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$BEGIN {}; RETURN true; END$$"

AGAIN = {
    "changed": "UPDATE public.raters_label SET note = 'inner' WHERE id = {first}",
    "withdrawn": "DELETE FROM public.raters_label WHERE id = {first}",
    "made": "INSERT INTO public.raters_label (id, item_id, question_id, rater_id, pass_number, category_id,"
    " is_abstention, revision) VALUES ({first}, {item}, {question}, {rater}, 1, {category}, false, 7)",
}


@pytest.mark.parametrize(
    ("again", "statement"),
    [
        ("changed", "UPDATE raters_label SET note = 'outer'"),
        ("withdrawn", "UPDATE raters_label SET note = 'outer'"),
        ("made", "DELETE FROM raters_label"),
    ],
)
def test_no_statement_puts_its_revision_after_a_later_one(guarded_question, again, statement):
    """Seen: a function within a statement wrote the same label, and the history ended with what no longer stood."""
    made = label(guarded_question)
    made.save()
    second = Label(
        item=made.item, rater=made.rater, question=guarded_question, category=made.category, pass_number=2
    )
    second.save()
    inner = AGAIN[again].format(
        first=made.pk,
        item=made.item_id,
        question=guarded_question.pk,
        rater=made.rater_id,
        category=made.category_id,
    )
    execute(NESTED.format(inner))

    # Which of the two rows comes first decides whether Postgres itself refuses before our trigger does.
    refusals = r"written again|duplicate key|already modified"
    with pytest.raises(DatabaseError, match=refusals), transaction.atomic():
        execute(f"{statement} WHERE id = {made.pk} OR (id = {second.pk} AND pg_temp.again())")


def test_a_zero_that_changes_its_sign_leaves_a_revision(db):
    """Seen: -0 equals 0, so the label changed and nothing was recorded."""
    size = new_question(cast.new_project("Zero", unique=True), key="size", kind="number")
    [item] = keyed(Item, size.project, ["item-1"]).values()
    [rater] = keyed(Rater, size.project, ["ana"]).values()
    made = Label.objects.create(item=item, rater=rater, question=size, number=0.0)
    execute("UPDATE raters_label SET number = '-0' WHERE id = %s", made.pk)

    assert LabelRevision.objects.filter(label_id=made.pk).count() == 2


def test_a_question_stays_where_its_history_is(guarded_question):
    """Seen: moved to an empty project for one transaction, a question brought forged revisions back with it."""
    label(guarded_question).save()
    elsewhere = cast.new_project("Elsewhere", unique=True)

    for move in (
        f"UPDATE projects_question SET project_id = {elsewhere.pk} WHERE id = {guarded_question.pk}",
        f"UPDATE projects_question SET id = -1 WHERE id = {guarded_question.pk}",
        f"UPDATE projects_item SET project_id = {elsewhere.pk} WHERE project_id = {guarded_question.project_id}",
        f"UPDATE raters_rater SET project_id = {elsewhere.pk} WHERE project_id = {guarded_question.project_id}",
    ):
        assert "may not move to another project" in (refused(move) or "")


def test_a_question_neither_leaves_its_history_nor_comes_back_to_it(guarded_question):
    """Deleted when its labels are withdrawn, it could be made again in a project without a history."""
    label(guarded_question).save()
    Label.objects.all().delete()
    deletion = f"DELETE FROM projects_question WHERE id = {guarded_question.pk}"
    again = f"INSERT INTO projects_question SELECT * FROM projects_question WHERE id = {guarded_question.pk}"

    assert "has a history" in (refused(deletion) or "")
    assert "has a history" in (refused(again) or "")


def test_no_history_is_adopted_while_another_begins(committed_db):
    """Seen: who adopted first and committed last put revisions into a history that had begun meanwhile."""
    question = new_question(cast.new_project("Race", unique=True), key="tone", categories=("good", "bad"))
    made = label(question)
    params = connection.get_connection_params()
    params = {name: value for name, value in params.items() if name not in {"cursor_factory", "context"}}
    with transaction.atomic():
        execute("SELECT adopt_revisions(%s)", question.project_id)
        with psycopg.connect(**params, autocommit=True) as other:
            other.execute("SET lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute(
                    "INSERT INTO raters_label (item_id, question_id, rater_id, pass_number, category_id,"
                    " is_abstention, revision) VALUES (%s, %s, %s, 1, %s, false, 1)",
                    [made.item_id, question.pk, made.rater_id, made.category_id],
                )


def test_a_label_that_differs_from_its_adopted_history_is_recorded(guarded_question):
    made = label(guarded_question)
    execute("SELECT set_config('interrater.source', 'project file', true)")
    execute(
        "INSERT INTO raters_stagedrevision (project_id, label_id, change, item_id, question_id, rater_id, pass_number,"
        " revision, category_id, is_abstention, reason, note, source, at, seconds, labelled_at)"
        " VALUES (%s, 900, 'I', %s, %s, %s, 1, 1, %s, false, '', '', 'page', now(), 3, now())",
        *(guarded_question.project_id, made.item_id, guarded_question.pk, made.rater_id, made.category_id),
    )
    execute("SELECT adopt_revisions(%s)", guarded_question.project_id)
    execute(
        "INSERT INTO raters_label (id, item_id, question_id, rater_id, pass_number, category_id, is_abstention,"
        " revision, seconds, labelled_at) VALUES (900, %s, %s, %s, 1, %s, false, 1, 4, now())",
        *(made.item_id, guarded_question.pk, made.rater_id, made.category_id),
    )

    assert LabelRevision.objects.filter(label_id=900).count() == 2


def erased(username):
    """An account that looks erased; what it is called follows its id."""
    user = cast.person("erin", unique=True)
    User.objects.filter(pk=user.pk).update(username=username.format(user.pk), is_active=False)
    return user.pk


def test_no_name_changes_without_a_recorded_erasure(guarded_question):
    """Seen: with a row that looked like an erased account, the program wrote over the text of any event."""
    record(Event.Kind.SIGNED_IN, about="paula")
    pk = erased("erased-{}")
    door = f"SELECT forget_person({pk}, 'paula', ARRAY['signed_in'])"

    assert "is not recorded" in (refused(door) or "")
    record(Event.Kind.PERSON_ERASED, about=f"erased-{pk}", account=pk)
    assert "about people" in refused(f"SELECT forget_person({pk}, 'a.csv', ARRAY['exported'])")
    assert "is not erased" in refused(f"SELECT forget_person({pk}, '', ARRAY['signed_in'])")
    assert refused(door) is None


@pytest.mark.parametrize("username", ["erased-{} by the lead", "erased-{}0", "erased-"])
def test_a_pseudonym_says_nothing_else(db, username):
    pk = erased(username)
    record(Event.Kind.PERSON_ERASED, about=username.format(pk), account=pk)

    assert "is not erased" in refused(f"SELECT forget_person({pk}, 'paula', ARRAY['signed_in'])")
