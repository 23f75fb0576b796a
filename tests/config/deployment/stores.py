"""Postgres and Valkey as `make run` has them."""

from collections.abc import Iterator
from typing import Any

from config.supervisor import postgres, valkey
from core.database_roles import PROGRAM, READER
from tests.config.deployment.files import Files


def faults(files: Files, compose: Any) -> Iterator[str]:
    yield from _postgres(files, compose)
    yield from _broker(files, compose)


def _postgres(files: Files, compose: Any) -> Iterator[str]:
    db = compose["services"]["db"]
    command = " ".join(db["command"])
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        if f"-c {name}={postgres.SETTINGS[name]}" not in command:
            yield f"db must set {name} = on"
    if "--data-checksums" not in db["environment"].get("POSTGRES_INITDB_ARGS", ""):
        yield "db must keep checksums"
    if db["environment"].get("POSTGRES_HOST_AUTH_METHOD") != "scram-sha-256":
        yield "db must ask for passwords by scram-sha-256"
    services = {name: service.get("environment") or {} for name, service in compose["services"].items()}
    host = f"db:5432/{postgres.DATABASE}"
    if (
        compose["x-program"]["environment"]["DATABASE_URL"]
        != f"postgres://{PROGRAM}:${{DATABASE_PASSWORD:?set it in .env}}@{host}"
    ):
        yield "DATABASE_URL does not name the program's role"
    if (
        services["migrate"].get("ADMIN_DATABASE_URL")
        != f"postgres://postgres:${{POSTGRES_PASSWORD:?set it in .env}}@{host}"
    ):
        yield "migrate does not learn the superuser's address"
    if (
        services["migrate"].get("READER_DATABASE_URL")
        != f"postgres://{READER}:${{READER_PASSWORD:?set it in .env}}@{host}"
    ):
        yield "migrate does not learn the reader's password"
    for name, environment in services.items():
        if name not in {"db", "migrate"} and "POSTGRES_PASSWORD" in str(environment):
            yield f"{name} learns the superuser's password"
    if "--username=postgres" not in db["healthcheck"].get("test", []):
        yield "db is asked for a role that is not there before migrate has run"


def _broker(files: Files, compose: Any) -> Iterator[str]:
    broker = compose["services"]["broker"]
    if "./deploy/valkey.conf:/etc/valkey.conf:ro" not in broker["volumes"]:
        yield "the broker does not read deploy/valkey.conf"
    lines = dict(line.split(" ", 1) for line in files["deploy/valkey.conf"].splitlines())
    for name in ("appendonly", "appendfsync", "maxmemory-policy", "save"):
        if lines.get(name) != valkey.SETTINGS[name]:
            yield f"the broker has {name} {lines.get(name)}, and make run {valkey.SETTINGS[name]}"
    script = broker["command"][-1]
    if 'requirepass %s\\n\' "$$REDISCLI_AUTH"; } > /run/valkey.conf\n' not in script:
        yield "the broker asks for no password"
    if "umask 077\n" not in script or "exec valkey-server /run/valkey.conf\n" not in script:
        yield "the broker does not read its configuration, or lets others read it"
