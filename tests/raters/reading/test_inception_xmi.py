"""INCEpTION: documents in XMI, with their type system or without."""

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats import inception_xmi
from raters.reading.formats.inception import INCEPTION
from tests.raters.reading.made_inception import TYPE_SYSTEM, cas_json, cas_xmi, inception_project
from tests.raters.reading.read import Read, files_of, zipped

DOC, TOPICS = "webanno.custom.Doc.value", "webanno.custom.Doc.topics"


def packed(xmi: str | bytes, types: str | None = TYPE_SYSTEM) -> bytes:
    return zipped({"d1.xmi": xmi} | ({} if types is None else {"TypeSystem.xml": types}))


def of_two(first: str | bytes, second: str | bytes, **more: str | bytes) -> Read:
    return Read(
        INCEPTION,
        files_of({"annotation/d1.txt/anna.zip": first, "annotation/d1.txt/ben.zip": second, **more}),
    )


def test_a_document_in_xmi_is_read_as_the_same_one_in_json():
    xmi = of_two(packed(cas_xmi("pos", several=["a", "b"])), packed(cas_xmi("neg", several=["a"])))
    json = of_two(
        zipped({"a.json": cas_json("pos", several=["a", "b"])}),
        zipped({"a.json": cas_json("neg", several=["a"])}),
    )

    assert xmi.values(DOC) == json.values(DOC) == {("d1.txt", "anna"): "pos", ("d1.txt", "ben"): "neg"}
    assert xmi.values(TOPICS) == json.values(TOPICS)
    assert xmi.questions == json.questions
    assert xmi.items["d1.txt"].content == {"text": "Good soup"}
    assert xmi.left_out == {"spans": 2, "relations": 2}


def test_texts_of_an_array_may_stand_elsewhere():
    read = of_two(
        packed(cas_xmi("pos", several=["a", "b"], referred=True)), packed(cas_xmi("neg", several=["a"]))
    )

    assert read.values(TOPICS) == {("d1.txt", "anna"): ("a", "b"), ("d1.txt", "ben"): ("a",)}


@pytest.mark.parametrize("referred", [False, True])
def test_without_a_type_system_what_is_written_is_read(referred):
    alone = [packed(cas_xmi(said, several=["a", "b"], referred=referred), None) for said in ("pos", "neg")]

    read = of_two(*alone)

    assert read.values(DOC) == {("d1.txt", "anna"): "pos", ("d1.txt", "ben"): "neg"}
    assert read.values(TOPICS)["d1.txt", "anna"] == ("a", "b")


def test_a_file_that_is_not_packed_finds_the_type_system_beside_it():
    read = Read(
        INCEPTION,
        files_of(
            {
                "d1.txt/anna.xmi": cas_xmi(None),
                "d1.txt/ben.xmi": cas_xmi("neg"),
                "TypeSystem.xml": TYPE_SYSTEM,
            }
        ),
    )

    # Anna has seen the document, and gave no answer.
    assert read.values(DOC) == {("d1.txt", "anna"): None, ("d1.txt", "ben"): "neg"}
    assert INCEPTION.recognizes(files_of({"anna.xmi": cas_xmi("pos")}))
    assert not INCEPTION.recognizes(files_of({"notes.xml": "<notes/>"}))


def test_a_project_gives_state_note_and_the_curator():
    curated = files_of({"curation/d2.txt/CURATION_USER.zip": packed(cas_xmi("pos"))})
    read = Read(INCEPTION, [*inception_project(), *curated])

    [kim] = [label for label in read.labels if (label.rater, label.question) == ("kim", DOC)]
    assert (kim.item, kim.value, kim.state, kim.note) == ("d2.txt", "neg", "submitted", "late")
    assert {label.rater_kind for label in read.labels if label.rater == "CURATION_USER"} == {"reference"}


def test_numbers_are_numbers_and_xml_1_1_is_read():
    types = TYPE_SYSTEM.replace("uima.cas.String<", "uima.cas.Integer<")
    said = [packed(cas_xmi(n).replace('version="1.0"', 'version="1.1"', 1), types) for n in ("3", "4")]

    read = of_two(*said)

    assert read.questions[DOC].kind == "number"
    assert read.values(DOC) == {("d1.txt", "anna"): "3", ("d1.txt", "ben"): "4"}


def test_types_that_descend_in_a_circle_end():
    types = TYPE_SYSTEM.replace("uima.cas.AnnotationBase", "webanno.custom.Doc")

    assert of_two(*(packed(cas_xmi(said), types) for said in ("pos", "neg"))).labels == []


ENTITY = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
DEEP = "<a>" * 300 + "</a>" * 300


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(cas_xmi("pos").replace("<xmi:XMI", f"{ENTITY}<xmi:XMI", 1)), "entities"),
        (packed(cas_xmi("&a;").replace("<xmi:XMI", f"{LAUGHS}<xmi:XMI", 1)), "entities"),
        (packed(cas_xmi("pos"), f"{TYPE_SYSTEM[:38]}{ENTITY}{TYPE_SYSTEM[38:]}"), "entities"),
        (packed(cas_xmi("pos")[:900]), "invalid XML"),
        (packed(cas_xmi("pos"), TYPE_SYSTEM[:600]), "invalid XML"),
        (packed(cas_xmi("pos").replace("<cas:NULL", f"{DEEP}<cas:NULL")), "nested too deeply"),
        (packed(cas_xmi("pos").encode("utf-16").replace(b"U\0T\0F\0-\08\0", b"U\0T\0F\0-\09\0")), "XML"),
        (packed("<x/>"), "no UIMA document"),
    ],
    ids=["entity", "laughs", "types", "cut", "cut types", "deep", "encoding", "empty"],
)
def test_a_hostile_or_broken_one_is_refused_in_one_sentence(content, said):
    with pytest.raises(FileRefused, match=said) as refused:
        of_two(packed(cas_xmi("pos")), content)

    [fault] = refused.value.faults.listed
    assert "annotation/d1.txt/ben.zip" in fault.rule


def test_a_document_has_a_largest_number_of_annotations(monkeypatch):
    monkeypatch.setattr(inception_xmi, "MAX_STRUCTURES", 3)

    with pytest.raises(FileRefused, match="at most 3 annotations"):
        of_two(packed(cas_xmi("pos")), packed(cas_xmi("pos")))
