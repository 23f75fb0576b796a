"""What has changed since a report, or between two reports: labels, codebook, program, and request."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection

from reports.analysis.question import QuestionJson, RoundJson
from reports.models import QuestionAgreement, Report
from reports.sources.past_labels import deciders_of
from reports.sources.replaced_items import n_items_replaced
from reports.store.frozen_codebook import codebook_of

# Changes are counted only up to this number: there may be millions since.
MOST = 100_000
SINCE = """
SELECT question_id, batch_id, change, count(*) FROM (
    SELECT question_id, batch_id, change
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
GROUP BY question_id, batch_id, change"""
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
        list(_labels_since(report)),
        list(_items(n_items_replaced(report))),
        list(_codebook(report.codebook["questions"], codebook_of(report)["questions"])),
        list(_program(report.code_version, settings.VERSION)),
    )


def changes_between(before: Report, after: Report) -> ChangesBetweenReports:
    """Return the changes between two finished reports on the same questions and rounds."""
    return ChangesBetweenReports(
        list(_labels_between(before, after)),
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


@dataclass(frozen=True, slots=True)
class LabelChangesByRound:
    """by_round: for each question and round (None for no round), the number of labels by kind of change. is_more:
    whether only the first MOST changes were counted.
    """

    by_round: dict[int, dict[int | None, Counter[str]]]
    is_more: bool

    def in_round(self, question: int, round_: int | None) -> Counter[str]:
        """Return the changes in a round; in all rounds if it is None."""
        rounds = self.by_round.get(question, {})
        return sum((rounds[pk] for pk in rounds if round_ in (None, pk)), Counter())

    def elsewhere(self, question: int, round_: int | None) -> Counter[str]:
        """Return the changes in other rounds than this."""
        return self.in_round(question, None) - self.in_round(question, round_)

    def words(self, counts: Counter[str]) -> str:
        changes = ", ".join(f"{word} {counts[each]:,}" for each, word in WORDS.items() if each in counts)
        return f"labels {changes}{' or more' if self.is_more else ''}"


def _labels_since(report: Report) -> Iterator[str]:
    """Yield the changes of labels that the figures use, and those in rounds that they do not use."""
    found, results = _label_changes(report, None), _results(report)
    for question, key in sorted(_questions(report).items()):
        lead = _lead_in(results, question)
        round_ = None if lead is None else lead["id"]
        if counts := found.in_round(question, round_):
            yield f"{key}: {found.words(counts)}."
        if lead is not None and (counts := found.elsewhere(question, round_)):
            yield f"{key}: {found.words(counts)} in other rounds; the figures use “{lead['key']}”."


def _labels_between(before: Report, after: Report) -> Iterator[str]:
    """Yield how the labels of each question differ: not at all if their digests are equal."""
    found = _label_changes(before, after.head.position)
    then, now = _results(before), _results(after)
    for question, key in sorted(_questions(before).items()):
        first, second = _lead_in(then, question), _lead_in(now, question)
        round_, is_same = None if first is None else first["id"], _are_same_labels(then, now, question)
        has_moved = round_ != (None if second is None else second["id"])
        # If only one round had labels, it did not have to lead.
        if has_moved and not (is_same and None in (first, second)):
            yield f"{key}: now uses {_used(second)} instead of {_used(first)}."
        elif not is_same and (counts := found.in_round(question, round_)):
            yield f"{key}: {found.words(counts)}."


def _lead_in(results: dict[int, QuestionAgreement], question: int) -> RoundJson | None:
    return results[question].lead if question in results else None


def _are_same_labels(
    then: dict[int, QuestionAgreement], now: dict[int, QuestionAgreement], question: int
) -> bool:
    digests = {results[question].digest if question in results else "" for results in (then, now)}
    return len(digests) == 1 and digests != {""}


def _used(lead: RoundJson | None) -> str:
    return "all labels" if lead is None else f"round “{lead['key']}”"


def _results(report: Report) -> dict[int, QuestionAgreement]:
    return {row.question_id: row for row in report.questions.only("report", "question", "digest", "lead")}


def _questions(report: Report) -> dict[int, str]:
    return {question["id"]: question["key"] for question in report.codebook["questions"]}


def _label_changes(report: Report, until: int | None) -> LabelChangesByRound:
    rounds = report.codebook["rounds"]
    params = {
        "questions": list(_questions(report)),
        "rounds": None if rounds is None else [round_["id"] for round_ in rounds],
        # Adjudicators' decisions do not affect reports.
        "deciders": list(deciders_of(report.project).values_list("pk", flat=True)),
        **report.head.params,
        "until": until,
        "most": MOST,
    }
    with connection.cursor() as cursor:
        cursor.execute(SINCE, params)
        rows = cursor.fetchall()
    found: dict[int, dict[int | None, Counter[str]]] = {}
    for question, round_, change, n in rows:
        found.setdefault(question, {}).setdefault(round_, Counter())[change] = n
    return LabelChangesByRound(found, sum(n for *_, n in rows) == MOST)


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
