"""The readers for whom a text is written."""

from enum import StrEnum


class Style(StrEnum):
    """APA: for a paper, with symbols and citations. PLAIN: for readers without a statistics background."""

    APA = "apa"
    PLAIN = "plain"
