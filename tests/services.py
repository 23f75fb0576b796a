"""The environment of a test run: the services that DATABASE_URL and BROKER_URL name, or throw-away ones."""

import os


def prepare() -> None:
    """Set what the settings read, before they are read."""
    os.environ.setdefault(
        "SECRET_KEY", "a key for tests only, long enough to satisfy the checks of Django and ours"
    )
    os.environ.setdefault("DATABASE_URL", "postgres:///interrater")
    os.environ.setdefault("BROKER_URL", "redis://localhost:6379/0")
