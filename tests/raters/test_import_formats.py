"""Files as other programs write them, through the import of labels: recognized, loaded, and what stayed out counted."""

import io
import zipfile
from collections.abc import Sequence

import openpyxl
import pytest

from core.tables.sources import bytes_of
from projects.imports.protocol import ImportContext
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions
from raters.models import Label, Rater
from raters.reading.columns import Column
from raters.reading.records import InputFile
from tests.raters.reading import made_files, samples


def packed(files: Sequence[InputFile]) -> tuple[str, bytes]:
    """Name and content of the file itself, or of a ZIP archive of several."""
    if len(files) == 1:
        return files[0].name, b"".join(files[0].source())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for file in files:
            members.writestr(file.name, b"".join(file.source()))
    return "export.zip", archive.getvalue()


def read(project, name: str, content: bytes, **options) -> LabelFile:
    return LabelFile(project, bytes_of(content), LabelOptions(**options), ImportContext(name=name))


# Two samples hold spans alone.
WITH_LABELS = [
    pytest.param(*packed(files), id=f"{program} {place}")
    for place, (program, files) in enumerate(made_files.SAMPLES)
    if place not in (5, 8)
] + [
    pytest.param(f"{name}.json", getattr(samples, name).encode(), id=name)
    for name in ("LABEL_STUDIO", "LABEL_STUDIO_MIN", "LABEL_STUDIO_CSV")
]


@pytest.mark.parametrize(("name", "content"), WITH_LABELS)
def test_a_file_of_another_program_is_loaded_without_a_question(project, name, content):
    file = read(project, name, content)

    file.load()

    assert file.preview.interpretation.title
    assert Label.objects.filter(item__project=project).count() == file.preview.n_labels > 0


@pytest.mark.parametrize("place", [5, 8])
def test_a_file_of_spans_alone_says_so(project, place):
    found = read(project, *packed(made_files.SAMPLES[place][1])).check()

    assert [fault.code for fault in found.faults.listed] == ["no_labels"]
    assert found.preview["left_out"]["spans"] > 0


def test_what_label_studio_says_of_a_label_is_kept(project):
    read(project, "export.json", samples.LABEL_STUDIO.encode()).load()

    label = Label.objects.get(rater__key="anna@x.org", question__key="tone")
    assert (label.item.key, label.category.key, label.seconds) == ("101", "pos", 10.744)
    assert {field["name"]: field["value"] for field in label.item.content} == {
        "text": "Good soup, cold room",
        "site": "north",
    }
    assert set(Rater.objects.filter(project=project).values_list("kind", flat=True)) == {"human", "model"}


def workbook(*rows: Sequence[object], title: str = "Codes") -> bytes:
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    book.create_sheet("Notes").append(["nothing"])
    book.save(content)
    return content.getvalue()


def test_a_workbook_as_a_coder_keeps_it(project):
    content = workbook(
        ["Coding of the interviews"],
        ["March 2026"],
        ["No.", "Statement", "Anna", "Ben", "Chloé", "Remarks"],
        [1, "We were told the job would be permanent", "positive", "Positive ", "neutral", "check again"],
        [2, "Nobody asked us", "negative", "negative", "negative", None],
        [3, "I liked my first manager a lot", "neutral", "NA", "positive", None],
        [4, "The second office", "negative", "neutral", None, None],
    )
    file = read(project, "coding_sheet.xlsx", content)

    file.load()

    found = file.preview
    assert (found.interpretation.sheet, found.interpretation.header_line) == ("Codes", 3)
    assert (found.n_labels, found.n_missing, found.n_empty) == (10, 1, 1)
    assert sorted(Rater.objects.filter(project=project).values_list("key", flat=True)) == [
        "Anna",
        "Ben",
        "Chloé",
    ]
    question = project.questions.get()
    assert (question.level, list(question.categories.values_list("key", flat=True))) == (
        "ordinal",
        ["negative", "neutral", "positive"],
    )
    assert project.items.get(key="2").content[0]["value"] == "Nobody asked us"


def test_another_sheet_and_its_columns_are_chosen(project):
    file = read(project, "codes.xlsx", workbook(["x", "y"], ["a", "b"]), sheet="Notes")

    assert file.check().faults.listed[0].code in {"missing_column", "no_rows"}


def test_recal_files_have_neither_header_nor_keys(project):
    file = read(project, "recal.csv", b"1,1,0\n0,1,0\n1,1,1\n0,0,0\n")

    file.load()

    assert Label.objects.filter(item__project=project).count() == 12
    assert list(project.items.values_list("key", flat=True)) == ["1", "2", "3", "4"]


def test_a_file_of_spss_names_its_categories_and_what_is_missing(project, tmp_path):
    import pandas
    import pyreadstat

    path = tmp_path / "ratings.sav"
    frame = pandas.DataFrame({"item": ["a", "b", "c"], "r_anna": [1.0, 2.0, 9.0], "r_ben": [2.0, 2.0, 1.0]})
    names: dict[int | float, str] = {1: "no", 2: "yes", 9: "cannot say"}
    pyreadstat.write_sav(
        frame,
        str(path),
        variable_value_labels={"r_anna": names, "r_ben": names},
        missing_ranges={"r_anna": [9], "r_ben": [9]},
    )
    file = read(project, "ratings.sav", path.read_bytes())

    file.load()

    question = project.questions.get()
    assert list(question.categories.values_list("key", "name")) == [("1", "no"), ("2", "yes")]
    assert (file.preview.n_labels, file.preview.n_missing) == (5, 1)


def test_a_known_format_may_be_read_as_a_table(project):
    file = read(
        project,
        "export.csv",
        samples.LABEL_STUDIO_CSV.encode(),
        format="table",
        layout="long",
        columns={"id": Column("item"), "annotator": Column("rater"), "tone": Column("label")},
    )

    file.check()

    assert not file.preview.interpretation.title
    assert file.preview.n_labels > 0
