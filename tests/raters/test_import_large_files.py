"""A request reads the first part of a large file; a worker reads all of it, and asks again if the rest differs."""

import json

import pytest

from core.tables import sources
from projects.imports import protocol
from raters.imports import label_file
from raters.imports.actions import confirm, upload
from raters.imports.label_options import LabelOptions
from raters.models import Label, LabelImport
from raters.tasks import load_import
from tests import files
from tests.files import post_file, read_as, send
from tests.labeling import new_question
from tests.raters.test_import_drafts import FormFields

State = LabelImport.State
SHOWN, N_ITEMS = 20, 100
ROWS = [f"item-{n},{rater},{'yes' if n % 3 else 'no'}" for n in range(N_ITEMS) for rater in ("ann", "ben")]
LARGE = files.csv(*ROWS)


@pytest.fixture(autouse=True)
def small_preview(monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", SHOWN)
    monkeypatch.setattr(sources, "_STEP", 64)


def pressed(client, draft: LabelImport) -> LabelImport:
    """Press the button of a draft that nobody has touched, and do what a worker would."""
    page = client.get(draft.get_absolute_url()).content.decode()
    form = FormFields()
    form.feed(page[page.index('id="understood"') : page.rindex("</form>")])
    client.post(f"{draft.get_absolute_url()}confirm/", form.sent)
    assert LabelImport.objects.get(pk=draft.pk).state == State.QUEUED
    load_import(draft.pk)
    return LabelImport.objects.get(pk=draft.pk)


def sent(client, project, content: bytes) -> LabelImport:
    send(client, project, content)
    return LabelImport.objects.latest("pk")


def test_the_preview_reads_the_first_part_and_says_so(client, project, monkeypatch):
    read = []
    records = label_file.FileReader.records

    def counted(*given):
        for record in records(*given):
            read.append(record)
            yield record

    monkeypatch.setattr(label_file.FileReader, "records", counted)

    draft = sent(client, project, LARGE)

    assert len(read) == SHOWN + 1
    assert (draft.n_labels, draft.has_whole_preview) == (SHOWN, False)
    assert 'id="part"' in client.get(draft.get_absolute_url()).content.decode()


def test_the_number_of_labels_is_estimated(client, project, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", 2_000)
    content = files.csv(*(f"item-{n:04},ann,yes" for n in range(6_000)))

    draft = sent(client, project, content)
    told = post_file(client, project, content, dry_run="true").json()

    assert draft.n_expected == pytest.approx(6_000, rel=0.05)
    assert told["n_expected"] == draft.n_expected


@pytest.mark.parametrize("n_rows", [SHOWN - 1, SHOWN])
def test_a_file_that_is_not_larger_is_shown_whole(client, project, n_rows):
    draft = sent(client, project, files.csv(*ROWS[:n_rows]))

    assert (draft.has_whole_preview, draft.n_expected) == (True, n_rows)
    assert 'id="part"' not in client.get(draft.get_absolute_url()).content.decode()


def test_a_worker_loads_all_of_it(client, project):
    draft = sent(client, project, LARGE)
    counted = f'<td class="number">{SHOWN}</td>'
    assert counted not in client.get(f"/p/{project.slug}/import/").content.decode()

    run = pressed(client, draft)

    assert (run.state, run.n_created) == (State.DONE, len(ROWS))
    assert counted.replace(str(SHOWN), "200") in client.get(f"/p/{project.slug}/import/").content.decode()


def test_the_api_counts_what_was_read_in_full(client, project):
    """Before the import, only the first part of the file has been read."""
    counts = ("n_labels", "n_created", "n_changed", "n_unchanged")
    waiting = post_file(client, project, LARGE).json()
    listed = client.get(f"/api/v1/projects/{project.slug}/imports/").json()["results"]
    load_import(waiting["id"])

    done = client.get(f"/api/v1/projects/{project.slug}/imports/{waiting['id']}/").json()

    assert [waiting[name] for name in counts] == [listed[0][name] for name in counts] == [None] * 4
    assert [done[name] for name in counts] == [len(ROWS), len(ROWS), 0, 0]
    small = post_file(client, project, files.csv("x,ann,yes")).json()
    assert [small[name] for name in counts] == [1, 1, 0, 0]


def test_a_value_that_the_preview_did_not_show_is_shown_before_anything_is_written(client, project):
    draft = pressed(client, sent(client, project, files.csv(*ROWS, "item-x,ann,maybe")))

    page = client.get(draft.get_absolute_url()).content.decode()
    assert (draft.state, draft.n_labels, draft.has_whole_preview) == (State.DRAFT, len(ROWS) + 1, True)
    assert 'id="whole"' in page
    assert [row["written"] for row in draft.preview["questions"][0]["rows"] if row["why"] == "unseen"] == [
        "maybe"
    ]
    assert not Label.objects.exists()
    assert not draft.blocks.exists()

    assert pressed(client, draft).state == State.DONE
    assert ("item-x", "ann", "maybe") in files.answers(project)


def test_a_value_that_has_been_seen_is_not_shown_again(client, project):
    draft = pressed(client, sent(client, project, files.csv(*ROWS, "item-x,ann,maybe")))
    places = {row["written"]: place for place, row in enumerate(draft.preview["questions"][0]["rows"])}

    read_as(client, draft, **{f"value__0__{places['yes']}": "=no"})
    draft.refresh_from_db()
    run = pressed(client, draft)

    assert (draft.has_whole_preview, run.state) == (False, State.DONE)
    assert {answer for _, _, answer in files.answers(project)} == {"no", "maybe"}


STATUSES = "\n".join(
    ["item,rater,label,status", *(f"{row},done" for row in ROWS), "x,ann,yes,in review", "y,ann,no,draft", ""]
).encode()


@pytest.mark.parametrize("counts", [True, False])
def test_a_status_that_the_preview_did_not_show_is_asked_about(client, project, counts):
    draft = pressed(client, sent(client, project, STATUSES))

    page = client.get(draft.get_absolute_url()).content.decode()
    assert (draft.state, draft.has_whole_preview) == (State.DRAFT, True)
    assert draft.preview["unseen_statuses"] == ["in review"]
    assert page.count("data-unseen") == 1
    assert not Label.objects.exists()

    place = [written for written, _, _ in draft.preview["statuses"]].index("in review")
    read_as(
        client, draft, **{f"status__{place}": "in review"} | ({f"counts__{place}": "on"} if counts else {})
    )
    draft.refresh_from_db()
    assert (draft.options["statuses"], draft.has_whole_preview) == ({"in review": counts}, False)
    assert pressed(client, draft).state == State.DONE
    assert Label.objects.count() == len(ROWS) + counts


def test_unseen_statuses_that_are_no_labels_are_not_asked_about(client, project):
    assert (
        pressed(client, sent(client, project, STATUSES.replace(b"in review", b"rejected"))).state
        == State.DONE
    )

    assert Label.objects.count() == len(ROWS)


def test_a_problem_further_down_is_corrected_without_another_upload(client, project):
    draft = pressed(client, sent(client, project, files.csv(*ROWS, "item-99,ben,yes")))

    assert draft.state == State.DRAFT
    assert [(fault["line"], fault["code"]) for fault in draft.faults] == [(len(ROWS) + 2, "duplicate_label")]
    assert 'id="whole"' in client.get(draft.get_absolute_url()).content.decode()

    read_as(client, draft, repeats="last")

    draft.refresh_from_db()
    assert (draft.n_faults, draft.has_whole_preview) == (0, False)
    assert (pressed(client, draft).state, Label.objects.count()) == (State.DONE, len(ROWS))


# In the first part, 9 is far from the other numbers, but not in the whole file.
NUMBERS = files.csv(
    *(f"i{n},ann,{n % 3 + 1}" for n in range(18)),
    "i18,ann,9",
    "i19,ann,1",
    *(f"i{n},ann,{n % 8 + 1}" for n in range(20, 60)),
)


def test_what_the_first_part_suggests_is_no_decision(client, project):
    draft = sent(client, project, NUMBERS)
    suggested = {row["written"]: row["becomes"] for row in draft.preview["questions"][0]["rows"]}

    draft = pressed(client, draft)

    becomes = {row["written"]: row["becomes"] for row in draft.preview["questions"][0]["rows"]}
    assert (suggested["9"], becomes["9"]) == (None, "9")
    assert draft.state == State.DRAFT


def test_a_code_that_is_none_beside_all_numbers_is_asked_about_and_the_answer_is_kept(client, project):
    new_question(project, key="score", kind="number")
    rows = [f"i{n},ann,{n % 5 + 1}" for n in range(18)]
    content = "\n".join(["item,rater,score", *rows, "i18,ann,99", "i19,ann,1", "i20,ann,120", ""]).encode()
    draft = sent(client, project, content)
    [shown] = [row for row in draft.preview["questions"][0]["rows"] if row["written"] == "99"]
    assert shown["becomes"] is None

    draft = pressed(client, draft)

    places = {row["written"]: place for place, row in enumerate(draft.preview["questions"][0]["rows"])}
    assert (draft.state, draft.preview["questions"][0]["rows"][places["99"]]["why"]) == (
        State.DRAFT,
        "unseen",
    )
    read_as(client, draft, **{f"value__0__{places['99']}": "missing"})
    draft.refresh_from_db()
    assert pressed(client, draft).state == State.DONE
    assert not Label.objects.filter(number=99).exists()
    assert Label.objects.filter(number=120).exists()


def test_what_a_person_decided_is_kept(client, project):
    draft = sent(client, project, LARGE)
    read_as(client, draft, value__0__0="missing")
    draft.refresh_from_db()

    run = pressed(client, draft)

    assert run.state == State.DONE
    assert {answer for _, _, answer in files.answers(project)} == {"yes"}


def test_the_api_imports_what_nobody_has_seen(client, project):
    shown = post_file(client, project, NUMBERS).json()

    load_import(shown["id"])

    run = LabelImport.objects.get(pk=shown["id"])
    assert (run.state, run.n_created, run.is_reviewed) == (State.DONE, 60, False)


def test_the_api_lists_problems_further_down_with_the_import(client, project):
    shown = post_file(client, project, files.csv(*ROWS, "item-99,ben,yes")).json()

    load_import(shown["id"])

    told = client.get(f"/api/v1/projects/{project.slug}/imports/{shown['id']}/").json()
    assert (told["state"], [fault["line"] for fault in told["faults"]]) == ("failed", [len(ROWS) + 2])


def test_a_dry_run_says_that_it_has_read_the_first_part(client, project):
    told = post_file(client, project, LARGE, dry_run="true").json()

    assert (told["is_whole"], told["n_records"]) == (False, SHOWN)


def test_a_mapping_of_a_dry_run_decides_nothing_of_the_rest(client, project):
    told = post_file(client, project, NUMBERS, dry_run="true").json()

    shown = post_file(client, project, NUMBERS, mapping=json.dumps(told["mapping"])).json()
    load_import(shown["id"])

    assert LabelImport.objects.get().n_created == 60


def test_a_large_import_may_take_longer_though_it_has_not_been_counted(project, lead, settings):
    draft = upload(project, "labels.csv", [LARGE], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    draft.preview["n_expected"] = 0

    allowed = draft.seconds_allowed

    assert allowed == settings.CELERY_TASK_SOFT_TIME_LIMIT + settings.IMPORT_MAX_ROWS // 1_000


@pytest.mark.parametrize("line", ["", "first", "-1"])
def test_a_header_line_that_is_no_number_is_refused(client, project, line):
    answer = post_file(client, project, LARGE, header_line=line)

    assert answer.status_code == 400
    assert not LabelImport.objects.exists()
