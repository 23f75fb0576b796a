"""Names of columns, and the raters and questions of the project by which they are recognized."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache


def folded(name: str) -> str:
    """Return a column's name in lower case, with words separated by single spaces."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name).strip())
    return re.sub(r"[\s_.\-]+", " ", spaced).strip().casefold()


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Existing keys of the project, by which columns are recognized."""

    raters: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()

    def rater(self, name: str) -> str:
        """Return the key of the rater with this name in any spelling, or ""."""
        return _spelled(name.strip(), self.raters)

    def question(self, name: str) -> str:
        """Return the key of the question with this name in any spelling, or ""."""
        return _spelled(name.strip(), self.questions)


NOTHING_KNOWN = KnownKeys()


def _spelled(name: str, keys: frozenset[str]) -> str:
    return name if name in keys else _by_fold(keys).get(folded(name), "")


@lru_cache(maxsize=8)
def _by_fold(keys: frozenset[str]) -> dict[str, str]:
    """Return the keys by their folded names, without those that differ only in spelling."""
    counts = Counter(map(folded, keys))
    return {folded(key): key for key in keys if counts[folded(key)] == 1}
