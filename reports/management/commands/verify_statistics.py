"""Published examples, computed again, without a database or a server."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reports.published.checking import verify
from reports.published.text import as_json, as_text


class Command(BaseCommand):
    help = (
        "Recompute published examples, and print the published value, the computed value, and the difference. Exits"
        " with status 1 if a difference exceeds the rounding of the published value, except for two that are explained."
        " Needs no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="is_json", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify()
        text = json.dumps(as_json(found), ensure_ascii=False) if options["is_json"] else as_text(found)
        self.stdout.write(text)
        if not found.is_fine:
            sys.exit(1)
