"""What the database sees to by itself: labels within one project, and a history that nobody rewrites."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import ProtectedError

from projects.models import Category, Item, Project, Question, Round
from raters.models import Label, LabelRevision, Rater
from tests import cast


@pytest.fixture
def yes_no_question(project: Project) -> Question:
    return new_question(project)


def new_question(project: Project, kind: str = Question.Kind.SINGLE, key: str = "tone") -> Question:
    question = Question.objects.create(project=project, key=key, kind=kind)
    for position, name in enumerate(["good", "bad"]):
        Category.objects.create(question=question, key=name, position=position)
    return question


def label(question: Question, **values: object) -> Label:
    project = question.project
    item, _ = Item.objects.get_or_create(project=project, key="item-1")
    rater, _ = Rater.objects.get_or_create(project=project, key="rater-1")
    if not values:
        values = {"category": question.categories.first()}
    return Label(**{"item": item, "question": question, "rater": rater, **values})


def revisions() -> list[tuple[str, int]]:
    return list(LabelRevision.objects.order_by("id").values_list("change", "revision"))


def test_every_change_of_a_label_leaves_one_revision(yes_no_question):
    made = label(yes_no_question)
    made.save()

    Label.objects.filter(pk=made.pk).update(category=yes_no_question.categories.last())
    Label.objects.filter(pk=made.pk).delete()

    assert revisions() == [("I", 1), ("U", 2), ("D", 3)]
    old = LabelRevision.objects.get(change="U").old_value
    assert old["category_id"] == yes_no_question.categories.first().pk
    assert LabelRevision.objects.get(change="U").category_id == yes_no_question.categories.last().pk


def test_an_update_that_changes_nothing_leaves_no_revision(yes_no_question):
    made = label(yes_no_question)
    made.save()

    Label.objects.filter(pk=made.pk).update(note="")

    assert revisions() == [("I", 1)]


def test_bulk_creation_and_plain_sql_leave_revisions(yes_no_question):
    Label.objects.bulk_create(
        [label(yes_no_question), label(yes_no_question, is_abstention=True, pass_number=2)]
    )
    with connection.cursor() as cursor:
        cursor.execute("UPDATE raters_label SET note = 'seen'")

    assert sorted(revisions()) == [("I", 1), ("I", 1), ("U", 2), ("U", 2)]


def test_a_revision_tells_who_and_from_where(yes_no_question, lead):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('interrater.user_id', %s, true), set_config('interrater.source', 'page', true)",
            [str(lead.pk)],
        )

    label(yes_no_question).save()

    revision = LabelRevision.objects.get()
    assert (revision.user_id, revision.source) == (lead.pk, "page")


def test_a_revision_made_by_plain_sql_says_so(yes_no_question):
    label(yes_no_question).save()

    assert LabelRevision.objects.get().source.startswith("sql by ")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE raters_labelrevision SET source = 'nobody'",
        "DELETE FROM raters_labelrevision",
        "TRUNCATE raters_labelrevision",
        "TRUNCATE raters_label CASCADE",
    ],
)
def test_history_refuses_to_be_rewritten(yes_no_question, statement):
    label(yes_no_question).save()
    with connection.cursor() as cursor:
        # Checks what is pending, which would itself keep a table from being emptied.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    with (
        pytest.raises(DatabaseError, match=r"append-only|may not be emptied|permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)

    assert revisions() == [("I", 1)]


def test_a_label_does_not_move_to_another_item(yes_no_question):
    made = label(yes_no_question)
    made.save()
    other = Item.objects.create(project=yes_no_question.project, key="item-2")

    with pytest.raises(IntegrityError, match="may not move"), transaction.atomic():
        Label.objects.filter(pk=made.pk).update(item=other)


@pytest.mark.parametrize("field", ["item", "rater", "round"])
def test_a_label_stays_within_one_project(yes_no_question, field):
    other = cast.new_project("Other")
    foreign = {
        "item": lambda: Item.objects.create(project=other, key="theirs"),
        "rater": lambda: Rater.objects.create(project=other, key="theirs"),
        "round": lambda: Round.objects.create(project=other, key="theirs"),
    }[field]()
    values = {"category": yes_no_question.categories.first(), field: foreign}

    with pytest.raises(IntegrityError, match="must be of one project"), transaction.atomic():
        label(yes_no_question, **values).save()


def test_a_category_of_another_question_is_refused(yes_no_question):
    other = new_question(yes_no_question.project, key="length")

    with pytest.raises(IntegrityError, match="of its own categories"), transaction.atomic():
        label(yes_no_question, category=other.categories.first()).save()


@pytest.mark.parametrize("values", [{"number": 3.0}, {"category_set": []}])
def test_a_value_of_another_kind_is_refused(yes_no_question, values):
    with pytest.raises(IntegrityError, match="what its kind"), transaction.atomic():
        label(yes_no_question, **values).save()


@pytest.mark.parametrize(
    "values",
    [{}, {"number": 1.0, "is_abstention": True}, {"number": float("nan")}, {"number": float("inf")}],
)
def test_a_label_has_one_finite_value_or_abstains(project, values):
    number = new_question(project, kind=Question.Kind.NUMBER)

    with pytest.raises(IntegrityError), transaction.atomic():
        label(number, **(values or {"note": "nothing chosen"})).save()


def test_a_set_holds_ascending_categories_of_its_question(project):
    question = new_question(project, kind=Question.Kind.MULTIPLE)
    first, last = question.categories.values_list("pk", flat=True)

    label(question, category_set=[first, last]).save()

    for wrong in ([last, first], [first, first], [first, 0]):
        with pytest.raises(IntegrityError, match="ascending and its own"), transaction.atomic():
            label(question, category_set=wrong, pass_number=2).save()


def test_a_category_inside_a_set_is_not_deleted(project):
    question = new_question(project, kind=Question.Kind.MULTIPLE)
    category = question.categories.first()
    label(question, category_set=[category.pk]).save()

    with pytest.raises(IntegrityError, match="has labels"), transaction.atomic():
        category.delete()


def test_one_label_for_each_item_question_rater_and_pass(yes_no_question):
    label(yes_no_question).save()

    with pytest.raises(IntegrityError, match="label_once_per_item_question_rater_pass"), transaction.atomic():
        label(yes_no_question).save()


@pytest.mark.parametrize("thing", ["item", "rater", "question", "category"])
def test_what_has_labels_is_not_deleted(yes_no_question, thing):
    made = label(yes_no_question)
    made.save()

    with pytest.raises(ProtectedError):
        getattr(made, thing).delete()
