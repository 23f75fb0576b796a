#!/usr/bin/env python
"""Django's command line for Interrater."""

import os
import sys

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from config.environment import use_running_services
from core.commands import unreachable


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    use_running_services(*sys.argv[1:2])
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Interrater is not configured correctly: {error}")
    except (OperationalError, psycopg.OperationalError) as error:
        if (message := unreachable(error)) is None:
            raise
        sys.exit(message)


if __name__ == "__main__":
    main()
