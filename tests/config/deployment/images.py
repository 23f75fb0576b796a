"""Images, ports and paths."""

import json
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

from config import gunicorn as served
from config.environment import BASE_DIR
from config.supervisor import postgres
from tests.config.deployment.files import READERS, Files
from tests.config.deployment.services import command_faults


def faults(files: Files, compose: Any) -> Iterator[str]:
    yield from _images(files, compose)
    yield from _ports(files, compose)
    yield from _paths(files, compose)
    yield from _image_of_ours(files)


def _images(files: Files, compose: Any) -> Iterator[str]:
    bases = re.findall(r"^FROM (\S+)", files["Dockerfile"], re.MULTILINE)
    others = [
        service["image"]
        for service in compose["services"].values()
        if not service["image"].startswith("interrater")
    ]
    for image in [*bases, *others]:
        if not re.search(r":\d+(\.\d+)*(-[a-z]+)*@", image):
            yield f"the image {image} has no version"
        if not re.search(r"@sha256:[0-9a-f]{64}$", image):
            yield f"the image {image} has no digest"
    database = [base for base in bases if base.startswith("postgres:")]
    if database != [compose["services"]["db"]["image"]]:
        yield "the image takes pg_dump of another PostgreSQL than the database is"
    bases = [base for base in bases if base not in database]
    if len(set(bases)) != 1:
        yield "the image is built on one Python and runs on another"
    wanted = _project()["requires-python"].removeprefix(">=")
    for base in bases:
        found = re.search(r"^python:3\.(\d+)-", base)
        if not found or int(found.group(1)) < int(wanted.removeprefix("3.")):
            yield f"{base} is older than Python {wanted}"
    # The version stands in the settings alone.
    if compose["x-program"]["image"] != "interrater":
        yield f"the image is called {compose['x-program']['image']}, not interrater"
    if f"postgres:{postgres.MAJOR}-" not in compose["services"]["db"]["image"]:
        yield f"the database must be PostgreSQL {postgres.MAJOR}, as make run's"
    if not compose["services"]["broker"]["image"].startswith("valkey/valkey:9."):
        yield "the broker must be Valkey 9, as make run's"


def _project() -> Any:
    return tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _ports(files: Files, compose: Any) -> Iterator[str]:
    bind = re.search(r"WEB_BIND=(\S+):(\d+)", files["Dockerfile"])
    port = bind.group(2) if bind else "none"
    if not bind or bind.group(1) != "0.0.0.0":
        yield "the image must listen beyond its own loopback"
    if f"EXPOSE {port}\n" not in files["Dockerfile"]:
        yield f"the image listens on {port} and exposes another port"
    if f'"config/probe.py", "/healthz", "{port}"]' not in files["Dockerfile"]:
        yield f"the health check of the image does not ask port {port}"
    if f"reverse_proxy web:{port} " not in files["deploy/Caddyfile"]:
        yield f"the proxy does not pass on to web:{port}"
    if (
        "{$SITE_HOST} {" not in files["deploy/Caddyfile"]
        or "SITE_HOST" not in compose["services"]["proxy"]["environment"]
    ):
        yield "the proxy does not learn its name from SITE_HOST"
    found = re.search(r"keepalive (\d+)s", files["deploy/Caddyfile"])
    if not found or int(found.group(1)) >= served.keepalive:
        yield "the proxy keeps connections that the web server closes"
    if set(compose["services"]["proxy"].get("ports", [])) != {"80:80", "443:443"}:
        yield "the proxy must serve ports 80 and 443"
    for name, service in compose["services"].items():
        if name != "proxy" and service.get("ports"):
            yield f"{name} is open to the network"
    shared = compose["x-program"]["environment"]
    for variable, host, number in (("DATABASE_URL", "db", "5432"), ("BROKER_URL", "broker", "6379")):
        if f"@{host}:{number}/" not in shared.get(variable, ""):
            yield f"{variable} does not name {host}:{number}"


def _paths(files: Files, compose: Any) -> Iterator[str]:
    declared, used = set(compose["volumes"]), set()
    for name, service in compose["services"].items():
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            used |= set() if source.startswith(".") else {source}
            if source.startswith(".") and not (BASE_DIR / source).is_file():
                yield f"{name} mounts {source}, which does not exist"
            if not target.startswith("/"):
                yield f"{name} mounts {source} at {target}, which is no path"
    for name in sorted(declared ^ used):
        yield f"the volume {name} is declared or used, not both"
    # From PostgreSQL 18 on the image keeps its data one level deeper, in a folder of the major version.
    if "database:/var/lib/postgresql" not in compose["services"]["db"]["volumes"]:
        yield "the database's volume is not where the image keeps its data"
    if "broker:/data" not in compose["services"]["broker"]["volumes"] or (
        "dir /data\n" not in files["deploy/valkey.conf"]
    ):
        yield "the broker's volume is not where it keeps its data"
    for volume in ("backups:/srv/backups", "media:/srv/media"):
        if volume not in compose["services"]["backup"].get("volumes", []):
            yield f"the service backup lacks the volume {volume}"
    media = re.search(r"MEDIA_ROOT=(\S+)", files["Dockerfile"])
    if not media or f"media:{media.group(1)}" not in compose["services"]["web"].get("volumes", []):
        yield "the volume of media files is not where the image keeps them"
    if (
        not media
        or f"install --directory --owner interrater --group interrater --mode 700 {media.group(1)} /srv/backups\n"
        not in (files["Dockerfile"])
    ):
        yield "the image must make the folder of media files its user's own, as which a new volume takes it"
    if "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro" not in compose["services"]["proxy"]["volumes"]:
        yield "the proxy does not read our Caddyfile"


def _image_of_ours(files: Files) -> Iterator[str]:
    text = files["Dockerfile"]
    copied = re.findall(r"^COPY (?!--from)(\S+) ", text, re.MULTILINE)
    let_in = [line[1:] for line in files[".dockerignore"].splitlines() if line.startswith("!")]
    for source in copied:
        if not (BASE_DIR / source).exists():
            yield f"the image copies {source}, which does not exist"
        if not any(fnmatch(source, pattern) for pattern in let_in):
            yield f".dockerignore keeps {source} out"
    for source in [*READERS, "templates", "static", "manage.py", "requirements/base.txt"]:
        if source not in copied:
            yield f"the image lacks {source}"
    stages = text.split("FROM ")
    last = stages[-1]
    users = re.findall(r"^USER (\S+)", last, re.MULTILINE)
    if users[-1:] != ["interrater"] or "useradd --system --uid 10001 --gid interrater " not in last:
        yield "the image must run as the user interrater, which it makes"
    if 'ENTRYPOINT ["tini", "--"]' not in last or "install -y --no-install-recommends tini" not in last:
        yield "the image must start with tini, which it installs"
    if "--require-hashes" not in text or "-r /tmp/base.txt" not in text:
        yield "the image must install requirements/base.txt by hashes"
    if "COPY --from=docs /site/build/help build/help\n" not in last or "-r /tmp/docs.txt" not in text:
        yield "the image must bring the documentation, built from requirements/docs.txt"
    if "manage.py collectstatic" not in last.partition("\nUSER ")[0]:
        yield "the image must collect the static files before it gives up root"
    for stage in re.findall(r"COPY --from=(\S+)", text):
        if f" AS {stage}\n" not in text:
            yield f"the image copies from {stage}, which is no stage"
    command = re.search(r"^CMD (\[.*\])", last, re.MULTILINE)
    yield from command_faults("the image", json.loads(command.group(1)) if command else [])
