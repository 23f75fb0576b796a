"""Reads the image, the compose file and `.env.example`, and lists where they disagree with the code or each other."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.core.management import get_commands

from config import gunicorn as served
from config.environment import BASE_DIR
from config.supervisor import postgres, programs, valkey
from core.roles import PROGRAM, READER

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
# What the entrypoints of images that are not ours need as root; programs of ours need nothing.
CAPABILITIES = {
    "db": {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"},
    "proxy": {"NET_BIND_SERVICE"},
}
# Folders that images write to beside their volumes.
WRITTEN = {"db": {"/tmp", "/var/run/postgresql"}, "broker": {"/run"}, "proxy": {"/tmp"}}
# Variables that belong to the system, to Django or to libraries.
FOREIGN = {"PATH", "HOME", "TMPDIR", "DJANGO_SETTINGS_MODULE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ"}
FOREIGN |= {"NPY_DISABLE_CPU_FEATURES", "OPENBLAS_NUM_THREADS", "PYTHONUNBUFFERED", "CELERY_SKIP_CHECKS"}
LASTING = {"db", "broker", "web", "worker", "dispatcher", "backup", "proxy"}


def faults(files: Files) -> list[str]:
    compose = yaml.safe_load(files["docker-compose.yml"])
    checks = (
        _variables(files, compose),
        _secrets(files),
        _services(compose),
        _commands(compose),
        _images(files, compose),
        _ports(files, compose),
        _paths(files, compose),
        _image_of_ours(files),
        _postgres(files, compose),
        _broker(files, compose),
        _hardening(compose),
        _proxy(files),
    )
    return [fault for check in checks for fault in check]


def read_files() -> dict[str, str]:
    return {name: (BASE_DIR / name).read_text(encoding="utf-8") for name in FILES}


# --- Variables


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


@cache
def read_variables() -> frozenset[str]:
    """The names of the environment that our code reads, wherever it does."""
    paths = [path for folder in READERS for path in (BASE_DIR / folder).rglob("*.py")]
    found = {name for path in paths for name in _names_read(ast.parse(path.read_text(encoding="utf-8")))}
    return frozenset(found - FOREIGN)


def _names_read(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _reads(ast.unparse(node.func)):
            yield from _constant(node.args[0])
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
            yield from _constant(node.slice)


def _reads(function: str) -> bool:
    # setdefault counts: what it sets, the environment may set before. flag and words are those of the settings.
    return function.endswith(("environ.get", "environ.setdefault", "getenv")) or function in {"flag", "words"}


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


# --- Services


def programs_of(compose: Any) -> list[str]:
    """The services that run our image."""
    image = compose["x-program"]["image"]
    return [name for name, service in compose["services"].items() if service.get("image") == image]


def _services(compose: Any) -> Iterator[str]:
    services = compose["services"]
    for name in sorted(LASTING - services.keys()):
        yield f"the service {name} is missing"
    for name, service in services.items():
        lasts = name in LASTING
        if service.get("restart") != ("unless-stopped" if lasts else "no"):
            yield f"{name} has the wrong restart policy"
        if lasts and not _is_watched(service):
            yield f"{name} has no health check"
        for other, condition in service.get("depends_on", {}).items():
            yield from _dependency(name, other, condition["condition"], services)
        for network in service.get("networks", []):
            if network not in compose["networks"]:
                yield f"{name} is in the network {network}, which is not declared"
    for name in ("worker", "web", "dispatcher"):
        if {"container_name", "ports"} & services.get(name, {}).keys():
            yield f"{name} has a container_name or ports, so it cannot be scaled"
    if services.get("migrate", {}).get("depends_on", {}).get("db", {}).get("condition") != "service_healthy":
        yield "migrate must wait for a healthy db"
    for name in ("web", "worker", "dispatcher"):
        if "migrate" not in services.get(name, {}).get("depends_on", {}):
            yield f"{name} must wait for migrate"
    if "broker" in services.get("web", {}).get("depends_on", {}):
        yield "web must not wait for the broker, which it never talks to"


def _is_watched(service: Any) -> bool:
    # The web server's check stands in the image.
    if service.get("command", [""])[0] == "gunicorn":
        return "healthcheck" not in service
    return bool(service.get("healthcheck", {}).get("test"))


def _dependency(name: str, other: str, condition: str, services: Any) -> Iterator[str]:
    if other not in services:
        yield f"{name} depends on {other}, which does not exist"
    elif (condition == "service_completed_successfully") != (services[other].get("restart") == "no"):
        yield f"{name} waits for {other} to be {condition}"


def _commands(compose: Any) -> Iterator[str]:
    for name in programs_of(compose):
        service = compose["services"][name]
        yield from _command(name, [str(word) for word in service["command"]])
        test = service.get("healthcheck", {}).get("test")
        if test:
            yield from _command(f"the health check of {name}", test[1:])
    for name in ("web", "worker", "dispatcher", "migrate"):
        found = [str(word) for word in compose["services"].get(name, {}).get("command", [])]
        if _shape(found) != _shape(_expected()[name]):
            yield f"{name} runs {' '.join(found)}, and make run {' '.join(_expected()[name])}"


_ARGUMENTS = {
    "config.supervisor.liveness": (["worker"], ["dispatcher"]),
    "config.backups.keeping": (["/srv/backups", "${BACKUP_EVERY:-24h}"],),
}


def _command(name: str, words: list[str]) -> Iterator[str]:
    match words:
        case ["gunicorn", "--config", path]:
            if path != "config/gunicorn.py" or not (BASE_DIR / path).exists():
                yield f"{name}: {path} is not the configuration of gunicorn"
        case ["python", "manage.py", command, *_]:
            if command not in get_commands():
                yield f"{name}: manage.py has no command {command}"
        case ["python", "-m", "celery", "-A", app, "worker", *_]:
            if not (BASE_DIR / app / "celery.py").exists():
                yield f"{name}: {app} has no Celery application"
        case ["python", "-m", module, *arguments]:
            if not (BASE_DIR / f"{module.replace('.', '/')}.py").exists():
                yield f"{name}: there is no module {module}"
            if arguments not in _ARGUMENTS.get(module, ()):
                yield f"{name}: {module} knows no {arguments}"
        case ["python", path, *_]:
            if not (BASE_DIR / path).exists():
                yield f"{name}: there is no {path}"
        case _:
            yield f"{name}: nothing of ours is run by {' '.join(words)}"


def _expected() -> dict[str, list[str]]:
    """The commands of `make run`, less what differs: the path of Python, and the number of processes."""
    here = Path("/nowhere")
    services = programs.Services("", None, None, "", here, here)
    state = _NoState()
    worker = programs.worker(state, services).command  # type: ignore[arg-type]
    return {
        "web": ["gunicorn", "--config", "config/gunicorn.py"],
        "worker": ["python", *worker[1:]],
        "dispatcher": ["python", *programs.dispatcher(state, services).command[1:]],  # type: ignore[arg-type]
        "migrate": ["python", "manage.py", "prepare"],
    }


class _NoState:
    """A state that makes no folder."""

    log = Path("/nowhere")

    def private(self, name: str) -> Path:
        return self.log / name


def _shape(words: list[str]) -> list[str]:
    return [word for before, word in zip(["", *words], words, strict=False) if before != "--concurrency"]


# --- Images, ports, paths


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
    yield from _command("the image", json.loads(command.group(1)) if command else [])


# --- Postgres and Valkey as `make run` has them


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


# --- What a service may do, and how much of the machine it may take


def _hardening(compose: Any) -> Iterator[str]:
    for name, service in compose["services"].items():
        if service.get("cap_drop") != ["ALL"] or "privileged" in service:
            yield f"{name} keeps capabilities"
        if set(service.get("cap_add", [])) != CAPABILITIES.get(name, set()):
            yield f"{name} is given other capabilities than it needs"
        if service.get("security_opt") != ["no-new-privileges:true"]:
            yield f"{name} may gain privileges"
        if service.get("read_only") is not True:
            yield f"{name} may write to its image"
        if not re.fullmatch(r"\d+[mg]|\$\{[A-Z]+_MEMORY:-\d+[mg]\}", str(service.get("mem_limit"))):
            yield f"{name} has no memory limit"
        if service.get("configs") or service.get("secrets"):
            yield f"{name}: Compose copies configs and secrets into the image, which is read-only"
        writable = {
            *service.get("tmpfs", []),
            *(volume.split(":")[1] for volume in service.get("volumes", [])),
        }
        for folder in WRITTEN.get(name, {"/tmp"}) - writable:
            yield f"{name} cannot write to {folder}"


def _proxy(files: Files) -> Iterator[str]:
    """Every wait of the proxy has an end, and leaves time for the largest upload."""
    text = files["deploy/Caddyfile"]
    limits = {}
    for name in ("read_header", "read_body", "write", "idle", "dial_timeout", "response_header_timeout"):
        found = re.search(rf"^\s+{name} (\d+)([smh])$", text, re.MULTILINE)
        limits[name] = int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]] if found else 0
    for name, seconds in limits.items():
        if not seconds:
            yield f"the proxy has no limit {name}"
    if limits["read_header"] > 60:
        yield "the proxy waits too long for headers"
    if limits["read_body"] < 1800 or limits["write"] < limits["read_body"]:
        yield "the proxy cuts off honest uploads or downloads"
    if re.search(r"^\s+read_timeout ", text, re.MULTILINE):
        yield "the proxy cuts off uploads by the time for which the web server is silent"
