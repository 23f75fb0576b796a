"""CVAT: tags of images."""

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.cvat import CVAT as FORMAT
from tests.raters.reading.made_files import CVAT
from tests.raters.reading.read import Read, files_of


def test_tags_are_labels_and_an_image_without_any_was_seen():
    read = Read(FORMAT, files_of({"annotations.xml": CVAT}))

    assert read.values("tag") == {
        ("d1.png", "anna"): "pos",
        ("d1.png", "auto"): "neg",
        ("d2.png", "anna"): None,
        ("d3.png", "consensus"): "neg",
    }
    assert [key for key, _ in read.questions["tag"].categories] == ["pos", "neg"]


def test_tags_of_models_and_of_the_consensus_are_not_the_rater_s():
    read = Read(FORMAT, files_of({"annotations.xml": CVAT}))

    kinds = {label.rater: label.rater_kind for label in read.labels}
    assert kinds == {"anna": "", "auto": "model", "consensus": "reference"}


def test_several_tags_are_a_set_and_none_is_an_empty_one():
    several = CVAT.replace('<tag label="neg" source="auto"></tag>', '<tag label="neg" source="manual"></tag>')

    read = Read(FORMAT, files_of({"annotations.xml": several}))

    assert read.values("tag")["d1.png", "anna"] == ("pos", "neg")
    assert read.values("tag")["d2.png", "anna"] == ()


def test_an_attribute_is_a_question_and_a_text_is_counted():
    read = Read(FORMAT, files_of({"annotations.xml": CVAT}))

    assert read.values("pos.sure") == {("d1.png", "anna"): "yes"}
    assert [key for key, _ in read.questions["pos.sure"].categories] == ["yes", "no"]
    assert "pos.why" not in read.questions
    assert read.left_out["free-text answers"] == 1


def test_shapes_are_counted_once():
    left_out = Read(FORMAT, files_of({"annotations.xml": CVAT})).left_out

    assert (left_out["bounding boxes"], left_out["skeletons"], left_out["points"]) == (1, 1, 0)


def test_replicas_of_one_assignee_are_a_rater_each():
    files = files_of({"job_1/annotations.xml": CVAT, "job_2/annotations.xml": CVAT})

    assert [choice.options[0][0] for choice in FORMAT.choices(files)] == ["file"]
    assert set(Read(FORMAT, files).values("tag")) >= {("d1.png", "job_1"), ("d1.png", "job_2")}
    assert ("d1.png", "anna") in Read(FORMAT, files, rater="assignee").values("tag")


def test_without_an_assignee_nobody_is_named():
    read = Read(FORMAT, files_of({"annotations.xml": CVAT.replace("<username>anna</username>", "")}))

    assert ("d1.png", "") in read.values("tag")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CVAT[:1_000], "invalid XML"),
        (CVAT.replace("<annotations>", '<!DOCTYPE a [<!ENTITY b "c">]>\n<annotations>'), "entities"),
    ],
)
def test_broken_or_dangerous_xml_is_not_read(content, said):
    files = files_of({"annotations.xml": content})

    assert FORMAT.recognizes(files)
    with pytest.raises(FileRefused, match=said):
        Read(FORMAT, files)


def test_a_track_of_a_video_is_counted_once():
    track = (
        '<track id="0" label="cat"><box frame="0" xtl="1" ytl="1" xbr="2" ybr="2"/><box frame="1"/></track>'
    )
    files = files_of({"job.xml": CVAT.replace("</annotations>", f"{track}</annotations>")})

    before = Read(FORMAT, files_of({"job.xml": CVAT})).left_out

    assert Read(FORMAT, files).left_out == {**before, "tracks": 1}
