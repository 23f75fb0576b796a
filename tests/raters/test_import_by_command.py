"""A command that imports labels is a run: killed, it is taken up again, by itself or by a worker."""

import io

import pytest
from django.core.management import CommandError, call_command

from projects.imports import protocol
from projects.imports.import_commands import project_argument
from projects.models import Project
from raters.imports import command_imports
from raters.imports.actions import give_up
from raters.imports.label_file import READING, WRITING
from raters.management.commands.import_labels import ProgressLine
from raters.models import Label, LabelImport, ReadBlock
from raters.tasks import load_import
from tests import cast, files
from tests.raters.test_import_resuming import Killed
from tests.together import at_once

pytestmark = pytest.mark.usefixtures("small_read_blocks")
State = LabelImport.State
N_ITEMS = 100
ROWS = [f"item-{n},{rater},{'yes' if n % 3 else 'no'}" for n in range(N_ITEMS) for rater in ("ann", "ben")]


@pytest.fixture
def labels_csv(tmp_path):
    labels_csv = tmp_path / "labels.csv"
    labels_csv.write_bytes(files.csv(*ROWS))
    return labels_csv


@pytest.fixture
def ticks(monkeypatch):
    """What the command has shown so far; `ticks.at` names when it is interrupted, and by what."""
    shown = Ticks()
    monkeypatch.setattr(
        ProgressLine, "report_progress", lambda line, *said, **counts: shown.add(*said, **counts)
    )
    return shown


class Ticks(list[tuple[str, int]]):
    at: tuple[str, int] = ("", 0)
    by: type[BaseException] = Killed

    def add(self, stage: str, share: float, /, n_done: int = 0, **counts: int) -> None:
        self.append((stage, n_done))
        if stage == self.at[0] and n_done >= self.at[1]:
            self.at = ("", 0)
            raise self.by


def start(project: Project, labels_csv, **options) -> str:
    told = io.StringIO()
    call_command("import_labels", project.slug, labels_csv, yes=True, stdout=told, stderr=told, **options)
    return told.getvalue()


def killed(project, labels_csv, ticks, *at) -> LabelImport:
    ticks.at = at
    with pytest.raises(Killed):
        start(project, labels_csv)
    ticks.clear()
    run = LabelImport.objects.get()
    assert (run.state, Label.objects.exists()) == (State.RUNNING, False)
    return run


def test_it_goes_on_where_it_was_killed(project, labels_csv, ticks):
    run = killed(project, labels_csv, ticks, READING, 60)
    n_read = ReadBlock.objects.latest("position").state["n_read"]
    LabelImport.lose(run.pk)

    told = start(project, labels_csv)

    assert f"Import {run.pk} into {project.slug}: 200 labels; 200 created" in told
    assert (ticks[0], n_read >= 60) == ((READING, n_read), True)
    assert len(files.answers(project)) == len(ROWS)
    assert not run.chunks.exists()
    assert not run.blocks.exists()


def test_it_does_not_read_again_what_has_been_read(project, labels_csv, ticks):
    LabelImport.lose(killed(project, labels_csv, ticks, WRITING, 0).pk)

    start(project, labels_csv)

    assert READING not in dict(ticks)
    assert Label.objects.count() == len(ROWS)


def test_a_worker_takes_it_up(project, labels_csv, ticks):
    run = killed(project, labels_csv, ticks, READING, 60)
    LabelImport.lose(run.pk)

    load_import(run.pk)

    run.refresh_from_db()
    assert (run.state, run.n_created) == (State.DONE, len(ROWS))


def test_it_follows_a_worker_that_has_taken_it_up(project, labels_csv, ticks, monkeypatch):
    run = killed(project, labels_csv, ticks, READING, 60)
    LabelImport.objects.update(stage=WRITING, n_done=70)

    def worker(seconds: float) -> None:
        LabelImport.lose(run.pk)
        load_import(run.pk)

    monkeypatch.setattr(command_imports.time, "sleep", worker)
    told = start(project, labels_csv)

    assert ticks == [(WRITING, 70)]
    assert "200 created" in told


def test_it_waits_for_the_earlier_attempt_to_end(project, labels_csv, ticks, monkeypatch):
    run = killed(project, labels_csv, ticks, READING, 60)
    monkeypatch.setattr(command_imports.time, "sleep", lambda seconds: LabelImport.lose(run.pk))

    start(project, labels_csv)

    assert ticks[0][0] == command_imports.WAITING
    assert Label.objects.count() == len(ROWS)


def test_it_ends_when_the_import_is_canceled_meanwhile(project, lead, labels_csv, ticks, monkeypatch):
    run = killed(project, labels_csv, ticks, READING, 60)
    monkeypatch.setattr(command_imports.time, "sleep", lambda seconds: give_up(run, by=lead))

    with pytest.raises(CommandError, match="canceled"):
        start(project, labels_csv)


def test_with_other_options_it_is_refused(project, labels_csv, ticks):
    killed(project, labels_csv, ticks, READING, 60)

    with pytest.raises(CommandError, match="already being imported"):
        start(project, labels_csv, repeats="last")


def test_of_two_commands_at_once_the_second_is_refused(committed_db, labels_csv, monkeypatch):
    """Both look for an import of the file before either has begun one."""
    project = cast.new_project("Two commands", unique=True)
    real, told = command_imports.upload, []

    def upload_later(*args, **options):
        monkeypatch.setattr(command_imports, "upload", real)
        run = real(*args, **options)
        told.extend(at_once(1, lambda _: start(project, labels_csv)))
        return run

    monkeypatch.setattr(command_imports, "upload", upload_later)
    with pytest.raises(CommandError, match="This file was already imported, as import"):
        start(project, labels_csv)

    assert "200 created" in told[0]
    assert [run.state for run in project.imports.all()] == [State.DONE]


def test_a_project_created_at_the_same_time_is_named(lead, labels_csv, monkeypatch):
    Project.objects.create(name="New", slug="new")
    monkeypatch.setattr(Project.objects, "filter", lambda **_: Project.objects.none())

    with pytest.raises(CommandError, match="just created the project new"):
        project_argument({"project": "new", "by": lead.username, "create_project": "New"})


def test_a_new_project_whose_import_fails_is_named_with_what_to_do(lead, labels_csv, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", 20)
    labels_csv.write_bytes(files.csv(*ROWS, "item-99,ben,yes"))
    told = io.StringIO()

    with pytest.raises(CommandError, match="1 problem"):
        call_command(
            "import_labels",
            "new",
            labels_csv,
            create_project="Is new",
            by=lead.username,
            yes=True,
            stderr=told,
        )

    project = Project.objects.get(slug="new")
    assert "manage.py delete_project new --name 'Is new'" in told.getvalue()
    assert not project.items.exists()
    labels_csv.write_bytes(files.csv(*ROWS))
    assert "200 created" in start(project, labels_csv, by=lead.username, create_project="Is new")


def test_ctrl_c_cancels_it(project, labels_csv, ticks):
    ticks.at, ticks.by = (READING, 60), KeyboardInterrupt

    with pytest.raises(CommandError, match="Canceled"):
        start(project, labels_csv)

    run = LabelImport.objects.get()
    assert (run.state, run.chunks.exists(), run.blocks.exists()) == (State.CANCELLED, False, False)
    assert not project.items.exists()


def test_it_ends_when_the_import_that_it_follows_needs_a_review(project, labels_csv, ticks):
    run = killed(project, labels_csv, ticks, READING, 60)
    LabelImport.objects.filter(pk=run.pk).update(state=State.DRAFT)

    command_imports.load_or_follow(run, ticks)

    assert (run.state, run.chunks.exists()) == (State.DRAFT, True)


def test_problems_leave_no_new_project(lead, labels_csv):
    labels_csv.write_bytes(files.csv("a,ann,yes", "a,ann,no"))

    with pytest.raises(CommandError, match="1 problem"):
        call_command("import_labels", "new", labels_csv, create_project="New", by=lead.username, yes=True)

    assert not Project.objects.filter(slug="new").exists()
    assert not LabelImport.objects.exists()


def test_problems_further_down_are_listed(project, labels_csv, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", 20)
    labels_csv.write_bytes(files.csv(*ROWS, "item-99,ben,yes"))
    told = io.StringIO()

    with pytest.raises(CommandError, match="1 problem"):
        call_command("import_labels", project.slug, labels_csv, yes=True, stderr=told)

    assert f"line {len(ROWS) + 2}," in told.getvalue()
    assert LabelImport.objects.get().state == State.FAILED


def test_a_check_reads_all_of_a_large_file(project, labels_csv, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", 20)
    told = io.StringIO()

    call_command("import_labels", project.slug, labels_csv, check=True, stdout=told)

    assert "200 labels to create" in told.getvalue()
