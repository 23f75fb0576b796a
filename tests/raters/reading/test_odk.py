"""ODK Central and KoboToolbox: submissions."""

from raters.reading.formats.odk import ODK as FORMAT
from tests.raters.reading.made_files import KOBO, ODK
from tests.raters.reading.read import Read, files_of


def test_a_submission_is_about_the_item_that_a_question_names():
    read = Read(FORMAT, files_of({"f.csv": ODK}))

    assert read.values("page-tone") == {
        ("d1", "12"): ("pos", "food"),
        ("d1", "13"): ("pos",),
        ("001", "13"): None,
    }
    label = read.labels[0]
    assert (label.at, label.source_id) == ("2026-03-02T10:00:00.000Z", "uuid:1")


def test_columns_that_repeat_an_option_are_no_questions():
    assert set(Read(FORMAT, files_of({"f.csv": ODK})).questions) == {"page-tone", "who"}


def test_the_rater_may_be_a_question_as_a_phone_goes_through_many_hands():
    read = Read(FORMAT, files_of({"f.csv": ODK}), rater="who")

    assert {label.rater for label in read.labels} == {"anna", "ben"}
    assert set(read.questions) == {"page-tone"}


def test_rejected_submissions_are_no_labels():
    states = {
        (label.item, label.rater): label.state for label in Read(FORMAT, files_of({"f.csv": ODK})).labels
    }

    assert states == {("d1", "12"): "submitted", ("d1", "13"): "rejected", ("001", "13"): "submitted"}


def test_kobo_is_read_as_well():
    read = Read(FORMAT, files_of({"f.csv": KOBO}))

    assert read.values("page/tone") == {("d1", "anna"): ("pos", "food"), ("d1", "ben"): ("neg",)}
    assert [label.state for label in read.labels] == ["submitted", "rejected"]
    assert read.labels[0].source_id == "u1"
    assert read.left_out == {"free-text answers": 1}


def test_spaces_in_labels_do_not_split():
    files = files_of({"f.csv": KOBO.replace("pos food", "Very good")})

    choice = next(choice for choice in FORMAT.choices(files) if choice.key == "spaces.page/tone")
    assert choice.options[0][0] == "part"
    assert Read(FORMAT, files).values("page/tone")["d1", "anna"] == "Very good"
    assert Read(FORMAT, files, **{"spaces.page/tone": "separate"}).values("page/tone")["d1", "anna"] == (
        "Very",
        "good",
    )


def test_where_and_on_what_phone_it_was_is_no_question():
    for content in (ODK, KOBO):
        read = Read(FORMAT, files_of({"f.csv": content}))

        assert not {name for name in read.questions if "where" in name.lower() or "device" in name.lower()}
        assert not [
            choice for choice in FORMAT.choices(files_of({"f.csv": content})) if "where" in repr(choice)
        ]


def test_repeated_groups_are_counted():
    repeats = "what,PARENT_KEY,KEY\npos,uuid:1,uuid:1/a[1]\nneg,uuid:1,uuid:1/a[2]\n"

    read = Read(FORMAT, files_of({"form.csv": ODK, "form-a.csv": repeats}))

    assert read.left_out == {"rows of repeated groups": 2}


def test_a_submission_without_its_item_is_a_fault():
    read = Read(FORMAT, files_of({"f.csv": ODK.replace(",d1,pos,1,0", ",,pos,1,0")}))

    assert [(fault.line, fault.column, fault.code) for fault in read.faults.listed] == [
        (3, "item", "empty_cell")
    ]
