"""What the log never holds, words of an address that would let whoever reads them in; and what a terminal is spared."""

import logging
import re
import sys
from pathlib import Path
from typing import Any

from core.web import request_ids

# Links of invitations, of new passwords, and of e-mail addresses to confirm.
SECRET = re.compile(r"(/(?:join|r|account/reset|account/confirm|notifications/stop)/)[^/\s\"'?]{8,}")
# Tokens of the API, whoever put one into an address.
TOKEN = re.compile(r"\birr_[0-9a-f]{8,}")


class HideSecrets(logging.Filter):
    """Cuts the secret out of each line, wherever in it the address stands."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        hidden = TOKEN.sub("irr_…", SECRET.sub(r"\1…", line))
        if hidden != line:
            record.msg, record.args = hidden, None
        return True


class NameRequest(logging.Filter):
    """Adds the id of the request during which a line is written, as `%(request)s`."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request = f" [{request_id}]" if (request_id := request_ids.current()) else ""
        return True


# Commands that last, whose lines are all that they say.
LASTING = frozenset({"dispatch_runs", "runserver"})


class SpareTerminals(logging.Filter):
    """Leaves a command that somebody typed to its own sentences, unless something went wrong.

    log_file: where the lines go as well; then a command that nobody watches is spared them too.
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


def logging_to(log_file: str, level: str) -> dict[str, Any]:
    """The configuration of the log: to the standard error, and to a file if one is named."""
    told = {"formatter": "line", "filters": ["request", "secrets"]}
    handlers: dict[str, dict[str, Any]] = {
        "console": {"class": "logging.StreamHandler", **told, "filters": ["request", "secrets", "terminals"]}
    }
    if log_file:
        handlers["file"] = {"class": "logging.FileHandler", "filename": log_file, "delay": True, **told}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s%(request)s: %(message)s"}},
        "filters": {
            "request": {"()": "config.logs.NameRequest"},
            "secrets": {"()": "config.logs.HideSecrets"},
            "terminals": {"()": "config.logs.SpareTerminals", "log_file": log_file},
        },
        "handlers": handlers,
        "root": {"handlers": list(handlers), "level": level},
    }
