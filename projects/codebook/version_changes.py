"""What changed for raters between two versions of the codebook, in words and as text diffs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from projects.codebook.content import VersionCategory, VersionQuestion, questions_in_version
from projects.codebook.guidelines import DiffLine, difference
from projects.codebook.versions import content_of
from projects.models import CodebookVersion, GuidelinesVersion, Question

_ASKS_CONFIDENCE: dict[str, str] = {
    Question.Confidence.OFF: "“{}” no longer asks how sure you are.",
    Question.Confidence.OPTIONAL: "“{}” now asks how sure you are. You can leave that open.",
    Question.Confidence.REQUIRED: "“{}” now asks how sure you are of each answer.",
}


@dataclass(frozen=True, slots=True)
class CodebookChange:
    """One change. lines: the diff, if a text changed."""

    sentence: str
    lines: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """The changes between two versions. guidelines: their diff by line; empty if unchanged."""

    since: int
    number: int
    codebook: tuple[CodebookChange, ...]
    guidelines: tuple[DiffLine, ...]
    guidelines_number: int

    @property
    def subject(self) -> str:
        if self.codebook and self.guidelines:
            return "The questions and the guidelines have changed"
        return "The guidelines have changed" if self.guidelines else "The questions have changed"


def changes_since(now: CodebookVersion, since: int) -> VersionChanges | None:
    """Return the changes to show to raters who know the version `since`; None if nothing visible to them changed."""
    if since >= now.number:
        return None
    before = CodebookVersion.objects.filter(project=now.project_id, number=since).first()
    if before is None:
        return None
    codebook = tuple(
        changes_between(questions_in_version(content_of(before)), questions_in_version(content_of(now)))
    )
    lines = tuple(_guidelines(now.project_id, before.guidelines, now.guidelines))
    if not codebook and not lines:
        return None
    return VersionChanges(before.number, now.number, codebook, lines, now.guidelines)


def _guidelines(project: int, old: int, new: int) -> list[DiffLine]:
    if old == new:
        return []
    versions = GuidelinesVersion.objects.filter(project=project, number__in=(old, new))
    texts = dict(versions.values_list("number", "text"))
    before, after = texts.get(old, ""), texts.get(new, "")
    return [] if before == after else difference(before, after)


def changes_between(
    old: Sequence[VersionQuestion], new: Sequence[VersionQuestion]
) -> Iterator[CodebookChange]:
    before, after = {each.key: each for each in old}, {each.key: each for each in new}
    for question in new:
        if question.key not in before:
            yield CodebookChange(f"New question: {_described(question)}{_when(question, after)}")
        else:
            yield from _of_question(before[question.key], question)
            yield from _of_condition(before[question.key], question, after)
    for question in old:
        if question.key not in after:
            yield CodebookChange(f"No longer asked: “{question}”.")
    if _is_reordered(before, after):
        yield CodebookChange("The questions are in another order.")


def _described(question: VersionQuestion) -> str:
    must = "an answer is required" if question.is_required else "optional"
    if question.kind == Question.Kind.NUMBER:
        return f"“{question}” ({must}; a number{_by_key(question.shortcut)})."
    if question.kind == Question.Kind.TEXT:
        return f"“{question}” ({must}; free text{_by_key(question.shortcut)})."
    categories = ", ".join(f"{each}{_by_key(each.shortcut)}" for each in question.categories)
    return f"“{question}” ({must}). Answers: {categories or 'none yet'}."


def _when(question: VersionQuestion, questions: Mapping[str, VersionQuestion]) -> str:
    return f" Asked only if {_condition(question, questions)}." if question.asked_if else ""


def _condition(question: VersionQuestion, questions: Mapping[str, VersionQuestion]) -> str:
    key, *categories = question.asked_if
    parent = questions.get(key)
    names = {each.key: str(each) for each in parent.categories} if parent else {}
    return f"“{parent or key}” is {' or '.join(f'“{names.get(each, each)}”' for each in categories)}"


def _of_condition(
    old: VersionQuestion, new: VersionQuestion, questions: Mapping[str, VersionQuestion]
) -> Iterator[CodebookChange]:
    if old.asked_if == new.asked_if:
        return
    if new.asked_if:
        yield CodebookChange(f"“{new}” is now asked only if {_condition(new, questions)}.")
    else:
        yield CodebookChange(f"“{new}” is now always asked.")


def _by_key(shortcut: str) -> str:
    return f" [{shortcut}]" if shortcut else ""


def _of_question(old: VersionQuestion, new: VersionQuestion) -> Iterator[CodebookChange]:
    if str(old) != str(new):
        yield CodebookChange(f"“{old}” is now worded:", tuple(difference(str(old), str(new))))
    if old.kind != new.kind:
        kinds = dict(Question.Kind.choices)
        yield CodebookChange(
            f"“{new}” now takes another type of answer: {str(kinds.get(new.kind, new.kind)).lower()}."
        )
    if old.is_required != new.is_required:
        yield CodebookChange(f"“{new}” is now {'required' if new.is_required else 'optional'}.")
    if old.allows_abstention != new.allows_abstention:
        can = "can now" if new.allows_abstention else "can no longer"
        yield CodebookChange(f"“{new}” {can} be answered “Cannot tell”.")
    if old.confidence != new.confidence:
        yield CodebookChange(_ASKS_CONFIDENCE[new.confidence].format(new))
    if old.number_hint != new.number_hint and new.kind == old.kind:
        must = new.number_hint[:1].lower() + new.number_hint[1:]
        yield CodebookChange(f"“{new}” now takes {must or 'any number'}.")
    if old.text_hint != new.text_hint and new.kind == old.kind:
        yield CodebookChange(f"“{new}” now takes {new.text_hint[:1].lower()}{new.text_hint[1:]}.")
    if old.shortcut and new.shortcut and old.shortcut != new.shortcut:
        yield CodebookChange(f"The key of “{new}” is now {new.shortcut} (it was {old.shortcut}).")
    yield from _of_categories(new, old.categories, new.categories)


def _of_categories(
    question: VersionQuestion, old: Sequence[VersionCategory], new: Sequence[VersionCategory]
) -> Iterator[CodebookChange]:
    before, after = {each.key: each for each in old}, {each.key: each for each in new}
    for category in new:
        if category.key not in before:
            yield CodebookChange(f"New answer to “{question}”: {category}{_by_key(category.shortcut)}.")
        else:
            yield from _of_category(question, before[category.key], category)
    for category in old:
        if category.key not in after:
            yield CodebookChange(f"No longer an answer to “{question}”: {category}.")
    if _is_reordered(before, after):
        yield CodebookChange(f"The answers to “{question}” are in another order.")


def _of_category(
    question: VersionQuestion, old: VersionCategory, new: VersionCategory
) -> Iterator[CodebookChange]:
    where = f"“{new}” of “{question}”"
    if str(old) != str(new):
        yield CodebookChange(f"“{old}” of “{question}” is now called “{new}”.")
    if old.shortcut != new.shortcut and new.shortcut:
        was = f" (it was {old.shortcut})" if old.shortcut else ""
        yield CodebookChange(f"The key of {where} is now {new.shortcut}{was}.")
    if old.definition != new.definition:
        yield CodebookChange(f"Definition of {where}:", tuple(difference(old.definition, new.definition)))
    if old.examples != new.examples:
        yield CodebookChange(f"Examples of {where}:", tuple(difference(old.examples, new.examples)))


def _is_reordered(before: Iterable[str], after: Iterable[str]) -> bool:
    """Return whether the keys in both are in a different order."""
    first, second = list(before), list(after)
    return [key for key in first if key in set(second)] != [key for key in second if key in set(first)]
