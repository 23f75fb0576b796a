"""Keeps secrets in URLs and tracebacks of refusals out of the log, and log lines off terminals of typed commands."""

import logging
import re
import sys
from pathlib import Path

from core.web import request_ids

# Links for invitations, password resets, and the confirmation of email addresses.
SECRET = re.compile(r"(/(?:join|r|account/reset|account/confirm|notifications/stop)/)[^/\s\"'?]{8,}")
# API tokens that somebody put into a URL.
TOKEN = re.compile(r"\birr_[0-9a-f]{8,}")


class SecretsFilter(logging.Filter):
    """Removes secrets from each line, wherever the URL appears in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        hidden = TOKEN.sub("irr_…", SECRET.sub(r"\1…", line))
        if hidden != line:
            record.msg, record.args = hidden, None
        return True


class RequestIdFilter(logging.Filter):
    """Adds the ID of the current request to each line, as `%(request)s`."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request = f" [{request_id}]" if (request_id := request_ids.current()) else ""
        return True


class RefusalsFilter(logging.Filter):
    """Leaves tracebacks to failures: a refused request, such as of a page that a role may not open, is one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request" and getattr(record, "status_code", 500) < 500:
            record.exc_info = None
        return True


# Long-running commands, whose log lines are their only output.
LASTING = frozenset({"dispatch_runs", "runserver"})


class TerminalFilter(logging.Filter):
    """Hides log lines from the terminal of a typed command, unless something went wrong.

    log_file: where the lines also go; then they are hidden even without a terminal.
    """

    def __init__(self, log_file: str = "") -> None:
        super().__init__()
        self.log_file = log_file

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or not (is_command() and self._is_spared())

    def _is_spared(self) -> bool:
        return bool(self.log_file) or sys.stderr.isatty()


def is_command() -> bool:
    program, *arguments = sys.argv
    return Path(program).name == "manage.py" and not LASTING.intersection(arguments[:1])


def logging_to(log_file: str, level: str) -> dict[str, object]:
    """The logging configuration: to standard error, and to a file if one is named."""
    filters = ["request", "secrets", "refusals"]
    options = {"formatter": "line", "filters": filters}
    handlers: dict[str, dict[str, object]] = {
        "console": {
            "class": "logging.StreamHandler",
            **options,
            "filters": [*filters, "terminals"],
        }
    }
    if log_file:
        handlers["file"] = {"class": "logging.FileHandler", "filename": log_file, "delay": True, **options}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s%(request)s: %(message)s"}},
        "filters": {
            "request": {"()": "config.logs.RequestIdFilter"},
            "secrets": {"()": "config.logs.SecretsFilter"},
            "refusals": {"()": "config.logs.RefusalsFilter"},
            "terminals": {"()": "config.logs.TerminalFilter", "log_file": log_file},
        },
        "handlers": handlers,
        "root": {"handlers": list(handlers), "level": level},
    }
