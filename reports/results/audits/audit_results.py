"""The result of an audit, computed from its labels as they are now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from projects.attributes import in_words
from projects.models import Question
from raters.audits.judging import (
    JudgedLabel,
    JudgmentState,
    RawAnswers,
    is_same_value,
    judged_labels,
    merged_categories,
    raw_answers,
)
from raters.audits.population import GIVEN, NONE, OF_RATER, RATER, ROUND
from raters.models import Audit
from raters.models.audits import Value, words_of
from reports.agreement.audits.sampling_plans import InspectionPoint, SamplingPlan
from reports.analysis.audit_analysis import (
    MOST_CATEGORIES,
    AuditDecision,
    AuditLabels,
    AuditResult,
    analyze_audit,
    decided,
)


@dataclass(frozen=True, slots=True)
class ReviewedDifferences:
    """Labels that differ from the audited ones, or about which auditors could not tell; of those that count.

    n: in all. n_reviewed: with a verdict of a reviewer; without one, the audited label is taken to be right.
    n_found_right: given labels that reviewers found right.
    """

    n: int
    n_reviewed: int
    n_found_right: int

    @property
    def n_unreviewed(self) -> int:
        return self.n - self.n_reviewed


def reviewed_differences(labels: Iterable[tuple[str, str]]) -> ReviewedDifferences:
    """labels: the state and the verdict of each label that counts, "" for none."""
    found = [(state, verdict) for state, verdict in labels if verdict or state == JudgmentState.WRONG]
    reviewed = [state for state, verdict in found if verdict]
    return ReviewedDifferences(len(found), len(reviewed), reviewed.count(JudgmentState.RIGHT))


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedAudit:
    """An audit with its labels as judged now, and the result for them."""

    audit: Audit
    labels: Sequence[JudgedLabel]
    result: AuditResult

    @property
    def plan(self) -> SamplingPlan | None:
        return plan_of(self.audit)

    @property
    def n_items(self) -> int:
        return len({each.row.item_id for each in self.labels})

    @property
    def n_to_review(self) -> int:
        return sum(each.is_to_review for each in self.labels)

    @property
    def counted(self) -> Sequence[JudgedLabel]:
        """The labels that the result is based on."""
        return [each for each in self.labels if each.row.unit < self.result.n_units]

    @property
    def differences(self) -> ReviewedDifferences:
        return reviewed_differences(
            (each.state, each.row.verdict if each.is_reviewed else "") for each in self.counted
        )

    @property
    def unreviewed_decision(self) -> AuditDecision | None:
        """The decision if audited labels were always right; None without a plan, or if there is none of some item."""
        counted = self.counted
        if self.plan is None or any(each.audited is None for each in counted):
            return None
        return decided(self.plan, np.array([each.is_different for each in counted], dtype=bool))

    @property
    def n_undecided(self) -> int:
        return sum(each.state is JudgmentState.UNDECIDED for each in self.labels)

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to audit: all of the sample is judged, or the plan has decided."""
        decision = self.result.decision
        if decision is not None:
            return decision.accepts is not None
        return self.result.n_audited == len(self.labels)


def plan_of(audit: Audit) -> SamplingPlan | None:
    looks = audit.plan.get("looks")
    return None if not looks else SamplingPlan(tuple(InspectionPoint(*look) for look in looks))


def read_audit(audit: Audit) -> EvaluatedAudit:
    labels = judged_labels(audit)
    return EvaluatedAudit(
        audit,
        labels,
        analyze_audit(_arrays(audit, labels), plan=plan_of(audit), confidence=confidence_of(audit)),
    )


def confidence_of(audit: Audit) -> float:
    return float(audit.plan.get("confidence", 0.95))


def _arrays(audit: Audit, labels: Sequence[JudgedLabel]) -> AuditLabels:
    units = np.array([each.row.unit for each in labels], dtype=np.int64)
    strata = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
    strata[units] = [each.row.stratum for each in labels]
    categories = _categories(audit.question)
    places = {key: place for place, key in enumerate(categories)}
    answers = raw_answers(audit)
    return AuditLabels(
        wrong=np.array(
            [
                -1 if each.state in {JudgmentState.PENDING, JudgmentState.UNDECIDED} else int(each.is_wrong)
                for each in labels
            ],
            dtype=np.int64,
        ),
        unit=units,
        stratum=strata,
        sizes=np.array([each["size"] for each in audit.strata], dtype=np.int64),
        n_labels=np.array([each["n_labels"] for each in audit.strata], dtype=np.int64),
        severity=[each.severity for each in labels],
        categories=categories,
        given=_codes([each.given for each in labels], places),
        given_sizes=_given_sizes(audit, places),
        audited=_codes([_accepted(each) for each in labels], places),
        groups={by: _values(by, labels) for by in divisions_in(audit)},
        group_sizes=_group_sizes(audit),
        raw=np.array(
            [_raw(each, answers, audit.question.tolerance or 0.0) for each in labels], dtype=np.int64
        ),
        twice=(answers.n_twice, answers.n_different),
    )


def _raw(label: JudgedLabel, answers: RawAnswers, tolerance: float) -> int:
    answer = answers.first.get(label.row.item_id)
    if label.state is JudgmentState.PENDING or answer is None:
        return -1
    return int(not is_same_value(label.given, answer, tolerance))


def _accepted(label: JudgedLabel) -> Value | None:
    """The label that counts as right: the given one if a reviewer decided so."""
    return label.given if label.state is JudgmentState.RIGHT else label.audited


def _categories(question: Question) -> list[str]:
    if question.kind != Question.Kind.SINGLE:
        return []
    found = list(question.compared_categories.values_list("key", flat=True))
    return found if len(found) <= MOST_CATEGORIES else []


def _given_sizes(audit: Audit, places: Mapping[str, int]) -> np.ndarray:
    """Return the labels of the population given in each category of today's codebook; empty if they are unknown."""
    by_value = _group_sizes(audit).get(GIVEN, {})
    if not by_value:
        return np.empty(0, dtype=np.int64)
    found = np.zeros(len(places), dtype=np.int64)
    merged = merged_categories(audit.question)
    for key, n in by_value.items():
        place = places.get(merged.get(key, key))
        if place is not None:
            found[place] += n
    return found


def _codes(values: Sequence[Value | None], places: Mapping[str, int]) -> np.ndarray:
    return np.array(
        [places.get(each, -1) if isinstance(each, str) else -1 for each in values], dtype=np.int64
    )


def divisions_in(audit: Audit) -> list[str]:
    return list(dict.fromkeys(group["by"] for group in audit.groups))


def _group_sizes(audit: Audit) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for group in audit.groups:
        found.setdefault(group["by"], {})[group["value"]] = group["n_labels"]
    return found


def _values(by: str, labels: Sequence[JudgedLabel]) -> list[str]:
    if by == GIVEN:
        return [words_of(each.row.given) for each in labels]
    if by == RATER:
        return [each.row.rater for each in labels]
    if by == ROUND:
        return [each.row.round or NONE for each in labels]
    name = by.partition(":")[2]
    attributes = [
        each.row.rater_attributes if by.startswith(OF_RATER) else each.row.item.attributes for each in labels
    ]
    return [in_words(each[name]) if name in each else NONE for each in attributes]
