"""A codebook from a file: one row per question, with its categories in one cell, in the order of the scale."""

import re
from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import Max

from core.field_changes import Changes, changes_of
from core.keys import MAX_KEY, folded_key
from core.shapes import Json
from core.tables.cells import Cells, InvalidCell
from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused, shown
from core.tables.jsonlines import PART
from core.tables.table import Table, open_any
from projects.codebook.number_rules import forget_rules
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shared_reports import KIND, SCALE, has_order, why_fixed
from projects.codebook.versions import store_version
from projects.final_rules import initial_rule
from projects.imports.import_lock import acquire_import_lock
from projects.imports.protocol import BY_NOBODY, CheckedFile, ImportContext, ImportResult, dry_run
from projects.imports.read_options import FilePreview, ReadOptions
from projects.models import MAX_TEXT, Category, Project, Question
from projects.refusals import ProjectClosed

COLUMNS = ("question", "prompt", "kind", "scale", "labels", "label_meanings")
MOST = 500
# The number of questions shown before importing.
FIRST = 10
# Also used by PostgreSQL, where \d might match digits of other scripts.
NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_VALUED = {Question.Level.INTERVAL, Question.Level.RATIO}


@dataclass(frozen=True, slots=True)
class DeclaredQuestion:
    """A question as declared in a file. categories: (key, name) in order."""

    line: int
    key: str
    prompt: str
    kind: str
    level: str
    categories: tuple[tuple[str, str], ...]


def value_of(key: str, level: str) -> float | None:
    """Return the number that a category of a numeric scale represents."""
    return float(key) if level in _VALUED and NUMBER.fullmatch(key) else None


class QuestionFile:
    def __init__(
        self, project: Project, source: Source, options: ReadOptions, how: ImportContext = BY_NOBODY, /
    ) -> None:
        self.project, self.source, self.options = project, source, options

    def refuse(self, digest: str) -> None:
        """Refuse nothing: importing the same codebook again changes nothing, and may be wanted."""

    def check(self) -> CheckedFile:
        done, faults = dry_run(self.load, nothing=ImportResult())
        return CheckedFile(done, faults, self._begins())

    def check_all(self) -> CheckedFile:
        return self.check()

    def load(self) -> ImportResult:
        faults = Faults()
        with transaction.atomic():
            acquire_import_lock(self.project)
            project = Project.objects.select_for_update(no_key=True).get(pk=self.project.pk)
            if project.is_closed or project.is_codebook_closed:
                closed = "project" if project.is_closed else "codebook of"
                raise ProjectClosed(f"The {closed} {project} is closed. Reopen it to import questions.")
            declared = _declared(self._opened(faults), faults)
            present = {
                question.key: question for question in project.questions.prefetch_related("categories")
            }
            _check_present(declared, present, self.options, faults)
            if faults:
                raise FileRefused(faults)
            imported = _write(project, declared, present)
            try:
                store_version(project)
            except CodebookRefused as refused:
                faults.add(0, "question", "", refused.code, str(refused))
                raise FileRefused(faults) from None
            return imported

    def _begins(self) -> Json:
        """Return the first questions as they would be declared, valid or not; {} if the columns differ."""
        faults = Faults()
        try:
            table = self._opened(faults)
            declared = _declared(table, faults)[:FIRST]
        except FileRefused:
            return {}
        rows = [[shown(cell) for cell in _described(question)] for question in declared]
        columns = [(name, "") for name in ("Question", "Prompt", "Answer type", "Scale", "Categories")]
        other = list(table.other_tables)
        return asdict(FilePreview(table.encoding, table.separator, columns, rows, table.sheet, other))

    def _opened(self, faults: Faults) -> Table:
        return open_any(self.source, faults, choices=self.options.choices, max_rows=MOST, is_strict=True)


def _described(question: DeclaredQuestion) -> list[str]:
    kind = dict(Question.Kind.choices).get(question.kind, question.kind)
    level = dict(Question.Level.choices).get(question.level, question.level)
    categories = [f"{key} ({name})" if name else key for key, name in question.categories]
    return [question.key, question.prompt, str(kind), str(level), ", ".join(categories)]


def _declared(table: Table, faults: Faults) -> list[DeclaredQuestion]:
    for column in table.columns:
        if column not in COLUMNS:
            rule = f"unknown column; expected {', '.join(COLUMNS)}"
            faults.add(1, column, "", "unknown_column", rule)
    for column in ("question",):
        if column not in table.columns:
            faults.add(1, column, "", "missing_column", f'the file has no column "{column}"')
    if faults:
        raise FileRefused(faults)
    declared = [
        _question(line, dict(zip(table.columns, cells, strict=True)), faults) for line, cells in table.rows
    ]
    first_line: dict[str, int] = {}
    by_folded: dict[str, str] = {}
    for question in declared:
        if first := first_line.get(question.key):
            faults.add(
                question.line, "question", question.key, "duplicate_question", f"already on line {first}"
            )
        elif other := by_folded.get(folded_key(question.key)):
            rule = f'differs from "{other}" on line {first_line[other]} only by case or Unicode form'
            faults.add(question.line, "question", question.key, "confusable_id", rule)
        first_line.setdefault(question.key, question.line)
        by_folded.setdefault(folded_key(question.key), question.key)
    return declared


def _question(line: int, row: dict[str, str], faults: Faults) -> DeclaredQuestion:
    _check(line, "question", row["question"], Cells(), faults)
    _check(line, "prompt", row.get("prompt", ""), Cells(limit=MAX_TEXT, may_be_empty=True), faults)
    level = row.get("scale") or Question.Level.NOMINAL
    if level not in Question.Level.values:
        rule = f"must be one of {', '.join(Question.Level.values)}"
        faults.add(line, "scale", level, "bad_scale", rule)
    kind = row.get("kind") or (Question.Kind.SINGLE if row.get("labels") else Question.Kind.NUMBER)
    if kind not in Question.Kind.values:
        rule = f"must be one of {', '.join(Question.Kind.values)}"
        faults.add(line, "kind", kind, "bad_kind", rule)
    if kind == Question.Kind.TEXT and level != Question.Level.NOMINAL:
        faults.add(line, "scale", level, "bad_scale", "a text question has no scale; leave it empty")
    keys = row["labels"].split(PART) if row.get("labels") else []
    names = row["label_meanings"].split(PART) if row.get("label_meanings") else [""] * len(keys)
    _check_categories(line, kind, keys, names, faults)
    return DeclaredQuestion(
        line, row["question"], row.get("prompt", ""), kind, level, tuple(zip(keys, names, strict=False))
    )


def _check_categories(line: int, kind: str, keys: list[str], names: list[str], faults: Faults) -> None:
    if len(names) != len(keys):
        rule = f"{len(names)} meanings for {len(keys)} labels"
        faults.add(line, "label_meanings", PART.join(names), "label_meanings", rule)
    if keys and kind in (Question.Kind.NUMBER, Question.Kind.TEXT):
        faults.add(line, "labels", PART.join(keys), "bad_kind", f"a {kind} question can’t have categories")
    for key in keys:
        _check(line, "labels", key, Cells(), faults)
    for name in names:
        _check(line, "label_meanings", name, Cells(limit=MAX_KEY, may_be_empty=True), faults)
    if len({folded_key(key) for key in keys}) < len(keys):
        faults.add(line, "labels", PART.join(keys), "duplicate_category", "duplicate category")


def _check_values(declared: DeclaredQuestion, known: Question | None, faults: Faults) -> None:
    """Check that values differ: reports position the categories of a numeric scale by value."""
    if declared.level not in _VALUED:
        return
    values = {category.key: category.value for category in known.categories.all()} if known else {}
    values |= {key: value_of(key, declared.level) for key, _ in declared.categories if NUMBER.fullmatch(key)}
    first: dict[float, str] = {}
    for key, value in values.items():
        if value is not None and first.setdefault(value, key) != key:
            rule = f'has the same value as "{first[value]}"'
            faults.add(declared.line, "labels", key, "equal_values", rule)


def _check(line: int, column: str, text: str, cells: Cells, faults: Faults) -> None:
    try:
        cells.checked(text)
    except InvalidCell as bad:
        faults.add(line, column, text, bad.code, bad.rule)


def _check_present(
    declared: list[DeclaredQuestion], present: dict[str, Question], options: ReadOptions, faults: Faults
) -> None:
    by_folded = {folded_key(key): key for key in present}
    for question in declared:
        known = present.get(question.key)
        if known and _is_equal(question, known):
            continue
        _check_values(question, known, faults)
        if known is None:
            if other := by_folded.get(folded_key(question.key)):
                _add_alike(question.line, "question", question.key, other, faults)
            continue
        _check_alike(question, known, faults)
        _check_merged(question, known, faults)
        if not options.replace:
            rule = "already exists with a different definition; to replace it, select “Overwrite existing values”"
            faults.add(question.line, "question", question.key, "question_exists", rule)
        elif known.kind != question.kind and known.labels.exists():
            rule = f"has labels, so its answer type can’t change from {known.get_kind_display().lower()}"
            faults.add(question.line, "kind", question.kind, "question_has_labels", rule)
        else:
            _check_shared(question, known, faults)


def _check_alike(declared: DeclaredQuestion, known: Question, faults: Faults) -> None:
    present = {category.key for category in known.categories.all()}
    by_folded = {folded_key(key): key for key in present}
    for key, _ in declared.categories:
        if key not in present and (other := by_folded.get(folded_key(key))):
            _add_alike(declared.line, "labels", key, other, faults)


def _add_alike(line: int, column: str, key: str, other: str, faults: Faults) -> None:
    rule = f'differs from "{other}" in the project only by case or Unicode form; use the same spelling'
    faults.add(line, column, key, "confusable_id", rule)


def _check_shared(declared: DeclaredQuestion, known: Question, faults: Faults) -> None:
    """Check that kind and scale stay as they are if a report that depends on them was shared."""
    if declared.kind != known.kind and (why := why_fixed(known, KIND)):
        faults.add(declared.line, "kind", declared.kind, "not_correctable", why)
    elif declared.level != known.level and (why := why_fixed(known, SCALE)):
        faults.add(declared.line, "scale", declared.level, "not_correctable", why)
    elif _moves(declared, known) and (why := why_fixed(known, SCALE)):
        keys = PART.join(key for key, _ in declared.categories)
        faults.add(declared.line, "labels", keys, "not_correctable", why)


def _moves(declared: DeclaredQuestion, known: Question) -> bool:
    """Return whether existing categories get another order or value, on a scale where that matters."""
    present = {category.key: category.value for category in known.categories.all()}
    order = [key for key, _ in declared.categories if key in present]
    rest = [key for key in present if key not in order]
    values = {key: value_of(key, declared.level) for key in order}
    has_other_values = any(values[key] not in (None, present[key]) for key in order)
    return has_order(known) and ([*order, *rest] != list(present) or has_other_values)


def _check_merged(declared: DeclaredQuestion, known: Question, faults: Faults) -> None:
    merged = Category.with_merged.filter(question=known, merged_into__isnull=False)
    gone = dict(merged.values_list("key", "merged_into__key"))
    for key, _ in declared.categories:
        if key in gone:
            faults.add(declared.line, "labels", key, "merged_category", f"was merged into “{gone[key]}”")


def _is_equal(declared: DeclaredQuestion, known: Question) -> bool:
    categories = tuple((category.key, category.name) for category in known.categories.all())
    return (declared.prompt, declared.kind, declared.level, declared.categories) == (
        known.prompt,
        known.kind,
        known.level,
        categories,
    )


def _write(project: Project, declared: list[DeclaredQuestion], present: dict[str, Question]) -> ImportResult:
    n_created = 0
    all_changes: dict[str, Changes] = {}
    position = project.questions.aggregate(last=Max("position"))["last"] or 0
    for place, question in enumerate(declared, start=1):
        known = present.get(question.key)
        if known and _is_equal(question, known):
            continue
        fields = {"prompt": question.prompt, "kind": question.kind, "level": question.level}
        if known is None:
            known = Question(
                project=project,
                key=question.key,
                position=position + place,
                final_rule=initial_rule(question.kind, question.level),
                **fields,
            )
            known.save()
            _write_categories(known, question)
            n_created += 1
            continue
        changes = changes_of(known, fields)
        for name, value in fields.items():
            setattr(known, name, value)
        if known.kind != Question.Kind.NUMBER:
            forget_rules(known)
        if known.kind != Question.Kind.TEXT:
            known.max_length = None
        known.save()
        all_changes[question.key] = changes | _write_categories(known, question)
    n_changed = len(all_changes)
    n_unchanged = len(declared) - n_created - n_changed
    return ImportResult(n_created, n_changed, n_unchanged, questions=all_changes)


def _write_categories(question: Question, declared: DeclaredQuestion) -> Changes:
    """Write the declared categories first, in order, followed by the other existing ones.

    Returns the changes: "name of CATEGORY", "value of CATEGORY", and "categories" if one is new or moves.
    """
    names = dict(declared.categories)
    present = {category.key: category for category in question.categories.all()}
    order = [*names, *(key for key in present if key not in names)]
    changes: Changes = {}
    for position, key in enumerate(order):
        category = present.get(key) or Category(question=question, key=key)
        fields: dict[str, object] = {"name": names.get(key, category.name)}
        if (value := value_of(key, declared.level)) is not None:
            fields["value"] = value
        if category.pk:
            changes |= {f"{name} of {key}": each for name, each in changes_of(category, fields).items()}
        for name, new in fields.items():
            setattr(category, name, new)
        category.position = position
        category.save()
    if order != list(present):
        changes["categories"] = {"old": list(present), "new": order}
    return changes
