"""Variables: asked for, listed, read and set, and secrets without a value."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from config.environment import BASE_DIR
from tests.config.deployment.files import READERS, Files, programs_of

# Variables that belong to the system, to Django or to libraries.
FOREIGN = {"PATH", "HOME", "TMPDIR", "DJANGO_SETTINGS_MODULE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ"}
FOREIGN |= {
    "PROMETHEUS_MULTIPROC_DIR",
    "NPY_DISABLE_CPU_FEATURES",
    "OPENBLAS_NUM_THREADS",
    "PYTHONUNBUFFERED",
    "CELERY_SKIP_CHECKS",
}


def faults(files: Files, compose: Any) -> Iterator[str]:
    yield from _variables(files, compose)
    yield from _secrets(files)


def _variables(files: Files, compose: Any) -> Iterator[str]:
    listed = listed_variables(files[".env.example"])
    asked = set(re.findall(r"(?<!\$)\$\{(\w+)", files["docker-compose.yml"]))
    read = read_variables()
    ours = compose["x-program"]["environment"].keys()
    for name in sorted(asked - listed):
        yield f"docker-compose.yml asks for {name}, which .env.example does not list"
    for name in sorted(read - listed):
        yield f"the code reads {name}, which .env.example does not list"
    for name in sorted(listed - asked - read):
        yield f".env.example lists {name}, which nothing reads"
    for service in programs_of(compose):
        for name in sorted(compose["services"][service]["environment"].keys() - read - FOREIGN):
            yield f"{service} is given {name}, which the code does not read"
    for name in sorted(set(_uncommented(files[".env.example"])) - asked):
        yield f".env.example sets {name}, which docker-compose.yml does not pass on"
    for name in sorted(
        {"SECRET_KEY", "DATABASE_URL", "BROKER_URL", "ALLOWED_HOSTS", "HTTPS", "BEHIND_PROXY"} - ours
    ):
        yield f"the programs are not given {name}"


def listed_variables(text: str) -> set[str]:
    return set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))


def _uncommented(text: str) -> list[str]:
    return re.findall(r"^([A-Z][A-Z0-9_]+)=", text, re.MULTILINE)


# The functions of config/variables.py.
READING = {"database_url", "flag", "given", "one_of", "seconds", "whole", "words"}
MENTIONS = re.compile(r"environ|getenv|config\.variables|DATABASE_URL")


@cache
def read_variables() -> frozenset[str]:
    """The names of the environment that our code reads, wherever it does."""
    paths = [path for folder in READERS for path in (BASE_DIR / folder).rglob("*.py")]
    texts = (path.read_text(encoding="utf-8") for path in paths)
    # Nearly all files read nothing, and taking them apart takes seconds.
    found = {name for text in texts if MENTIONS.search(text) for name in _names_read(ast.parse(text))}
    return frozenset(found - FOREIGN)


def _names_read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _reads(ast.unparse(node.func)):
            yield from _constant(node.args[0])
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
            yield from _constant(node.slice)


def _reads(function: str) -> bool:
    # setdefault counts: what it sets, the environment may set before.
    return function.endswith(("environ.get", "environ.setdefault", "getenv")) or function in READING


def _constant(node: ast.AST) -> Iterator[str]:
    # In capitals, as all variables are here: functions of pictures are called `words` too.
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isupper():
        yield node.value


def _secrets(files: Files) -> Iterator[str]:
    compose = files["docker-compose.yml"]
    for name in ("SECRET_KEY", "DATABASE_PASSWORD", "POSTGRES_PASSWORD", "BROKER_PASSWORD", "SITE_HOST"):
        uses = re.findall(rf"\$\{{{name}([^}}]*)\}}", compose)
        if not uses or any(not use.startswith(":?") for use in uses):
            yield f"{name} must be demanded with :? wherever docker-compose.yml uses it"
        if name != "SITE_HOST" and re.search(rf"^{name}=.+", files[".env.example"], re.MULTILINE):
            yield f".env.example gives {name} a value that somebody will keep"
    if re.search(r"^OWNER_PASSWORD=.+", files[".env.example"], re.MULTILINE):
        yield ".env.example gives the owner a password that somebody will keep"
