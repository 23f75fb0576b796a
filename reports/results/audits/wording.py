"""What pages say of the result of an audit, in words and formatted figures."""

from collections.abc import Sequence

from core.templatetags.shown import count, figure, in_percent
from raters.audits.population import GIVEN, OF_ITEM, OF_RATER, RATER, ROUND
from reports.agreement.audits.estimates import Share
from reports.analysis.audit_analysis import AuditResult
from reports.plans.audit_plan_tables import estimated_percent
from reports.results.audits.audit_results import EvaluatedAudit, ReviewedDifferences, confidence_of
from reports.results.prose_words import capitalized

DIVISIONS = {GIVEN: "Given label", RATER: "Rater", ROUND: "Round"}
REASONS = {
    "no_labels": "nothing audited yet",
    "stratum_not_drawn": "a stratum has no audited labels yet",
    "single_unit": "a stratum has only one audited unit, so there is no CI",
    "auditors_differ": "auditors differ on half of the labels or more",
    "errors_exceed": "the errors of auditors explain more than all wrong labels",
    "not_two_categories": "it requires a question with two categories",
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
        return estimated_percent(share.value), REASONS.get(share.reason, share.reason)
    return estimated_percent(
        share.value
    ), f"[{estimated_percent(share.low)}, {estimated_percent(share.high)}]"


def verdict_of(read: EvaluatedAudit) -> str:
    """Return the main result as a sentence."""
    result = read.result
    if not result.n_audited:
        return "Nothing is audited yet."
    level = in_percent(f"{100 * confidence_of(read.audit):.0f}")
    value, limits = shown_share(result.share)
    estimate = f"{value} of {count(result.n_population)} labels are wrong"
    if result.n_audited < result.n_population:
        estimate = f"an estimated {estimate}"
    estimate += f" ({level} CI {limits})." if result.share.low is not None else f" ({limits})."
    decision = result.decision
    if decision is None:
        return capitalized(estimate) if result.n_audited == len(read.labels) else f"So far: {estimate}"
    if decision.n == result.n_audited:
        return f"{decision_in_words(read)} {capitalized(estimate)}"
    are = "is" if result.n_wrong == 1 else "are"
    audited = f"Of all {count(result.n_audited)} audited labels, {count(result.n_wrong)} {are} wrong"
    return f"{decision_in_words(read)} {audited}; {estimate}"


def decision_in_words(read: EvaluatedAudit) -> str:
    decision = read.result.decision
    if decision is None:
        return ""
    are = "is" if decision.n_wrong == 1 else "are"
    n = count(decision.n)
    # The plan may have decided before the last audited label.
    audited = f"the first {n}" if decision.n < read.result.n_audited else n
    of = f"{count(decision.n_wrong)} of {audited} audited labels {are} wrong"
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


def in_whole_numbers(numbers: Sequence[float], total: int) -> list[int]:
    """Return the numbers as whole ones with this sum: down, and up where the fractions are largest."""
    whole = [int(number + 1e-9) for number in numbers]
    by_fraction = sorted(range(len(numbers)), key=lambda place: whole[place] - numbers[place])
    for place in by_fraction[: total - sum(whole)]:
        whole[place] += 1
    return whole


def reviews_in_words(differences: ReviewedDifferences) -> str:
    """Return what reviewers decided, and how many differences nobody reviewed."""
    n = differences.n_reviewed
    if not differences.n:
        return "none"
    found = f"{count(differences.n)}: {count(n)} reviewed"
    if n:
        found += f" (given label right on {count(differences.n_found_right)}, wrong on "
        found += f"{count(n - differences.n_found_right)})"
    if differences.n_unreviewed:
        found += f", {count(differences.n_unreviewed)} not reviewed (audited label taken to be right)"
    return found


def twice_in_words(result: AuditResult, items: str) -> str:
    """Return how often two auditors agreed. items: how many they labeled, as a phrase."""
    sentence = f"Two auditors labeled {items} and "
    if result.n_twice_different:
        return f"{sentence}differed on {count(result.n_twice_different)}"
    return f"{sentence}agreed on {'it' if result.n_twice == 1 else 'all of them'}"


def reliability_in_words(read: EvaluatedAudit) -> str:
    result = read.result
    if not result.n_twice:
        return ""
    value, limits = shown_share(result.corrected)
    items = f"{count(result.n_twice)} item{'' if result.n_twice == 1 else 's'}"
    sentence = f"{twice_in_words(result, items)}."
    if result.corrected.reason == "not_two_categories":
        return sentence
    if result.corrected.value is None:
        return f"{sentence} The error rate by single auditors can’t be corrected for their errors: {limits}."
    return (
        f"{sentence} By single auditors, before decisions and reviews, and corrected for their errors, {value} of the "
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
