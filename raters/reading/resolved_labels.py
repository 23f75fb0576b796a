"""Resolve the records of a file to labels, without a database. Imports do the same in SQL."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.tables.cells import Cells, InvalidCell
from core.tables.faults import Faults
from raters.reading.number_notation import (
    UNCLEAR,
    as_read,
    is_unclear,
    local_number,
    number_of,
    number_rule,
    unclear_rule,
)
from raters.reading.records import (
    MULTIPLE,
    NUMBER,
    SINGLE,
    SUBMITTED,
    LabelRecord,
    QuestionRecord,
    Record,
    Value,
)
from raters.reading.values import (
    CANNOT_TELL,
    CATEGORY,
    MISSING,
    NONE_OF_THEM,
    ValueMeaning,
    parts_of,
    suggested,
)

# The category or, for a set, the categories (possibly none); a number; or None for "cannot tell".
Meaning = tuple[str, ...] | float | None
_PARTS = Cells(trim=True, may_be_empty=True)


class QuestionSettings(Protocol):
    """Options of one question, chosen or guessed."""

    @property
    def kind(self) -> str: ...
    @property
    def values(self) -> Mapping[str, ValueMeaning]: ...
    @property
    def order(self) -> Sequence[str]: ...
    @property
    def separator(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ResolverOptions:
    """Options. kind: for questions without options. categories: the only ones allowed, if any.

    repeats: "refuse", "first", or "last" of several labels of a rater for an item. only: questions to read; empty for
    all. max_number: the greatest number allowed.
    """

    questions: Mapping[str, QuestionSettings]
    kind: str = SINGLE
    decimal: str = "."
    repeats: str = "refuse"
    categories: Sequence[str] = ()
    only: Collection[str] = ()
    max_number: float = 1e300


@dataclass(slots=True)
class ResolvedQuestion:
    """items, raters, answers, lines, times: one entry per label; the first three are indices of names and `meanings`.

    order: order of the categories, if given. missing, cannot_tell: counts of values as written. merged: the categories
    that other spellings became. n_abstentions: number of "cannot tell" labels. abstentions: the same by index of the
    rater.

    counts: count of each written value; for sets, of each category. becomes: meanings of values that were chosen or
    guessed. why: reasons of guesses to be checked (see `Suggestion`). titles: titles of categories that the
    file declares.
    """

    key: str
    kind: str
    order: list[str] = field(default_factory=list)
    items: array = field(default_factory=lambda: array("q"))
    raters: array = field(default_factory=lambda: array("q"))
    answers: array = field(default_factory=lambda: array("q"))
    lines: array = field(default_factory=lambda: array("q"))
    times: list[str] = field(default_factory=list)
    meanings: list[Meaning] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    cannot_tell: dict[str, int] = field(default_factory=dict)
    n_abstentions: int = 0
    abstentions: Counter[int] = field(default_factory=Counter)
    merged: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    becomes: dict[str, ValueMeaning] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ResolvedLabels:
    """states: counts of records that are not labels. n_empty: cells without an answer. n_repeats: labels dropped as
    repeats. n_later: labels of later passes, dropped since the first counts. kinds: kinds of raters, if in the file.
    """

    items: list[str] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    questions: dict[str, ResolvedQuestion] = field(default_factory=dict)
    states: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, str] = field(default_factory=dict)
    n_empty: int = 0
    n_repeats: int = 0
    n_later: int = 0


def resolve_labels(records: Iterable[Record], options: ResolverOptions, faults: Faults) -> ResolvedLabels:
    """Resolve the records. Faults of single cells are collected; labels are complete only if there are none."""
    reading = _LabelReader(options, faults)
    for record in records:
        reading.take(record)
    reading.resolved.items, reading.resolved.raters = list(reading.items), list(reading.raters)
    for key, raw in reading.raw.items():
        reading.resolved.questions[key] = _QuestionValues(key, raw, reading).resolved()
    faults.listed.sort(key=lambda fault: fault.line)
    return reading.resolved


@dataclass(slots=True)
class _UnresolvedLabels:
    """The labels of a question as written: indices of `written`, and the first occurrence of each value."""

    items: array = field(default_factory=lambda: array("q"))
    raters: array = field(default_factory=lambda: array("q"))
    answers: array = field(default_factory=lambda: array("q"))
    passes: array = field(default_factory=lambda: array("q"))
    lines: array = field(default_factory=lambda: array("q"))
    columns: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    written: dict[Value, int] = field(default_factory=dict)
    first: list[tuple[int, str]] = field(default_factory=list)


class _NameIndex(dict[str, int]):
    """Index of each name, checked when first seen. Raises InvalidCell."""

    def __init__(self) -> None:
        super().__init__()
        self._cells = Cells(trim=True)

    def __missing__(self, raw: str) -> int:
        self._cells.checked(raw)
        self[raw] = place = len(self)
        return place


class _LabelReader:
    def __init__(self, options: ResolverOptions, faults: Faults) -> None:
        self.options, self.faults, self.resolved = options, faults, ResolvedLabels()
        self.items, self.raters, self.keys = _NameIndex(), _NameIndex(), _NameIndex()
        self.raw: dict[str, _UnresolvedLabels] = {}
        self.titles: dict[str, dict[str, str]] = {}

    def take(self, record: Record) -> None:
        if isinstance(record, LabelRecord):
            self._label(record)
        elif isinstance(record, QuestionRecord):
            self.titles[record.question] = dict(record.categories)

    def _label(self, record: LabelRecord) -> None:
        resolved, question = self.resolved, record.question
        if record.state != SUBMITTED:
            resolved.states[record.state] += 1
            return
        raw = self.raw.setdefault(question, _UnresolvedLabels()) if question else None
        if self.options.only and question not in self.options.only:
            return
        value = None if record.cannot_tell else record.value
        is_empty = value == "" or (value is None and not record.cannot_tell)
        if is_empty and not (value == "" and self._takes_empty(question)):
            resolved.n_empty += 1
            return
        try:
            places = self.items[record.item], self.raters[record.rater], self.keys[question]
        except InvalidCell:
            self._list_faults(record)
            return
        if record.rater_kind:
            resolved.kinds.setdefault(record.rater, record.rater_kind)
        if raw is not None:
            self._store(raw, record, value, places)

    def _list_faults(self, record: LabelRecord) -> None:
        looked = (
            ("item", self.items, record.item),
            ("rater", self.raters, record.rater),
            ("question", self.keys, record.question),
        )
        for role, names, name in looked:
            try:
                names[name]
            except InvalidCell as bad:
                self.faults.add(record.line, role, name, bad.code, bad.rule)

    def _store(
        self, raw: _UnresolvedLabels, record: LabelRecord, value: Value, places: tuple[int, int, int]
    ) -> None:
        place = raw.written.setdefault(value, len(raw.written))
        if place == len(raw.first):
            raw.first.append((record.line, record.column or "label"))
        raw.items.append(places[0])
        raw.raters.append(places[1])
        raw.answers.append(place)
        raw.passes.append(self._pass(record))
        raw.lines.append(record.line)
        raw.columns.append(record.column)
        raw.times.append(record.at)

    def _pass(self, record: LabelRecord) -> int:
        number = number_of(record.pass_number) if record.pass_number else 1.0
        if number is None or number != int(number) or not 1 <= number <= 32_767:
            rule = "not a whole number from 1 to 32,767"
            self.faults.add(record.line, "pass", record.pass_number, "bad_number", rule)
            return 1
        return int(number)

    def _takes_empty(self, key: str) -> bool:
        chosen = self.options.questions.get(key)
        return chosen is not None and chosen.values.get("") == ValueMeaning(NONE_OF_THEM)


class _QuestionValues:
    """Resolves the values of one question and then its labels."""

    def __init__(self, key: str, raw: _UnresolvedLabels, reading: _LabelReader) -> None:
        self.raw, self.reading, self.faults = raw, reading, reading.faults
        self.options = reading.options
        chosen = self.options.questions.get(key)
        self.kind, self.chosen = (chosen.kind if chosen else self.options.kind), chosen
        titles = reading.titles.get(key, {})
        order = list(self.options.categories) or list(chosen.order if chosen else ()) or list(titles)
        self.found = ResolvedQuestion(key, self.kind, order, titles=titles)
        self.known = self.options.categories or list(titles)

    def resolved(self) -> ResolvedQuestion:
        parts = [self._parts(value, place) for value, place in self.raw.written.items()]
        becomes = self._meanings(parts)
        meanings = [self._meaning(place, each, becomes) for place, each in enumerate(parts)]
        if not self.faults:
            self._keep(meanings)
        return self.found

    def _fault(self, place: int, value: object, code: str, rule: str) -> None:
        line, column = self.raw.first[place]
        self.faults.add(line, column, str(value), code, rule)

    def _parts(self, value: Value, place: int) -> list[str] | None:
        """Return the chosen values separately; None for "cannot tell"."""
        if value is None:
            return None
        try:
            if self.kind == MULTIPLE:
                separator = (self.chosen.separator if self.chosen else "") or "|"
                parts = (
                    list(value) if isinstance(value, tuple) else parts_of(value, separator) if value else [""]
                )
                if len(set(parts)) < len(parts):
                    raise InvalidCell("bad_choice", "duplicate category")
            elif isinstance(value, tuple) and len(value) != 1:
                raise InvalidCell("bad_choice", "several categories, but the question has a single choice")
            else:
                parts = [value[0] if isinstance(value, tuple) else value]
            for part in parts:
                _PARTS.checked(part)
        except InvalidCell as bad:
            self._fault(place, value, bad.code, bad.rule)
            return []
        return [self._in_plain_notation(part) for part in parts] if self.kind == NUMBER else parts

    def _in_plain_notation(self, text: str) -> str:
        number = local_number(text, decimal=self.options.decimal)
        return text if number is None or number_of(text) == number else as_read(number)

    def _meanings(self, parts: Sequence[Sequence[str] | None]) -> dict[str, ValueMeaning]:
        counts: dict[str, int] = defaultdict(int)
        n_of = Counter(self.raw.answers)
        for place, of_value in enumerate(parts):
            for part in of_value or ():
                counts[part] += n_of[place]
        chosen = dict(self.chosen.values) if self.chosen else {}
        guessed = suggested(counts, kind=self.kind, known=self.known)
        becomes = {written: each.becomes for written, each in guessed.items()} | chosen
        self.found.counts, self.found.becomes = dict(counts), becomes
        self.found.why = {
            written: each.why for written, each in guessed.items() if becomes[written] == each.becomes
        }
        for written, n in counts.items():
            meaning = becomes.get(written)
            if meaning and meaning.what in (MISSING, CANNOT_TELL):
                (self.found.missing if meaning.what == MISSING else self.found.cannot_tell)[written] = n
            elif meaning and meaning.what == CATEGORY and meaning.key != written:
                self.found.merged[written] = meaning.key
        return becomes

    def _meaning(
        self, place: int, parts: Sequence[str] | None, meanings: Mapping[str, ValueMeaning]
    ) -> tuple[str, Meaning]:
        if parts is None:
            return CANNOT_TELL, None
        part_meanings = [meanings.get(part, ValueMeaning(CATEGORY, part)) for part in parts]
        whats = {meaning.what for meaning in part_meanings}
        if CANNOT_TELL in whats:
            return CANNOT_TELL, None
        if whats == {MISSING}:
            return MISSING, None
        if self.kind == NUMBER:
            return CATEGORY, self._number(place, parts)
        keys = tuple(dict.fromkeys(meaning.key for meaning in part_meanings if meaning.what == CATEGORY))
        allowed = self.options.categories
        if unknown := [key for key in keys if allowed and key not in allowed]:
            listed = ", ".join(allowed)
            rule = f"not one of the categories {listed}"
            if self.kind == MULTIPLE:
                rule = f"{', '.join(unknown)} is not one of the categories {listed}"
            self._fault(place, "|".join(parts), "unknown_category", rule)
        elif self.kind != MULTIPLE and not keys and parts:
            rule = "none of the categories, but the question has a single choice; choose a category"
            self._fault(place, parts[0], "bad_choice", rule)
        return CATEGORY, keys

    def _number(self, place: int, parts: Sequence[str]) -> float:
        number = number_of(parts[0]) if parts else 0.0
        if number is None or abs(number) > self.options.max_number:
            if not is_unclear(parts[0], decimal=self.options.decimal):
                self._fault(place, parts[0], "bad_number", number_rule(parts[0], self.options.max_number))
            elif all(fault.code != UNCLEAR for fault in self.faults.listed):
                self._fault(place, parts[0], UNCLEAR, unclear_rule(parts[0]))
            return 0.0
        # Adding 0 turns -0 into 0.
        return number + 0.0

    def _keep(self, meanings: Sequence[tuple[str, Meaning]]) -> None:
        """Keep the labels that count: one per item and rater, of the first pass."""
        raw, resolved = self.raw, self.reading.resolved
        kept: dict[int, int] = {}
        for at, answer in enumerate(raw.answers):
            if meanings[answer][0] == MISSING:
                continue
            before = kept.setdefault(raw.items[at] << 32 | raw.raters[at], at)
            if before == at:
                continue
            is_later = raw.passes[at] > raw.passes[before]
            if raw.passes[at] != raw.passes[before]:
                resolved.n_later += 1
            elif self.options.repeats == "refuse":
                self._repeat(at, before)
            else:
                resolved.n_repeats += 1
                is_later = self.options.repeats == "first"
            if not is_later:
                kept[raw.items[at] << 32 | raw.raters[at]] = at
        self._take(sorted(kept.values()), meanings)

    def _repeat(self, at: int, before: int) -> None:
        raw, names = self.raw, self.reading.resolved
        rater, item = names.raters[raw.raters[at]], names.items[raw.items[at]]
        rule = f"{rater} already labeled {item} in line {raw.lines[before]:,}"
        value = next(value for value, place in raw.written.items() if place == raw.answers[at])
        label = ", ".join(value) if isinstance(value, tuple) else value or ""
        self.faults.add(raw.lines[at], raw.columns[at] or "label", label, "duplicate_label", rule)

    def _take(self, places: Sequence[int], meanings: Sequence[tuple[str, Meaning]]) -> None:
        raw, found = self.raw, self.found
        found.meanings = [meaning for _, meaning in meanings]
        for at in places:
            # "Cannot tell" in the first pass is an answer, so no later one replaces it.
            if found.meanings[raw.answers[at]] is None:
                found.n_abstentions += 1
                found.abstentions[raw.raters[at]] += 1
                continue
            found.items.append(raw.items[at])
            found.raters.append(raw.raters[at])
            found.answers.append(raw.answers[at])
            found.lines.append(raw.lines[at])
            found.times.append(raw.times[at])
