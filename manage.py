#!/usr/bin/env python
"""Django's command line for Interrater."""

import os
import sys

from django.core.management import execute_from_command_line

from config.environment import use_running_services

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    use_running_services(*sys.argv[1:2])
    execute_from_command_line(sys.argv)
