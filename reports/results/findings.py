"""The findings of a question, with the notes on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reports.models import FindingNote
from reports.results.finding_words import FindingCard, FindingWords, plural
from reports.store.stored_result import StoredResult

# The number that a page shows before the rest is expanded.
MAX_SHOWN = 5
# This many take more room than most matrices next to them.
MANY = 3


@dataclass(frozen=True, slots=True)
class FindingsSection:
    """is_any_significant: whether a test is, listed or not."""

    shown: Sequence[FindingCard]
    more: Sequence[FindingCard]
    n_tested: int
    is_any_significant: bool
    note: str = ""

    @property
    def n(self) -> int:
        return len(self.shown) + len(self.more)

    @property
    def are_many(self) -> bool:
        """Whether the list is long next to the matrix of pairs."""
        return self.n >= MANY


def findings_of(result: StoredResult) -> FindingsSection | None:
    """Return the findings; None for earlier reports without findings and for questions that have none."""
    found = result.figures.findings
    if found is None:
        return None
    words = FindingWords(result, found)
    cards = [words.of(each) for each in found.listed.found]
    notes = [_left_out(len(found.found) - len(cards))]
    if not found.are_raters_tested:
        notes.append("There are too many labels to test the effect of each rater.")
    note = " ".join(filter(None, notes))
    return FindingsSection(cards[:MAX_SHOWN], cards[MAX_SHOWN:], found.n_tested, bool(found.found), note)


def _left_out(n: int) -> str:
    if not n:
        return ""
    return f"{plural(n, 'finding')} whose correction would lower agreement {'is' if n == 1 else 'are'} not listed."


def with_notes(section: FindingsSection | None, result: StoredResult) -> FindingsSection | None:
    """Return the section with the notes on each finding, from any report on the question."""
    if section is None:
        return None
    notes: dict[str, list[FindingNote]] = {}
    for note in FindingNote.objects.filter(question=result.row.question_id).select_related("written_by"):
        notes.setdefault(note.finding, []).append(note)
    shown, more = (
        [replace(each, notes=notes.get(each.identity, ())) for each in some]
        for some in (section.shown, section.more)
    )
    return replace(section, shown=shown, more=more)
