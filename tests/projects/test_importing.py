import io

import pytest
from django.core.management import CommandError, call_command

from core.tables.faults import FileRefused
from projects.imports.protocol import ImportResult
from projects.models import Category, Item, Project
from projects.refusals import ProjectClosed
from tests import cast, files
from tests.core.tables.making import xlsx
from tests.files import load_items, load_questions

CODEBOOK = (
    b"question,prompt,scale,labels,label_meanings\n"
    b"mood,How is it?,ordinal,bad|good,Not nice|Nice\n"
    b"score,How much?,interval,1|2|10,||\n"
)


def items(project: Project, content: bytes, **options: bool) -> ImportResult:
    return load_items(project, content, **options)


def questions(project: Project, content: bytes, **options: bool) -> ImportResult:
    return load_questions(project, content, **options)


def codes(refused) -> list[str]:
    return [fault.code for fault in refused.value.faults.listed]


def test_items_keep_their_fields_in_order_and_kind(project):
    items(project, b'item,text,image:photo,markdown:body\na," x ",p.jpg,"**b**\nc"\n')

    assert Item.objects.get().content == [
        {"name": "text", "kind": "text", "value": " x "},
        {"name": "photo", "kind": "image", "value": "p.jpg"},
        {"name": "body", "kind": "markdown", "value": "**b**\nc"},
    ]


def test_the_same_items_again_change_nothing(project):
    content = b"item,text\na,x\nb,y\n"
    items(project, content)

    assert items(project, content) == ImportResult(n_created=0, n_changed=0, n_unchanged=2)


def test_items_that_came_with_labels_are_filled_in(project):
    files.load(project, files.GOOD)

    assert items(project, b"item,text\na,x\nb,y\n") == ImportResult(n_created=1, n_changed=1, n_unchanged=0)


def test_a_file_with_the_column_item_alone_leaves_content_as_it_is(project):
    items(project, b"item,text\na,x\n")

    done = items(project, b"item\na\nb\n")

    assert done == ImportResult(n_created=1, n_changed=0, n_unchanged=1)
    assert project.items.get(key="a").content[0]["value"] == "x"


def test_items_are_replaced_only_when_asked(project):
    items(project, b"item,text\na,x\n")

    with pytest.raises(FileRefused) as refused:
        items(project, b"item,text\na,y\n")
    replaced = items(project, b"item,text\na,y\n", replace=True)

    assert codes(refused) == ["item_exists"]
    assert replaced == ImportResult(n_created=0, n_changed=1, n_unchanged=0)


def test_items_into_a_closed_project(project):
    project.state = Project.State.CLOSED
    project.save()

    with pytest.raises(ProjectClosed):
        items(project, b"item,text\na,x\n")


def test_a_codebook_has_its_categories_in_the_order_of_the_scale(project):
    assert questions(project, CODEBOOK) == ImportResult(n_created=2, n_changed=0, n_unchanged=0)

    mood, score = project.questions.all()
    assert (mood.prompt, mood.kind, mood.level) == ("How is it?", "single", "ordinal")
    assert list(mood.categories.values_list("key", "name")) == [("bad", "Not nice"), ("good", "Nice")]
    assert list(score.categories.values_list("key", "value")) == [("1", 1.0), ("2", 2.0), ("10", 10.0)]


def test_the_same_codebook_again_changes_nothing(project):
    questions(project, CODEBOOK)

    assert questions(project, CODEBOOK) == ImportResult(n_created=0, n_changed=0, n_unchanged=2)


def test_a_codebook_replaces_another_and_keeps_categories_with_labels(project):
    files.load(project, files.GOOD, question="mood")
    content = b"question,prompt,scale,labels,label_meanings\nmood,How?,ordinal,no|yes,No|Yes\n"

    with pytest.raises(FileRefused) as refused:
        questions(project, content)
    replaced = questions(project, content, replace=True)

    assert codes(refused) == ["question_exists"]
    assert replaced.n_changed == 1
    assert list(project.questions.get().categories.values_list("key", "name")) == [
        ("no", "No"),
        ("yes", "Yes"),
    ]
    assert files.answers(project) == [("a", "ann", "yes"), ("a", "ben", "no")]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"question,prompt,scale,labels\nq,,cardinal,a|b\n", "bad_scale"),
        (b"question,labels,label_meanings\nq,a|b,one\n", "label_meanings"),
        (b"question,labels\nq,a|A\n", "duplicate_category"),
        (b"question,labels\nq,a||b\n", "empty_cell"),
        (b"question,labels\nq,a|b\nq,c|d\n", "duplicate_question"),
        (b"question,labels\nq,a|b\nQ,c|d\n", "confusable_id"),
        (b"question,kind,labels\nq,number,a|b\n", "bad_kind"),
        (b"prompt,labels\nq,a|b\n", "missing_column"),
        (b"question,color\nq,red\n", "unknown_column"),
    ],
)
def test_a_bad_codebook(content, code, project):
    with pytest.raises(FileRefused) as refused:
        questions(project, content)

    assert code in codes(refused)
    assert not project.questions.exists()


def test_a_codebook_into_a_closed_one(project):
    project.is_codebook_closed = True
    project.save()

    with pytest.raises(ProjectClosed):
        questions(project, CODEBOOK)


def test_what_looks_like_a_question_or_category_of_the_project_is_refused(project):
    questions(project, b"question,labels\nmood,good|bad\n")

    for content in (b"question,labels\nMood,good|bad\n", b"question,labels\nmood,Good|bad\n"):
        with pytest.raises(FileRefused) as refused:
            questions(project, content, replace=True)
        assert codes(refused) == ["confusable_id"]


def test_the_commands_say_what_they_did(db, tmp_path):
    (tmp_path / "items.csv").write_text("item,text\na,x\n")
    (tmp_path / "questions.csv").write_bytes(CODEBOOK)
    told = io.StringIO()

    by = cast.person("paula").username
    call_command("import_items", "new", tmp_path / "items.csv", create_project="New", by=by, stdout=told)
    call_command("import_questions", "new", tmp_path / "questions.csv", stdout=told)

    assert told.getvalue().splitlines() == [
        "Items of new: 1 created, 0 changed, 0 unchanged.",
        "Questions of new: 2 created, 0 changed, 0 unchanged.",
    ]


def test_a_new_project_has_somebody_who_can_open_it(db, tmp_path):
    (tmp_path / "items.csv").write_text("item,text\na,x\n")

    with pytest.raises(CommandError, match="--by"):
        call_command("import_items", "new", tmp_path / "items.csv", create_project="New")

    assert not Project.objects.exists()


def test_a_refused_command_lists_its_faults_and_makes_no_project(db, tmp_path):
    (tmp_path / "items.csv").write_text("item,text\na,x\na,y\n")
    told = io.StringIO()

    with pytest.raises(CommandError, match=r"1 problem found\. Nothing was imported\."):
        call_command(
            "import_items",
            "new",
            tmp_path / "items.csv",
            create_project="New",
            by=cast.person("paula").username,
            stderr=told,
        )

    assert told.getvalue() == 'line 3, column item: "a" – already on line 2\n'
    assert not Project.objects.exists()


def test_categories_of_a_scale_of_numbers_stand_for_different_numbers(project):
    with pytest.raises(FileRefused) as refused:
        questions(project, b"question,scale,labels\nq,interval,1|2|1.0\n")

    fault = refused.value.faults.listed[0]
    assert (fault.code, fault.line, fault.value) == ("equal_values", 2, "1.0")
    assert questions(project, b"question,scale,labels\nq,ordinal,1|2|1.0\n").n_created == 1


def test_a_declared_category_may_not_stand_for_the_number_of_one_that_stays(project):
    questions(project, b"question,scale,labels\nq,interval,1|2\n")

    with pytest.raises(FileRefused) as refused:
        questions(project, b"question,scale,labels\nq,interval,2|1.0\n", replace=True)

    assert codes(refused) == ["equal_values"]
    assert questions(project, b"question,scale,labels\nq,interval,2|1|3\n", replace=True).n_changed == 1


def test_a_category_may_not_stand_for_the_number_that_another_was_given(project):
    questions(project, b"question,scale,labels\nq,interval,none|1\n")
    Category.objects.filter(key="none").update(value=0.0)

    with pytest.raises(FileRefused) as refused:
        questions(project, b"question,scale,labels\nq,interval,none|-0|1\n", replace=True)

    assert codes(refused) == ["equal_values"]


def test_a_workbook_is_imported_by_command(project, tmp_path):
    path = tmp_path / "items.xlsx"
    path.write_bytes(xlsx(["item", "text"], ["a", "hello"]))

    call_command("import_items", project.slug, path, stdout=io.StringIO())

    assert project.items.get().content[0]["value"] == "hello"
