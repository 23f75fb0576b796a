"""The image, made in a clean root of Debian's packages: its steps, its programs, and what it serves."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlsplit

import pytest
import yaml
from pytest_django import DjangoDbBlocker

from config.environment import BASE_DIR
from config.supervisor.children import Child, Program, Records
from config.supervisor.postgres import SUPERUSER
from raters.models import User
from reports.models import Report
from reports.store.verification import verify
from tests import cast
from tests.config.deployment.clean_root import CAN_BUILD, Root, build_image
from tests.faults.arena import Arena
from tests.faults.hosts import CAN_HAVE_HOSTS, Host, open_hosts
from tests.faults.test_runs import all_final
from tests.labeling import labeled_project
from tests.live import wait_until
from tests.sizes import only_in_full

pytestmark = [
    pytest.mark.timeout(1800),
    only_in_full,
    pytest.mark.skipif(not (CAN_BUILD and CAN_HAVE_HOSTS), reason="needs root, mmdebstrap, and Debian 12"),
]


@pytest.fixture(scope="module")
def image() -> Iterator[Root]:
    with TemporaryDirectory(prefix="irr-image-") as folder:
        # The image's user is not the one that made the folder.
        Path(folder).chmod(0o711)
        yield build_image(Path(folder))


@dataclass(frozen=True, slots=True)
class Deployed:
    arena: Arena
    image: Root
    host: Host
    environment: dict[str, str]

    def run(self, *command: str, **environment: str) -> CompletedProcess[str]:
        """Run a command of the image on its host."""
        inside = [*self.host.inside, *self.image.inside(*command, **self.environment, **environment)]
        return subprocess.run(inside, capture_output=True, text=True, check=False, timeout=300)

    def start(self, name: str, command: list[str], health_check: list[str]) -> None:
        """Start a service, and wait until its health check says that it is well."""
        program = Program(
            name=name,
            command=[
                *self.host.inside,
                *self.image.inside(*self.image.entrypoint, *command, **self.environment),
            ],
            log=self.arena.live.folder / f"image-{name}.log",
            environment=dict(os.environ),
            folder=BASE_DIR,
        )
        child = Child(program, Records(self.arena.live.folder / f"image-{name}.json"))
        self.arena.live.children.append(child)
        child.start()
        wait_until(lambda: self.run(*health_check).returncode == 0, child=child)

    def status(self, path: str) -> int:
        """What the web server answers the image's own probe."""
        code = f"from config.probe import probe; print(probe({path!r}, port=8000))"
        return int(self.run("python", "-c", code).stdout)


@pytest.fixture(scope="module")
def deployed(image: Root, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Deployed]:
    """The image's web server, worker, and dispatcher, by the commands of the compose file, on a host of their own."""
    with django_db_blocker.unblock(), open_hosts(1) as (arena, [host]):
        environment = {
            "DATABASE_URL": arena.live.database_url,
            "BROKER_URL": arena.live.broker_url,
            "SECRET_KEY": "a key of this test: long enough for the checks, and known to everyone",
            "ALLOWED_HOSTS": "localhost",
            "HTTPS": "1",
        }
        made = Deployed(arena, image, host, environment)
        text = re.sub(
            r"\$\{\w+:-([^}]*)\}", r"\1", (BASE_DIR / "docker-compose.yml").read_text(encoding="utf-8")
        )
        services = yaml.safe_load(text)["services"]
        made.start("web", image.command, image.health_check)
        for name in ("worker", "dispatcher"):
            service = services[name]
            made.start(name, list(map(str, service["command"])), service["healthcheck"]["test"][1:])
        yield made


def test_its_files_are_there_and_belong_to_whom_they_should(image):
    assert image.user == "interrater:interrater"
    assert {
        image.run("stat", "--format", "%U %a", f"/srv/{name}").strip() for name in ("media", "backups")
    } == {"interrater 700"}
    assert "pg_dump" in image.run("pg_dump", "--version")


def test_its_user_cannot_change_the_program(image):
    code = "from pathlib import Path; Path('config/settings.py').open('a')"

    with pytest.raises(AssertionError, match="PermissionError"):
        image.run("python", "-c", code)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/sign-in/", "/help/"])
def test_it_serves(deployed, path):
    assert deployed.status(path) == 200


def test_it_prepares_the_database(deployed):
    """As the service that runs before all others; there is nothing left to migrate."""
    arena = deployed.arena
    there = urlsplit(arena.live.database_url)
    admin = f"postgres://{SUPERUSER}:{quote(arena.postgres.superuser_password, safe='')}@{there.hostname}:{there.port}"
    environment = {"ADMIN_DATABASE_URL": f"{admin}{there.path}", "OWNER_PASSWORD": "owl and orchid 7431"}

    done = deployed.run("python", "manage.py", "prepare", **environment)

    assert done.returncode == 0, done.stderr
    assert User.objects.filter(username="owner", is_superuser=True).exists()


def test_its_worker_computes_a_report(deployed):
    report = Report.objects.create(
        project=labeled_project("in the image", n_items=30),
        asked_by=cast.person("lena", unique=True),
        scope={"questions": ["answer"], "rounds": None},
    )
    report.notify()

    deployed.arena.wait(all_final, [report.pk])

    report.refresh_from_db()
    assert report.state == "done", report.failure
    assert verify(report) == []
