"""Several files at once: one for each rater, or parts of one table; by page, API, and command."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from raters.imports.uploads import together
from raters.models import Label, LabelImport
from raters.tasks import load_import
from tests.cast import signed_in
from tests.core.tables.making import ods, ods_row, xlsx
from tests.core.tables.making import zipped as packed
from tests.files import confirm, post_file
from tests.raters.reading.samples import LABEL_STUDIO_CSV
from tests.raters.reading.test_doccano import ANNA

ANNA_CSV, BEN_CSV = b"item,label\nd1,pos\nd2,neg\nd3,pos\n", b"item,label\nd1,pos\nd2,pos\nd3,neg\n"


def upload(client, project, **contents: bytes):
    files = [SimpleUploadedFile(name.replace("__", "."), content) for name, content in contents.items()]
    return client.post(
        reverse("imports", args=[project.slug]), {"what": "labels", "file": files, "encoding": "auto"}
    )


def send_by_api(client, project, **contents: bytes):
    files = [SimpleUploadedFile(name.replace("__", "."), content) for name, content in contents.items()]
    return client.post(f"/api/v1/projects/{project.slug}/imports/", {"file": files, "dry_run": "true"})


def labels_of(project) -> list[tuple[str, str, str]]:
    labels = Label.objects.filter(item__project=project).order_by("item__key", "rater__key", "question__key")
    return list(labels.values_list("item__key", "rater__key", "category__key"))


def test_a_table_for_each_rater_is_named_after_its_file(client, project, lead):
    page = client.get(upload(client, project, anna__csv=ANNA_CSV, ben__csv=BEN_CSV).url)
    draft = LabelImport.objects.get()

    assert (draft.n_faults, draft.n_labels, draft.options["choices"]) == (0, 6, {"files": "raters"})
    assert draft.file_name == "2 files (anna.csv, ben.csv)"
    assert b'<select name="choice-files"' in page.content
    assert draft.preview["new"]["rater"]["first"] == ["anna", "ben"]


def test_tables_of_the_same_items_with_a_column_for_each_question_are_of_one_rater_each(
    client, project, lead
):
    anna, ben = (b"item,rude,stars\nd1,%b,1\nd2,yes,2\nd3,no,2\n" % said for said in (b"yes", b"no"))

    upload(client, project, anna__csv=anna, ben__csv=ben)
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    assert draft.options["choices"] == {"files": "raters"}
    assert labels_of(project)[:4] == [
        *(("d1", "anna", category) for category in ("yes", "1")),
        *(("d1", "ben", category) for category in ("no", "1")),
    ]


def test_tables_of_other_items_with_a_column_for_each_rater_are_parts_of_one(client, project, lead):
    first, second = (b"item,anna,ben\nd%b1,yes,no\nd%b2,no,no\n" % ((part,) * 2) for part in (b"1", b"2"))

    upload(client, project, first__csv=first, second__csv=second)

    draft = LabelImport.objects.get()
    assert (draft.n_faults, draft.options["choices"]) == (0, {"files": "parts"})
    assert draft.preview["new"]["rater"]["first"] == ["anna", "ben"]


def test_a_folder_for_each_rater_and_a_note_to_readers(client, project, lead):
    rows = b"item,label\nd1,yes\nd2,no\nd3,no\n"
    archive = packed({"anna/labels.csv": rows, "ben/labels.csv": rows, "README.txt": b"Coded in May."})

    upload(client, project, coded__zip=archive)

    draft = LabelImport.objects.get()
    assert (draft.n_faults, draft.n_labels) == (0, 6)
    assert draft.preview["new"]["rater"]["first"] == ["anna", "ben"]


def test_tables_that_name_their_raters_are_parts_of_one(client, project, lead):
    anna, ben = (
        b"item,rater,label\nd1,%b,pos\nd2,%b,neg\nd3,%b,neg\n" % ((who,) * 3) for who in (b"x", b"y")
    )

    upload(client, project, first__csv=anna, second__csv=ben)

    draft = LabelImport.objects.get()
    assert (draft.n_faults, draft.options["choices"]) == (0, {"files": "parts"})
    assert draft.preview["new"]["rater"]["first"] == ["x", "y"]


def test_the_choice_can_be_changed_and_asks_for_what_is_missing(client, project, lead):
    answer = upload(client, project, anna__csv=ANNA_CSV, ben__csv=BEN_CSV)

    client.post(answer.url, {"layout": "long", "encoding": "auto", "choice-files": "parts"})

    draft = LabelImport.objects.get()
    assert draft.options["choices"] == {"files": "parts"}
    assert [(fault["code"], fault["column"]) for fault in draft.faults] == [("missing_column", "rater")]


def test_order_of_columns_titles_and_format_may_differ(client, project, lead):
    book = xlsx(["label", "item"], ["neg", "d1"], ["neg", "d2"], ["pos", "d3"])

    upload(client, project, anna__csv=ANNA_CSV, ben__xlsx=book, cleo__csv=b"Coded in May\n\n" + ANNA_CSV)

    draft = LabelImport.objects.get()
    assert (draft.n_faults, draft.n_labels) == (0, 9)
    assert draft.preview["new"]["rater"]["first"] == ["anna", "ben", "cleo"]


def test_loading_reads_the_files_as_they_were_seen(client, project, lead):
    upload(client, project, anna__csv=ANNA_CSV, ben__csv=BEN_CSV)
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    assert labels_of(project)[:2] == [("d1", "anna", "pos"), ("d1", "ben", "pos")]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (b"item,answer\nd1,pos\n", "ben.csv has other columns than anna.csv (answer, label)"),
        (b'item,label\nd1,"pos\n', "ben.csv: "),
        (b"", "ben.csv: the file is empty"),
        (packed({"a.csv": "1"}), "archive inside the archive"),
    ],
)
def test_a_file_that_does_not_fit_is_named(client, project, lead, other, said):
    answer = send_by_api(client, project, anna__csv=ANNA_CSV, ben__csv=other)

    assert any(said in fault["rule"] for fault in answer.json()["faults"])
    assert not Label.objects.exists()


def test_a_fault_of_a_row_names_its_file(client, project, lead):
    answer = send_by_api(client, project, anna__csv=ANNA_CSV, ben__csv=b"item,label\nd1,pos,x\nd2,neg\n")

    assert [(fault["line"], fault["rule"][:9]) for fault in answer.json()["faults"]] == [(2, "ben.csv: ")]


def test_the_api_takes_several_parts(client, project, lead):
    answer = send_by_api(client, project, anna__jsonl=ANNA.encode(), ben__jsonl=ANNA.encode())

    assert answer.json()["mapping"]["format"] == "doccano"
    assert answer.json()["new"]["rater"]["first"] == ["anna", "ben"]


def test_items_come_one_file_at_a_time(client, project, lead):
    files = [SimpleUploadedFile(f"{n}.csv", b"item\na\n") for n in range(2)]

    answer = client.post(f"/api/v1/projects/{project.slug}/imports/", {"file": files, "kind": "items"})

    assert (answer.status_code, answer.json()["error"]) == (400, "several_files")


def test_the_command_takes_several_files(project, lead, tmp_path):
    for name, content in (("anna.csv", ANNA_CSV), ("ben.csv", BEN_CSV)):
        (tmp_path / name).write_bytes(content)
    paths = [str(tmp_path / name) for name in ("anna.csv", "ben.csv")]

    call_command("import_labels", project.slug, *paths, "--by", lead.username, "--yes", verbosity=0)

    assert len(labels_of(project)) == 6
    with pytest.raises(CommandError, match="already imported"):
        call_command("import_labels", project.slug, *paths, "--by", lead.username, "--yes")


def test_files_of_one_name_are_numbered(client, project, lead):
    archive = together(
        [("a.csv", lambda: iter([b"1"])), ("a.csv", lambda: iter([b"2"])), ("b", lambda: iter([]))]
    )

    assert b"a (2).csv" in b"".join(archive())


def test_somebody_else_cannot_send_any(project, stranger):
    assert upload(signed_in(stranger), project, anna__csv=ANNA_CSV, ben__csv=BEN_CSV).status_code == 404


def test_a_file_read_as_a_table_can_be_read_by_its_format_again(client, project, lead):
    answer = upload(client, project, export__csv=LABEL_STUDIO_CSV.encode())
    draft = LabelImport.objects.get()
    for chosen in ("table", "label_studio_rows"):
        client.post(answer.url, {"layout": "auto", "encoding": "auto", "format": chosen})
        draft.refresh_from_db()
        page = client.get(answer.url).content.decode()

        assert draft.options["format"] == chosen
        assert f'<option value="{chosen}" selected>' in page
        assert 'value="label_studio_rows"' in page


def test_over_the_api_auto_leads_back_from_a_table(client, project, lead):
    read = post_file(client, project, LABEL_STUDIO_CSV.encode(), dry_run="true", format="table").json()
    assert (read["mapping"]["format"], read["detected"][0]) == ("table", "label_studio_rows")

    again = post_file(
        client,
        project,
        LABEL_STUDIO_CSV.encode(),
        dry_run="true",
        mapping=json.dumps(read["mapping"]),
        format="auto",
    ).json()

    assert (again["mapping"]["format"], again["n_faults"], again["n_labels"]) == ("label_studio_rows", 0, 4)


ODS = ods(ods_row("item", "rater", "label"), ods_row("d1", "a", "x"))
BOOK = xlsx(["item", "rater", "label"], ["d1", "anna", "pos"], ["d1", "ben", "neg"])


@pytest.mark.parametrize(
    ("media_type", "content"),
    [
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", BOOK),
        ("application/octet-stream", BOOK),
        (
            "application/vnd.oasis.opendocument.spreadsheet",
            ods(ods_row("item", "rater", "label"), ods_row("d1", "a", "x")),
        ),
        ("application/zip", packed({"anna.csv": ANNA_CSV, "ben.csv": BEN_CSV})),
        ("application/x-spss-sav", BOOK),
        ("application/x-stata-dta", BOOK),
        ("application/vnd.ms-excel", BOOK),
    ],
)
def test_a_workbook_or_an_archive_may_be_the_body(client, project, lead, media_type, content):
    url = f"/api/v1/projects/{project.slug}/imports/?dry_run=true&file_name=f"

    answer = client.post(url, content, content_type=media_type)

    assert (answer.status_code, answer.json()["n_faults"]) == (200, 0)
    assert answer.json()["n_labels"] > 0


def test_a_fault_found_when_all_are_read_names_its_file_and_its_line(client, project, lead):
    """Both files say what x said of d2; the rater of the second is told by the line of the first."""
    first = b"item,rater,label\nd1,x,pos\nd2,x,neg\nd3,y,neg\n"
    second = b"item,rater,label\nd4,x,pos\nd2,x,pos\nd4,x,pos\n"

    upload(client, project, first__csv=first, second__csv=second)

    faults = [(fault["line"], fault["rule"]) for fault in LabelImport.objects.get().faults]
    assert faults == [
        (3, "second.csv: already labeled by x on line 3 of first.csv; choose which label to keep"),
        (4, "second.csv: already labeled by x on line 2; choose which label to keep"),
    ]


def test_a_cell_that_is_wrong_names_its_file(client, project, lead):
    first = b"item,rater,label,seconds\nd1,x,pos,1\nd2,x,neg,2\n"
    second = b"item,rater,label,seconds\nd1,y,pos,1\nd2,y,neg,soon\n"

    upload(client, project, first__csv=first, second__csv=second)

    [fault] = LabelImport.objects.get().faults
    assert (fault["line"], fault["column"], fault["value"]) == (3, "seconds", "soon")
    assert fault["rule"].startswith("second.csv: ")
