"""Questions go with the import that created them, if nothing else uses them; their history stays, and verifies.

All of it in a real database, as the program's role, which could not delete such a question in any other way.
"""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core import database_roles
from projects.codebook.categories import add_category
from projects.codebook.former import keys_of
from projects.events import record
from projects.models import Category, Event, FormerQuestion, Item, Question
from raters.imports.undoing import check_undo, undo_import
from raters.items.label_history import changes, revisions_of
from raters.label_events import _CHANGES
from raters.log.label_change_form import ChangeForm
from raters.log.label_changes import ChangeFilter, change_page, every_change
from raters.models import ImportedRange, Label, LabelImport, LabelRevision, Rater
from raters.sending.label_feed import HistoryPoint, RequestedLabels, changed_labels
from tests import files
from tests.files import GOOD, load
from tests.finished import finished_report
from tests.labeling import add_labels, new_question


@pytest.fixture
def loaded(project, lead) -> LabelImport:
    return load(project, GOOD, by=lead)


def fate_of(undone, kind="question"):
    fate = undone.created[kind]
    return fate.n_deleted, fate.n_kept


def now_in_database(project):
    """What there is of each kind."""
    return {
        model.__name__: model.objects.filter(**{path: project}).count()
        for model, path in (
            (Question, "project"), (Category, "question__project"), (Item, "project"), (Rater, "project"),
            (Label, "question__project"),
        )
    }  # fmt: skip


def test_the_tests_run_as_the_programs_role(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, has_table_privilege('projects_formerquestion', 'INSERT')")
        assert cursor.fetchone() == (database_roles.PROGRAM, False)


def test_the_check_promises_what_undoing_does(project, lead, loaded):
    promised = check_undo(loaded)
    assert Question.objects.filter(project=project).exists()

    assert undo_import(loaded, by=lead) == promised

    assert fate_of(promised) == (1, 0)
    assert set(now_in_database(project).values()) == {0}


def test_the_history_is_kept_logged_and_verifies(project, lead, loaded):
    question = project.questions.get()
    before = list(LabelRevision.objects.filter(question_id=question.pk).values().order_by("id"))

    undo_import(loaded, by=lead)

    found = list(LabelRevision.objects.filter(question_id=question.pk).values().order_by("id"))
    assert found[: len(before)] == before
    assert [each["source"] for each in found[len(before) :]] == [f"undo of import {loaded.pk}"] * 2
    event = Event.objects.get(kind=Event.Kind.IMPORT_UNDONE)
    assert event.detail["deleted"] == {"item": 1, "rater": 2, "category": 2, "question": 1}
    former = FormerQuestion.objects.get()
    assert (former.pk, former.project, former.key, former.kind, former.label_import_id) == (
        question.pk, project, "label", "single", loaded.pk,
    )  # fmt: skip


def test_imported_again_and_undone_again(project, lead, loaded):
    first = project.questions.get().pk
    before = now_in_database(project), files.answers(project)
    undo_import(loaded, by=lead)

    second = load(project, GOOD, by=lead)

    assert (now_in_database(project), files.answers(project)) == before
    assert project.questions.get().pk != first
    undo_import(second, by=lead)
    assert set(now_in_database(project).values()) == {0}
    assert sorted(FormerQuestion.objects.values_list("label_import_id", flat=True)) == [loaded.pk, second.pk]


def test_several_questions_each_by_its_own_use(project, lead):
    run = load(project, b"item,question,rater,label\na,tone,ann,x\na,size,ann,y\n", by=lead)
    size = project.questions.get(key="size")
    label = size.labels.get()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    label.note = "by hand"
    label.save()

    undone = undo_import(run, by=lead)

    assert fate_of(undone) == (1, 1)
    assert list(project.questions.values_list("key", flat=True)) == ["size"]


def test_a_question_that_was_there_before_stays(project, lead):
    known = new_question(project, key="label", categories=("yes",))

    undone = undo_import(load(project, GOOD, by=lead), by=lead)

    assert fate_of(undone) == (0, 0)
    assert fate_of(undone, "category") == (1, 0)
    assert [(q.pk, [c.key for c in q.categories.all()]) for q in project.questions.all()] == [
        (known.pk, ["yes"])
    ]


def test_labels_of_others_keep_it(project, lead, loaded):
    """Those of a second import, too, although they are labels of another item and rater."""
    load(project, b"item,rater,label\nb,cem,yes\n", by=lead)

    undone = undo_import(loaded, by=lead)

    assert (fate_of(undone), fate_of(undone, "category"), fate_of(undone, "item")) == ((0, 1), (1, 1), (1, 0))
    assert files.answers(project) == [("b", "cem", "yes")]


def test_a_label_that_came_and_went_keeps_it(project, lead, loaded):
    """Its history is that of somebody else."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    add_labels(project.questions.get(), [("b", "cem", "yes")])
    Label.objects.get(item__key="b").delete()

    assert fate_of(undo_import(loaded, by=lead)) == (0, 1)


def test_a_category_that_somebody_added_keeps_it(project, lead, loaded):
    add_category(project.questions.get(), by=lead, key="maybe")

    undone = undo_import(loaded, by=lead)

    assert (fate_of(undone), fate_of(undone, "category")) == ((0, 1), (2, 0))
    assert [category.key for category in project.questions.get().categories.all()] == ["maybe"]


def test_a_report_keeps_all_of_it(project, lead, loaded):
    finished_report(project, lead)

    assert fate_of(undo_import(loaded, by=lead)) == (0, 1)


def test_a_question_of_sets_and_one_of_numbers_go_too(project, lead):
    sets = load(
        project, b"item,rater,label\na,ann,x|y\n", by=lead, question="topics", question_kind="multiple"
    )
    numbers = load(
        project, b"item,rater,label\nb,ben,1.5\n", by=lead, question="size", question_kind="number"
    )

    for run in (sets, numbers):
        assert fate_of(undo_import(run, by=lead)) == (1, 0)

    assert sorted(FormerQuestion.objects.values_list("kind", flat=True)) == ["multiple", "number"]
    assert set(now_in_database(project).values()) == {0}


def test_the_history_of_an_item_that_stays_names_the_question(project, lead):
    item = Item.objects.create(project=project, key="a")

    undo_import(load(project, GOOD, by=lead), by=lead)

    found = changes(list(revisions_of(item)))
    assert {change.question for change in found} == {"label (deleted)"}
    assert keys_of([0]) == {}


def test_programs_learn_that_its_labels_are_withdrawn(project, lead, loaded):
    [*_, last] = changed_labels(project, RequestedLabels(), None, most=10)
    undo_import(loaded, by=lead)
    with connection.cursor() as cursor:
        # Positions are given when a transaction commits.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    told = changed_labels(project, RequestedLabels(), last.since, most=10)

    assert [(label.question, label.is_withdrawn) for label in told] == [("label", True)] * 2
    load(project, GOOD, by=lead)
    again = project.questions.get()
    of_key = changed_labels(project, RequestedLabels(question=again), HistoryPoint(), most=10)
    assert sum(label.is_withdrawn for label in of_key) == 2


def test_the_log_of_label_changes_lists_them(project, lead, loaded):
    former = project.questions.get()
    undo_import(loaded, by=lead)
    load(project, GOOD, by=lead)

    rows = list(every_change(project, ChangeFilter()))

    assert len(rows) == len(change_page(project, ChangeFilter(), None, size=50).rows) == 6
    assert [row.change.question for row in rows] == ["label (deleted)"] * 4 + ["label"] * 2
    # By key, whichever of them.
    form = ChangeForm(project, {"question": "label"})
    assert form.is_valid()
    assert form.filter.question == project.questions.get().pk != former.pk
    assert len(list(every_change(project, form.filter))) == 6


def test_webhooks_tell_of_them(project, lead, loaded):
    undo_import(loaded, by=lead)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(_CHANGES, {"project": project.pk, "after": 0, "up_to": 10**9})
        assert [(key, n) for _, key, _, _, n in cursor.fetchall()] == [("label", 4)]


@pytest.mark.parametrize("n_questions", [2, 6])
def test_it_takes_as_many_queries_for_more_questions(project, lead, n_questions):
    rows = b"".join(b"a,q%d,ann,x\n" % n for n in range(n_questions))
    run = load(project, b"item,question,rater,label\n" + rows, by=lead)

    with CaptureQueriesContext(connection) as queries:
        undo_import(run, by=lead)

    assert len(queries) <= 92
    assert not project.questions.exists()


# What nobody may do but the undoing.


def deleted(question) -> str:
    """What the database says to the program that deletes the question, with its categories, or ""."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("DELETE FROM projects_category WHERE question_id = %s", [question.pk])
            cursor.execute("DELETE FROM projects_question WHERE id = %s", [question.pk])
    except DatabaseError as error:
        return str(error)
    return ""


def without_labels(question):
    with connection.cursor() as cursor:
        source = f"undo of import {LabelImport.objects.latest('pk').pk}"
        cursor.execute("SELECT set_config('interrater.source', %s, true)", [source])
    question.labels.all().delete()
    return question


def undone_event(project, run):
    record(Event.Kind.IMPORT_UNDONE, project=project, about="labels.csv", **{"import": run.pk})


def test_without_the_event_no_question_with_a_history_goes(project, loaded):
    question = without_labels(project.questions.get())

    assert "has a history: DELETE is refused" in deleted(question)

    undone_event(project, loaded)
    assert deleted(question) == ""


def test_with_labels_it_stays_whatever_is_recorded(project, loaded):
    undone_event(project, loaded)

    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM projects_question WHERE id = %s", [project.questions.get().pk])


def test_the_event_of_another_import_opens_nothing(project, lead, loaded):
    other = load(project, b"item,rater,size\nb,ben,1\n", by=lead, question_kind="number")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', %s, true)", [f"undo of import {loaded.pk}"])
    question = project.questions.get(key="label")
    question.labels.all().delete()
    undone_event(project, other)

    assert "has a history" in deleted(question)


def test_a_history_by_anybody_else_keeps_the_question(project, loaded):
    question = project.questions.get()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    question.labels.all().delete()
    undone_event(project, loaded)

    assert "has a history" in deleted(question)


def test_a_range_that_was_made_up_opens_nothing_of_others(project, lead, loaded):
    """The program writes the ranges; the history says who gave the labels."""
    own = new_question(project, key="own", categories=("x",))
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    add_labels(own, [("b", "cem", "x")])
    ImportedRange.objects.create(label_import=loaded, kind="question", first_id=own.pk, last_id=own.pk)
    own.labels.all().delete()
    undone_event(project, loaded)

    assert "has a history" in deleted(own)


def test_a_question_that_went_does_not_come_back_under_its_id(project, lead, loaded):
    """Its history would go to another project."""
    pk = project.questions.get().pk
    undo_import(loaded, by=lead)

    with pytest.raises(DatabaseError, match="has a history: INSERT is refused"), transaction.atomic():
        Question.objects.create(pk=pk, project=project, key="again")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE projects_formerquestion SET project_id = project_id",
        "DELETE FROM projects_formerquestion",
        "INSERT INTO projects_formerquestion SELECT id + 1, key, kind, label_import_id, project_id"
        " FROM projects_formerquestion",
    ],
)
def test_what_went_is_not_rewritten(project, lead, loaded, statement):
    undo_import(loaded, by=lead)

    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        connection.cursor().execute(statement)
