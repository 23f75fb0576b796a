"""An export format for labels, and what it leaves out."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from core.refusals import Refused
from raters.writing.contents import ExportContents
from raters.writing.records import ExportKind
from raters.writing.scope import ExportScope
from raters.writing.source import LiveLabels

LEFT_OUT = "left out"
# For labels treated as missing, in formats that include the notes of other labels.
MISSING_NOTES = "left out, with their notes"
_KIND_WORDS = {ExportKind.LABELS: "labels", ExportKind.FINAL: "final labels", ExportKind.ITEMS: "items"}
FILE_NAMES = {ExportKind.LABELS: "labels", ExportKind.FINAL: "final-labels", ExportKind.ITEMS: "items"}


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a format cannot hold. n: how many, None if not counted. what: its name in the plural.

    becomes: what happens to it.
    """

    n: int | None
    what: str
    becomes: str = LEFT_OUT

    @property
    def words(self) -> str:
        """The name in the singular or plural."""
        return ONE[self.what] if self.n == 1 else self.what


def never(contents: ExportContents) -> str:
    """For a format that can hold anything: there is never a reason to refuse."""
    return ""


@dataclass(frozen=True, slots=True)
class Target:
    """ending, name: of the file. refuses: why it cannot be made, "" if it can. hint: what users should know."""

    key: str
    title: str
    about: str
    ending: str
    content_type: str
    holds: Collection[ExportKind]
    loses: Callable[[ExportContents], list[Loss]]
    write: Callable[[LiveLabels], Iterator[bytes]]
    refuses: Callable[[ExportContents], str] = never
    hint: str = ""
    name: str = "{slug}-{what}"
    # Whether the format can hold free-text answers; if not, those questions are left out.
    holds_texts: bool = False

    def file_name(self, scope: ExportScope) -> str:
        return f"{self.name.format(slug=scope.project.slug, what=FILE_NAMES[scope.what])}.{self.ending}"

    def refusal(self, contents: ExportContents) -> str:
        held = contents if self.holds_texts else contents.without_texts
        return self.refusal_of(contents.scope) or self.refuses(held)

    def scope_held(self, scope: ExportScope) -> ExportScope:
        """Return the part of the scope that a file of this format can hold."""
        return scope if self.holds_texts else scope.without_texts()

    def refusal_of(self, scope: ExportScope) -> str:
        """Return why the scope cannot be exported regardless of its contents, or ""."""
        if scope.what not in self.holds:
            return f"{self.title} is not available for {_KIND_WORDS[scope.what]}."
        if scope.what is ExportKind.LABELS and scope.questions and not self.scope_held(scope).questions:
            return f"{self.title} can’t hold free-text answers. Select another question or format."
        return ""

    def losses(self, contents: ExportContents) -> list[Loss]:
        """Return the losses that actually occur."""
        if self.holds_texts:
            found = self.loses(contents)
        else:
            found = [Loss(contents.counts["texts"], "free-text answers"), *self.loses(contents.without_texts)]
        return [loss for loss in found if loss.n is None or loss.n > 0]


class CannotWrite(Refused):
    """The message says why this format cannot hold what was requested."""

    code, status_code = "cannot_write", 409


# What a label carries in addition to its value: descriptions by count name.
CARRIED = {
    "reasons": "reasons",
    "notes": "notes",
    "seconds": "labeling times",
    "confidences": "confidences",
    "suggestions": "marks of accepted suggestions",
    "rounds": "round names",
    "guidelines": "guidelines versions",
    "repeats": "repeat labels (pass 2 and later)",
    "abstentions": "“cannot tell” labels",
    "of_others": "labels by models or references",
    "labels": "dates",
}


_BECOMES = {"of_others": "not marked as such"}
# Singular forms of what can be lost.
ONE = {
    "reasons": "reason",
    "notes": "note",
    "labeling times": "labeling time",
    "confidences": "confidence",
    "marks of accepted suggestions": "mark of an accepted suggestion",
    "round names": "round name",
    "guidelines versions": "guidelines version",
    "repeat labels (pass 2 and later)": "repeat label (pass 2 or later)",
    "“cannot tell” labels": "“cannot tell” label",
    "labels by models or references": "label by a model or reference",
    "dates": "date",
    "media files": "media file",
    "withdrawn items": "withdrawn item",
    "items without a final label": "item without a final label",
    "“cannot tell” decisions": "“cannot tell” decision",
    "origins of final labels": "origin of a final label",
    "shares of agreeing raters": "share of agreeing raters",
    "notes on “cannot tell” labels": "note on a “cannot tell” label",
    "labeling times that differ by question": "labeling time that differs by question",
    "names of references": "name of a reference",
    "empty sets of categories": "empty set of categories",
    "numbers": "number",
    "raters whose type is lost (references, and all models except the first)": "rater whose type is lost (a "
    "reference, or any model except the first)",
    "long texts": "long text",
    "sheets with a column per rater": "sheet with a column per rater",
    "item keys": "item key",
    "raters’ names": "rater’s name",
    "references": "reference",
    "questions with sets of categories": "question with sets of categories",
    "long item keys": "long item key",
    "questions with long sets of categories": "question with long sets of categories",
    "labels treated as missing": "label treated as missing",
    "decisions treated as missing": "decision treated as missing",
    "free-text answers": "free-text answer",
    "“cannot tell” labels with sets": "“cannot tell” label with sets",
}


def lost(contents: ExportContents, *, held: Collection[str] = (), **becomes: str) -> list[Loss]:
    """Return what the format loses of labels, final labels, or items.

    held: what the format holds: names in CARRIED, or share_agree for final labels. becomes: what happens to one of
    them, or to missing labels, if they are not left out.
    """
    counts, what = contents.counts, contents.scope.what
    if what is ExportKind.ITEMS:
        return [media_loss(contents), Loss(counts["withdrawn"], "withdrawn items", "not marked as withdrawn")]
    if what is ExportKind.FINAL:
        return [*_lost_of_finals(contents, held), *missing_losses(contents), media_loss(contents)]
    return [
        *missing_losses(contents, (_BECOMES | becomes).get("missing", LEFT_OUT)),
        *(
            Loss(counts[name], words, (_BECOMES | becomes).get(name, LEFT_OUT))
            for name, words in CARRIED.items()
            if name not in held
        ),
        media_loss(contents),
    ]


def missing_losses(contents: ExportContents, becomes: str = LEFT_OUT) -> list[Loss]:
    """Return the losses of values treated as missing. becomes: what happens to a label or a final decision."""
    counts, what = contents.counts, contents.scope.what
    if what is ExportKind.ITEMS:
        return []
    if what is ExportKind.LABELS:
        return [Loss(counts["missing"], "labels treated as missing", becomes)]
    n_decisions = counts["missing_decisions"] if contents.is_counted else None
    declared = any(each.missing_keys or each.missing_numbers for each in contents.questions)
    return [
        Loss(counts["missing"], "labels treated as missing", "not counted as votes"),
        Loss(n_decisions if declared else 0, "decisions treated as missing", becomes),
    ]


def media_loss(contents: ExportContents) -> Loss:
    return Loss(contents.counts["media"], "media files", "only their names are written")


def _lost_of_finals(contents: ExportContents, held: Collection[str]) -> list[Loss]:
    names = {
        "undecided": "items without a final label",
        "cannot_tell": "“cannot tell” decisions",
        "final_reasons": "reasons",
        "final_notes": "notes",
        "with_value": "origins of final labels",
        "share_agree": "shares of agreeing raters",
    }
    counts = contents.counts + Counter(share_agree=contents.counts["with_value"])
    return [
        Loss(counts[name] if contents.is_counted else None, words)
        for name, words in names.items()
        if name not in held
    ]


def in_one_piece(text: str) -> Iterator[bytes]:
    yield text.encode()
