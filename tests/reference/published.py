"""The committed data sets and rows."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.reference.data import Dataset, read_published
from tests.reference.rows import Row

FILE = Path(__file__).with_name("published.json")


@cache
def _content() -> dict[str, Any]:
    return json.loads(FILE.read_text())


@cache
def datasets() -> dict[str, Dataset]:
    return read_published(_content()["datasets"])


@cache
def rows() -> tuple[Row, ...]:
    return tuple(Row(**each) for each in _content()["rows"])
