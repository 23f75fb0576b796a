"""What Label Studio's exports become."""

import json

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.answers import MAX_QUESTIONS
from raters.reading.formats.label_studio import ACCEPTED, LABEL_STUDIO
from raters.reading.formats.label_studio_config import MAX_CONFIG
from raters.reading.formats.label_studio_rows import LABEL_STUDIO_ROWS
from tests.raters.reading import samples
from tests.raters.reading.samples import Reading, annotation, result, sent, task


def reading(*tasks, **chosen) -> Reading:
    return Reading(LABEL_STUDIO, sent(("export.json", json.dumps(tasks))), **chosen)


def test_json_becomes_items_questions_and_labels():
    found = Reading(LABEL_STUDIO, sent(("export.json", samples.LABEL_STUDIO)))

    assert found.questions.keys() == {"tone", "stars"}
    assert (found.questions["tone"].kind, found.questions["stars"].kind) == ("single", "")
    assert found.items[0].content == {"text": "Good soup, cold room", "site": "north"}
    assert found.items[0].attributes == {"ward": "3"}
    assert found.values == [
        ("101", "anna@x.org", "tone", "pos"),
        ("101", "anna@x.org", "stars", "4"),
        ("101", "4", "tone", None),
        ("101", "4", "stars", None),
        ("101", "clf-2", "tone", "neg"),
    ]
    assert [one.state for one in found.labels] == ["submitted"] * 2 + ["skipped"] * 2 + ["submitted"]
    assert (found.labels[0].seconds, found.labels[0].at) == ("10.744", "2026-03-02T10:12:00.2Z")
    assert found.labels[-1].rater_kind == "model"
    assert found.left_out == {"spans": 1}


def test_no_choice_is_an_empty_set_only_where_several_can_be_chosen():
    both = annotation(
        3, result("tone", "choices", choices=["a", "b"]), result("mood", "choices", choices=["x"])
    )

    found = reading(task(both, annotation(4)))

    assert found.values[2:] == [("101", "4", "tone", ()), ("101", "4", "mood", None)]


def test_taxonomy_is_a_set_of_paths():
    found = reading(task(annotation(3, result("topic", "taxonomy", taxonomy=[["A"], ["A", "B"]]))))

    assert found.labels[0].value == ("A", "A/B")


def test_pairwise_is_left_or_right():
    found = reading(task(annotation(3, result("better", "pairwise", selected="left"))))

    assert found.labels[0].value == "left"


def test_ground_truth_is_a_reference_and_the_persons_own_label_if_chosen():
    truth = task(annotation(3, result("tone", "choices", choices=["a"]), ground_truth=True))

    assert [one.rater_kind for one in reading(truth).labels] == ["reference"]
    assert [one.rater_kind for one in reading(truth, ground_truth="both").labels] == ["reference", "human"]


def test_answers_about_a_region_are_not_the_items():
    span = {**result("ner", "labels", start=0, end=4, labels=["A"]), "id": "s1"}
    about = {**result("tone", "choices", choices=["a"], start=0, end=4), "id": "s1"}

    found = reading(task(annotation(3, span, about)))

    assert not found.labels
    assert found.left_out == {"spans": 1, "answers about a region": 1}


def test_an_accepted_prediction_is_counted_and_marked():
    one = annotation(3, result("tone", "choices", choices=["a"]), parent_prediction=9)
    other = annotation(4, result("tone", "choices", choices=["a"]))

    found = reading(task(one, other))

    assert found.left_out == {ACCEPTED: 1}
    assert [label.from_suggestion for label in found.labels] == [True, None]


def test_text_is_the_note_of_the_only_question():
    why = result("why", "textarea", text=["warm", "salty"])
    tone, mood = (result(name, "choices", choices=["a"]) for name in ("tone", "mood"))

    assert reading(task(annotation(3, tone, why))).labels[0].note == "warm\nsalty"
    assert reading(task(annotation(3, tone, mood, why))).left_out == {"free-text answers": 1}


def test_one_person_twice_on_one_task_is_two_records():
    one = annotation(3, result("tone", "choices", choices=["a"]))

    assert len(reading(task(one, one)).labels) == 2


def test_the_item_is_known_by_a_field_of_data_if_chosen():
    one = annotation(3, result("tone", "choices", choices=["a"]))

    assert reading(task(one), item="data.site").labels[0].item == "north"


def test_very_old_files_have_completions():
    old = {
        "id": 1,
        "data": {"text": "a"},
        "completions": [{"completed_by": 3, "skipped": True, "result": []}],
    }
    new = task(annotation(3, result("tone", "choices", choices=["a"])))

    assert reading(new, old).labels[-1].state == "skipped"


@pytest.mark.parametrize("text", [samples.LABEL_STUDIO[:-40], samples.LABEL_STUDIO + "]", '[{"a":' * 100_000])
def test_a_broken_file_is_refused_with_its_place(text):
    with pytest.raises(FileRefused):
        Reading(LABEL_STUDIO, sent(("export.json", text)))


def test_long_numbers_are_texts():
    found = reading({**task(annotation(3, result("tone", "choices", choices=["a"]))), "id": 1})
    text = json.dumps([task(annotation(3, result("tone", "choices", choices=["a"])))]).replace(
        "101", "9" * 5000
    )

    assert found.labels[0].item == "1"
    assert Reading(LABEL_STUDIO, sent(("a.json", text))).labels[0].item == "9" * 5000


def test_json_min_tells_answers_from_fields_by_their_order():
    found = Reading(LABEL_STUDIO_ROWS, sent(("min.json", samples.LABEL_STUDIO_MIN)))

    assert found.values == [("101", "3", "tone", "pos"), ("101", "3", "stars", "4")]
    assert found.items[0].content == {"text": "Good soup", "site": "north"}


def test_json_min_writes_several_choices_as_an_object():
    text = samples.LABEL_STUDIO_MIN.replace('"pos"', '[{"choices": ["a", "b"]}]')

    assert Reading(LABEL_STUDIO_ROWS, sent(("min.json", text))).labels[0].value == ("a", "b")


def test_rows_without_an_annotation_are_items():
    text = samples.LABEL_STUDIO_MIN.replace("501", "null")

    found = Reading(LABEL_STUDIO_ROWS, sent(("min.json", text)))

    assert (len(found.items), found.labels) == (1, [])


def test_csv_tells_answers_by_what_differs_on_a_task():
    found = Reading(LABEL_STUDIO_ROWS, sent(("export.csv", samples.LABEL_STUDIO_CSV)))

    assert [one.value for one in found.labels] == ["4", "pos", "2", "neg"]
    assert found.items[0].content == {"text": "Good soup"}


def test_a_column_is_what_a_person_says_it_is():
    files = sent(("export.csv", samples.LABEL_STUDIO_CSV))

    assert "column.tone" in {choice.key for choice in LABEL_STUDIO_ROWS.choices(files)}
    assert Reading(LABEL_STUDIO_ROWS, files, column__tone="attribute").items[0].attributes == {"tone": "pos"}


def test_a_draft_is_no_label_and_reviews_are_counted():
    one = annotation(3, result("tone", "choices", choices=["a"]), reviews=[{"accepted": True}, {}])
    draft = {"user": "ben@x.org", "result": [result("tone", "choices", choices=["b"])]}

    found = reading(task(one, drafts=[draft]))

    assert [(label.rater, label.state) for label in found.labels] == [
        ("3", "submitted"),
        ("ben@x.org", "draft"),
    ]
    assert found.left_out == {"reviews": 2}


def test_repeated_results_of_one_control_are_one_set():
    parts = [result("tone", "choices", choices=[key]) for key in ("a", "b", "a")]

    assert reading(task(annotation(3, *parts))).labels[0].value == ("a", "b")


def test_dates_rankings_and_times_in_a_series_are_counted():
    others = [
        result("when", "datetime", datetime="2026-03-02"),
        result("rank", "ranker", ranker={"best": ["a", "b"]}),
        result("beats", "timeserieslabels", start=0, end=3, instant=False, timeserieslabels=["A"]),
        result(
            "said", "paragraphlabels", start="0", end="0", startOffset=0, endOffset=4, paragraphlabels=["A"]
        ),
        {"from_id": "a", "to_id": "b", "type": "relation", "direction": "right"},
    ]

    found = reading(task(annotation(3, *others)))

    assert not found.labels
    assert found.left_out == {"dates": 1, "rankings": 1, "spans": 2, "relations": 1}


def test_an_annotator_without_email_goes_by_the_number_and_none_is_a_fault():
    answer = result("tone", "choices", choices=["a"])

    assert reading(task(annotation({"id": 3, "email": ""}, answer))).labels[0].rater == "3"
    assert reading(task(annotation(None, answer))).faults.code == "no_rater"


def test_a_file_of_questions_without_end_is_refused():
    many = [result(f"q{n}", "choices", choices=["a"]) for n in range(MAX_QUESTIONS + 1)]
    row = json.loads(samples.LABEL_STUDIO_MIN)[0]
    rows = json.dumps([{**row, **{f"q{n}": [{"rating": 1}] for n in range(MAX_QUESTIONS + 1)}}])

    with pytest.raises(FileRefused, match="at most 500 questions"):
        reading(task(annotation(3, *many)))
    with pytest.raises(FileRefused, match="at most 500 questions"):
        Reading(LABEL_STUDIO_ROWS, sent(("min.json", rows)))


def test_a_column_of_data_that_an_answer_displaced_is_content():
    text = samples.LABEL_STUDIO_CSV.replace('"text","tone"', '"_data_tone","tone"')

    found = Reading(LABEL_STUDIO_ROWS, sent(("export.csv", text)))

    assert found.items[0].content == {"_data_tone": "Good soup"}
    assert {label.question for label in found.labels} == {"stars", "tone"}


def test_the_agreement_that_label_studio_computed_is_no_question():
    text = samples.LABEL_STUDIO_MIN.replace('"lead_time": 10.744', '"lead_time": 10.744, "agreement": 50.0')

    assert Reading(LABEL_STUDIO_ROWS, sent(("min.json", text))).questions.keys() == {"tone", "stars"}


CONFIG = """<View>
  <Text name="text" value="$text"/>
  <Choices name="tone" toName="text" choice="multiple" required="true">
    <Choice value="Positive" alias="pos"/><Choice value="neg"/>
  </Choices>
  <Taxonomy name="topic" toName="text"><Choice value="A"><Choice value="B"/></Choice></Taxonomy>
  <Rating name="stars" toName="text"/>
  <Labels name="ner" toName="text"><Label value="FOOD"/></Labels>
  <Choices name="sure" toName="text" perRegion="true"><Choice value="yes"/></Choices>
</View>"""


def test_a_configuration_beside_the_export_gives_questions_and_choices():
    files = sent(("export.json", samples.LABEL_STUDIO), ("config.xml", CONFIG))

    assert LABEL_STUDIO.recognizes(files)
    found = Reading(LABEL_STUDIO, files)

    assert not found.faults
    assert found.questions["tone"].kind == "multiple"
    assert found.questions["tone"].categories == (("pos", "Positive"), ("neg", "neg"))
    assert found.questions["topic"].categories == (("A", "A"), ("A/B", "A/B"))
    assert "sure" not in found.questions
    assert [label.value for label in found.labels if label.question == "tone"] == [("pos",), None, ("neg",)]


def test_a_configuration_says_which_columns_are_questions():
    # All annotators agree, so that the file alone does not tell the answer from a field.
    text = samples.LABEL_STUDIO_CSV.replace('"neg"', '"pos"')

    assert "tone" not in Reading(LABEL_STUDIO_ROWS, sent(("export.csv", text))).questions
    found = Reading(LABEL_STUDIO_ROWS, sent(("export.csv", text), ("config.xml", CONFIG)))

    assert found.questions["tone"].kind == "multiple"
    assert [label.value for label in found.labels if label.question == "tone"] == [("pos",), ("pos",)]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><View>&b;</View>", "document type"),
        ("<View><Choices name='tone'>", "invalid XML"),
        ("<View>" + "<View>" * 300, "nested too deeply"),
        ("<View>" + " " * MAX_CONFIG + "</View>", "at most"),
    ],
)
def test_a_broken_or_dangerous_configuration_is_refused(config, said):
    with pytest.raises(FileRefused, match=rf"config\.xml: .*{said}"):
        Reading(LABEL_STUDIO, sent(("export.json", samples.LABEL_STUDIO), ("config.xml", config)))
