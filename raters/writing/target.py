"""A format that labels are exported in, and what it leaves out."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from core.refusals import Refused
from raters.writing.contents import Contents
from raters.writing.records import What
from raters.writing.scope import Scope
from raters.writing.source import LiveLabels

LEFT_OUT = "left out"
FILE_NAMES = {What.LABELS: "labels", What.FINAL: "final-labels", What.ITEMS: "items"}


@dataclass(frozen=True, slots=True)
class Loss:
    """What a format cannot hold. n: how many of it, None if they were not counted. becomes: what happens to it."""

    n: int | None
    what: str
    becomes: str = LEFT_OUT


@dataclass(frozen=True, slots=True)
class Target:
    """ending, name: of the file. refuses: why there is no such file, "" if there is. hint: what to know of it."""

    key: str
    title: str
    about: str
    ending: str
    content_type: str
    holds: Collection[What]
    loses: Callable[[Contents], list[Loss]]
    write: Callable[[LiveLabels], Iterator[bytes]]
    refuses: Callable[[Contents], str] = lambda contents: ""
    hint: str = ""
    name: str = "{slug}-{what}"

    def file_name(self, scope: Scope) -> str:
        return f"{self.name.format(slug=scope.project.slug, what=FILE_NAMES[scope.what])}.{self.ending}"

    def refusal(self, contents: Contents) -> str:
        if contents.scope.what not in self.holds:
            return f"{self.title} does not hold {contents.scope.what.value} alone."
        return self.refuses(contents)

    def losses(self, contents: Contents) -> list[Loss]:
        """Those that there are."""
        return [loss for loss in self.loses(contents) if loss.n is None or loss.n > 0]


class CannotWrite(Refused):
    """The message says why this format cannot hold what was asked for."""

    code, status_code = "cannot_write", 409


# What a label carries beside its value, by the name of its count, in words.
CARRIED = {
    "reasons": "reasons",
    "notes": "notes",
    "seconds": "labeling times",
    "rounds": "round names",
    "guidelines": "guidelines versions",
    "repeats": "repeat labels (pass 2 and later)",
    "abstentions": "“cannot tell” labels",
    "of_others": "labels’ rater kind (model or reference)",
    "labels": "dates",
}


def lost(contents: Contents, *, held: Collection[str] = (), **becomes: str) -> list[Loss]:
    """What is left of labels, final labels or items once the format has what it holds.

    held: names in CARRIED. becomes: what happens to one of them instead of being left out.
    """
    counts, what = contents.counts, contents.scope.what
    if what is What.ITEMS:
        return [media_loss(contents), Loss(counts["withdrawn"], "withdrawn items", "not marked as withdrawn")]
    if what is What.FINAL:
        return [*_lost_of_finals(contents), media_loss(contents)]
    return [
        *(
            Loss(counts[name], words, becomes.get(name, LEFT_OUT))
            for name, words in CARRIED.items()
            if name not in held
        ),
        media_loss(contents),
    ]


def media_loss(contents: Contents) -> Loss:
    return Loss(contents.counts["media"], "media files", "only their names are written")


def _lost_of_finals(contents: Contents) -> list[Loss]:
    names = {
        "undecided": "items without a final label",
        "cannot_tell": "“cannot tell” decisions",
        "final_reasons": "reasons",
        "final_notes": "notes",
        "with_value": "origins and shares of agreeing raters",
    }
    counts = contents.counts
    return [Loss(counts[name] if contents.is_counted else None, words) for name, words in names.items()]


def one_piece(text: str) -> Iterator[bytes]:
    yield text.encode()
