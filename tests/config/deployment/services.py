"""Services, what they wait for, and the commands that they run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management import get_commands

from config.environment import BASE_DIR
from config.supervisor import programs
from tests.config.deployment.files import Files, programs_of

LASTING = {"db", "broker", "web", "worker", "dispatcher", "backup", "proxy"}


def faults(files: Files, compose: Any) -> Iterator[str]:
    yield from _services(compose)
    yield from _commands(compose)


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
        yield from command_faults(name, [str(word) for word in service["command"]])
        test = service.get("healthcheck", {}).get("test")
        if test:
            yield from command_faults(f"the health check of {name}", test[1:])
    for name in ("web", "worker", "dispatcher", "migrate"):
        found = [str(word) for word in compose["services"].get(name, {}).get("command", [])]
        if _shape(found) != _shape(_expected()[name]):
            yield f"{name} runs {' '.join(found)}, and make run {' '.join(_expected()[name])}"


_ARGUMENTS = {
    "config.supervisor.liveness": (["worker"], ["dispatcher"]),
    "config.backups.keeping": (["/srv/backups", "${BACKUP_EVERY:-24h}"],),
}


def command_faults(name: str, words: list[str]) -> Iterator[str]:
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
