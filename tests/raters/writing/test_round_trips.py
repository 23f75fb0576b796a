"""Out in a format and in again: the same labels, but for what the format cannot hold, which is listed."""

import pytest

from core.tables.faults import FileRefused
from raters.adjudication.exporting import final_labels
from raters.reading.columns import LABEL, Column
from tests.raters.writing.projects import (
    ANN,
    GOLD,
    MODEL,
    copied,
    file_in,
    labels_in,
    losses_in,
)

REPEATS, CANNOT_TELL = "repeat labels (pass 2 and later)", "“cannot tell” labels"


def first_passes(labels):
    """What every format of another program holds at most."""
    return {label for label in labels if label[3] == 1 and label[4] != "cannot tell"}


def test_long_csv_comes_back_to_the_byte(rich):
    sent = file_in(rich, "csv")

    back = file_in(copied(rich, "labels.csv", sent), "csv")

    assert back.decode() == sent.decode()
    assert losses_in(rich, "csv") == {}


def test_json_lines_come_back_to_the_byte(rich):
    sent = file_in(rich, "jsonl")

    back = file_in(copied(rich, "labels.jsonl", sent), "jsonl")

    assert back.decode() == sent.decode()


def test_a_workbook_comes_back(rich):
    copy = copied(rich, "labels.xlsx", file_in(rich, "xlsx"))

    assert labels_in(copy) == labels_in(rich)


def test_label_studio_comes_back(rich):
    copy = copied(rich, "tasks.json", file_in(rich, "label-studio"))

    expected = {
        (*label[:2], "ground truth", *label[3:]) if label[2] == GOLD else label
        for label in first_passes(labels_in(rich))
    }
    assert labels_in(copy) == expected
    losses = losses_in(rich, "label-studio")
    assert (losses[REPEATS], losses[CANNOT_TELL], losses["names of references"]) == (1, 1, 1)
    assert "notes" not in losses
    [noted] = copy.questions.get(key="tone, =1").labels.exclude(note="")
    assert (noted.item.key, noted.rater.key, noted.note) == ("item/1", ANN, "see, “1”\n=2")
    assert set(copy.questions.get(key="tone, =1").labels.values_list("seconds", flat=True)) == {
        None,
        *(n + 0.5 for n in range(6)),
    }


def test_doccano_comes_back(rich):
    for key in ("tone, =1", "topics", "score"):
        sent = file_in(rich, "doccano", questions=[key])
        copy = copied(rich, "doccano.zip", sent, choices={"unlabeled": "empty"})

        found = {(label[0], *label[2:4], label[4]) for label in labels_in(copy, kinds=False)}
        of_question = {label for label in first_passes(labels_in(rich, kinds=False)) if label[1] == key}
        expected = {(label[0], *label[2:4], label[4]) for label in of_question}
        if key == "score":
            assert {(*label[:3], float(label[3])) for label in found} == expected
        else:
            assert found == expected
        assert losses_in(rich, "doccano", questions=[key]).get("numbers", 0) == (6 if key == "score" else 0)


def test_prodigy_comes_back(rich):
    copy = copied(rich, f"{rich.slug}.jsonl", file_in(rich, "prodigy"))

    expected = {label for label in first_passes(labels_in(rich, kinds=False)) if label[1] != "score"}
    assert labels_in(copy, kinds=False) == expected
    # Numbers are listed as left out, and the kinds of raters.
    losses = losses_in(rich, "prodigy")
    assert (losses["numbers"], losses[REPEATS]) == (6, 1)
    assert losses["labels by models or references"] == 9


def test_argilla_comes_back(rich):
    copy = copied(rich, "records.jsonl", file_in(rich, "argilla"))

    assert labels_in(copy, kinds=False) == first_passes(labels_in(rich, kinds=False))
    assert copy.raters.get(key=MODEL).kind == "model"
    assert losses_in(rich, "argilla")[CANNOT_TELL] == 1


@pytest.mark.parametrize("format", ["csv-wide", "xlsx"])
def test_an_empty_set_in_a_wide_table_is_no_missing_label(rich, format):
    topics = rich.questions.get(key="topics")
    empty = set(topics.labels.filter(category_set=[], pass_number=1).values_list("item__key", "rater__key"))
    assert empty

    copy = copied(rich, f"labels.{format.removesuffix('-wide')}", file_in(rich, format))

    back = copy.questions.get(key="topics").labels.filter(category_set=[], pass_number=1)
    assert set(back.values_list("item__key", "rater__key")) == empty


def test_spss_comes_back(rich):
    """Raters come back by the names of their variables, categories with their keys as names."""
    sent = file_in(rich, "sav", questions=["tone, =1"])

    # A variable of this name would be taken for one that names raters.
    columns = {GOLD: Column(LABEL, rater=GOLD)}
    copy = copied(rich, "labels.sav", sent, question="tone", layout="wide", columns=columns)

    back = copy.questions.get(key="tone").labels.values_list("item__key", "category__name")
    labels = rich.questions.get(key="tone, =1").labels.values_list("item__key", "category__key")
    assert sorted(back) == sorted(labels)


def finals_in(project) -> set[tuple]:
    """What is final of each item and question, whoever said it; nothing where nothing is."""
    return {
        (final.item, final.question, tuple(final.label) if isinstance(final.label, list) else final.label)
        for final in final_labels(project)
        if final.label is not None
    }


@pytest.mark.parametrize(("format", "name"), [("csv", "finals.csv"), ("jsonl", "finals.jsonl")])
def test_final_labels_come_back_as_those_of_a_reference(rich, format, name):
    sent = file_in(rich, format, "final")

    copy = copied(rich, name, sent)

    assert finals_in(copy) == finals_in(rich)
    assert len(finals_in(rich)) > 5
    assert set(copy.raters.values_list("key", "kind")) == {("final labels", "reference")}
    # From then on every label has one origin, so that they come back to the byte.
    first = file_in(copy, format, "final")
    assert file_in(copied(rich, name, first), format, "final").decode() == first.decode()


def test_final_labels_of_a_workbook_come_back_if_their_rater_is_named(rich):
    sent = file_in(rich, "xlsx", "final")

    with pytest.raises(FileRefused, match="no column holds the rater"):
        copied(rich, "finals.xlsx", sent)
    copy = copied(rich, "finals.xlsx", sent, rater="key", rater_kind="reference")

    assert finals_in(copy) == finals_in(rich)
