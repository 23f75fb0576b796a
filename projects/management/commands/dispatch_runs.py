import signal
from typing import Any

from django.core.management.base import BaseCommand

from core.runs.dispatcher import Dispatcher


class Command(BaseCommand):
    help = (
        "Dispatch due runs to the workers until stopped. You can start several for redundancy; only one "
        "is active at a time."
    )

    # They import every page, and `prepare` has made them.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        dispatcher = Dispatcher()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: dispatcher.stopping.set())
        dispatcher.serve()
