"""REFI-QDA: codes that were applied to whole sources."""

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.refi_qda import REFI_QDA as FORMAT
from tests.raters.reading.made_files import ANNA, BEN, QDE, REFI_QDA
from tests.raters.reading.read import Read, files_of

YES, NO = "applied", "not applied"


def test_codes_nest_and_each_is_a_question():
    read = Read(FORMAT, files_of(REFI_QDA))

    assert read.values("Food/Soup") == {("d1", "Anna"): YES, ("d1", "Ben"): NO, ("d2", "Ben"): YES}
    assert read.values("Food") == {("d1", "Anna"): NO, ("d1", "Ben"): NO, ("d2", "Ben"): YES}


def test_who_has_seen_a_source_can_be_said():
    files = files_of(REFI_QDA)

    assert Read(FORMAT, files, unseen="all").values("Food")["d2", "Anna"] == NO
    assert Read(FORMAT, files, unseen="none").values("Food") == {("d2", "Ben"): YES}


def test_selections_and_memos_are_counted():
    assert Read(FORMAT, files_of(REFI_QDA)).left_out == {"selections": 1, "memos": 1}


def test_texts_times_and_variables_come_along():
    read = Read(FORMAT, files_of(REFI_QDA))

    assert read.items["d1"].content == {"text": "Good soup"}
    assert read.items["d1"].attributes == {"site": "north"}
    assert [label.at for label in read.labels if label.at] == ["2026-03-02T10:11:00Z"]


def test_users_of_one_name_are_told_apart():
    read = Read(FORMAT, files_of({"p.qde": QDE.replace('name="Ben"', 'name="Anna"')}))

    assert {label.rater for label in read.labels} == {f"Anna {ANNA[:8]}", f"Anna {BEN[:8]}"}


def test_sources_of_one_name_are_told_apart_and_may_go_by_their_guid():
    files = files_of({"p.qde": QDE.replace('name="d2"', 'name="d1"')})

    assert set(Read(FORMAT, files).items) == {"d1 s1", "d1 s2"}
    assert set(Read(FORMAT, files, item="guid").items) == {"s1", "s2"}


def test_without_its_user_a_coding_is_of_who_made_the_source():
    read = Read(
        FORMAT,
        files_of({"p.qde": QDE.replace(f'<Coding guid="9" creatingUser="{ANNA}"', '<Coding guid="9"')}),
    )

    assert read.values("Food/Soup")["d1", "Anna"] == YES


def test_the_older_namespace_is_known():
    files = files_of({"p.qde": QDE.replace("project:1.0", "project:0:4")})

    assert FORMAT.recognizes(files)
    assert Read(FORMAT, files).labels


def test_a_code_outside_the_codebook_is_a_fault():
    read = Read(
        FORMAT,
        files_of(
            {"p.qde": QDE.replace('targetGUID="44444444-4444-4444-8444-44444444444A"', 'targetGUID="x"')}
        ),
    )

    assert [fault.code for fault in read.faults.listed] == ["unknown_code"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (QDE[:1500], "invalid XML"),
        (QDE.replace("<Project", '<!DOCTYPE a [<!ENTITY b "c">]><Project', 1), "document type or entities"),
        (
            QDE.replace("<Project", '<!DOCTYPE a SYSTEM "http://x.org/a.dtd"><Project', 1),
            "document type or entities",
        ),
        (QDE.replace("<Users>", "<Users>" + "<a>" * 1_000, 1), "nested too deeply"),
        (QDE.replace('encoding="utf-8"', 'encoding="none-such"', 1), "can’t be decoded|invalid XML"),
    ],
)
def test_broken_or_dangerous_xml_is_refused(content, said):
    with pytest.raises(FileRefused, match=said):
        Read(FORMAT, files_of({"p.qde": content}))
