"""Rules of the house that no linter knows."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config.environment import BASE_DIR

SOURCES = ("config", "projects", "raters", "reports")
# What Celery offers and we do without: the row of a run says what is to be done, and when (ADR 0002).
FORBIDDEN_NAMES = {"chord", "group", "chain", "chunks", "signature", "subtask", "AsyncResult", "crontab"}
CALLS = {"apply_async", "send_task", "retry"}
FORBIDDEN_OPTIONS = {"eta", "countdown", "expires", "link", "link_error"}
# Django runs the class of this name in the module of each command.
SHARED_CLASSES = {"Command"}
# Modules that play the same part in each app: what Django or DRF expects, or ours.
SHARED_MODULES = {
    *("__init__", "apps", "urls", "api_urls", "forms", "serializers", "tasks"),
    *("access", "actions", "api", "pages", "queries", "refusals"),
    # What one app declares and another implements, and what answers one signal.
    *("reporting", "renaming"),
    # One file format, for labels and for reports.
    *("recal", "workbook"),
}
CLASS = re.compile(r"^class (\w+)[(:]", re.MULTILINE)


def sources() -> list[Path]:
    return [path for name in SOURCES for path in sorted((BASE_DIR / name).rglob("*.py"))]


def forbidden(text: str) -> Iterator[str]:
    """The uses of Celery in a module that we do without."""
    # A module without any of these words has none, and need not be parsed.
    if not any(word in text for word in ("celery", *CALLS)):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "celery":
            yield from (alias.name for alias in node.names if alias.name in FORBIDDEN_NAMES)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "celery":
            yield from {node.attr} & FORBIDDEN_NAMES
        if isinstance(node, ast.Call) and _called(node) in CALLS:
            yield from (keyword.arg for keyword in node.keywords if keyword.arg in FORBIDDEN_OPTIONS)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def test_no_module_leaves_the_record_of_work_to_celery():
    found = {
        str(path.relative_to(BASE_DIR)): names
        for path in sources()
        if (names := list(forbidden(path.read_text(encoding="utf-8"))))
    }

    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        "from celery import chord",
        "from celery.result import AsyncResult",
        "from celery.schedules import crontab",
        "import celery\nx = celery.group([])",
        "task.apply_async([1], countdown=5)",
        "app.send_task('x', eta=soon)",
    ],
)
def test_the_rule_sees_what_it_forbids(text):
    assert len(list(forbidden(text))) == 1


def test_celery_has_no_results_no_beat_and_speaks_json_only():
    assert settings.CELERY_RESULT_BACKEND is None
    assert settings.CELERY_TASK_IGNORE_RESULT is True
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert not hasattr(settings, "CELERY_BEAT_SCHEDULE")
    assert settings.CELERY_TASK_REJECT_ON_WORKER_LOST is False
    assert settings.CELERY_TASK_ACKS_LATE is True
    assert settings.CELERY_WORKER_PREFETCH_MULTIPLIER == 1
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] > settings.CELERY_TASK_TIME_LIMIT


def shared_classes(modules: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The names that more than one module, given by its place and its text, defines a class by, with the places."""
    places = defaultdict(list)
    for place, text in modules:
        for name in CLASS.findall(text):
            places[name].append(place)
    return {name: found for name, found in places.items() if len(found) > 1 and name not in SHARED_CLASSES}


def product_modules() -> list[Path]:
    """The paths of all modules of the apps except migrations, relative to the repository."""
    paths = (*sources(), *(BASE_DIR / "core").rglob("*.py"))
    return [path.relative_to(BASE_DIR) for path in paths if "migrations" not in path.parts]


def test_no_two_classes_share_a_name():
    texts = ((str(path), (BASE_DIR / path).read_text(encoding="utf-8")) for path in product_modules())

    assert shared_classes(texts) == {}


def test_no_two_apps_share_the_name_of_a_module_by_chance():
    places = defaultdict(list)
    for path in product_modules():
        places[path.stem].append(path)

    shared = {name: found for name, found in places.items() if len({path.parts[0] for path in found}) > 1}

    assert {name: found for name, found in shared.items() if name not in SHARED_MODULES} == {}


def test_a_shared_name_is_listed_with_its_places():
    modules = [
        ("a.py", "class Scope:\n    class Meta: ...\nclass Command(Base): ...\n"),
        ("b.py", "class Scope(Base):\n    class Meta: ...\nclass Command: ...\n"),
        ("c.py", "class ScopeOfC:\n    pass\n"),
    ]

    assert shared_classes(modules) == {"Scope": ["a.py", "b.py"]}
