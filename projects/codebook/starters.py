"""Codebook templates: short, and meant to be changed."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "starter_files"
# In display order.
NAMES = ("sentiment", "content-analysis", "entailment", "llm-answers", "screening", "medical-reading")


@dataclass(frozen=True, slots=True)
class Starter:
    """key: in URLs and the API. questions: in the form that `codebook.copying` creates them from."""

    key: str
    name: str
    about: str
    guidelines: str
    questions: tuple[dict[str, object], ...]


@cache
def starters() -> dict[str, Starter]:
    """Return all templates by key, in display order."""
    return {key: _read(key) for key in NAMES}


def _read(key: str) -> Starter:
    found = json.loads((FOLDER / f"{key}.json").read_text(encoding="utf-8"))
    return Starter(key, found["name"], found["about"], found["guidelines"], tuple(found["questions"]))
