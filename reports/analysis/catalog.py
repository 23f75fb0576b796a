"""The catalog of displayed statistics, read from catalog.toml: name, meaning, source, and where each is shown."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class StatisticFamily(StrEnum):
    ALL = "all"
    PAIRS = "pairs"
    CATEGORIES = "categories"
    TESTS = "tests"
    REFERENCE = "reference"
    CONSENSUS = "consensus"
    NUMBERS = "numbers"
    SETS = "sets"


FAMILIES = {
    StatisticFamily.ALL: "All raters",
    StatisticFamily.PAIRS: "Two raters",
    StatisticFamily.CATEGORIES: "By category",
    StatisticFamily.TESTS: "Tests",
    StatisticFamily.REFERENCE: "Against the reference",
    StatisticFamily.CONSENSUS: "Consensus of the raters",
    StatisticFamily.NUMBERS: "Numbers",
    StatisticFamily.SETS: "Sets of categories",
}
# The mean of the pairs' kappas, with the weights of the question.
MEAN_OF_PAIRS = "mean_pairwise_kappa"
# For terminals and files that are limited to ASCII.
PLAIN = str.maketrans(
    {"κ": "kappa", "α": "alpha", "π": "pi", "χ": "chi", "²": "2", "×": "x", "–": "-", "−": "-"}
    | {"’": "'", "“": '"', "”": '"'}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One statistic; catalog.toml describes its fields."""

    name: str
    title: str
    what: str
    families: tuple[StatisticFamily, ...]
    section: str
    source: str = ""
    is_share: bool = False

    @property
    def plain(self) -> str:
        """The title in ASCII."""
        return self.title.translate(PLAIN)


def _entry(name: str, *, families: list[str], **fields: Any) -> CatalogEntry:
    return CatalogEntry(name=name, families=tuple(map(StatisticFamily, families)), **fields)


_FILE = Path(__file__).with_suffix(".toml")
CATALOG = {
    name: _entry(name, **fields) for name, fields in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def by_family() -> dict[str, list[CatalogEntry]]:
    """The entries by the title of their first family; families that are not first for any entry are left out."""
    found = {
        title: [entry for entry in CATALOG.values() if entry.families[0] is family]
        for family, title in FAMILIES.items()
    }
    return {title: entries for title, entries in found.items() if entries}


def title_of(name: str) -> str:
    """Return the common name of the statistic with this JSON name."""
    entry = CATALOG.get(name)
    return entry.title if entry else name.replace("_", " ").capitalize()


def title_in(name: str, *, is_weighted: bool) -> str:
    """Like `title_of`, for a question with weights or without: the name of the mean of pairs does not show them."""
    return f"{title_of(name)}, weighted" if is_weighted and name == MEAN_OF_PAIRS else title_of(name)


def title_among(name: str, n_raters: int, *, is_weighted: bool = False) -> str:
    """Like `title_in`, for a given number of raters: Light's kappa of two raters is called Cohen's kappa."""
    named = name.replace("light_kappa", "cohen_kappa") if n_raters == 2 else name
    return title_in(named, is_weighted=is_weighted)


def in_sentence(title: str) -> str:
    """Return a title as it reads within a sentence: “weighted Cohen’s κ”, not “Cohen’s κ, weighted”."""
    name, _, weighted = title.partition(", ")
    return f"weighted {name.replace('Percent', 'percent')}" if weighted == "weighted" else title


def plain_title_of(name: str) -> str:
    return title_of(name).translate(PLAIN)
