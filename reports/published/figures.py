"""What was printed, read from figures.toml: in a publication if we know its figure, by other software otherwise."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from reports.published.examples import Example, examples
from reports.published.statistics import STATISTICS


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One figure: of which example, of which statistic, as printed, and how we compute it.

    by: the software that gives the figure, "" for the publication of the example itself. note: why a printed figure is
    not the exact one; it may differ then.
    """

    example: str
    title: str
    printed: str
    compute: Callable[[], float | None]
    by: str = ""
    note: str = ""

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        return 0.5 * 10.0 ** -len(self.printed.partition(".")[2])


def _figure(example: Example, *, title: str, printed: str, statistic: str, **more: Any) -> Printed:
    about = {name: more.pop(name) for name in ("by", "note") if name in more}
    compute = partial(STATISTICS[statistic], example, **more)
    return Printed(example=example.name, title=title, printed=printed, compute=compute, **about)


_FILE = Path(__file__).with_suffix(".toml")
FIGURES = tuple(
    _figure(examples()[name], **row)
    for name, rows in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
    for row in rows
)
