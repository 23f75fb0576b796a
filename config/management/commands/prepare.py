"""Prepare the database: tables, and on the first start an owner and the demo."""

import json
import os
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management import CommandError, call_command, get_commands
from django.core.management.base import BaseCommand
from django.db import connection, transaction

from config.checks import stop_unless_safe
from core.database_roles import ensure_database
from projects.models import Project
from raters.models import User

# Any number that no other lock uses.
MIGRATION_LOCK = 7_221_405


class Command(BaseCommand):
    help = (
        "Create the database roles (with ADMIN_DATABASE_URL), run migrations, and on the first start "
        "create the owner named "
        "by OWNER_NAME and OWNER_PASSWORD, with --demo the demo projects too. Prints what it did as JSON."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--demo", action="store_true", help="Load the demo projects when creating the owner."
        )
        parser.add_argument("--static", action="store_true", help="Also collect static files.")

    def handle(self, *, demo: bool, static: bool, **_options: Any) -> None:
        try:
            ensure_database()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        stop_unless_safe()
        with alone():
            if is_first_start():
                # Before the tables, which take seconds to create.
                refuse_weak_password()
            call_command("migrate", interactive=False, verbosity=0)
            # Done here, where the owner of the tables is available.
            call_command("purge_deleted_projects", stdout=self.stderr)
            make_owner(demo=demo)
        if static:
            call_command("collectstatic", interactive=False, verbosity=0)
        owner = User.objects.filter(is_superuser=True, is_active=True).order_by("id").first()
        # If an earlier start was interrupted before it showed the password, the owner already has it.
        has_password = owner is not None and owner.check_password(os.environ.get("OWNER_PASSWORD", ""))
        self.stdout.write(json.dumps({"owner": owner and owner.username, "has_password": has_password}))


@contextmanager
def alone() -> Iterator[None]:
    """Lets two hosts that start at once prepare one after the other."""
    # A separate connection: Django's is closed when it switches to the owner and back.
    lock = connection.copy("default")
    try:
        with lock.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        yield
    finally:
        lock.close()


def is_first_start() -> bool:
    return User._meta.db_table not in connection.introspection.table_names()


def refuse_weak_password() -> None:
    """Check the password that the owner is to have, if one is set. Raises CommandError."""
    password = os.environ.get("OWNER_PASSWORD", "")
    if not password:
        return
    try:
        validate_password(password)
    except ValidationError as error:
        raise CommandError(f"OWNER_PASSWORD is not valid: {' '.join(error.messages)}") from error


def make_owner(*, demo: bool) -> None:
    """Create the first user of an empty installation, together with the demo; None if there are users."""
    password = os.environ.get("OWNER_PASSWORD", "")
    if not password or User.objects.exists():
        return
    refuse_weak_password()
    name = os.environ.get("OWNER_NAME") or "owner"
    with transaction.atomic():
        User.objects.create_user(name, password=password, is_superuser=True)
        if demo and "load_demo" in get_commands() and not Project.objects.exists():
            call_command("load_demo", owner=name)
