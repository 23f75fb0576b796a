"""Every problem names the column as the file spells it."""

import json

import pytest

from raters.reading.columns import Column
from tests.files import checked, load
from tests.raters.reading.samples import annotation, result, task


def columns(found) -> list[tuple[int, str, str]]:
    return [(fault.line, fault.column, fault.code) for fault in found.faults.listed]


def test_a_bad_number_in_a_long_file(project):
    content = b"Nr,Rater,Bewertung\n" + b"".join(b"%d,ann,%d.5\n" % (n, n) for n in range(1, 9))

    found = checked(project, content + b"9,ann,k.A.\n", layout="long")

    assert columns(found) == [(10, "Bewertung", "bad_number")]


@pytest.mark.parametrize("header", ["Nr,ann_score,ben_score", "Nr,score by ann,score by ben"])
def test_a_bad_number_in_a_column_of_a_rater(project, header):
    rows = "".join(f"{n},{n}.5,{n}.25\n" for n in range(1, 9))
    names = header.split(",")[1:]
    mapping = {
        name: {"role": "label", "rater": rater} for name, rater in zip(names, ("Ann", "Ben"), strict=True)
    }

    found = checked(
        project,
        f"{header}\n{rows}9,1.5,what\n".encode(),
        columns={name: Column.from_json(column) for name, column in mapping.items()},
    )

    assert columns(found) == [(10, names[1], "bad_number")]


def test_a_bad_number_in_a_column_of_a_question(project):
    rows = "".join(f"{n},{n}.5,{'yes' if n % 2 else 'no'}\n" for n in range(1, 9))

    found = checked(project, f"item,score,clear\n{rows}9,what,no\n".encode(), rater="ann")

    assert columns(found) == [(10, "score", "bad_number")]


def test_a_conflict_and_a_repetition_in_wide_files(project):
    load(project, b"item,ann,ben\na,yes,no\nb,no,no\n")

    found = checked(project, b"item,ann,ben\na,yes,yes\nb,no,no\n")
    twice = checked(project, b"item,ann,ben\nc,yes,yes\nd,no,no\nc,no,yes\n")

    assert columns(found) == [(2, "ben", "conflicts_with_label")]
    assert columns(twice) == [(4, "ann", "duplicate_label"), (4, "ben", "duplicate_label")]


def test_unknown_categories_in_columns_of_raters(project):
    load(project, b"item,ann,ben\na,yes,no\nb,no,yes\n")

    found = checked(project, b"item,ann,ben\na,maybe,no\nb,no,perhaps\n", declared_only=True)

    unknown = [found for found in columns(found) if found[2] == "unknown_category"]
    assert unknown == [(2, "ann", "unknown_category"), (3, "ben", "unknown_category")]


def test_what_a_row_says_wrongly_of_its_rater(project):
    content = "Unit,Coder,Certainty,Code\na,ann,2,yes\n" + "b,ann,0.5,no\n" * 2

    found = checked(project, content.encode(), columns={"Certainty": Column("confidence")})

    assert columns(found)[0] == (2, "Certainty", "bad_number")


def label_studio(*stars: float) -> bytes:
    """An export in which one rater gives stars to items, in the field “stars”."""
    return json.dumps(
        [
            task(annotation(3, result("stars", "number", number=number)), id=place)
            for place, number in enumerate(stars)
        ]
    ).encode()


def test_fields_of_programs_are_those_of_questions(project):
    load(project, label_studio(1.5, 2.5, 3.5))
    project.questions.update(maximum=5)

    conflict = checked(project, label_studio(1.5, 2.5, 4.5))
    too_large = checked(project, label_studio(1.5, 2.5, 3.5, 9.5))
    no_number = checked(project, label_studio(1.5, 2.5, 3.5, 4.5).replace(b": 4.5", b': "many"'))

    assert columns(conflict) == [(1, "stars", "conflicts_with_label")]
    assert columns(too_large) == [(1, "stars", "out_of_range")]
    assert columns(no_number) == [(1, "stars", "bad_number")]
