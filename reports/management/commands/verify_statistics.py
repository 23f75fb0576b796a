"""Published examples, computed again, without a database or a server."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reports.published.checking import verify
from reports.published.text import as_json, as_text


class Command(BaseCommand):
    help = (
        "Compute published examples again, and print what was printed, what is computed, and the difference. Ends"
        " with status 1 if a difference is larger than the rounding of the printed figure, apart from two that are"
        " explained. No database is needed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="is_json", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify()
        text = json.dumps(as_json(found), ensure_ascii=False) if options["is_json"] else as_text(found)
        self.stdout.write(text)
        if not found.is_fine:
            sys.exit(1)
