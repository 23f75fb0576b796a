"""Import a file in the process of a command: a run like any other, so that a command that was killed is taken up again.

The file is stored with the run. Once its lease has ended, the first of two continues it: the same command, started
again, or a worker.
"""

import time

from django.db import transaction

from core.runs.lease import held, work_on
from core.tables.faults import Fault, Faults, FileRefused
from core.tables.sources import digest_of
from projects.imports.import_lock import CONFIRMING, acquire_import_lock
from projects.imports.protocol import ImportContext, ReportImportProgress
from projects.models import Project
from raters.imports.actions import NamedSource, run_import, upload
from raters.imports.file_kinds import opened
from raters.imports.import_refusals import FileKnown
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions
from raters.imports.uploads import forget_files
from raters.models import LabelImport, User

State = LabelImport.State
WAITING = "Waiting for the earlier attempt to end"
# Seconds between two looks at a run that another process works on.
POLL_SECONDS = 0.5


def unfinished(project: Project, file: NamedSource, options: LabelOptions) -> LabelImport | None:
    """Return the import of this file with these options that has begun and not ended.

    Raises ProjectClosed, or FileKnown if it was imported before, or is being imported with other options.
    """
    found = LabelFile(project, file.source, options, ImportContext(name=file.name))
    try:
        found.refuse(digest_of(file.source)[0])
    except FileKnown as known:
        run = known.first
        if run.state == State.DONE or LabelOptions.from_json(run.options) != found.check().options:
            raise
        return run
    return None


@transaction.atomic
def start_import(
    project: Project, file: NamedSource, options: LabelOptions, *, by: User | None
) -> LabelImport:
    """Store the file as an import that this process has claimed. Raises ProjectClosed, FileKnown, or FileRefused."""
    run = upload(project, file.name, file.source(), options, by=by)
    if run.n_faults:
        raise FileRefused(faults_of(run))
    # Another command may have begun to import the same file while this one was checking it.
    acquire_import_lock(project, CONFIRMING)
    opened(run).refuse(run.sha256)
    LabelImport.objects.filter(pk=run.pk).update(state=State.QUEUED)
    run.claim()
    return run


def load_claimed(run: LabelImport, report_progress: ReportImportProgress) -> None:
    """Load an import that `start_import` has claimed."""
    with held(run) as lease:
        run_import(run, report_progress=_both(lease.report_progress, report_progress))
    forget_files(LabelImport.objects.filter(pk=run.pk))


def load_or_follow(run: LabelImport, report_progress: ReportImportProgress) -> None:
    """Until the import has ended or needs a review, load it as soon as nobody else does, and report how far it is."""
    run.refresh_from_db()
    while not (run.is_final or run.state == State.DRAFT):
        with work_on(LabelImport, run.pk) as lease:
            if lease is not None:
                run_import(lease.run, report_progress=_both(lease.report_progress, report_progress))
        LabelImport.objects.fail_lost()
        run.refresh_from_db()
        if not run.is_final:
            report_progress(run.stage or WAITING, run.share_done, n_done=run.n_done, n_total=run.n_total)
            time.sleep(POLL_SECONDS)
    if run.is_final:
        forget_files(LabelImport.objects.filter(pk=run.pk))


def faults_of(run: LabelImport) -> Faults:
    return Faults([Fault(**fault) for fault in run.faults], run.n_faults)


def _both(first: ReportImportProgress, second: ReportImportProgress) -> ReportImportProgress:
    def report_progress(stage: str, share: float, /, **counts: int) -> None:
        first(stage, share, **counts)
        second(stage, share, **counts)

    return report_progress
