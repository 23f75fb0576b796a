"""Load the demo projects and ask for a report of each."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from raters.demo.demo_projects import load_demo
from raters.models import User
from reports.store.requests import request_report


class Command(BaseCommand):
    help = "Load the demo projects if they are missing: two from published tables, and one with simulated raters."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--owner", required=True, metavar="USERNAME", help="username of the lead of the projects"
        )

    def handle(self, *, owner: str, **_: Any) -> None:
        user = User.objects.filter(username=owner).first()
        if user is None:
            raise CommandError(f"There is no user {owner}.")
        for project in load_demo(owner=user):
            request_report(project, by=user)
            self.stdout.write(f"{project}: /p/{project.slug}/")
