"""What holds for every format: it knows its own files and no others, and no file breaks it."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from raters.reading.formats import FORMATS
from raters.reading.records import STATES, InputFile, LabelRecord, LeftOut, QuestionRecord
from tests.raters.reading.made_files import SAMPLES
from tests.raters.reading.read import Read, files_of

BY_KEY = {format_.key: format_ for format_ in FORMATS}
PLAIN: dict[str, str | bytes] = {
    "plain.csv": "item,rater,label\nd1,anna,pos\nd1,ben,neg\n",
    "wide.csv": "item,anna,ben\nd1,pos,neg\n",
    "ours.jsonl": '{"item": "d1", "rater": "anna", "label": "pos"}\n',
    "id_user.csv": "instance_id,user_id,label\nd1,anna,pos\n",
    "notes.txt": "Good soup",
    "some.xml": "<?xml version='1.0'?><soup/>",
    "some.json": '[{"id": 1, "text": "x"}]',
    "state.json": "{}",
    "user_state.json": "{}",
    "empty": "",
    "binary": b"\x00\xff\xfe\x80" * 20,
    "nul": b"\x00",
    "odd16": b"\xff\xfea",
    "quote.csv": 'item,"rater\n',
}


@pytest.mark.parametrize(
    ("key", "files"), SAMPLES, ids=[f"{key}-{at}" for at, (key, _) in enumerate(SAMPLES)]
)
def test_a_file_is_recognized_by_its_own_format_alone(key, files):
    assert [format_.key for format_ in FORMATS if format_.recognizes(files)] == [key]


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_file_is_recognized_by_none(name):
    files = files_of({name: PLAIN[name]})

    assert [format_.key for format_ in FORMATS if format_.recognizes(files)] == []


@pytest.mark.parametrize(
    ("key", "files"), SAMPLES, ids=[f"{key}-{at}" for at, (key, _) in enumerate(SAMPLES)]
)
def test_records_keep_the_contract(key, files):
    read = Read(BY_KEY[key], files)

    assert not read.faults
    asked: set[str] = set()
    for record in read.records:
        if isinstance(record, QuestionRecord):
            asked.add(record.question)
        elif isinstance(record, LabelRecord):
            assert record.question in asked
            assert record.line >= 1
            assert record.state in STATES
            assert record.item
            is_set = read.questions[record.question].kind == "multiple"
            assert isinstance(record.value, tuple | None if is_set else str | None)


@pytest.mark.parametrize(
    ("key", "files"), SAMPLES, ids=[f"{key}-{at}" for at, (key, _) in enumerate(SAMPLES)]
)
def test_nobodys_address_place_or_network_is_read(key, files):
    read = Read(BY_KEY[key], files)

    everything = repr(read.records)
    assert not any(private in everything for private in ("10.0.0.", "52.1", "13.1", "dev1"))
    assert key == "rayyan" or "@x.org" not in everything


@pytest.mark.parametrize(
    ("key", "files"), SAMPLES, ids=[f"{key}-{at}" for at, (key, _) in enumerate(SAMPLES)]
)
def test_small_blocks_give_the_same_records(key, files):
    cut = [InputFile(file.name, in_blocks(b"".join(file.source()), 7)) for file in files]

    assert BY_KEY[key].recognizes(cut)
    assert Read(BY_KEY[key], cut).records == Read(BY_KEY[key], files).records


def in_blocks(content: bytes, size: int) -> Callable:
    return lambda: iter([content[at : at + size] for at in range(0, len(content), size)])


BROKEN = st.sampled_from(
    [b"", b'"', b"{", b"[" * 500, b"<!DOCTYPE a>", b"\x00", b"\xff", b"\n", b"1" * 400, b"null", b"1e999"]
)


@settings(max_examples=150)
@given(st.data())
def test_broken_files_are_refused_and_nothing_else(data):
    key, files = data.draw(st.sampled_from(SAMPLES))
    at = data.draw(st.integers(0, len(files) - 1))
    content = b"".join(files[at].source())
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.one_of(st.just(len(content)), st.integers(start, min(len(content), start + 30))))
    changed = content[:start] + data.draw(BROKEN) + content[end:]
    broken = [*files[:at], InputFile(files[at].name, bytes_of(changed)), *files[at + 1 :]]

    for format_ in FORMATS:
        format_.recognizes(broken)
        format_.choices(broken)
    # Anything but FileRefused fails the test.
    with suppress(FileRefused):
        list(BY_KEY[key].read(broken, {}, LeftOut(), Faults()))
