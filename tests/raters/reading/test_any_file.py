"""What holds for every format: each knows its own files, and no file makes it raise anything but a refusal."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tables.faults import Faults, FileRefused
from raters.reading.formats import FORMATS
from raters.reading.formats.annotators import ANNOTATORS
from raters.reading.formats.argilla import ARGILLA
from raters.reading.formats.doccano import DOCCANO
from raters.reading.formats.final_labels import FINAL_LABELS
from raters.reading.formats.label_studio import LABEL_STUDIO
from raters.reading.formats.label_studio_rows import LABEL_STUDIO_ROWS
from raters.reading.formats.prodigy import PRODIGY
from raters.reading.records import LeftOut
from tests.raters.reading import samples, test_annotators, test_argilla, test_doccano, test_prodigy
from tests.raters.reading.samples import lines, sent

READ = (FINAL_LABELS, LABEL_STUDIO, LABEL_STUDIO_ROWS, DOCCANO, PRODIGY, ARGILLA, ANNOTATORS)
FILES = [
    (LABEL_STUDIO, samples.LABEL_STUDIO),
    # Nobody has labeled its first task.
    (LABEL_STUDIO, '[{"id": 1, "data": {"text": "x"}, "annotations": []}]'),
    (LABEL_STUDIO_ROWS, samples.LABEL_STUDIO_MIN),
    (LABEL_STUDIO_ROWS, samples.LABEL_STUDIO_CSV),
    (DOCCANO, test_doccano.ANNA),
    (DOCCANO, "__label__pos Good soup\n"),
    (DOCCANO, "id,text,label,Comments\n1,a,pos,\n"),
    (PRODIGY, lines(test_prodigy.choice())),
    (ARGILLA, json.dumps([test_argilla.NESTED])),
    (ARGILLA, lines(test_argilla.FLAT)),
    (FINAL_LABELS, samples.FINAL_LABELS),
    (FINAL_LABELS, samples.FINAL_LABELS_LINES),
    (ANNOTATORS, json.dumps(test_annotators.LEWIDI)),
    (ANNOTATORS, lines({"id": 1, "annotators": ["a"], "annotations": [1]})),
]
WORDS = sorted({word for _, text in FILES for word in text.split('"') if word.isidentifier()})
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)


def read_by_all(text: str) -> None:
    files = sent(("tone.json", text))
    for format_ in READ:
        format_.recognizes(files)
        format_.choices(files)
        with contextlib.suppress(FileRefused):
            list(format_.read(files, {}, LeftOut(), Faults()))


@pytest.mark.parametrize(("owner", "text"), FILES)
def test_each_format_knows_its_own_files_only(owner, text):
    files = sent(("tone.txt", text))

    assert [format_.key for format_ in FORMATS if format_.recognizes(files)] == [owner.key]


@pytest.mark.parametrize(
    "text", ["", "[", "{", "[]", "{}", "[1]", "\x00", "[" * 200_000, '{"a":' * 200_000, "a,b\n1,2\n"]
)
def test_no_format_takes_or_breaks_on_what_is_nobodys(text):
    read_by_all(text)

    assert not any(format_.recognizes(sent(("a.json", text))) for format_ in READ)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.integers(0, 2_000), st.text(max_size=3))
def test_a_file_cut_off_is_refused_at_most(file, n, more):
    read_by_all(file[1][:n] + more.encode("utf-8", "replace").decode())


@settings(max_examples=60, deadline=None)
@given(VALUES, st.booleans())
def test_values_of_any_type_are_faults_at_most(value, as_lines):
    read_by_all(lines(value) if as_lines else json.dumps([value]))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.sampled_from(WORDS), VALUES)
def test_a_value_of_any_type_in_any_place_is_a_fault_at_most(file, word, value):
    read_by_all(file[1].replace(f'"{word}": ', f'"{word}": {json.dumps(value)}, "_": ', 1))
