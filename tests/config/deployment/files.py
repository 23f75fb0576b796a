"""The files that say how the program is deployed, and what all checks know of them."""

from collections.abc import Mapping
from typing import Any

from config.environment import BASE_DIR

FILES = (
    "docker-compose.yml",
    "Dockerfile",
    ".env.example",
    ".dockerignore",
    "deploy/Caddyfile",
    "deploy/valkey.conf",
)
Files = Mapping[str, str]
# Where the program's variables are read; each name must stand in .env.example.
READERS = ("config", "projects", "raters", "reports")


def read_files() -> dict[str, str]:
    return {name: (BASE_DIR / name).read_text(encoding="utf-8") for name in FILES}


def programs_of(compose: Any) -> list[str]:
    """The services that run our image."""
    image = compose["x-program"]["image"]
    return [name for name, service in compose["services"].items() if service.get("image") == image]
