"""What every command makes of a refusal."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.refusals import Refused
from core.tables.faults import FileRefused

LISTED = 100


class RefusingCommand(BaseCommand):
    """A refusal is the command's error, after the faults of a file, each in a line; the exit code is 1."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except FileRefused as refused:
            faults = refused.faults
            for fault in faults.listed[:LISTED]:
                self.stderr.write(str(fault))
            if faults.n > LISTED:
                self.stderr.write(f"… and {faults.n - LISTED:,} more.")
            s = "" if faults.n == 1 else "s"
            raise CommandError(f"{faults.n:,} problem{s} found. Nothing was imported.") from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
