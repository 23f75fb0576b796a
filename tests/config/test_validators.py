"""The files of the deployment, as the programs that read them see them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import BASE_DIR

CADDYFILE = BASE_DIR / "deploy/Caddyfile"
# Beside Python, where pip puts what it installs.
CADDY = Path(sys.executable).parent / "caddy"


def caddy(command: str, folder: Path, *, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CADDY, command, "--adapter", "caddyfile", "--config", "-"],
        input=text,
        env={**os.environ, "SITE_HOST": "agreement.example.org", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_proxy_accepts_its_configuration(tmp_path):
    done = caddy("validate", tmp_path, text=CADDYFILE.read_text(encoding="utf-8"))

    assert done.returncode == 0, done.stderr


def test_the_proxy_would_refuse_a_mistake(tmp_path):
    text = CADDYFILE.read_text(encoding="utf-8").replace("dial_timeout", "dial_time_out")

    assert caddy("validate", tmp_path, text=text).returncode != 0


def test_the_proxy_does_what_the_file_means(tmp_path):
    """As it understands the file: one site, which it passes on, with an ID of its own for each request."""
    done = caddy("adapt", tmp_path, text=CADDYFILE.read_text(encoding="utf-8"))

    [server] = json.loads(done.stdout)["apps"]["http"]["servers"].values()
    [route] = server["routes"]
    assert route["match"] == [{"host": ["agreement.example.org"]}]
    text = json.dumps(route)
    assert '"upstreams": [{"dial": "web:8000"}]' in text
    assert '"set": {"X-Request-Id": ["{http.request.uuid}"]}' in text
    assert server["listen"] == [":443"]


def compose_command() -> list[str]:
    """Docker Compose, as a plugin or a program of its own."""
    if shutil.which("docker"):
        plugin = subprocess.run(
            ["docker", "compose", "version"], capture_output=True, check=False, timeout=60
        )
        if plugin.returncode == 0:
            return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else []


def test_compose_reads_its_file(tmp_path):
    if not (command := compose_command()):
        pytest.skip("There is no Docker Compose.")
    example = (BASE_DIR / ".env.example").read_text(encoding="utf-8")
    filled = re.sub(r"^(\w+_(?:KEY|PASSWORD)=)$", r"\1secret", example, flags=re.MULTILINE)
    (tmp_path / ".env").write_text(filled, encoding="utf-8")

    done = subprocess.run(
        [*command, "--env-file", str(tmp_path / ".env"), "config", "--format", "json"],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    assert services["web"]["environment"]["WEB_WORKERS"] == "2"
    assert services["proxy"]["environment"]["SITE_HOST"] == "agreement.example.org"
