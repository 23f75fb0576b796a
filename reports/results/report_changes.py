"""What has changed since a report, or between two reports: labels, codebook, program, and request."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection

from reports.analysis.question import QuestionJson
from reports.models import Report
from reports.sources.past_labels import deciders_of
from reports.sources.replaced_items import n_items_replaced
from reports.store.frozen_codebook import codebook_of

# Changes are counted only up to this number: there may be millions since.
MOST = 100_000
SINCE = """
SELECT question_id, change, count(*) FROM (
    SELECT question_id, change
    FROM raters_labelrevision
    WHERE question_id = ANY (%(questions)s)
        AND (%(rounds)s::bigint[] IS NULL OR batch_id = ANY (%(rounds)s))
        AND rater_id <> ALL (%(deciders)s)
        AND entry_id IN (
            SELECT id FROM core_historyentry
            WHERE project_id = %(head_project)s AND kind = 'R'
                AND (position > %(head_position)s OR position IS NULL)
                AND (%(until)s::bigint IS NULL OR position <= %(until)s)
        )
    LIMIT %(most)s
) since
GROUP BY question_id, change"""
WORDS = {"I": "added", "U": "changed", "D": "withdrawn"}


@dataclass(frozen=True, slots=True)
class ChangesBetweenReports:
    """Sentences, each about one thing that differs in the later reading."""

    labels: list[str]
    items: list[str]
    codebook: list[str]
    program: list[str]
    asked: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        return [*self.labels, *self.items, *self.codebook, *self.program, *self.asked]


def changes_since(report: Report) -> ChangesBetweenReports:
    """Return the changes between a finished report and now."""
    return ChangesBetweenReports(
        list(_labels(report, None)),
        list(_items(n_items_replaced(report))),
        list(_codebook(report.codebook["questions"], codebook_of(report)["questions"])),
        list(_program(report.code_version, settings.VERSION)),
    )


def changes_between(before: Report, after: Report) -> ChangesBetweenReports:
    """Return the changes between two finished reports on the same questions and rounds."""
    return ChangesBetweenReports(
        list(_labels(before, after.head.position)),
        list(_items(n_items_replaced(before, until=after.started_at))),
        list(_codebook(before.codebook["questions"], after.codebook["questions"])),
        list(_program(before.code_version, after.code_version)),
        list(_option_changes(before, after)),
    )


def report_before(report: Report) -> Report | None:
    """Return the last report finished earlier with the same questions and rounds."""
    earlier = report.project.reports.filter(
        scope=report.scope, state=Report.State.DONE, finished_at__lt=report.finished_at
    )
    return earlier.select_related("project", "asked_by").order_by("-finished_at").first()


def _labels(report: Report, until: int | None) -> Iterator[str]:
    questions = {question["id"]: question["key"] for question in report.codebook["questions"]}
    rounds = report.codebook["rounds"]
    params = {
        "questions": list(questions),
        "rounds": None if rounds is None else [round_["id"] for round_ in rounds],
        # Adjudicators' decisions do not affect reports.
        "deciders": list(deciders_of(report.project).values_list("pk", flat=True)),
        **report.head.params,
        "until": until,
        "most": MOST,
    }
    with connection.cursor() as cursor:
        cursor.execute(SINCE, params)
        found: dict[int, dict[str, int]] = {}
        for question, change, n in cursor.fetchall():
            found.setdefault(question, {})[change] = n
    is_more = sum(sum(counts.values()) for counts in found.values()) == MOST
    for question, counts in sorted(found.items()):
        changes = ", ".join(
            f"{word} {counts[change]:,}" for change, word in WORDS.items() if change in counts
        )
        yield f"{questions[question]}: labels {changes}{' or more' if is_more else ''}."


def _items(n: int) -> Iterator[str]:
    if n:
        yield f"{n:,} item{'' if n == 1 else 's'} replaced; earlier labels refer to the previous content."


def _codebook(then: list[QuestionJson], now: list[QuestionJson]) -> Iterator[str]:
    by_id = {question["id"]: question for question in now}
    for old in then:
        new = by_id.get(old["id"])
        if new is None:
            yield f"{old['key']}: the question was deleted."
            continue
        for name in ("key", "kind", "level"):
            if old[name] != new[name]:
                yield f"{old['key']}: {name} changed from {old[name]} to {new[name]}."
        yield from _categories(old, new)
        yield from _condition(old, new)


def _condition(old: QuestionJson, new: QuestionJson) -> Iterator[str]:
    then, now = old.get("asked_if"), new.get("asked_if")
    if now and then != now:
        yield f"{old['key']}: {now['words'][:1].lower()}{now['words'][1:]}."
    elif then and not now:
        yield f"{old['key']}: now always asked."


def _categories(old: QuestionJson, new: QuestionJson) -> Iterator[str]:
    then = {category["id"]: category for category in old["categories"]}
    now = {category["id"]: category for category in new["categories"]}
    for pk, category in then.items():
        if pk not in now and pk not in _missing_ids(new):
            yield f"{old['key']}: category {category['key']} was deleted or merged."
            continue
        if pk not in now:
            continue
        changed = [name for name in ("key", "name", "value") if category[name] != now[pk][name]]
        if changed:
            yield f"{old['key']}: {' and '.join(changed)} of category {category['key']} changed."
    for pk, category in now.items():
        if pk not in then and pk not in _missing_ids(old):
            yield f"{old['key']}: category {category['key']} was added."
    yield from _missing(old, new)
    both = then.keys() & now.keys()
    if [pk for pk in then if pk in both] != [pk for pk in now if pk in both]:
        yield f"{old['key']}: the order of the categories changed."


def _missing_ids(question: QuestionJson) -> dict[int, str]:
    found = question.get("missing")
    return {category["id"]: category["key"] for category in found["categories"]} if found else {}


def _missing_values(question: QuestionJson) -> set[float]:
    found = question.get("missing")
    return set(found["values"]) if found else set()


def _missing(old: QuestionJson, new: QuestionJson) -> Iterator[str]:
    """Yield what is newly treated as missing, and what no longer is."""
    then = _missing_ids(old).items() | {(value, f"{value:.15g}") for value in _missing_values(old)}
    now = _missing_ids(new).items() | {(value, f"{value:.15g}") for value in _missing_values(new)}
    for _, key in sorted(now - then):
        yield f"{old['key']}: {key} is now treated as missing."
    for _, key in sorted(then - now):
        yield f"{old['key']}: {key} is no longer treated as missing."


def _program(then: str, now: str) -> Iterator[str]:
    if then != now:
        yield f"Software version: {then} → {now}."


def _option_changes(before: Report, after: Report) -> Iterator[str]:
    if before.options != after.options:
        then, now = (", ".join(report.chosen.words) or "defaults" for report in (before, after))
        yield f"Options: {then} → {now}."
