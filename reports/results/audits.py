"""The result of an audit, computed from its labels as they are now, and what is said of it."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from core.templatetags.shown import count, figure, in_percent
from projects.attributes import in_words
from projects.events import record
from projects.models import Event, Question
from raters.audits.judging import Judged, RawAnswers, State, is_alike, judged_labels, raw_answers
from raters.audits.population import GIVEN, NONE, OF_ITEM, OF_RATER, RATER, ROUND
from raters.models import Audit, AuditCertificate
from raters.models.audits import Value, words_of
from reports.agreement.audits.estimates import Share
from reports.agreement.audits.plans import Look, Plan
from reports.analysis.audits import MOST_CATEGORIES, AuditLabels, AuditResult, analyze_audit
from reports.plans.audit_shown import percent
from reports.results.bibliography import cited_together, reference

FORMAT = 1
DIVISIONS = {GIVEN: "Given label", RATER: "Rater", ROUND: "Round"}
REASONS = {
    "no_labels": "nothing audited yet",
    "stratum_not_drawn": "a stratum has no audited labels yet",
    "single_unit": "a stratum has only one audited unit, so there is no CI",
    "auditors_differ": "auditors differ on half of the labels or more",
    "errors_exceed": "the errors of auditors explain more than all wrong labels",
    "not_two_categories": "it takes a question with two categories",
    "few_labels": "fewer than 10 labels, so no CI",
    "no_variation": "all labels are the same",
    "design": "no CI for this sampling design",
    "no_interval": "no CI",
}


@dataclass(frozen=True, slots=True, eq=False)
class AuditRead:
    """An audit with its labels as judged now, and the result for them."""

    audit: Audit
    labels: Sequence[Judged]
    result: AuditResult

    @property
    def plan(self) -> Plan | None:
        return plan_of(self.audit)

    @property
    def n_items(self) -> int:
        return len({each.row.item_id for each in self.labels})

    @property
    def n_to_review(self) -> int:
        return sum(each.is_to_review for each in self.labels)

    @property
    def n_undecided(self) -> int:
        return sum(each.state is State.UNDECIDED for each in self.labels)

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to audit: all of the sample is judged, or the plan has decided."""
        decision = self.result.decision
        if decision is not None:
            return decision.accepts is not None
        return self.result.n_audited == len(self.labels)


def plan_of(audit: Audit) -> Plan | None:
    looks = audit.plan.get("looks")
    return None if not looks else Plan(tuple(Look(*look) for look in looks))


def read_audit(audit: Audit) -> AuditRead:
    labels = judged_labels(audit)
    return AuditRead(
        audit,
        labels,
        analyze_audit(_arrays(audit, labels), plan=plan_of(audit), confidence=confidence_of(audit)),
    )


def confidence_of(audit: Audit) -> float:
    return float(audit.plan.get("confidence", 0.95))


def _arrays(audit: Audit, labels: Sequence[Judged]) -> AuditLabels:
    units = np.array([each.row.unit for each in labels], dtype=np.int64)
    strata = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
    strata[units] = [each.row.stratum for each in labels]
    categories = _categories(audit.question)
    places = {key: place for place, key in enumerate(categories)}
    answers = raw_answers(audit)
    return AuditLabels(
        wrong=np.array(
            [-1 if each.state in {State.PENDING, State.UNDECIDED} else int(each.is_wrong) for each in labels],
            dtype=np.int64,
        ),
        unit=units,
        stratum=strata,
        sizes=np.array([each["size"] for each in audit.strata], dtype=np.int64),
        n_labels=np.array([each["n_labels"] for each in audit.strata], dtype=np.int64),
        severity=[each.severity for each in labels],
        categories=categories,
        given=_codes([each.given for each in labels], places),
        audited=_codes([_accepted(each) for each in labels], places),
        groups={by: _values(by, labels) for by in divisions_in(audit)},
        group_sizes=_group_sizes(audit),
        raw=np.array(
            [_raw(each, answers, audit.question.tolerance or 0.0) for each in labels], dtype=np.int64
        ),
        twice=(answers.n_twice, answers.n_different),
    )


def _raw(label: Judged, answers: RawAnswers, tolerance: float) -> int:
    answer = answers.first.get(label.row.item_id)
    if label.state is State.PENDING or answer is None:
        return -1
    return int(not is_alike(label.given, answer, tolerance))


def _accepted(label: Judged) -> Value | None:
    """The label that counts as right: the given one if a reviewer said so."""
    return label.given if label.state is State.RIGHT else label.audited


def _categories(question: Question) -> list[str]:
    if question.kind != Question.Kind.SINGLE:
        return []
    found = list(question.compared_categories.values_list("key", flat=True))
    return found if len(found) <= MOST_CATEGORIES else []


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


def _values(by: str, labels: Sequence[Judged]) -> list[str]:
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


def division_name(by: str) -> str:
    """The name of a division for people: an attribute is called by its own name."""
    return DIVISIONS.get(by) or by.removeprefix(OF_RATER).removeprefix(OF_ITEM)


def shown_share(share: Share) -> tuple[str, str]:
    """Return value and interval as text; in place of the interval, the reason if there is none."""
    if share.value is None:
        return "–", REASONS.get(share.reason, share.reason)
    if share.low is None or share.high is None:
        return percent(share.value), REASONS.get(share.reason, share.reason)
    return percent(share.value), f"[{percent(share.low)}, {percent(share.high)}]"


def verdict_of(read: AuditRead) -> str:
    """Return the main result as a sentence."""
    result = read.result
    if not result.n_audited:
        return "Nothing is audited yet."
    level = in_percent(f"{100 * confidence_of(read.audit):.0f}")
    value, limits = shown_share(result.share)
    estimate = f"{value} of {count(result.n_population)} labels are wrong"
    estimate += f" ({level} CI {limits})." if result.share.low is not None else f" ({limits})."
    if result.decision is None:
        return estimate if result.n_audited == len(read.labels) else f"So far: {estimate}"
    return f"{decision_in_words(read)} {estimate}"


def decision_in_words(read: AuditRead) -> str:
    decision = read.result.decision
    if decision is None:
        return ""
    are = "is" if decision.n_wrong == 1 else "are"
    of = f"{count(decision.n_wrong)} of {count(decision.n)} audited labels {are} wrong"
    if decision.accepts is None:
        return f"Undecided: {of}."
    return f"{'Accept' if decision.accepts else 'Reject'}: {of}."


def expected_in_words(result: AuditResult) -> tuple[str, str]:
    """Return the number of wrong labels in the population, and its interval."""
    if result.n_expected is None:
        return "–", ""
    value, low, high = result.n_expected
    if low is None or high is None:
        return f"about {count(round(value))}", ""
    return f"about {count(round(value))}", f"[{count(int(low + 0.5))}, {count(int(high + 0.5))}]"


def reliability_in_words(read: AuditRead) -> str:
    result = read.result
    if not result.n_twice:
        return ""
    value, limits = shown_share(result.corrected)
    said = (
        f"Two auditors labeled {count(result.n_twice)} items and differ on {count(result.n_twice_different)}."
    )
    if result.corrected.reason == "not_two_categories":
        return said
    if result.corrected.value is None:
        return f"{said} The error rate by single auditors can’t be corrected for their errors: {limits}."
    return (
        f"{said} By single auditors, before decisions and reviews, and corrected for their errors, {value} of the "
        f"labels are wrong {limits}."
    )


EXACT, STRATA = ["Buonaccorsi 1987"], ["Yan & Su 2010", "Zou, Huang & Zhang 2009"]
ESTIMATED, CORRECTED, SEQUENTIAL = ["Cochran 1977"], ["Rogan & Gladen 1978"], ["Wald 1945"]


@dataclass(frozen=True, slots=True)
class AuditProse:
    """methods: the paragraph for a methods section. references: as in APA style, in alphabetical order."""

    methods: str
    references: Sequence[str]


def prose_of(read: AuditRead) -> AuditProse:
    works: set[str] = set()
    methods = " ".join(_methods(read, works))
    return AuditProse(methods, [reference(work) for work in sorted(works)])


def _methods(read: AuditRead, works: set[str]) -> Iterator[str]:
    """Yield the sentences, and add the works that they cite."""

    def cited(names: list[str]) -> str:
        works.update(names)
        return cited_together(names)

    audit, result = read.audit, read.result
    yield _sampled(audit)
    if result.n_audited < result.n_drawn:
        yield f"The first {count(result.n_audited)} of the drawn labels, in random order, were audited."
    seen = "were shown" if audit.shows_given else "were not shown"
    yield f"Auditors who had not labeled the items before labeled them again; they {seen} the given labels."
    if result.n_twice:
        twice = f"Two auditors labeled {count(result.n_twice)} of the items and differed on "
        twice += count(result.n_twice_different)
        if result.corrected.value is None:
            yield f"{twice}."
        else:
            yield (
                f"{twice}; the error rate by single auditors was also corrected for their errors, assuming that these "
                f"were equally frequent and independent ({cited(CORRECTED)})."
            )
    reviewed = [each for each in read.labels if each.is_reviewed]
    if reviewed:
        n_right = sum(each.state is State.RIGHT for each in reviewed)
        yield (
            "Where given and audited label differed or auditors could not tell, a reviewer decided "
            f"({count(len(reviewed))} label{'s' if len(reviewed) > 1 else ''}, {count(n_right)} found right)."
        )
    if result.is_exact:
        yield (
            "The confidence interval of the error rate is exact: it inverts two one-sided hypergeometric tests "
            f"({cited(EXACT)})."
        )
    else:
        yield (
            "The error rate was estimated by weighting each audited label with the inverse of its sampling "
            f"probability, with finite population correction ({cited(ESTIMATED)}); its confidence interval combines "
            f"Wilson intervals of the strata ({cited(STRATA)})."
        )
    if audit.plan.get("looks"):
        yield from _planned(audit, cited, is_stopped=result.n_audited < result.n_drawn)
    yield f"Computed with Interrater {settings.VERSION}."


def _sampled(audit: Audit) -> str:
    unit = "labels" if audit.unit == Audit.Unit.LABEL else "items"
    of = f"{count(audit.n_units)} {unit}"
    if audit.unit == Audit.Unit.ITEM:
        of += f" (with {count(audit.n_labels)} labels)"
    n_drawn = sum(each["drawn"] for each in audit.strata)
    if len(audit.strata) == 1:
        return f"A simple random sample of {count(n_drawn)} of {of} was drawn without replacement."
    how = {
        Audit.Allocation.PROPORTIONAL: "in proportion to their size",
        Audit.Allocation.EQUAL: "in equal numbers",
        Audit.Allocation.OPTIMAL: "by size and expected error rate",
    }[Audit.Allocation(audit.allocation)]
    by = division_name(audit.stratify_by)
    by = by.lower() if audit.stratify_by in DIVISIONS else f"“{by}”"
    return (
        f"A random sample of {count(n_drawn)} of {of} was drawn without replacement from {len(audit.strata)} strata by "
        f"{by}, {how}."
    )


def _planned(audit: Audit, cited: Callable[[list[str]], str], *, is_stopped: bool) -> Iterator[str]:
    plan = audit.plan
    is_sequential = plan["sampling"] == "sequential"
    of = f" ({cited(SEQUENTIAL)})" if is_sequential else ""
    good, bad, producer, consumer = (
        percent(plan[name]) for name in ("acceptable", "rejectable", "producer", "consumer")
    )
    yield (
        f"The labels were accepted or rejected by a {plan['sampling']} sampling plan{of} of at most "
        f"{count(plan['looks'][-1][0])} labels, which rejects labels with an error rate of {good} with a probability "
        f"of at most {producer}, and accepts labels with an error rate of {bad} with a probability of at most "
        f"{consumer}."
    )
    if plan["sampling"] != "single" or is_stopped:
        yield "The interval does not take the stopping rule into account."


def kappa_in_words(result: AuditResult) -> tuple[str, str] | None:
    """Return kappa of given and audited labels, and its interval or why there is none."""
    kappa = result.kappa
    if kappa is None:
        return None
    if kappa.value is None or kappa.low is None:
        reason = REASONS.get(kappa.reason, kappa.reason)
        return figure(kappa.value), f"{reason}:"
    return figure(kappa.value), f"[{figure(kappa.low)}, {figure(kappa.high)}]"


def design_json(audit: Audit) -> dict[str, Any]:
    return {
        "source": audit.source_name,
        "source_history": {"position": audit.source_position, "digest": audit.source_digest},
        "question": audit.question.key,
        "tolerance": audit.question.tolerance,
        "population": audit.population,
        "n_labels": audit.n_labels,
        "n_units": audit.n_units,
        "unit": audit.unit,
        "stratify_by": audit.stratify_by,
        "allocation": audit.allocation,
        "strata": audit.strata,
        "groups": audit.groups,
        "plan": audit.plan,
        "seed": audit.seed,
        "shows_given": audit.shows_given,
        "double_share": audit.double_share,
        "drawn_at": audit.drawn_at.isoformat(),
        # Null for an audit that was drawn on another server.
        "n_earlier_audits": None
        if audit.source_id is None
        else Audit.objects.filter(
            source=audit.source_id, question__key=audit.question.key, pk__lt=audit.pk
        ).count(),
    }


def label_json(label: Judged, strata: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    row = label.row
    return {
        "unit": row.unit,
        "item": row.item.key,
        "rater": row.rater,
        "round": row.round,
        "stratum": strata[row.stratum]["value"],
        "stratum_place": row.stratum,
        "probability": row.probability,
        "given": label.given,
        "audited": label.audited,
        "state": str(label.state),
        "verdict": row.verdict if label.is_reviewed else "",
        "severity": label.severity,
        "note": row.note if label.is_reviewed else "",
    }


def result_json(result: AuditResult) -> dict[str, Any]:
    """Return the result without the path, which follows from the labels."""
    return {name: value for name, value in asdict(result).items() if name != "path"}


def content_of(read: AuditRead) -> dict[str, Any]:
    """Return everything that a certificate is about, and from which it can be recomputed."""
    labels = [label_json(each, read.audit.strata) for each in read.labels]
    prose = prose_of(read)
    content = {
        "format": FORMAT,
        "interrater": settings.VERSION,
        "project": read.audit.project.name,
        "design": design_json(read.audit),
        "labels": labels,
        "result": result_json(read.result),
        "methods": prose.methods,
        "references": list(prose.references),
        "verdict": verdict_of(read),
    }
    return _without_names(content, read.audit)


def _without_names(content: dict[str, Any], audit: Audit) -> dict[str, Any]:
    """Replace the names of raters by numbers, since a certificate stays when a person is erased."""
    named = [label["rater"] for label in content["labels"]]
    of_groups = [group["value"] for group in audit.groups if group["by"] == RATER]
    numbers = {name: f"rater-{n}" for n, name in enumerate(dict.fromkeys([*named, *of_groups]), start=1)}
    design, result = dict(content["design"]), dict(content["result"])
    if design["population"].get("raters"):
        chosen = [numbers.get(name, "rater") for name in design["population"]["raters"]]
        design["population"] = design["population"] | {"raters": chosen}
    design["groups"] = [
        group | {"value": numbers[group["value"]]} if group["by"] == RATER else group
        for group in design["groups"]
    ]
    of_strata = numbers if audit.stratify_by == RATER else {}
    design["strata"] = [
        stratum | {"value": of_strata.get(stratum["value"], stratum["value"])} for stratum in design["strata"]
    ]
    labels = [
        label
        | {"rater": numbers[label["rater"]], "stratum": of_strata.get(label["stratum"], label["stratum"])}
        for label in content["labels"]
    ]
    result["groups"] = {
        by: [group | {"value": numbers[group["value"]]} for group in groups] if by == RATER else groups
        for by, groups in result["groups"].items()
    }
    return content | {"design": design, "labels": labels, "result": result}


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content as JSON with sorted keys, without spaces, in ASCII."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@transaction.atomic
def issue_certificate(audit: Audit, *, by: Any) -> AuditCertificate:
    """Store the result as it is now."""
    content = content_of(read_audit(audit))
    made = AuditCertificate.objects.create(audit=audit, content=content, issued_by=by)
    # The digest is of what the database returns: it writes some numbers in another way.
    made.refresh_from_db()
    made.digest = digest_of(made.content)
    made.save(update_fields=["digest"])
    record(Event.Kind.AUDIT_CERTIFIED, by=by, project=audit.project, about=made.digest)
    return made


class CertificateCheck:
    """What verifying a certificate found: whether it is unaltered, and whether the audit has changed since."""

    def __init__(self, certificate: AuditCertificate) -> None:
        self.certificate = certificate

    @cached_property
    def is_unaltered(self) -> bool:
        return digest_of(self.certificate.content) == self.certificate.digest

    @cached_property
    def is_current(self) -> bool:
        now = json.loads(json.dumps(content_of(read_audit(self.certificate.audit))))
        stored = self.certificate.content
        # A later version of the program may know more figures.
        return now["labels"] == stored["labels"] and all(
            now[part].get(name) == value
            for part in ("design", "result")
            for name, value in stored[part].items()
        )


def certificate_rows(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of a certificate, for page and PDF."""
    design, result = content["design"], content["result"]
    share = result["share"]
    rows = [
        (
            "What was audited",
            f"{design['n_labels']:,} labels of “{design['question']}” in {design['source']}",
        ),
        ("Sample", _sample_in_words(design, result)),
        ("Earlier audits of this question", _earlier(design["n_earlier_audits"])),
        ("Given labels", "shown to auditors" if design["shows_given"] else "not shown to auditors"),
        ("Wrong", f"{result['n_wrong']:,} of {result['n_audited']:,} audited labels"),
    ]
    if share["value"] is not None:
        limits = "" if share["low"] is None else f" [{percent(share['low'])}, {percent(share['high'])}]"
        level = in_percent(f"{100 * design['plan'].get('confidence', 0.95):.0f}")
        rows.append(("Error rate", f"{percent(share['value'])}{limits}, {level} CI"))
    if reviewed := [label for label in content["labels"] if label["verdict"]]:
        n_right = sum(label["verdict"] == "right" for label in reviewed)
        s = "" if len(reviewed) == 1 else "s"
        rows.append(("Reviewed", f"{len(reviewed):,} label{s}, {n_right:,} of them found right"))
    for each in result["severities"]:
        rows.append((f"{each['severity'].capitalize()} errors", f"{each['n']:,} of the audited labels"))
    if result["severities"] and result["n_without_severity"]:
        rows.append(("Errors without a severity", f"{result['n_without_severity']:,}"))
    if decision := result["decision"]:
        words = {True: "Accepted", False: "Rejected", None: "Undecided"}[decision["accepts"]]
        rows.append(
            ("Decision", f"{words} after {decision['n']:,} labels, {decision['n_wrong']:,} of them wrong")
        )
    return rows


def _sample_in_words(design: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    kind = "stratified random sample" if len(design["strata"]) > 1 else "simple random sample"
    n = sum(each["drawn"] for each in design["strata"])
    unit = "labels" if design["unit"] == "label" else "items"
    audited = f"{result['n_audited']:,} labels audited"
    return f"{kind} of {n:,} of {design['n_units']:,} {unit}, {audited}; seed {design['seed']}"


def _earlier(n: int | None) -> str:
    if n is None:
        return "unknown: drawn on another server, so the draw can’t be verified here"
    return f"{n:,}" if n else "none"
