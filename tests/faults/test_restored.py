"""P13, P18: a database that was dumped and restored into another cluster goes on telling what has changed."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from config.supervisor.children import Child, Records
from config.supervisor.postgres import Postgres
from core import database_roles
from projects.models import Membership
from raters.models import Label
from reports.models import Report
from reports.results.report_changes import changes_since
from reports.store.history_verification import verify_history
from reports.store.requests import is_current, request_report
from reports.store.verification import verify
from tests import cast, services
from tests.faults.arena import use_server
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.live import with_name
from tests.sizes import only_in_full

pytestmark = pytest.mark.faults


@pytest.fixture
def other_cluster() -> Iterator[Postgres]:
    """A server of its own, whose transactions are counted from the beginning."""
    with tempfile.TemporaryDirectory(
        prefix="irr-other-", dir=services.short_folder(), ignore_cleanup_errors=True
    ) as name:
        server = services.own_postgres(Path(name))
        server.initialize()
        child = Child(server.program(), Records(Path(name) / "postgres.json"))
        child.start()
        try:
            server.wait(child)
            yield server
        finally:
            child.stop()


def dump_and_restore(server: Postgres, file: Path) -> None:
    program = with_name(services.reader_url(), connection.settings_dict["NAME"])
    pg_dump, pg_restore = (server.binaries / "bin" / name for name in ("pg_dump", "pg_restore"))
    subprocess.run([pg_dump, "--format", "custom", "--file", file, program], check=True, capture_output=True)
    database_roles.establish(server.admin_url, program_url=server.url)
    options = [
        "--role",
        database_roles.OWNER,
        "--no-owner",
        "--single-transaction",
        "--dbname",
        server.admin_url,
    ]
    subprocess.run([pg_restore, *options, file], check=True, capture_output=True)


@only_in_full
def test_a_restored_database_tells_what_changed(committed_db, other_cluster, tmp_path):
    project = labeled_project("Restored")
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    report = finished_report(project, lead)
    # The old cluster has counted further than the new one will: numbers of transactions mean nothing there.
    with connection.cursor() as cursor:
        for _ in range(50):
            cursor.execute("SELECT pg_current_xact_id()")
    dump_and_restore(other_cluster, tmp_path / "dump")

    with use_server(other_cluster.url):
        restored = Report.objects.get(pk=report.pk)
        assert is_current(restored)
        assert verify(restored) == []
        assert request_report(project, by=lead).pk == report.pk
        label = Label.objects.filter(question__project=project).first()
        label.category = label.question.categories.exclude(pk=label.category_id).first()
        label.save()

        assert changes_since(restored).labels == ["answer: labels changed 1."]
        assert not is_current(restored)
        assert verify(restored) == []
        again = finished_report(project, lead)
        assert again.pk != report.pk
        assert again.digest != report.digest
        assert verify(again) == []
        assert verify_history(project, expected=str(report.head)).faults == []
    assert is_current(report)
