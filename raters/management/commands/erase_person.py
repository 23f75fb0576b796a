"""Erase a person from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import CommandError

from core.commands import RefusingCommand
from projects.imports.import_commands import user_by_name
from raters.accounts.erasing import erase
from raters.models import User


class Command(RefusingCommand):
    help = "Erase a person. Their account and names are removed; their labels are kept under a pseudonym."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="username of the person to erase")
        parser.add_argument(
            "--confirm", metavar="USERNAME", required=True, help="the same username, to confirm"
        )
        parser.add_argument("--by", metavar="USER", help="username to record in the activity log")

    def handle(self, *, username: str, confirm: str, by: str | None, **_: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Account not found: {username!r}")
        erase(user, by=user_by_name(by), username=confirm)
        self.stdout.write(f"Erased account {user.pk}.")
