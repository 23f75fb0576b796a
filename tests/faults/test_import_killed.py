"""P14: an import that is killed half way changes nothing, leaves the project usable, and is taken up again."""

import contextlib
import random
import signal
import subprocess
import sys
import time

import pytest
from django.db import connection

from config.environment import BASE_DIR
from projects.models import Item, Project
from raters.imports.actions import confirm, upload
from raters.imports.label_file import READING
from raters.imports.label_options import LabelOptions
from raters.models import Label, LabelImport, LabelRevision, ReadBlock
from tests import cast, files
from tests.faults.arena import open_arena
from tests.live import Live, wait_until
from tests.sizes import FULL, only_in_full

pytestmark = pytest.mark.faults

N_KILLS, N_LABELS = (20, 100_000) if FULL else (2, 10_000)
RATERS = 10


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of N_LABELS labels, every item by ten raters."""
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    letters = random.Random(14)
    with path.open("w") as file:
        file.write("item,rater,label\n")
        for item in range(N_LABELS // RATERS):
            for rater in range(RATERS):
                file.write(f"item-{item:06},rater-{rater},{letters.choice('abcde')}\n")
    return path


def counts(project: Project) -> dict[str, int]:
    return {
        "labels": Label.objects.filter(item__project=project).count(),
        "revisions": LabelRevision.objects.filter(
            item_id__in=Item.objects.filter(project=project).values("pk")
        ).count(),
        "items": project.items.count(),
        "raters": project.raters.count(),
        "questions": project.questions.count(),
        "imports": project.imports.exclude(state=LabelImport.State.CANCELLED).count(),
    }


# What a reader sees before the last label is written. The import itself is there once its file has been stored.
NOTHING = dict.fromkeys(("labels", "revisions", "items", "raters", "questions", "imports"), 0)
ALL = {
    "labels": N_LABELS,
    "revisions": N_LABELS,
    "items": N_LABELS // RATERS,
    "raters": RATERS,
    "questions": 1,
    "imports": 1,
}


BEGUN = {**NOTHING, "imports": 1}


def start_command(live: Live, project: Project, path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "import_labels", project.slug, str(path), "--yes"],
        env=live.environment(),
        cwd=BASE_DIR,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@only_in_full
def test_a_command_killed_at_any_point_leaves_all_or_nothing_and_goes_on(live, committed_db, path):
    undisturbed = cast.new_project("Undisturbed", unique=True)
    started = time.monotonic()
    whole = start_command(live, undisturbed, path)
    said = whole.communicate()[1]
    assert whole.returncode == 0, said
    seconds = time.monotonic() - started
    outcomes = []

    for kill in range(N_KILLS):
        project = cast.new_project("Killed", unique=True)
        process = start_command(live, project, path)
        # The first moments are the interpreter's own, so the kills are spread over the rest; and every other one falls
        # while labels are written, however slow the machine is at that moment.
        if kill % 2:
            pause(process, seconds * (0.3 + 0.75 * (kill + 0.5) / N_KILLS))
        else:
            wait_until(
                lambda p=process, at=project: p.poll() is not None or is_being_written(at), seconds=240
            )
        with process:
            process.send_signal(signal.SIGKILL)
        wait_until(lambda project=project: not is_being_written(project), seconds=240)
        outcomes.append(counts(project))
        left = outcomes[-1]
        assert left in (NOTHING, BEGUN, ALL), f"kill {kill} left {left}"
        if left == BEGUN and kill in (0, N_KILLS // 2):
            assert_goes_on(live, project, path)
            assert_is_usable(project)

    assert counts(undisturbed) == ALL
    assert BEGUN in outcomes


def pause(process: subprocess.Popen[str], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def is_being_written(project: Project) -> bool:
    """Whether the server still works for a client that has died."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted",
            [project.pk],
        )
        return bool(cursor.fetchone()[0])


def assert_goes_on(live: Live, project: Project, path) -> None:
    """The command, started again, finishes the import that was killed, and reads no file that had been read."""
    was_read = ReadBlock.objects.filter(label_import__project=project, is_last=True).exists()
    with start_command(live, project, path) as again:
        said = again.communicate()[1]
    assert (again.returncode, counts(project)) == (0, ALL), said
    assert was_read == (READING not in said)


def assert_is_usable(project: Project) -> None:
    files.load(project, files.GOOD)
    assert [answer for answer in files.answers(project) if answer[0] == "a"] == [
        ("a", "ann", "yes"),
        ("a", "ben", "no"),
    ]


@pytest.fixture
def arena(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), open_arena() as opened:
        yield opened


@only_in_full
def test_an_import_whose_worker_is_killed_is_loaded_once(arena, path):
    """kill -9 at many points: each attempt leaves nothing, and the one that is let live loads everything."""
    lead = cast.person("lena")
    project = cast.new_project("Killed worker")
    worker = arena.start_worker(concurrency=1)
    arena.start_dispatcher()
    run = upload(project, "labels.csv", [path.read_bytes()], LabelOptions(), by=lead)
    confirm(run, by=lead)
    seen = []

    for kill in range(2):
        wait_until(
            lambda: LabelImport.objects.get(pk=run.pk).state == LabelImport.State.RUNNING, child=worker
        )
        time.sleep(0.2 * kill)
        arena.restart_worker(worker)
        seen.append(counts(project))
    wait_until(lambda: LabelImport.objects.get(pk=run.pk).is_final, seconds=120, child=worker)

    run.refresh_from_db()
    assert all(left in ({**NOTHING, "imports": 1}, ALL) for left in seen), seen
    assert (run.state, run.n_created, run.failure) == (LabelImport.State.DONE, N_LABELS, "")
    assert counts(project) == ALL
    assert not run.chunks.exists()
