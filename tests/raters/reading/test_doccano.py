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
