"""Delete expired data; the dispatcher does this every hour."""

from typing import Any

from django.core.management.base import BaseCommand

from raters.expiring import clear_expired


class Command(BaseCommand):
    help = "Delete expired drafts, uploads, invitations, sessions, tokens, and resend records."

    requires_system_checks: list[str] = []

    def handle(self, **_: Any) -> None:
        for name, n in clear_expired().items():
            if n:
                self.stdout.write(f"{n:,} {name} cleared")
