"""The printed figures in printed_figures.toml, from publications if known, otherwise from other software."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from reports.published.examples import Example, examples
from reports.published.statistics import STATISTICS


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigure:
    """One figure: its example, statistic, printed value, and the function that computes it.

    by: the software that reports the figure; "" for the publication of the example. note: why the printed figure is not
    exact, in which case it may differ.
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


def _figure(example: Example, *, title: str, printed: str, statistic: str, **more: Any) -> PublishedFigure:
    about = {name: more.pop(name) for name in ("by", "note") if name in more}
    compute = partial(STATISTICS[statistic], example, **more)
    return PublishedFigure(example=example.name, title=title, printed=printed, compute=compute, **about)


_FILE = Path(__file__).with_suffix(".toml")
FIGURES = tuple(
    _figure(examples()[name], **row)
    for name, rows in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
    for row in rows
)
