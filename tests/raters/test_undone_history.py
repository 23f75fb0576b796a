"""What is left of questions that went with their import, in committed transactions: a history that verifies."""

import io

import pytest

from projects.models import FormerQuestion
from raters.archive.people import AccountChoice
from raters.archive.project_export import project_file
from raters.archive.project_import import import_project
from raters.imports.undoing import undo_import
from raters.models import Label, LabelRevision
from reports.store.history_verification import verify_at_once
from reports.store.verification import verify
from tests import cast
from tests.files import GOOD, answers, load
from tests.finished import finished_report
from tests.reports.looking import led_by


@pytest.fixture
def importer(committed_db):
    return cast.person("ida", unique=True)


@pytest.fixture
def imported_into(importer):
    return led_by(importer, cast.new_project("Undone", unique=True))


def verified(project):
    """How many revisions the history has, all of them as they were written."""
    found = verify_at_once(project)
    assert found.faults == []
    return found.n_revisions


def test_the_history_of_a_question_that_went_verifies(imported_into, importer):
    run = load(imported_into, GOOD, by=importer)
    question = imported_into.questions.get().pk
    assert verified(imported_into) == 2

    undo_import(run, by=importer)

    assert verified(imported_into) == 4
    assert LabelRevision.objects.filter(question_id=question).count() == 4
    assert not imported_into.questions.exists()


def test_a_file_is_imported_undone_and_imported_again(imported_into, importer):
    first = load(imported_into, GOOD, by=importer)
    before = answers(imported_into)
    undo_import(first, by=importer)

    second = load(imported_into, GOOD, by=importer)

    assert answers(imported_into) == before
    assert verified(imported_into) == 6
    report = finished_report(imported_into, importer)
    assert (report.questions.get().n_labels, verify(report)) == (2, [])
    assert second.n_created == first.n_created


def test_a_file_is_imported_again_with_another_answer_type(imported_into, importer):
    """What undoing is for: “1” and “2” were taken for categories."""
    content = b"item,rater,score\na,ann,1\na,ben,2\nb,ann,3\nb,ben,3\n"
    undo_import(load(imported_into, content, by=importer, question_kind="single"), by=importer)

    load(imported_into, content, by=importer, question_kind="number")

    assert imported_into.questions.get().kind == "number"
    labels = Label.objects.filter(question__project=imported_into)
    assert sorted(labels.values_list("number", flat=True)) == [1.0, 2.0, 3.0, 3.0]
    assert verify(finished_report(imported_into, importer)) == []
    assert verified(imported_into) == 12


def test_undone_twice_there_are_two_former_questions_of_one_key(imported_into, importer):
    for _ in range(2):
        undo_import(load(imported_into, GOOD, by=importer), by=importer)

    former = FormerQuestion.objects.filter(project=imported_into)
    assert len({each.pk for each in former}) == 2
    assert {each.key for each in former} == {"label"}
    assert verified(imported_into) == 8


def test_a_project_file_leaves_that_history_behind(imported_into, importer):
    wrong = load(imported_into, GOOD, by=importer, question="wrong")
    load(imported_into, b"item,rater,label\nb,ben,1\nb,ann,2\n", by=importer, question="right")
    undo_import(wrong, by=importer)

    content = b"".join(project_file(imported_into))
    people = {importer.username: AccountChoice(importer.username, is_existing=True)}
    copy = import_project(io.BytesIO(content), lead=importer, slug=f"copy-{imported_into.pk}", people=people)

    assert list(copy.questions.values_list("key", flat=True)) == ["right"]
    assert answers(copy) == answers(imported_into)
    assert (verified(copy), verified(imported_into)) == (2, 6)
