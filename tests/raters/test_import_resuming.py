"""An import whose worker dies goes on from what had been read, and readers see all of its labels or none."""

import pytest

from core.runs.lease import RunFailed
from projects.imports import protocol
from projects.imports.protocol import ImportContext, no_import_progress
from projects.models import Question
from raters.imports import label_file
from raters.imports.actions import confirm, digest_of_check, give_up, run_import, upload
from raters.imports.label_file import CHECKING, READING, WRITING, LabelFile
from raters.imports.label_options import LabelOptions
from raters.imports.read_blocks import ReadBlocks
from raters.imports.uploads import forget_files, stored
from raters.models import Label, LabelImport, Rater, ReadBlock
from tests.files import GOOD, answers, load

pytestmark = pytest.mark.usefixtures("small_read_blocks")
N_ITEMS = 100
ROWS = [f"item-{n},{rater},{'yes' if n % 3 else 'no'}" for n in range(N_ITEMS) for rater in ("ann", "ben")]
FILE = "\n".join(["item,rater,label", *ROWS, ""]).encode()
MODELS = "\n".join(
    [
        "item,rater,rater_kind,label",
        *(row.replace("ben,", "gpt,model,").replace("ann,", "ann,human,") for row in ROWS),
    ]
).encode()


class Killed(BaseException):
    """As if the process were gone: nothing handles it."""


class Watch:
    """Records progress, and ends the attempt at a stage once so many labels are done."""

    def __init__(self, stage: str = "", n_done: int = 0) -> None:
        self.stage, self.n_done = stage, n_done
        self.told: list[tuple[str, int]] = []

    def __call__(self, stage: str, share: float, /, n_done: int = 0, **counts: int) -> None:
        self.told.append((stage, n_done))
        if stage == self.stage and n_done >= self.n_done:
            raise Killed

    def read(self) -> list[int]:
        return [n_done for stage, n_done in self.told if stage == READING]


@pytest.fixture
def opened_files(monkeypatch):
    """Files that were opened to read all of them."""
    opened = []
    reads = label_file.FileReader.records

    def records(*given):
        opened.append(given)
        return reads(*given)

    monkeypatch.setattr(label_file.FileReader, "records", records)
    return opened


def queued(project, lead, content: bytes = FILE) -> LabelImport:
    draft = upload(project, "labels.csv", [content], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    run = LabelImport.objects.get(pk=draft.pk)
    assert run.claim()
    return run


def killed(run: LabelImport, *at) -> None:
    with pytest.raises(Killed):
        run_import(run, report_progress=Watch(*at))
    assert not Label.objects.exists()
    assert not run.project.items.exists()


def test_a_file_is_read_on_from_where_the_last_attempt_was(project, lead):
    run = queued(project, lead)
    killed(run, READING, 60)
    n_read = ReadBlock.objects.latest("position").state["n_read"]
    watch = Watch()

    run_import(run, report_progress=watch)

    assert 60 <= n_read < len(ROWS)
    assert (watch.read()[0], watch.read()[-1]) == (n_read, len(ROWS))
    assert len(answers(project)) == len(ROWS)
    assert not ReadBlock.objects.exists()


def test_labels_are_the_same_as_without_a_break(project, lead):
    run = queued(project, lead, MODELS)
    killed(run, READING, 60)
    killed(run, READING, 120)
    killed(run, WRITING, 0)

    run_import(run, report_progress=Watch())

    assert sorted(",".join(answer) for answer in answers(project)) == sorted(
        row.replace("ben", "gpt") for row in ROWS
    )
    assert dict(project.raters.values_list("key", "kind")) == {
        "ann": Rater.Kind.HUMAN,
        "gpt": Rater.Kind.MODEL,
    }


def test_a_file_that_has_been_read_is_not_read_again(project, lead, opened_files):
    run = queued(project, lead)
    killed(run, WRITING, 0)
    opened_files.clear()

    run_import(run, report_progress=Watch())

    assert not opened_files
    assert len(answers(project)) == len(ROWS)


def test_a_file_is_read_again_if_a_question_has_been_created_meanwhile(project, lead, opened_files):
    run = queued(project, lead)
    killed(run, WRITING, 0)
    opened_files.clear()
    Question.objects.create(project=project, key="label", kind=Question.Kind.TEXT)

    run_import(run, report_progress=Watch())

    assert opened_files
    assert set(Label.objects.values_list("text", flat=True)) == {"yes", "no"}


def test_faults_have_their_lines_though_the_file_was_read_before(project, lead):
    run = queued(project, lead)
    killed(run, WRITING, 0)
    load(project, b"item,rater,label\nitem-1,ben,no\n")

    with pytest.raises(RunFailed):
        run_import(run, report_progress=Watch())

    run.refresh_from_db()
    assert [(fault["line"], fault["code"]) for fault in run.faults] == [(5, "conflicts_with_label")]


def test_nothing_is_kept_of_a_file_with_faults(project, lead):
    run = queued(project, lead)
    content = run.chunks.get()
    content.content = FILE.replace(b"item-70,ann", b" item\x01,ann")
    content.save()

    with pytest.raises(RunFailed):
        run_import(run, report_progress=Watch())

    run.refresh_from_db()
    assert [fault["line"] for fault in run.faults] == [142]
    assert not ReadBlock.objects.exists()


def test_what_was_read_goes_with_an_import_that_is_canceled(project, lead):
    run = queued(project, lead)
    killed(run, READING, 60)

    give_up(run, by=lead)

    assert not ReadBlock.objects.exists()


def test_what_was_read_goes_with_an_import_that_has_failed(project, lead):
    run = queued(project, lead)
    killed(run, READING, 60)
    run.fail("It failed.")

    forget_files(LabelImport.objects.all())

    assert not ReadBlock.objects.exists()


def test_a_worker_that_lost_the_run_changes_nothing_of_what_was_read(project, lead):
    """It is still reading while the next attempt reads all of the file, and writes the same blocks."""
    run = queued(project, lead)
    read: list[tuple[int, bytes]] = []

    def report_progress(stage: str, share: float, /, n_done: int = 0, **counts: int) -> None:
        if n_done >= 60 and not read:
            file_of(run).read_ahead()
            read.extend(ReadBlock.objects.values_list("position", "labels"))

    file_of(run, report_progress).read_ahead()

    assert len(read) > 3
    assert list(ReadBlock.objects.values_list("position", "labels")) == read
    run_import(run, report_progress=Watch())
    assert len(answers(project)) == len(ROWS)


def file_of(run: LabelImport, report_progress=no_import_progress) -> LabelFile:
    how = ImportContext(name=run.file_name, n_rows=len(ROWS), report_progress=report_progress)
    options = LabelOptions.from_json(run.options)
    return LabelFile(run.project, stored(run), options, how, blocks=ReadBlocks(run))


def test_a_small_file_is_one_block(project, lead):
    run = queued(project, lead, GOOD)

    killed(run, WRITING, 0)

    assert ReadBlock.objects.count() == 1


def test_a_status_that_nobody_saw_is_known_after_a_break(project, lead, monkeypatch):
    """The next attempt reads only the blocks, which have no rows of the file."""
    monkeypatch.setattr(protocol, "PREVIEWED", 20)
    rows = [*(f"{row},done" for row in ROWS), "x,ann,yes,in review"]
    content = "\n".join(["item,rater,label,status", *rows, ""]).encode()
    draft = upload(project, "labels.csv", [content], LabelOptions(), by=lead)
    confirm(draft, by=lead, seen=digest_of_check(draft))
    run = LabelImport.objects.get(pk=draft.pk)
    assert run.claim()
    killed(run, CHECKING, 0)

    run_import(run, report_progress=Watch())

    run.refresh_from_db()
    assert (run.state, run.preview["unseen_statuses"]) == (LabelImport.State.DRAFT, ["in review"])
    assert not Label.objects.exists()
