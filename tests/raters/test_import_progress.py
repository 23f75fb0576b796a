"""How far an import is: counted as labels, on its page, over the API, and in a terminal."""

import io
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings
from django.utils import timezone

from core.runs.dispatcher import Dispatcher
from core.tables.sources import bytes_of
from raters.imports import loading
from raters.imports.actions import NamedSource, confirm, import_now, run_import, upload
from raters.imports.label_file import READING, WRITING
from raters.imports.label_options import LabelOptions
from raters.management.commands.import_labels import ProgressLine
from raters.models import Label, LabelImport
from tests.files import GOOD, answers, send

State = LabelImport.State
N_ITEMS = 700


@pytest.fixture
def many_labels():
    """More labels than fit into a page of the staged table."""
    rows = "".join(f"item-{n},{rater},{'yes' if n % 3 else 'no'}\n" for n in range(N_ITEMS) for rater in "ab")
    return f"item,rater,label\n{rows}".encode()


@pytest.fixture
def slices(monkeypatch):
    monkeypatch.setattr(loading, "_SLICE", 100)


@pytest.fixture
def running(client, project):
    """An import in the middle of writing."""
    send(client, project, GOOD)
    LabelImport.objects.update(
        state=State.RUNNING,
        stage=WRITING,
        share_done=0.5,
        n_done=1_200,
        n_total=2_400,
        started_at=timezone.now() - timedelta(seconds=30),
    )
    return LabelImport.objects.get()


def test_labels_are_written_in_slices_each_of_them_once(project, many_labels, slices):
    import_now(project, NamedSource("labels.csv", bytes_of(many_labels)), LabelOptions(), by=None)

    assert Label.objects.filter(item__project=project).count() == 2 * N_ITEMS
    assert len(answers(project)) == 2 * N_ITEMS
    assert list(
        Label.objects.filter(item__project=project).order_by("pk").values_list("item_id", "rater_id")
    ) == sorted(Label.objects.filter(item__project=project).values_list("item_id", "rater_id"))


def test_a_worker_counts_what_it_has_read_and_written(project, lead, many_labels, slices):
    draft = upload(project, "labels.csv", [many_labels], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    assert draft.__class__.objects.get(pk=draft.pk).claim()
    told = []

    run_import(
        LabelImport.objects.get(pk=draft.pk),
        report_progress=lambda stage, share, **counts: told.append((stage, share, counts)),
    )

    read = [counts["n_done"] for stage, _, counts in told if stage == READING]
    written = [counts["n_done"] for stage, _, counts in told if stage == WRITING]
    assert (read[0], read[-1]) == (0, 2 * N_ITEMS)
    assert (written[0], written[-1]) == (0, 2 * N_ITEMS)
    assert len(set(written)) > 10
    assert {counts["n_total"] for stage, _, counts in told if stage in (READING, WRITING)} == {2 * N_ITEMS}
    assert [share for _, share, _ in told] == sorted(share for _, share, _ in told)


def test_the_page_shows_the_labels_and_the_time_left(client, running):
    page = client.get(f"{running.get_absolute_url()}?part=progress").content.decode()

    assert "data-counted" in page
    assert "1,200" in page
    assert "left" in page


def test_the_page_counts_nothing_while_labels_are_checked(client, running):
    LabelImport.objects.update(n_done=0, n_total=0)

    assert "data-counted" not in client.get(f"{running.get_absolute_url()}?part=progress").content.decode()


def test_the_api_tells_the_same(client, project, running):
    shown = client.get(f"/api/v1/projects/{project.slug}/imports/{running.pk}/").json()

    assert (shown["stage"], shown["n_done"], shown["n_total"]) == (WRITING, 1_200, 2_400)
    assert shown["seconds_left"] == 30


def test_a_second_attempt_begins_to_count_again(running):
    LabelImport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert running.claim()

    assert (running.stage, running.n_done, running.n_total) == ("", 0, 0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_labels_and_the_time_left():
    terminal = Terminal()
    line = ProgressLine(terminal)
    line.began -= 30

    line.report_progress(WRITING, 0.5, n_done=1_200, n_total=2_400)

    assert "1,200 of 2,400 labels, 50%, about 30 s left" in terminal.getvalue()


def test_a_large_import_may_take_longer(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    LabelImport.objects.filter(pk=draft.pk).update(n_labels=10_000_000)
    draft.refresh_from_db()
    confirm(draft, by=lead)

    with patch("core.runs.dispatcher.current_app.send_task") as send_task:
        Dispatcher().sweep()

    allowed = send_task.call_args.kwargs["soft_time_limit"]
    assert allowed == settings.CELERY_TASK_SOFT_TIME_LIMIT + 10_000
    assert send_task.call_args.kwargs["time_limit"] > allowed
