"""Erase a person from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import CommandError

from core.commands import RefusingCommand
from projects.imports.commands import user_named
from raters.accounts.erasing import erase
from raters.models import User


class Command(RefusingCommand):
    help = "Erase a person. Account and names are removed; labels are kept under a pseudonym."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--confirm", metavar="USERNAME", required=True, help="the same user name, to confirm"
        )
        parser.add_argument("--by", metavar="USER", help="user recorded in the log")

    def handle(self, *, username: str, confirm: str, by: str | None, **_: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no account {username!r}.")
        erase(user, by=user_named(by), username=confirm)
        self.stdout.write(f"Account {user.pk} is erased.")
