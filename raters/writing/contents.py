"""Counts of what is exported, taken before the download."""

from collections import Counter
from dataclasses import dataclass, field, replace

from core.tables.safe_cells import Cell
from core.tables.streamed_workbook import MAX_CELL
from projects.models import MediaFile
from raters.adjudication.rules import Origin
from raters.missing_codes import is_missing
from raters.writing.records import ExportKind, ExportQuestion, RaterRow
from raters.writing.scope import ExportScope
from raters.writing.source import IN_SCOPE, ITEMS, LiveLabels, reading

# Computing final labels takes about a second per million labels; above this number, it is not done in advance.
MOST_DECIDED = 200_000
# The longest SPSS string that is not split into several.
MAX_STRING = 255
LABELS = f"""
SELECT count(*) AS labels,
    count(*) FILTER (WHERE label.is_abstention) AS abstentions,
    count(*) FILTER (WHERE label.reason <> '') AS reasons,
    count(*) FILTER (WHERE label.note <> '') AS notes,
    count(*) FILTER (WHERE label.is_abstention AND label.question_id = ANY (%(sets)s)) AS set_abstentions,
    count(*) FILTER (WHERE label.note <> '' AND label.is_abstention) AS abstaining_notes,
    count(label.seconds) AS seconds,
    count(label.confidence) AS confidences,
    count(*) FILTER (WHERE label.from_suggestion) AS suggestions,
    count(DISTINCT label.batch_id) AS rounds,
    count(DISTINCT label.guidelines_version) AS guidelines,
    count(label.number) FILTER (WHERE NOT {is_missing("label")}) AS numbers,
    count(*) FILTER (WHERE label.category_set = '{{}}') AS empty_sets,
    count(label.text) AS texts,
    count(*) FILTER (WHERE rater.kind <> 'human') AS of_others,
    count(*) FILTER (WHERE {is_missing("label")}) AS missing,
    count(*) FILTER (WHERE label.pass_number > 1 AND NOT {is_missing("label")} AND EXISTS (
        SELECT FROM raters_label earlier
        WHERE earlier.item_id = label.item_id AND earlier.question_id = label.question_id
            AND earlier.rater_id = label.rater_id AND earlier.pass_number < label.pass_number
            AND (%(rounds)s::bigint[] IS NULL OR earlier.batch_id = ANY (%(rounds)s))
            AND NOT {is_missing("earlier")}
    )) AS repeats
FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
WHERE {IN_SCOPE}
"""  # noqa: S608
# Labels that a rater gave to an item together, but with different labeling times.
UNEVEN = f"""
SELECT coalesce(sum(n), 0) FROM (
    SELECT count(label.seconds) AS n
    FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
    WHERE {IN_SCOPE}
    GROUP BY label.item_id, label.rater_id, label.pass_number
    HAVING count(DISTINCT label.seconds) > 1 OR count(label.seconds) NOT IN (0, count(*))
) uneven
"""  # noqa: S608
_OF_ITEMS = f"""
SELECT count(*), count(*) FILTER (WHERE is_withdrawn),
    coalesce(sum((octet_length(key) > {MAX_STRING})::int), 0),
    coalesce(sum((SELECT count(*) FROM jsonb_array_elements(content) field
        WHERE length(field ->> 'value') > {MAX_CELL})), 0)
FROM ({ITEMS}) AS items (id, key, content, is_withdrawn)
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class ExportContents:
    """counts: of labels and what they carry, by name. is_counted: False if there are too many final labels to count."""

    scope: ExportScope
    raters: tuple[RaterRow, ...]
    columns: tuple[tuple[str, str, int], ...]
    fields: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    is_counted: bool = True
    # The same for a format that cannot hold texts, if there are any.
    of_no_texts: "ExportContents | None" = None

    @property
    def without_texts(self) -> "ExportContents":
        return self.of_no_texts or self

    @property
    def n(self) -> int:
        """The number of rows to be exported."""
        name = {ExportKind.LABELS: "labels", ExportKind.FINAL: "finals", ExportKind.ITEMS: "items"}[
            self.scope.what
        ]
        return self.counts[name]

    @property
    def questions(self) -> tuple[ExportQuestion, ...]:
        return self.scope.questions

    @property
    def models(self) -> list[RaterRow]:
        return [rater for rater in self.raters if rater.is_model]

    @property
    def references(self) -> list[RaterRow]:
        return [rater for rater in self.raters if rater.is_reference]


def contents_of(scope: ExportScope) -> ExportContents:
    """Count what is in the scope, and also without texts."""
    with reading(scope) as live:
        found = contents_in(live)
    if scope.what is not ExportKind.LABELS or not scope.has_texts:
        return found
    return replace(found, of_no_texts=contents_of(scope.without_texts()))


def contents_in(live: LiveLabels) -> ExportContents:
    scope = live.scope
    counts = Counter[str]()
    raters: tuple[RaterRow, ...] = ()
    columns: tuple[tuple[str, str, int], ...] = ()
    is_counted = True
    [(counts["items"], counts["withdrawn"], counts["long_keys"], counts["long_texts"])] = (
        live.connection.execute(_OF_ITEMS, live.params).fetchall()
    )
    counts["media"] = MediaFile.objects.filter(project=scope.project).count()
    if scope.what is not ExportKind.ITEMS:
        cursor = live.connection.execute(LABELS, live.params)
        [row] = cursor.fetchall()
        counts.update({column.name: n for column, n in zip(cursor.description or (), row, strict=True)})
    if scope.what is ExportKind.LABELS:
        [(counts["uneven"],)] = live.connection.execute(UNEVEN, live.params).fetchall()
        raters, columns = tuple(live.raters()), tuple(live.columns())
    if scope.what is ExportKind.FINAL:
        is_counted = counts["labels"] <= MOST_DECIDED
        if is_counted:
            counts.update(_finals(live))
    return ExportContents(scope, raters, columns, tuple(live.field_names()), counts, is_counted)


def _finals(live: LiveLabels) -> Counter[str]:
    found = Counter[str]()
    for row in live.finals():
        found["finals"] += 1
        if row.is_missing:
            found["missing_decisions"] += 1
            continue
        if row.value is None:
            open_ones = {Origin.NONE, Origin.NOT_ASKED}
            found["undecided" if row.origin in open_ones else "cannot_tell"] += 1
            continue
        found["with_value"] += 1
        found["final_numbers"] += isinstance(row.value, float)
        found["final_reasons"] += _is_filled(row.cells["reason"])
        found["final_notes"] += _is_filled(row.cells["note"])
    return found


def _is_filled(cell: Cell) -> bool:
    return cell not in (None, "")
