"""The labels that manage.py agreement takes from a file are those that an import of it stores."""

import pytest

from core.tables.sources import bytes_of
from projects.models import Category
from raters.models import Label
from reports.sources.file_labels import FileOptions, FileQuestion, read_label_file
from tests.raters.test_import_formats import WITH_LABELS, read

TABLES = {
    "codes and spellings": "item,rater,label\n"
    + "".join(
        f"{item},{rater},{label}\n"
        for item, labels in enumerate((("yes", "Yes"), ("no", "NA"), ("yes", "no"), ("no", "n/a")))
        for rater, label in zip("ab", labels, strict=True)
    ),
    "a scale": "id;r1;r2\n" + "".join(f"{n};{n % 5 + 1};{99 if n == 3 else n % 4 + 1}\n" for n in range(12)),
    "decimal commas": "id;r1;r2\n" + "".join(f"{n};{n},5;{n},25\n" for n in range(12)),
    "sets": "item,rater,label\n1,a,x|y\n1,b,y|x\n2,a,x\n2,b,{}\n3,a,y\n3,b,x|z\n4,a,z\n4,b,z|y\n",
    "passes": "item,rater,label,pass\n1,a,x,1\n1,a,y,2\n1,b,x,1\n2,a,y,1\n2,b,cannot tell,1\n2,b,y,2\n",
}
FILES = [*WITH_LABELS, *(pytest.param("labels.csv", text.encode(), id=name) for name, text in TABLES.items())]


def taken(question: FileQuestion) -> set[tuple[str, str, str, object]]:
    values: list[object] = question.values.tolist()
    if question.members is not None:
        sets = [
            frozenset(name for name, is_in in zip(question.categories, row, strict=True) if is_in)
            for row in question.members.tolist()
        ]
        values = [sets[place] for place in question.values.tolist()]
    elif question.kind == "single":
        values = [question.categories[place] for place in question.values.tolist()]
    return {
        (question.key, question.items[row], question.raters[column], value)
        for row, column, value in zip(question.rows, question.columns, values, strict=True)
    }


def stored(project) -> set[tuple[str, str, str, object]]:
    """Of each item, rater and question the first pass, unless it says "cannot tell"."""
    keys = dict(Category.objects.filter(question__project=project).values_list("id", "key"))
    labels = Label.objects.filter(item__project=project).order_by(
        "item_id", "rater_id", "question_id", "pass_number"
    )
    first = labels.distinct("item_id", "rater_id", "question_id").select_related(
        "item", "rater", "question", "category"
    )
    return {
        (
            label.question.key,
            label.item.key,
            label.rater.key,
            label.category.key
            if label.category
            else label.number
            if label.number is not None
            else frozenset(keys[pk] for pk in label.category_set or ()),
        )
        for label in first
        if not label.is_abstention
    }


@pytest.mark.parametrize(("name", "content"), FILES)
def test_a_file_means_the_same_with_and_without_a_database(project, name, content):
    read(project, name, content).load()

    found = read_label_file(name, bytes_of(content), FileOptions(kind="auto"))

    assert set().union(*map(taken, found.questions)) == stored(project) != set()
