"""Check our figures against every row of a folder with reference.json, datasets.json and data/."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tests.reference.checking import check, summary
from tests.reference.data import read_folder
from tests.reference.rows import Outcome, Row


def row_of(described: dict[str, Any]) -> Row:
    return Row(
        **{name: described[name] for name in ("dataset", "statistic", "options", "value", "se")},
        ci_low=described["ci_low"],
        ci_high=described["ci_high"],
        tolerance=described["tolerance"],
        source=", ".join(described["produced_by"]),
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reference", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if folder.is_file():
        folder = folder.parent
    datasets = read_folder(folder)
    rows = [row_of(each) for each in json.loads((folder / "reference.json").read_text())]
    verdicts = [check(row, datasets.get(row.dataset)) for row in rows]
    print(summary(verdicts))
    return any(each.outcome in (Outcome.DIFFERS, Outcome.NOT_COMPUTED) for each in verdicts)


if __name__ == "__main__":
    sys.exit(main())
