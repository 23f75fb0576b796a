"""For server administrators, when someone has lost both their phone and their recovery codes."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management import CommandError
from django.core.management.base import BaseCommand
from django.db import transaction

from projects.events import record
from projects.models import Event
from raters.models import User


class Command(BaseCommand):
    help = "Turn off two-factor authentication for an account and remove its recovery codes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="username of the account")

    @transaction.atomic
    def handle(self, *, username: str, **_options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Account not found: {username!r}")
        n_removed, _ = Authenticator.objects.filter(user=user).delete()
        if not n_removed:
            raise CommandError(f"{username} does not use two-factor authentication.")
        record(Event.Kind.SECOND_FACTOR_REMOVED, about=username, by_hand=True)
        self.stdout.write(f"Two-factor authentication is off for {username}.")
