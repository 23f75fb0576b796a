"""Examples in a document: blocks of data and figures, of which the figures are computed from the data.

A block is fenced and marked `example KIND`. Its first lines, up to an empty one, are data; the lines after it are a
label, two spaces or more, and figures. `filled` gives the document as it should be.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = re.compile(r"^```text example (\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"^(?P<label>\S+(?: \S+)*)(?P<gap> {2,})(?P<figures>.*)$")
MISSING = "."


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The lines of a block before the empty one; what stands before a colon is a key."""

    lines: tuple[str, ...]

    @property
    def keyed(self) -> dict[str, list[str]]:
        """What each key has, word by word."""
        found = (line.split(":", 1) for line in self.lines if ":" in line)
        return {key.strip(): words.split() for key, words in found}

    @property
    def categories(self) -> list[str]:
        return self.keyed["categories"]

    @property
    def table(self) -> NDArray[np.int64]:
        """(K, K) from a line of categories, and a line for each with its counts."""
        return np.array([line.split()[1:] for line in self.lines[1:]], dtype=np.int64)

    @property
    def header(self) -> list[str]:
        return self.lines[0].split()

    @property
    def rows(self) -> list[list[str]]:
        """The labels of each rater, in the order of items."""
        return [words for key, words in self.keyed.items() if key != "categories"]

    @property
    def codes(self) -> NDArray[np.int64]:
        """(items, raters) positions of categories, -1 where there is no label."""
        lookup = {MISSING: -1} | {name: code for code, name in enumerate(self.categories)}
        return np.array([[lookup[word] for word in row] for row in self.rows]).T

    @property
    def numbers(self) -> NDArray[np.float64]:
        """(items, raters), NaN where there is no label."""
        return np.array([[np.nan if word == MISSING else float(word) for word in row] for row in self.rows]).T


# The figures for a label, as they are printed.
Figures = Callable[[Data, str], str]


def filled(document: str, kinds: dict[str, Figures]) -> str:
    """The document with every figure of its examples computed. Raises KeyError for a label that nothing computes."""

    def computed(block: re.Match[str]) -> str:
        kind, content = block.groups()
        data, _, results = content.partition("\n\n")
        lines = [_filled(line, Data(tuple(data.split("\n"))), kinds[kind]) for line in results.split("\n")]
        return f"```text example {kind}\n{data}\n\n" + "\n".join(lines) + "```"

    return BLOCK.sub(computed, document)


def _filled(line: str, data: Data, figures: Figures) -> str:
    found = LINE.match(line)
    return f"{found['label']}{found['gap']}{figures(data, found['label'])}" if found else line


def n_examples(document: str) -> int:
    return len(BLOCK.findall(document))
