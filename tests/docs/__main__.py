"""Write the figures of a document's examples anew: python -m tests.docs docs/statistics.md."""

import argparse
from pathlib import Path

from tests.docs.examples import filled
from tests.docs.kinds import KINDS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.docs", description=__doc__)
    parser.add_argument("document", type=Path)
    document = parser.parse_args().document
    document.write_text(filled(document.read_text(), KINDS))


if __name__ == "__main__":
    main()
