"""The files for contributors say what the code says."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from django.conf import settings

from config.environment import BASE_DIR
from tests.written_yaml import read_yaml

PROJECT = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOW = read_yaml((BASE_DIR / ".github/workflows/test.yml").read_text(encoding="utf-8"))
YAML = [*(BASE_DIR / ".github").rglob("*.yml"), BASE_DIR / ".pre-commit-config.yaml"]
# Where packages come from is set up on each machine. In two parts, or this file would name them.
HOSTS = [a + b for a, b in (("pypi", ".org"), ("python", "hosted"), ("npm", "js.org"), ("ghcr", ".io"))]
HOSTS += [a + b for a, b in (("docker", ".io"), ("mcr.", "microsoft"), ("quay", ".io"))]


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_every_file_for_the_forge_can_be_read(path: Path):
    assert isinstance(read_yaml(path.read_text(encoding="utf-8")), dict)


def test_the_dev_container_is_built_from_a_file_that_is_there():
    container = json.loads((BASE_DIR / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))

    assert (BASE_DIR / ".devcontainer" / container["build"]["dockerfile"]).exists()


def test_the_workflow_runs_everything_on_the_supported_pythons():
    [job] = WORKFLOW["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]

    assert ".ci/run" in commands
    assert "exec make test" in (BASE_DIR / ".ci/run").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == f">={job['strategy']['matrix']['python'][0]}"


def test_the_version_is_defined_in_one_place():
    others = ("pyproject.toml", "docker-compose.yml", "Dockerfile", "docs/conf.py")

    assert re.fullmatch(r"\d+\.\d+\.\d+", settings.VERSION)
    assert PROJECT["dynamic"] == ["version"]
    assert [
        name for name in others if settings.VERSION in (BASE_DIR / name).read_text(encoding="utf-8")
    ] == []


def test_every_release_in_the_changelog_has_the_usual_form():
    text = (BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")

    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))

    assert headings[0] == "[Unreleased]" or headings[0].startswith(f"[{settings.VERSION}]")
    assert [
        line for line in headings[1:] if not re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", line)
    ] == []
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_no_file_names_the_host_of_a_package_registry():
    patterns = [f"-e{host}" for host in HOSTS]
    listed = subprocess.run(
        ["git", "grep", "-lIF", *patterns], cwd=BASE_DIR, capture_output=True, text=True, check=False
    )
    if listed.returncode > 1:
        pytest.skip("This is no git repository.")

    assert listed.stdout.split() == []
