"""What must hold before the program serves requests: a real secret key, and a database with durable commits."""

import sys
from collections.abc import Sequence

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connection

MIN_KEY = 50
# Keys that other annotation programs publish in their source, and that get copied with settings files.
PUBLISHED_KEYS = (
    "$(fefwefwef13;LFK{P!)@#*!)kdsjfWF2l+i5e3t(8a1n",  # Label Studio
    "v8sk33sy82!uw3ty=!jjv5vp7=s2phrzw(m(hrn^f7e_#1h2al",  # doccano
)
DURABLE = {"fsync": {"on"}, "full_page_writes": {"on"}, "synchronous_commit": {"on", "remote_apply"}}


def secret_key_fault(key: str) -> str | None:
    """Why this secret key is not secure, in a message that does not contain it."""
    if key in PUBLISHED_KEYS:
        return "SECRET_KEY is a publicly known default value, so anyone could forge a session."
    if key.startswith("django-insecure-"):
        return (
            "SECRET_KEY starts with django-insecure-, so it was generated for development and may be public."
        )
    if len(key) < MIN_KEY or len(set(key)) < 5:
        return f"SECRET_KEY must be random and have at least {MIN_KEY} characters, got {len(key)}."
    return None


def durability_faults() -> list[str]:
    """The settings with which this PostgreSQL could lose an acknowledged label."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(DURABLE)])
        found = dict(cursor.fetchall())
    return [
        f"PostgreSQL runs with {name} = {found.get(name)}, so a crash could lose labels. Set {name} = on."
        for name, allowed in DURABLE.items()
        if found.get(name) not in allowed
    ]


@register(Tags.security, deploy=True)
def check_secret_key(app_configs: object, **_options: object) -> Sequence[CheckMessage]:
    fault = secret_key_fault(settings.SECRET_KEY)
    return [Error(fault, id="config.E001")] if fault else []


@register(Tags.database)
def check_durability(
    app_configs: object, databases: Sequence[str] | None = None, **_options: object
) -> Sequence[CheckMessage]:
    """Runs in `migrate` and `check --database default`."""
    faults = durability_faults() if databases and "default" in databases else []
    return [Error(fault, id="config.E002") for fault in faults]


def stop_unless_safe() -> None:
    """Exit with a message if the key is weak or commits are not durable."""
    if settings.DEBUG:
        return
    if fault := secret_key_fault(settings.SECRET_KEY):
        sys.exit(f"{fault} Set a different key. make run generates its own.")
    try:
        faults = durability_faults()
    except DatabaseError:
        # Start even if the database is unreachable: /readyz reports that, and repeats this check.
        return
    finally:
        connection.close()
    if faults:
        sys.exit(" ".join(faults))
