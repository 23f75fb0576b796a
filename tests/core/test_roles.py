"""What the three roles may do, told from the catalog, so that a new table or function is asked about too."""

import os
import subprocess
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction
from psycopg import sql

from config.supervisor.postgres import installed_folder
from core import roles
from projects.events import record
from projects.models import Event, Item
from raters.models import Label, LabelRevision, Rater, User
from tests import cast, services
from tests.core.attempts import ATTEMPTS, ELSEWHERE
from tests.labeling import keyed, new_question
from tests.live import administering, as_superuser

# A function of SQL whose body was parsed when it was made looks nothing up any more.
UNPROTECTED_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT (
    p.proowner = 'interrater_owner'::regrole AND (
        p.prosqlbody IS NOT NULL
        OR p.prosecdef AND array_to_string(p.proconfig, ' ') ~ '^search_path=pg_catalog(, public)?, pg_temp( |$)'
    )
)
"""
CALLABLE = """
SELECT p.proname FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND has_function_privilege(%s, p.oid, 'EXECUTE')
"""
# Whatever refuses to be rewritten is history, and so is what only the owner's functions write.
HISTORY = """
SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND p.proname IN ('refuse_rewriting', 'guard_history_entry')
"""


def found(query, *params):
    with connection.cursor() as cursor:
        cursor.execute(query, params or None)
        return {row[0] for row in cursor.fetchall()}


@pytest.fixture
def question(db):
    return new_question(cast.new_project("History", unique=True), key="tone", categories=("good", "bad"))


def label(question):
    """An unsaved label of a new item."""
    [item] = keyed(Item, question.project, ["item-1"]).values()
    [rater] = keyed(Rater, question.project, ["ana"]).values()
    return Label(item=item, rater=rater, question=question, category=question.categories.first())


def history_tables():
    return found(HISTORY)


def test_everything_belongs_to_the_owner(db):
    others = found(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relowner <> 'interrater_owner'::regrole"
    )

    assert others == set()
    assert found("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'interrater_owner'") == {False}


def test_the_program_has_no_powers(db):
    powers = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls"

    assert found(f"SELECT {powers} FROM pg_roles WHERE rolname IN ('interrater', 'interrater_reader')") == {
        False
    }
    assert found("SELECT current_user, session_user") == {"interrater"}
    assert found("SELECT pg_has_role('interrater', 'interrater_owner', 'MEMBER')") == {False}
    assert found("SELECT has_schema_privilege('interrater', 'public', 'CREATE')") == {False}


def test_every_function_is_protected_from_what_stands_in_front_of_its_tables(db):
    assert found(UNPROTECTED_FUNCTIONS) == set()


def test_the_program_calls_the_doors_alone(db):
    assert found(CALLABLE, "interrater") == roles.DOORS
    assert found(CALLABLE, "interrater_reader") == set()


def test_every_guarded_table_is_known(db):
    tables = history_tables()

    assert tables == {"core_historyentry", "raters_labelrevision", *roles.APPENDED, "projects_event"}
    assert tables <= roles.WRITTEN_BY_THE_DATABASE | roles.APPENDED


def test_rights_on_every_table(db):
    """The program may change every table but those that it may only read or add to; the reader changes none."""
    rows = connection.cursor().execute(
        "SELECT relname, has_table_privilege('interrater', oid, 'INSERT'),"
        " has_table_privilege('interrater', oid, 'UPDATE') OR has_table_privilege('interrater', oid, 'DELETE')"
        " OR has_table_privilege('interrater', oid, 'TRUNCATE') OR has_table_privilege('interrater', oid, 'TRIGGER')"
        " OR has_table_privilege('interrater', oid, 'REFERENCES'),"
        " has_table_privilege('interrater_reader', oid, 'INSERT')"
        " OR has_table_privilege('interrater_reader', oid, 'UPDATE')"
        " OR has_table_privilege('interrater_reader', oid, 'DELETE'),"
        " has_table_privilege('interrater_reader', oid, 'SELECT') AND has_table_privilege('interrater', oid, 'SELECT')"
        " FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    )

    for table, may_insert, may_change, reader_changes, both_read in rows.fetchall():
        assert may_insert == (table not in roles.WRITTEN_BY_THE_DATABASE), table
        assert may_change == (table not in roles.WRITTEN_BY_THE_DATABASE | roles.APPENDED), table
        assert not reader_changes, table
        assert both_read, table


def refused(statement):
    """What the database says to the program's role, or None where it does what is asked."""
    statement = statement.format(database=sql.Identifier(connection.settings_dict["NAME"]).as_string(None))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            # What is pending would itself keep a table from being changed.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(statement)
    except Exception as error:
        return str(error)
    return None


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_program_rewrites_no_history(question, attempt):
    label(question).save()
    for table in sorted(roles.WRITTEN_BY_THE_DATABASE - {"django_migrations"} | roles.APPENDED):
        said = refused(attempt.replace("{}", table))

        assert said, table
        assert "permission denied" in said or "must be owner" in said or "append-only" in said, (table, said)


@pytest.mark.parametrize("statement", ELSEWHERE)
def test_the_program_cannot_reach_round_the_guards(db, statement):
    said = refused(statement)

    assert said
    assert "permission denied" in said or "must be" in said, said


@pytest.mark.parametrize(
    "table", ["raters_labelrevision", "core_historyentry", "projects_event", "projects_question"]
)
def test_a_table_in_front_of_the_history_deceives_no_trigger(question, table):
    """Seen: with a temporary table of the same name the program changed labels without a revision."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {table} (LIKE public.{table} INCLUDING DEFAULTS) ON COMMIT DROP"
        )
        cursor.execute("SET LOCAL search_path = pg_temp, public")
        made = label(question)
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


def test_an_event_comes_by_the_door_alone(question):
    event = record(Event.Kind.EXPORTED, project=question.project, about="labels.csv", format="csv")

    stored = Event.objects.get(pk=event.pk)
    assert (stored.about, stored.detail) == ("labels.csv", {"format": "csv"})
    assert stored.entry_id is not None


def test_a_withdrawn_label_cannot_come_back_unrecorded(question):
    """With the source of a project file, a label whose last revision tells it is not recorded again; one that was
    withdrawn is.
    """
    made = label(question)
    made.save()
    pk, item, rater, category = made.pk, made.item_id, made.rater_id, made.category_id
    made.delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'project file', true)")
        cursor.execute(
            "INSERT INTO raters_label (id, item_id, question_id, rater_id, pass_number, category_id, is_abstention,"
            " revision) VALUES (%s, %s, %s, %s, 1, %s, false, 1)",
            [pk, item, question.pk, rater, category],
        )

    changes = LabelRevision.objects.filter(label_id=pk).order_by("id").values_list("change", flat=True)
    assert list(changes) == ["I", "D", "I"]


def test_no_revision_is_slipped_into_a_history(question):
    label(question).save()
    before = LabelRevision.objects.count()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO raters_stagedrevision (project_id, label_id, change, item_id, question_id, rater_id,"
            " pass_number, revision, is_abstention, source, at)"
            " VALUES (%s, 1, 'I', 1, %s, 1, 1, 1, true, 'forged', now())",
            [question.project_id, question.pk],
        )

    said = refused(f"SELECT adopt_revisions({question.project_id})")

    assert "has a history of its own" in said
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


def test_roles_are_made_by_one_who_is_no_superuser(db):
    """As with a managed server: a role that may create roles and databases is enough."""
    name, maker = "irr_managed", "irr_maker"
    with as_superuser() as superuser:
        superuser.execute(f"DROP DATABASE IF EXISTS {name}")
        superuser.execute(f"DROP ROLE IF EXISTS {maker}")
        superuser.execute(f"CREATE ROLE {maker} LOGIN CREATEDB CREATEROLE PASSWORD 'maker'")
        for role in (roles.OWNER, roles.PROGRAM, roles.READER):
            superuser.execute(f"GRANT {role} TO {maker} WITH ADMIN TRUE, INHERIT TRUE, SET TRUE")
    program = dict(connection.settings_dict)
    host = quote(program["HOST"], safe="")
    url = f"postgres://{roles.PROGRAM}:{quote(program['PASSWORD'], safe='')}@{host}/{name}"
    admin = f"postgres://{maker}:maker@{host}/{name}"
    try:
        for _ in range(2):
            roles.establish(admin, program_url=url)
        with psycopg.connect(admin) as made:
            owner = made.execute(
                "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
            ).fetchone()
        assert owner == (roles.OWNER,)
        assert urlsplit(url).path == f"/{name}"
        with psycopg.connect(url) as signed_in, pytest.raises(psycopg.errors.InsufficientPrivilege):
            signed_in.execute("CREATE TABLE public.mine (id int)")
    finally:
        with as_superuser() as superuser:
            superuser.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            superuser.execute(f"DROP OWNED BY {maker}")
            superuser.execute(f"DROP ROLE {maker}")


@pytest.mark.parametrize("role", [roles.PROGRAM, roles.READER])
def test_pg_dump_reads_everything(db, role, tmp_path):
    """`pg_dump "$DATABASE_URL"` works, and so does that of the reader."""
    url = os.environ["DATABASE_URL"] if role == roles.PROGRAM else services.reader_url()
    url = urlsplit(url)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    program = installed_folder() / "bin" / "pg_dump"

    ended = subprocess.run(
        [program, "--format", "custom", "--file", tmp_path / "dump", url],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")


def test_labels_are_written_by_the_program(question):
    made = label(question)
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
def test_no_statement_puts_its_revision_after_a_later_one(question, again, statement):
    """Seen: a function within a statement wrote the same label, and the history ended with what no longer stood."""
    made = label(question)
    made.save()
    second = Label(item=made.item, rater=made.rater, question=question, category=made.category, pass_number=2)
    second.save()
    inner = AGAIN[again].format(
        first=made.pk,
        item=made.item_id,
        question=question.pk,
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


def test_a_question_stays_where_its_history_is(question):
    """Seen: moved to an empty project for one transaction, a question brought forged revisions back with it."""
    label(question).save()
    elsewhere = cast.new_project("Elsewhere", unique=True)

    for move in (
        f"UPDATE projects_question SET project_id = {elsewhere.pk} WHERE id = {question.pk}",
        f"UPDATE projects_question SET id = -1 WHERE id = {question.pk}",
        f"UPDATE projects_item SET project_id = {elsewhere.pk} WHERE project_id = {question.project_id}",
        f"UPDATE raters_rater SET project_id = {elsewhere.pk} WHERE project_id = {question.project_id}",
    ):
        assert "may not move to another project" in (refused(move) or "")


def test_a_question_neither_leaves_its_history_nor_comes_back_to_it(question):
    """Deleted when its labels are withdrawn, it could be made again in a project without a history."""
    label(question).save()
    Label.objects.all().delete()
    deletion = f"DELETE FROM projects_question WHERE id = {question.pk}"
    again = f"INSERT INTO projects_question SELECT * FROM projects_question WHERE id = {question.pk}"

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


def test_a_label_that_differs_from_its_adopted_history_is_recorded(question):
    made = label(question)
    execute("SELECT set_config('interrater.source', 'project file', true)")
    execute(
        "INSERT INTO raters_stagedrevision (project_id, label_id, change, item_id, question_id, rater_id, pass_number,"
        " revision, category_id, is_abstention, reason, note, source, at, seconds, labelled_at)"
        " VALUES (%s, 900, 'I', %s, %s, %s, 1, 1, %s, false, '', '', 'page', now(), 3, now())",
        *(question.project_id, made.item_id, question.pk, made.rater_id, made.category_id),
    )
    execute("SELECT adopt_revisions(%s)", question.project_id)
    execute(
        "INSERT INTO raters_label (id, item_id, question_id, rater_id, pass_number, category_id, is_abstention,"
        " revision, seconds, labelled_at) VALUES (900, %s, %s, %s, 1, %s, false, 1, 4, now())",
        *(made.item_id, question.pk, made.rater_id, made.category_id),
    )

    assert LabelRevision.objects.filter(label_id=900).count() == 2


def erased(username):
    """An account that looks erased; what it is called follows its id."""
    user = cast.person("erin", unique=True)
    User.objects.filter(pk=user.pk).update(username=username.format(user.pk), is_active=False)
    return user.pk


def test_no_name_changes_without_a_recorded_erasure(question):
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


def test_what_somebody_gave_the_program_is_taken_again(db):
    with as_superuser() as superuser:
        superuser.execute("GRANT pg_write_all_data TO interrater")
        superuser.execute("ALTER ROLE interrater BYPASSRLS")
    with administering():
        roles.ensure_database()

    assert found(
        "SELECT pg_has_role('interrater', 'pg_write_all_data', 'MEMBER') OR rolbypassrls FROM pg_roles"
        " WHERE rolname = 'interrater'"
    ) == {False}


@pytest.mark.parametrize(
    ("admin", "program"),
    [(roles.PROGRAM, roles.PROGRAM), (roles.OWNER, roles.PROGRAM), ("postgres", "app")],
)
def test_roles_that_are_one_cannot_be_kept_apart(admin, program):
    with pytest.raises(ImproperlyConfigured):
        roles.establish(
            f"postgres://{admin}@localhost:1/x", program_url=f"postgres://{program}@localhost:1/x"
        )
