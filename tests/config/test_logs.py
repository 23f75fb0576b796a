"""A command on a terminal says its own sentences; the log goes where it is collected."""

import logging
import subprocess
import sys

import pytest
from django.http import HttpResponse
from django.utils.log import log_response

from config.environment import BASE_DIR
from config.logs import RefusalsFilter, RequestIdFilter, TerminalFilter
from core.web import request_ids


def line(level: int) -> logging.LogRecord:
    return logging.LogRecord("projects.events", level, "events.py", 1, "imported", None, None)


@pytest.mark.parametrize(
    ("arguments", "is_terminal", "log_file", "is_told"),
    [
        (["manage.py", "import_labels"], True, "", False),
        (["/srv/manage.py", "import_labels"], False, "commands.log", False),
        (["manage.py", "import_labels"], False, "", True),
        (["manage.py", "dispatch_runs"], True, "", True),
        (["gunicorn"], True, "commands.log", True),
    ],
)
def test_a_typed_command_is_spared_what_went_well(monkeypatch, arguments, is_terminal, log_file, is_told):
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    spare = TerminalFilter(log_file)

    assert spare.filter(line(logging.INFO)) is is_told
    assert spare.filter(line(logging.WARNING))


COMMAND = """
import logging.config, sys
from config.environment import BASE_DIR
from config.logs import logging_to
logging.config.dictConfig(logging_to(sys.argv.pop(), "INFO"))
sys.argv[:] = ["manage.py", "import_labels"]
logging.getLogger("a").info("let in by /join/abcdefghijk")
logging.getLogger("a").warning("away")
"""


def test_the_lines_of_a_command_go_to_the_file_without_secrets(tmp_path):
    file = tmp_path / "commands.log"

    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(file)], cwd=BASE_DIR, capture_output=True, text=True, check=True
    )

    assert [line.split(" ", 2)[2] for line in done.stderr.splitlines()] == ["WARNING a: away"]
    assert [line.split(" ", 2)[2] for line in file.read_text().splitlines()] == [
        "INFO a: let in by /join/…",
        "WARNING a: away",
    ]


def test_a_line_names_the_request_that_it_belongs_to():
    within, outside = line(logging.INFO), line(logging.INFO)
    request_id = request_ids.begin()
    RequestIdFilter().filter(within)
    request_ids.end()
    RequestIdFilter().filter(outside)

    assert within.request == f" [{request_id}]"
    assert outside.request == ""


def test_a_refused_request_is_one_line_and_a_failure_has_its_traceback(client, project, auditor):
    """As Django logs them: refused to an auditor, and failed."""
    lines: list[str] = []

    class Written(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler, log = Written(), logging.getLogger("django.request")
    handler.addFilter(RefusalsFilter())
    log.addHandler(handler)
    try:
        client.force_login(auditor)
        assert client.get(f"/p/{project.slug}/settings/").status_code == 403
        log_response("Failed: %s", "/p/", response=HttpResponse(status=500), exception=ValueError("broken"))
    finally:
        log.removeHandler(handler)

    refused, failed = lines
    assert "\n" not in refused
    assert "ValueError: broken" in failed
