import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture
def run_agreement(tmp_path: Path) -> Any:
    """`manage.py agreement` on a file of this content; what it prints."""

    def run(content: str | bytes, *arguments: str) -> str:
        path = tmp_path / "labels.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        out = io.StringIO()
        call_command("agreement", str(path), *arguments, stdout=out)
        return out.getvalue()

    return run


@pytest.fixture
def question(run_agreement: Any) -> Any:
    """The one question of the file, as JSON."""

    def question(content: str, *arguments: str) -> dict[str, Any]:
        [found] = json.loads(run_agreement(content, "--json", *arguments))["questions"]
        return found

    return question


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """Another file, by its name; where it is."""

    def file(name: str, content: str) -> str:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    return file
