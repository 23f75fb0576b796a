"""What pages say of the result of an audit, in words and formatted figures."""

from core.templatetags.shown import count, figure, in_percent
from raters.audits.population import GIVEN, OF_ITEM, OF_RATER, RATER, ROUND
from reports.agreement.audits.estimates import Share
from reports.analysis.audit_analysis import AuditResult
from reports.plans.audit_plan_tables import percent
from reports.results.audits.audit_results import EvaluatedAudit, confidence_of

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


def verdict_of(read: EvaluatedAudit) -> str:
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


def decision_in_words(read: EvaluatedAudit) -> str:
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


def reliability_in_words(read: EvaluatedAudit) -> str:
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


def kappa_in_words(result: AuditResult) -> tuple[str, str] | None:
    """Return kappa of given and audited labels, and its interval or why there is none."""
    kappa = result.kappa
    if kappa is None:
        return None
    if kappa.value is None or kappa.low is None:
        reason = REASONS.get(kappa.reason, kappa.reason)
        return figure(kappa.value), f"{reason}:"
    return figure(kappa.value), f"[{figure(kappa.low)}, {figure(kappa.high)}]"
