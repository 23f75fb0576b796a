"""Certificates of audits: their content as JSON, its digest, and whether they are current."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import transaction

from core.shapes import Json
from core.templatetags.shown import in_percent
from projects.events import record
from projects.models import Event
from raters.audits.judging import JudgedLabel
from raters.audits.population import RATER
from raters.models import Audit, AuditCertificate
from reports.analysis.audit_analysis import AuditResult
from reports.plans.audit_plan_tables import estimated_percent
from reports.results.audits.audit_results import (
    EvaluatedAudit,
    ReviewedDifferences,
    read_audit,
    reviewed_differences,
)
from reports.results.audits.prose import prose_of
from reports.results.audits.wording import reviews_in_words, verdict_of

FORMAT = 2
# What earlier formats computed in another way, so that it says nothing about changes of labels.
COMPUTED_OTHERWISE = {1: {"confusion"}}


def design_json(audit: Audit) -> Json:
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


def label_json(label: JudgedLabel, strata: Sequence[Mapping[str, Any]]) -> Json:
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


def result_json(result: AuditResult) -> Json:
    """Return the result without the path, which follows from the labels."""
    return {name: value for name, value in asdict(result).items() if name != "path"}


def review_json(found: ReviewedDifferences) -> Json:
    return {
        "n_different": found.n,
        "n_reviewed": found.n_reviewed,
        "n_found_right": found.n_found_right,
        "n_unreviewed": found.n_unreviewed,
    }


def content_of(read: EvaluatedAudit) -> Json:
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
        "review": review_json(read.differences),
    }
    return _without_names(content, read.audit)


def _without_names(content: Json, audit: Audit) -> Json:
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
        otherwise = COMPUTED_OTHERWISE.get(stored["format"], set())
        # A later version of the program may know more figures.
        return now["labels"] == stored["labels"] and all(
            now[part].get(name) == value
            for part in ("design", "result")
            for name, value in stored[part].items()
            if name not in otherwise
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
        limits = (
            ""
            if share["low"] is None
            else f" [{estimated_percent(share['low'])}, {estimated_percent(share['high'])}]"
        )
        level = in_percent(f"{100 * design['plan'].get('confidence', 0.95):.0f}")
        estimated = result["n_audited"] < result["n_population"]
        title = "Estimated error rate" if estimated else "Error rate"
        rows.append((title, f"{estimated_percent(share['value'])}{limits}, {level} CI"))
    counted = [label for label in content["labels"] if label["unit"] < result["n_units"]]
    differences = reviewed_differences((label["state"], label["verdict"]) for label in counted)
    rows.append(("Differences", reviews_in_words(differences)))
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
