"""The words of a column of statuses: which rows of a table are labels."""

from collections import Counter
from collections.abc import Mapping

from raters.reading.records import DRAFT, REJECTED, SKIPPED, SUBMITTED

_STATES = {
    **dict.fromkeys(("skipped", "skip", "cancelled", "canceled", "ignored", "ignore", "expired"), SKIPPED),
    **dict.fromkeys(("draft", "pending", "in progress", "inprogress", "active", "new", "discarded"), DRAFT),
    **dict.fromkeys(("rejected", "reject", "deleted", "removed", "withdrawn"), REJECTED),
}
# More different words than that are hardly statuses.
_MOST = 100


def is_counted(written: str, chosen: Mapping[str, bool]) -> bool:
    """Return whether rows with this status are labels. chosen: statuses for which somebody has decided that."""
    return state_of(written, chosen) == SUBMITTED


def state_of(written: str, chosen: Mapping[str, bool]) -> str:
    """Return SUBMITTED, or what such rows are instead: for words that are not known, the words themselves."""
    known = _STATES.get(written.casefold(), SUBMITTED)
    counts = chosen.get(written)
    if counts is None:
        return known
    if counts:
        return SUBMITTED
    return known if known != SUBMITTED else written or "without a status"


def note_status(written: str, statuses: Counter[str]) -> None:
    if written in statuses or len(statuses) < _MOST:
        statuses[written] += 1
