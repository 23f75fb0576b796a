import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.commands import RefusingCommand
from projects.models import Project
from reports.store.history_verification import verify_history


class Command(RefusingCommand):
    help = (
        "Verify the history of a project: every entry of its chain, every revision and event, and that each label "
        "matches its last revision. Prints the head, or the first rows that were altered, inserted, or deleted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="?", help="slug of the project; omit it with --site")
        parser.add_argument(
            "--site", action="store_true", help="verify the events of the site, which belong to no project"
        )
        parser.add_argument(
            "--head",
            default="",
            metavar="POSITION:DIGEST",
            help="an earlier head; without one, a chain that was cut off or entirely rewritten is not detected",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["project"]) == options["site"]:
            raise CommandError("Name a project or use --site.")
        project = None
        if options["project"]:
            project = Project.objects.filter(slug=options["project"]).first()
            if project is None:
                raise CommandError(f"There is no project {options['project']}.")
        found = verify_history(project, expected=options["head"])
        for fault in found.faults:
            self.stdout.write(fault.sentence)
        if found.faults:
            sys.exit(1)
        self.stdout.write(
            f"{found.n_revisions:,} revisions and {found.n_events:,} events in {found.n_entries:,} entries "
            f"are intact. Head: {found.head}"
        )
