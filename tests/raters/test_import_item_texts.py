"""Files of labels in which the text of an item is all that names it."""

import pytest

from core.keys import MAX_KEY, key_of_text
from raters.models import LabelImport
from tests.files import confirm, read_as, run_queued, send

REVIEWS = [f"Review {n}: {'good food, ' * 30}and friendly people." for n in range(12)]
ANSWERS = ("positive", "negative", "mixed")
RATERS = ("ann", "bob", "cem")


def of_columns(texts: list[str]) -> bytes:
    rows = (f'"{text}",{ANSWERS[n % 3]},{ANSWERS[n % 2]}\n' for n, text in enumerate(texts))
    return ("review,ann,bob\n" + "".join(rows)).encode()


def of_rows(texts: list[str], *, questions: tuple[str, ...]) -> bytes:
    """A row for each rater and item."""
    rows = (
        ",".join([rater, f'"{text}"', *(ANSWERS[(n + place) % (3 - at)] for at in range(len(questions)))])
        for n, text in enumerate(texts)
        for place, rater in enumerate(RATERS)
    )
    return "\n".join([",".join(("annotator", "review", *questions)), *rows, ""]).encode()


def loaded(client, project, content: bytes) -> LabelImport:
    send(client, project, content)
    draft = LabelImport.objects.latest("pk")
    assert draft.n_faults == 0, draft.faults
    confirm(client, draft)
    run_queued(project)
    return draft


@pytest.mark.parametrize(
    ("content", "n_labels"),
    [
        (of_columns(REVIEWS), 24),
        (of_rows(REVIEWS, questions=("label",)), 36),
        (of_rows(REVIEWS, questions=("tone", "helpful")), 72),
    ],
    ids=["a column for each rater", "a row for each label", "a column for each question"],
)
def test_long_texts_are_content_and_give_the_key(client, project, content, n_labels):
    draft = loaded(client, project, content)

    assert draft.options["columns"]["review"] == {"role": "item_text"}
    assert {item.key: item.content for item in project.items.all()} == {
        key_of_text(text): [{"name": "review", "kind": "text", "value": text}] for text in REVIEWS
    }
    assert sum(question.labels.count() for question in project.questions.all()) == n_labels


def test_the_same_text_is_the_same_item_in_another_file(client, project):
    loaded(client, project, of_columns(REVIEWS))
    more = of_columns(REVIEWS[6:]).replace(b"ann,bob", b"cem,dan")

    loaded(client, project, more)

    assert project.items.count() == 12
    assert project.raters.count() == 4


def test_lines_of_a_text_are_one_line_in_the_key(client, project):
    texts = [f"The first line of text {n}, which is not short,\n  and the second one" for n in range(12)]

    loaded(client, project, of_rows(texts, questions=("label",)))

    expected = "The first line of text 7, which is not short, and the second one"
    assert project.items.get(key=expected).content[0]["value"] == texts[7]


def test_short_texts_stay_keys(client, project):
    short = [f"A short sentence, the {n}th of a few" for n in range(12)]
    draft = loaded(client, project, of_rows(short, questions=("tone", "helpful")))

    assert draft.options["columns"]["review"] == {"role": "item"}
    assert {*project.items.values_list("key", flat=True)} == {*short}


def test_a_column_of_ranks_is_no_item(client, project):
    """Though each rater gives each rank once."""
    rows = "".join(
        f'{rater},{(5 * n + at) % 12},"{text}",{ANSWERS[n % 3]},{ANSWERS[at % 2]}\n'
        for n, text in enumerate(REVIEWS)
        for at, rater in enumerate(RATERS)
    )

    send(client, project, f"annotator,rank,review,tone,helpful\n{rows}".encode())

    assert LabelImport.objects.get().options["columns"]["review"] == {"role": "item_text"}


def test_a_key_goes_before_a_text(client, project):
    content = of_rows(REVIEWS, questions=("tone", "helpful")).replace(b"annotator,", b"annotator,doc,", 1)
    lines = content.splitlines(keepends=True)
    numbered = [b",".join([line.split(b",", 1)[0], b"d%d" % (n // 3), line.split(b",", 1)[1]]) for n, line in
                enumerate(lines[1:])]  # fmt: skip
    send(client, project, b"".join([lines[0], *numbered]))
    draft = LabelImport.objects.get()
    roles = {name: column["role"] for name, column in draft.options["columns"].items()}

    read_as(client, draft, layout="wide")
    confirm(client, draft)
    run_queued(project)

    assert (roles["doc"], roles["review"]) == ("item", "content")
    assert project.items.order_by("pk")[0].key == "d0"


def test_keys_of_texts_fit_and_differ():
    long = "word " * 100
    keys = {key_of_text(f"{long}{n}") for n in range(100)}

    assert len(keys) == 100
    assert max(map(len, keys)) <= MAX_KEY
    assert key_of_text(f" {long} 1\n") == key_of_text(f"{long}1")
