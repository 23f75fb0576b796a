"""The files in an uploaded ZIP archive, and archives made to do harm."""

import io
import struct
import zipfile

import pytest

from core.tables import unzipping
from core.tables.archives import members
from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from tests.core.tables.making import xlsx, zipped


def read(content: bytes) -> dict[str, bytes]:
    with members(bytes_of(content), Faults()) as found:
        return {name: b"".join(source()) for name, source in found}


def code_of(content: bytes) -> str:
    with pytest.raises(FileRefused) as refused:
        read(content)
    assert "\n" not in str(refused.value)
    return refused.value.faults.code


def test_members_come_with_their_names_and_without_what_file_managers_add():
    files = {"anna/a.csv": b"1", "ben.csv": b"", "__MACOSX/._a": b"x", "anna/.DS_Store": b"x", "anna/": b""}

    assert read(zipped(files)) == {"anna/a.csv": b"1", "ben.csv": b""}


def test_a_member_can_be_read_more_than_once():
    with members(bytes_of(zipped({"a.csv": b"x" * 600_000})), Faults()) as found:
        ((_, source),) = found

        assert b"".join(source()) == b"".join(source())
        assert len(next(source())) < 600_000


def test_a_workbook_is_no_nested_archive():
    assert [*read(zipped({"anna.xlsx": xlsx(["item"], ["a"])}))] == ["anna.xlsx"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "empty_file"),
        ({"__MACOSX/a": b""}, "empty_file"),
        ({"../a.csv": b"1"}, "bad_name"),
        ({"a/../../b.csv": b"1"}, "bad_name"),
        ({"/etc/passwd": b"1"}, "bad_name"),
        ({"C:\\a.csv": b"1"}, "bad_name"),
        ({"a.zip": b"1"}, "nested_archive"),
        ({"a.tar.gz": b"1"}, "nested_archive"),
        ({"a.csv": zipped({"b.csv": "1"})}, "nested_archive"),
        ({"a.csv": b"\0" * 64 * 1024**2}, "zip_too_large"),
        ({f"{n}.csv": b"" for n in range(10_001)}, "too_many_files"),
    ],
)
def test_harm_is_refused(files, code):
    assert code_of(zipped(files)) == code


def test_a_member_with_a_password_is_refused():
    content = bytearray(zipped({"a.csv": b"1"}))
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1

    assert code_of(bytes(content)) == "encrypted"


def test_more_than_the_directory_states_is_not_unpacked():
    content = bytearray(zipped({"a.csv": b"x" * 1_000_000}))
    at = content.find(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<L", 10)

    assert code_of(bytes(content)) == "damaged_file"


def test_all_members_together_are_counted(monkeypatch):
    monkeypatch.setattr(unzipping, "MAX_UNPACKED", 1_000)

    assert (
        code_of(zipped({"a.csv": b"1" * 600, "b.csv": b"2" * 600}, compression=zipfile.ZIP_STORED))
        == "zip_too_large"
    )


@pytest.mark.parametrize("cut", [10, -30])
def test_an_archive_that_was_cut_off_is_refused(cut):
    assert code_of(zipped({"a.csv": b"1" * 100})[:cut]) == "damaged_file"


def test_a_directory_of_the_larger_kind_is_measured_too():
    file = io.BytesIO(b"PK\x06\x06" + b"\0" * 36 + struct.pack("<Q", 10**9) + b"\0" * 8)
    file.seek(0, 2)
    file.write(b"PK\x06\x07" + struct.pack("<LQL", 0, 0, 1))
    file.write(b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))

    assert code_of(file.getvalue()) == "too_many_files"
