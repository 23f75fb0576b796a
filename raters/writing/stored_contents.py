"""The counts of what is exported: taken now or, of a large project, those last stored."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from core.shapes import Json
from projects.models import Project
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW, FigureFreshness, stored_figures
from raters.models import StoredFigures
from raters.writing.contents import ExportContents, contents_of
from raters.writing.records import ExportKind, RaterRow
from raters.writing.scope import ExportScope, scope_of


@dataclass(frozen=True, slots=True)
class ExportContentsContext:
    contents: ExportContents
    counted: FigureFreshness = NOW


def export_contents_context(scope: ExportScope, *, by: Any) -> ExportContentsContext:
    """Return the counts. Raises FiguresNotComputed."""
    if not is_large(scope.project):
        return ExportContentsContext(contents_of(scope))
    asked = {
        "what": scope.what,
        "questions": [question.pk for question in scope.questions],
        "rounds": None if scope.rounds is None else [round_.pk for round_ in scope.rounds],
    }
    stored = stored_figures(scope.project, StoredFigures.What.CONTENTS, asked, by=by)
    return ExportContentsContext(_of_json(scope, stored.result), stored.counted)


def contents_to_store(project: Project, asked: Json) -> Json:
    """Count what is in a scope, of which `asked` is the JSON."""
    rounds = asked["rounds"]
    scope = scope_of(
        project,
        ExportKind(asked["what"]),
        list(project.questions.filter(pk__in=asked["questions"])),
        None if rounds is None else list(project.rounds.filter(pk__in=rounds)),
    )
    return _as_json(contents_of(scope))


def _as_json(found: ExportContents) -> Json:
    return {
        "raters": found.raters,
        "columns": found.columns,
        "fields": found.fields,
        "counts": found.counts,
        "is_counted": found.is_counted,
        "of_no_texts": None if found.of_no_texts is None else _as_json(found.of_no_texts),
    }


def _of_json(scope: ExportScope, stored: Json) -> ExportContents:
    without = stored["of_no_texts"]
    return ExportContents(
        scope,
        tuple(RaterRow(*row) for row in stored["raters"]),
        tuple((question, rater, number) for question, rater, number in stored["columns"]),
        tuple(stored["fields"]),
        Counter(stored["counts"]),
        stored["is_counted"],
        None if without is None else _of_json(scope.without_texts(), without),
    )
