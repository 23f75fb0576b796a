"""Codebooks to start from: ours, short, and meant to be changed."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "starter_files"
# In the order shown.
NAMES = ("sentiment", "content-analysis", "entailment", "llm-answers", "screening", "medical-reading")


@dataclass(frozen=True, slots=True)
class Starter:
    """key: for addresses and programs. questions: as `codebook.copying` makes them."""

    key: str
    name: str
    about: str
    guidelines: str
    questions: tuple[dict[str, Any], ...]


@cache
def starters() -> dict[str, Starter]:
    """All of them by their keys, in the order shown."""
    return {key: _read(key) for key in NAMES}


def _read(key: str) -> Starter:
    found = json.loads((FOLDER / f"{key}.json").read_text(encoding="utf-8"))
    return Starter(key, found["name"], found["about"], found["guidelines"], tuple(found["questions"]))
