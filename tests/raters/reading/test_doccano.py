"""What doccano's exports become."""

from raters.reading.formats.doccano import DOCCANO
from tests.raters.reading.samples import Reading, lines, sent

ANNA = lines(
    {"id": 12, "text": "Good soup", "site": "north", "label": ["pos"], "Comments": ["which soup?"]},
    {"id": 13, "text": "Cold room", "site": "south", "label": [], "Comments": []},
)


def reading(*named, **chosen):
    return Reading(DOCCANO, sent(*named), **chosen)


def test_each_file_is_a_rater():
    found = reading(("x/anna.jsonl", ANNA), ("x/ben.jsonl", ANNA.replace("pos", "neg")))

    assert found.values == [
        ("12", "anna", "label", "pos"),
        ("13", "anna", "label", None),
        ("12", "ben", "label", "neg"),
        ("13", "ben", "label", None),
    ]
    assert next((one.content, one.attributes) for one in found.items) == (
        {"text": "Good soup"},
        {"site": "north"},
    )
    assert found.labels[0].note == "which soup?"


def test_no_label_is_an_empty_set_if_a_person_says_so():
    several = ANNA.replace('["pos"]', '["pos", "warm"]')

    assert [one.value for one in reading(("a.jsonl", several)).labels] == [("pos", "warm"), None]
    assert reading(("a.jsonl", several), unlabeled="empty").labels[1].value == ()


def test_labels_of_all_are_a_reference_or_one_rater():
    assert reading(("all.jsonl", ANNA)).labels[0].rater_kind == "reference"
    assert reading(("all.jsonl", ANNA), merged="human").labels[0].rater_kind == "human"


def test_spans_boxes_and_relations_are_left_out():
    found = reading(
        (
            "anna.jsonl",
            lines(
                {"id": 1, "text": "a", "label": [[0, 9, "FOOD"]], "Comments": []},
                {"id": 2, "text": "a", "entities": [{"id": 5}], "relations": [{"id": 1}], "Comments": []},
                {"id": 3, "filename": "a.png", "bbox": [{"x": 1}], "Comments": []},
            ),
        )
    )

    assert (found.labels, found.left_out) == ([], {"spans": 2, "relations": 1, "bounding boxes": 1})


def test_csv_parts_labels_at_the_number_sign():
    found = reading(("anna.csv", "id,text,site,label,Comments\n12,Good soup,north,neg#pos,\n"))

    assert found.values == [("12", "anna", "label", ("neg", "pos"))]


def test_fasttext_items_are_lines():
    found = reading(("anna.txt", "__label__pos Good soup\n__label__neg Cold room\n"))

    assert found.values == [("1", "anna", "label", "pos"), ("2", "anna", "label", "neg")]
    assert found.items[1].content == {"text": "Cold room"}


def test_the_file_of_nobody_is_a_rater_of_that_name():
    # Some versions write unknown.jsonl beside the members' files.
    assert reading(("unknown.jsonl", ANNA)).labels[0].rater == "unknown"


def test_a_field_that_some_examples_lack_is_an_attribute_of_the_others():
    found = reading(
        ("anna.jsonl", lines({"id": 1, "text": "a", "label": ["x"], "Comments": []})),
        ("ben.jsonl", lines({"id": 2, "text": "b", "label": ["x"], "site": None, "n": 1.0, "Comments": []})),
    )

    assert [item.attributes for item in found.items] == [{}, {"n": "1.0"}]


def test_intents_are_labels_and_their_entities_are_left_out():
    record = {"id": 1, "text": "a", "cats": ["pos"], "entities": [[0, 1, "FOOD"]], "Comments": []}

    found = reading(("anna.jsonl", lines(record)))

    assert [label.value for label in found.labels] == ["pos"]
    assert found.left_out == {"spans": 1}


def test_texts_that_somebody_wrote_are_no_categories():
    record = {"id": 1, "text": "a", "label": ["w" * 201], "Comments": []}

    found = reading(("anna.jsonl", lines(record)))

    assert (found.labels, found.left_out) == ([], {"free-text answers": 1})
