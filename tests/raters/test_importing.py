"""What an import of labels creates, compares, replaces and leaves in the history."""

from datetime import UTC, datetime

import pytest

from core.tables.faults import FileRefused
from projects.models import Category, Project, Question
from raters.imports.import_refusals import FileKnown
from raters.models import Label, LabelImport, LabelRevision, Rater
from raters.reading.columns import Column
from tests import files
from tests.files import GOOD, checked, load
from tests.labeling import new_question

State = LabelImport.State


def codes(refused) -> list[str]:
    return [fault.code for fault in refused.value.faults.listed]


def passes(project: Project) -> list[tuple[str, str | None, int, str]]:
    labels = Label.objects.filter(item__project=project)
    order = ("rater__key", "pass_number", "item__key")
    return list(
        labels.order_by(*order).values_list("rater__key", "round__key", "pass_number", "category__key")
    )


def test_everything_that_a_file_names_is_created(project, lead):
    done = load(project, GOOD, by=lead)

    assert (done.n_labels, done.n_created, done.n_changed, done.n_unchanged) == (2, 2, 0, 0)
    assert files.answers(project) == [("a", "ann", "yes"), ("a", "ben", "no")]
    question = project.questions.get()
    assert (question.key, question.kind, question.level) == ("label", "single", "nominal")
    assert list(question.categories.values_list("key", "position")) == [("yes", 0), ("no", 1)]


def test_the_history_says_who_and_from_where(project, lead):
    done = load(project, GOOD, by=lead)

    written = LabelRevision.objects.values_list("user_id", "source", "change").distinct()
    assert list(written) == [(lead.pk, f"import {done.pk}", "I")]


def test_new_categories_stand_in_the_order_of_their_numbers(project):
    load(
        project,
        b"item,rater,label\na,x,10\nb,x,9\nc,x,-1\nd,x,2.5\n",
        level="interval",
        question_kind="single",
    )

    assert list(Category.objects.values_list("key", "value")) == [
        ("-1", -1.0),
        ("2.5", 2.5),
        ("9", 9.0),
        ("10", 10.0),
    ]


def test_labels_that_are_there_already_are_unchanged(project):
    load(project, GOOD)

    again = load(project, GOOD + b"b,ann,no\n")

    assert (again.n_created, again.n_changed, again.n_unchanged) == (1, 0, 2)
    assert LabelRevision.objects.count() == 3


def test_a_label_that_says_otherwise_is_refused(project):
    load(project, GOOD)

    with pytest.raises(FileRefused) as refused:
        load(project, b"item,rater,label\na,ann,no\nb,ann,no\n")

    assert codes(refused) == ["conflicts_with_label"]
    assert files.answers(project) == [("a", "ann", "yes"), ("a", "ben", "no")]


def test_a_label_is_replaced_only_when_asked_and_its_past_is_kept(project):
    load(project, GOOD)

    done = load(project, b"item,rater,label\na,ann,maybe\nb,ann,no\n", replace=True)

    assert (done.n_created, done.n_changed, done.n_unchanged) == (1, 1, 0)
    assert ("a", "ann", "maybe") in files.answers(project)
    change = LabelRevision.objects.get(change="U")
    assert (change.source, change.revision) == (f"import {done.pk}", 2)
    assert change.old_value["category_id"] == Category.objects.get(key="yes").pk


def test_a_label_that_replaces_another_has_the_time_of_the_file(project):
    load(project, GOOD)

    load(project, b"item,rater,label,time\na,ann,no,2020-02-29T12:00:00Z\na,ben,yes,\n", replace=True)

    at = dict(Label.objects.values_list("rater__key", "labelled_at"))
    assert at["ann"] == datetime(2020, 2, 29, 12, tzinfo=UTC)
    assert at["ben"].year > 2020


def test_further_rounds_are_further_passes_in_the_order_of_the_rounds(project):
    content = b"item,rater,label,round\na,ann,no,late\nb,ann,yes,early\na,ann,yes,early\na,ben,no,early\n"
    project.rounds.create(key="early", position=1)

    load(project, content)

    assert passes(project) == [
        ("ann", "early", 1, "yes"),
        ("ann", "early", 1, "yes"),
        ("ann", "late", 2, "no"),
        ("ben", "early", 1, "no"),
    ]


def test_a_later_file_of_another_round_adds_passes(project):
    load(project, GOOD, round="one")

    done = load(project, b"item,rater,label\na,ann,no\n", round="two")

    assert done.n_created == 1
    assert passes(project) == [("ann", "one", 1, "yes"), ("ann", "two", 2, "no"), ("ben", "one", 1, "no")]


def test_a_new_round_is_a_further_round_beside_labels_without_a_round(project):
    load(project, GOOD)

    same = checked(project, GOOD, round="two")
    other = load(project, b"item,rater,label\na,ann,no\na,ben,yes\n", round="three")

    assert (same.faults.n, same.preview.n_created, same.preview.n_unchanged) == (0, 2, 0)
    assert (other.n_created, other.n_unchanged) == (2, 0)
    assert passes(project) == [
        ("ann", None, 1, "yes"),
        ("ann", "three", 2, "no"),
        ("ben", None, 1, "no"),
        ("ben", "three", 2, "yes"),
    ]


def test_rows_without_a_round_are_compared_with_labels_without_one(project):
    load(project, GOOD)

    done = load(project, b"item,rater,label,round\na,ann,yes,\na,ann,no,two\n")

    assert (done.n_created, done.n_unchanged) == (1, 1)


def test_the_same_round_again_is_compared(project):
    load(project, GOOD, round="one")

    with pytest.raises(FileRefused) as refused:
        load(project, b"item,rater,label\na,ann,no\na,ben,no\n", round="one")

    assert codes(refused) == ["conflicts_with_label"]


def test_one_rater_twice_in_one_round(project):
    with pytest.raises(FileRefused) as refused:
        load(project, b"item,rater,label,round\na,ann,no,x\na,ann,yes,y\na,ann,no,x\na,ann,no,\na,ann,no,\n")

    assert [(fault.code, fault.line) for fault in refused.value.faults.listed] == [
        ("duplicate_label", 4),
        ("duplicate_label", 6),
    ]


def test_several_questions_each_with_their_categories(project):
    load(project, b"item,rater,question,label\na,ann,mood,good\na,ann,size,1\nb,ann,size,2\n")

    assert {question.key: question.categories.count() for question in project.questions.all()} == {
        "mood": 1,
        "size": 2,
    }


def test_a_project_of_several_questions_needs_to_know_which(project):
    new_question(project, key="mood")
    new_question(project, key="size")

    file = checked(project, GOOD)
    told = checked(project, GOOD, question="mood")

    assert [(fault.code, fault.column) for fault in file.faults.listed] == [("missing_column", "question")]
    assert not told.faults


def test_the_only_question_of_a_project_is_meant(project):
    question = new_question(project, key="mood", categories=("yes", "no"))

    load(project, GOOD)

    assert question.labels.count() == 2


def test_multiple_choice(project):
    question = new_question(project, kind=Question.Kind.MULTIPLE, categories=("red", "blue"))

    load(project, b"item,rater,label\na,ann,red|blue\nb,ann,blue\nc,ann,green|red\n")

    keys = dict(question.categories.values_list("pk", "key"))
    chosen = {label.item.key: [keys[pk] for pk in label.category_set] for label in question.labels.all()}
    assert chosen == {"a": ["red", "blue"], "b": ["blue"], "c": ["red", "green"]}


@pytest.mark.parametrize("cell", ["red|", "red||blue", "red|red"])
def test_a_bad_choice(cell, project):
    new_question(project, kind=Question.Kind.MULTIPLE, categories=("red", "blue"))

    file = checked(project, f"item,rater,label\na,ann,{cell}\n".encode())

    assert [fault.code for fault in file.faults.listed] == ["bad_choice"]


def test_the_same_choice_in_another_order_is_unchanged(project):
    new_question(project, kind=Question.Kind.MULTIPLE, categories=("red", "blue"))
    load(project, b"item,rater,label\na,ann,red|blue\n")

    assert load(project, b"item,rater,label\na,ann,blue|red\n").n_unchanged == 1


def test_numbers(project):
    new_question(project, kind=Question.Kind.NUMBER, categories=())

    load(project, b"item,rater,label\na,ann,1.50\nb,ann,-3e2\nc,ann,.5\n")

    assert sorted(Label.objects.values_list("number", flat=True)) == [-300.0, 0.5, 1.5]
    assert not Category.objects.exists()


@pytest.mark.parametrize("cell", ["1e999", "inf", "0x10", "1_000", "١٢", "one", "1 2"])
def test_a_bad_number(cell, project):
    new_question(project, kind=Question.Kind.NUMBER, categories=())

    file = checked(project, f'item,rater,label\na,ann,"{cell}"\n'.encode())

    assert [fault.code for fault in file.faults.listed] == ["bad_number"]


def test_times_are_kept(project):
    load(project, b"item,rater,label,time\na,ann,yes,2026-02-03T04:05:06+02:00\n")

    assert Label.objects.get().labelled_at.isoformat() == "2026-02-03T02:05:06+00:00"


def test_reference_labels_without_a_column_of_raters(project):
    load(project, GOOD)

    load(project, b"item,label\na,yes\n", rater="gold", rater_kind=Rater.Kind.REFERENCE)

    assert Rater.objects.get(key="gold").kind == Rater.Kind.REFERENCE
    assert ("a", "gold", "yes") in files.answers(project)


def test_a_wide_file_names_the_rater_as_the_column_of_a_fault(project):
    project.is_codebook_closed = True
    project.save()
    new_question(project, categories=("yes", "no"))
    Rater.objects.create(project=project, key="ann")

    file = checked(project, b"item,ann,ben\na,perhaps,yes\n", layout="wide")

    found = [(fault.code, fault.column, fault.value) for fault in file.faults.listed]
    assert found == [("unknown_category", "ann", "perhaps"), ("unknown_rater", "ben", "ben")]


def test_a_check_tells_what_would_happen_and_changes_nothing(project):
    load(project, GOOD)
    before = files.n_rows()

    file = checked(project, b"item;rater;label\na;ann;yes\nb;cleo;maybe\nc;ann;\n")

    preview = file.preview
    assert (preview.n_created, preview.n_unchanged, preview.n_empty) == (1, 1, 1)
    assert preview.interpretation.separator == "semicolon"
    assert (preview.new["rater"].first, preview.new["category"].first) == (["cleo"], ["label: maybe"])
    assert files.n_rows() == before


def test_too_many_categories_look_like_the_wrong_column(project):
    rows = "".join(f"i{n},ann,c{n}\n" for n in range(1_001))

    file = checked(project, f"item,rater,label\n{rows}".encode())

    assert [fault.code for fault in file.faults.listed] == ["too_many_names"]


def test_the_same_file_read_otherwise_is_another_import(project):
    content = b"item,rater,mood,size\na,ann,good,large\n"

    load(project, content, columns={"mood": Column("label"), "size": Column("ignore")}, question="mood")
    load(project, content, columns={"size": Column("label"), "mood": Column("ignore")}, question="size")

    assert files.answers(project) == [("a", "ann", "good"), ("a", "ann", "large")]


def test_the_same_file_again_is_refused_by_name(project):
    first = load(project, GOOD)

    with pytest.raises(FileKnown, match=f"as import {first.pk} "):
        load(project, GOOD)


def test_categories_of_a_scale_of_numbers_stand_for_different_numbers(project):
    content = b"item,rater,label\na,x,1\nb,x,2\nc,x,01\nd,x,many\ne,x,\xd9\xa1\n"

    found = checked(project, content, level="ratio").faults.listed

    assert [(fault.code, fault.line, fault.column, fault.value) for fault in found] == [
        ("equal_values", 4, "label", "01")
    ]
    assert checked(project, content, level="ordinal").faults.n == 0


def test_a_new_category_may_not_stand_for_the_number_of_another_of_the_project(project):
    load(project, b"item,rater,label\na,x,1\nb,x,2\n", level="interval")

    found = checked(project, b"item,rater,label\nc,x,+2\nd,x,1\n").faults.listed

    assert [(fault.code, fault.line) for fault in found] == [("equal_values", 2)]


def test_a_number_is_of_a_size_that_can_be_counted_with(project):
    found = checked(
        project, b"item,rater,label\na,x,1e100\nb,x,-1e101\n", question_kind="number"
    ).faults.listed

    assert [(fault.code, fault.line) for fault in found] == [("bad_number", 3)]
