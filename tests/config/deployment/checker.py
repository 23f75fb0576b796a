"""Reads the image, the compose file and `.env.example`, and lists where they disagree with the code or each other."""

import yaml

from tests.config.deployment import hardening, images, services, stores, variables
from tests.config.deployment.files import Files


def faults(files: Files) -> list[str]:
    compose = yaml.safe_load(files["docker-compose.yml"])
    return [
        fault
        for part in (variables, services, images, stores, hardening)
        for fault in part.faults(files, compose)
    ]
