"""Reads the image, the compose file and `.env.example`, and lists where they disagree with the code or each other."""

from tests.config.deployment import hardening, images, services, stores, variables
from tests.config.deployment.files import Files
from tests.written_yaml import read_yaml


def faults(files: Files) -> list[str]:
    compose = read_yaml(files["docker-compose.yml"])
    return [
        fault
        for part in (variables, services, images, stores, hardening)
        for fault in part.faults(files, compose)
    ]
