"""Who may export labels, what is logged, and that a file is of one moment and sent while it is read."""

import csv
import io
import json
from itertools import chain, islice

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from projects.models import Event, Round
from raters.models import Assignment, Label, Rater
from raters.writing import source, tables
from raters.writing.downloading import pieces_of
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.source import reading
from raters.writing.targets import BY_KEY, TARGETS
from tests import cast
from tests.labeling import labeled_project
from tests.raters.writing.projects import file_in
from tests.reports.looking import led_by, text_of
from tests.sizes import some


def page(client, project, **query):
    return client.get(reverse("export_labels", args=[project.slug]), query)


def download(client, project, **query):
    return client.get(reverse("labels_file", args=[project.slug]), query)


def body(response) -> bytes:
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def test_the_page_says_what_each_format_leaves_out(client, rich):
    found = page(client, rich)

    cards = {card.target.key: card for card in found.context["cards"]}
    assert list(cards) == [target.key for target in TARGETS]
    assert cards["doccano"].refusal
    text = text_of(found)
    assert "35 labels" in text
    assert "1 repeat label (pass 2 or later)" in text


def test_what_is_not_there_is_not_listed(client, rich):
    Label.objects.filter(question__project=rich).update(note="", seconds=None)

    [card] = [card for card in page(client, rich).context["cards"] if card.target.key == "prodigy"]

    assert {"notes", "labeling times"} & {loss.what for loss in card.losses} == set()


@pytest.mark.parametrize("what", list(ExportKind))
def test_a_download_is_logged(client, rich, what):
    content = body(download(client, rich, what=what, format="csv"))

    event = Event.objects.filter(project_id=rich.pk).latest("pk")
    kind = "final_labels_taken" if what is ExportKind.FINAL else "exported"
    assert (event.kind, event.detail["format"], event.detail["what"]) == (kind, "csv", what)
    assert content == file_in(rich, "csv", what)


def test_a_file_is_named_after_project_and_content(client, rich):
    found = download(client, rich, what="final", format="xlsx")

    assert found["Content-Disposition"] == f'attachment; filename="{rich.slug}-final-labels.xlsx"'
    body(found)


def test_a_refused_format_leads_back_to_the_page(client, rich):
    found = download(client, rich, format="doccano")

    assert found.status_code == 302
    assert found["Location"].startswith(reverse("export_labels", args=[rich.slug]))
    assert not Event.objects.filter(project_id=rich.pk, kind="exported").exists()


@pytest.mark.parametrize("query", [{"format": "docx"}, {"question": "1"}, {"round": "x"}, {"what": "all"}])
def test_what_there_is_not_is_not_found(client, rich, query):
    assert page(client, rich, **query).status_code == 404
    assert download(client, rich, **query).status_code == 404


def test_a_selection_is_kept(client, rich):
    question, round_ = rich.questions.first(), rich.rounds.last()

    found = page(client, rich, question=question.pk, round=round_.pk, format="jsonl")

    assert [each.pk for each in found.context["scope"].rounds] == [round_.pk]
    [chosen] = [card.target.key for card in found.context["cards"] if card.is_chosen]
    assert chosen == "jsonl"
    rows = list(csv.DictReader(io.StringIO(body(download(client, rich, question=question.pk)).decode())))
    assert {row["question"] for row in rows} == {question.key}


@pytest.fixture
def labeling_lead(rich, lead):
    """The lead labels in a round that is open."""
    round_ = Round.objects.create(project=rich, key="open", state=Round.State.OPEN, position=9)
    rater = Rater.objects.create(project=rich, key="lena", user=lead)
    Assignment.objects.create(rater=rater, item=rich.items.first(), round=round_)
    return rich


@pytest.mark.parametrize("what", ["labels", "final"])
def test_one_who_still_labels_is_refused(client, labeling_lead, what):
    found = page(client, labeling_lead, what=what)

    assert found.context["contents"] is None
    assert "assignments in open" in text_of(found)
    assert download(client, labeling_lead, what=what).status_code == 403
    api = f"/api/v1/projects/{labeling_lead.slug}/exports/"
    assert client.get(api, {"what": what}).status_code == 403
    assert client.get(f"{api}csv/", {"what": what}).status_code == 403
    assert Event.objects.filter(project_id=labeling_lead.pk, kind="look_refused").count() == 4


def test_items_tell_one_who_still_labels_nothing(client, labeling_lead):
    assert page(client, labeling_lead, what="items").context["contents"].n == 6
    assert body(download(client, labeling_lead, what="items"))


def test_the_api_lists_formats_and_sends_the_same_bytes(client, rich):
    api = f"/api/v1/projects/{rich.slug}/exports/"

    formats = {shown["format"]: shown for shown in client.get(api, {"question": "tone, =1"}).json()}
    content = body(client.get(f"{api}doccano/", {"question": "tone, =1"}))

    assert formats["doccano"]["refusal"] == ""
    assert {"n": 1, "what": "repeat label (pass 2 or later)", "becomes": "left out"} in formats["doccano"][
        "leaves_out"
    ]
    assert content == file_in(rich, "doccano", questions=["tone, =1"])
    assert client.get(f"{api}csv/", {"question": "none"}).status_code == 404
    assert client.get(f"{api}docx/").status_code == 404
    refused = client.get(f"{api}doccano/")
    assert (refused.status_code, refused.json()["error"]) == (409, "cannot_write")


def test_the_command_writes_the_same_bytes(rich, tmp_path, capsys):
    path = tmp_path / "labels.jsonl"

    call_command("export_labels", rich.slug, "--format", "jsonl", "--output", str(path))

    assert path.read_bytes() == file_in(rich, "jsonl")
    assert Event.objects.filter(project_id=rich.pk, kind="exported").exists()
    with pytest.raises(CommandError, match="already exists"):
        call_command("export_labels", rich.slug, "--format", "jsonl", "--output", str(path))
    call_command("export_labels", rich.slug, "--format", "prodigy", "--check")
    assert "6 numbers: left out" in capsys.readouterr().err
    with pytest.raises(CommandError, match="Select one question"):
        call_command("export_labels", rich.slug, "--format", "doccano", "--output", str(tmp_path / "x.zip"))
    with pytest.raises(CommandError, match="Question not found: nothing"):
        call_command("export_labels", rich.slug, "--question", "nothing", "--check")


@pytest.fixture
def large(lead):
    return led_by(lead, labeled_project("Long", n_items=600, n_raters=4))


@pytest.mark.parametrize("format", ["csv", "csv-wide", "jsonl", "label-studio", "prodigy", "argilla"])
def test_labels_are_read_as_they_are_sent(monkeypatch, large, format):
    monkeypatch.setattr(source, "BLOCK", 50)
    monkeypatch.setattr("core.tables.zipped.in_blocks.__kwdefaults__", {"size": 1000})
    seen = []
    label = source.LiveLabels._label

    def counting(*args, **more):
        seen.append(1)
        return label(*args, **more)

    monkeypatch.setattr(source.LiveLabels, "_label", counting)

    pieces = pieces_of(scope_of(large, ExportKind.LABELS), BY_KEY[format])
    next(pieces)
    n_at_first = len(seen)
    sum(map(len, pieces))

    assert n_at_first < len(seen) / 3


@pytest.mark.parametrize(
    "format", some(["csv", "csv-wide", "label-studio", "doccano", "argilla", "sav"], every=3)
)
def test_a_label_that_is_added_meanwhile_is_not_in_the_file(large, format):
    expected = file_in(large, format)
    label = Label.objects.filter(question__project=large).latest("pk")

    pieces = pieces_of(scope_of(large, ExportKind.LABELS), BY_KEY[format])
    first = list(islice(pieces, 1))
    newcomer = Rater.objects.create(project=large, key="newcomer")
    Label.objects.create(item=label.item, question=label.question, rater=newcomer, category=label.category)
    Label.objects.filter(pk=label.pk).update(note="new")
    content = b"".join(chain(first, pieces))

    if format == "sav":
        # But for the time of the file.
        assert content[110:] == expected[110:]
    else:
        assert content == expected


def test_counts_and_file_are_of_one_moment(large):
    with reading(scope_of(large, ExportKind.LABELS)) as live:
        n = sum(1 for _ in live.labels())
        Label.objects.filter(question__project=large).first().delete()

        assert sum(1 for _ in live.labels()) == n


def test_a_stranger_finds_nothing(rich, committed_db):
    client = cast.signed_in(cast.person("stranger", unique=True))

    assert page(client, rich).status_code == 404
    assert download(client, rich).status_code == 404


def test_the_long_table_has_the_columns_of_a_report():
    from reports.exports import label_exports

    assert label_exports.LONG is tables.LONG
    assert (*tables.LONG, "question_kind") == tables.WITH_KIND


def test_json_lines_of_final_labels_are_those_of_their_page(client, rich):
    mine = [json.loads(line) for line in file_in(rich, "jsonl", "final").splitlines()]
    theirs = client.get(reverse("finals_file", args=[rich.slug, "jsonl"]))

    assert mine == [json.loads(line) for line in b"".join(theirs.streaming_content).splitlines()]
