"""The paragraph about an audit for a methods section, and its references."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from core.templatetags.shown import count
from raters.models import Audit
from reports.plans.audit_plan_tables import percent
from reports.results.audits.audit_results import EvaluatedAudit
from reports.results.audits.wording import DIVISIONS, division_name, twice_in_words
from reports.results.bibliography import cited_together, reference

EXACT, STRATA = ["Buonaccorsi 1987"], ["Yan & Su 2010", "Zou, Huang & Zhang 2009"]
ESTIMATED, CORRECTED, SEQUENTIAL = ["Cochran 1977"], ["Rogan & Gladen 1978"], ["Wald 1945"]


@dataclass(frozen=True, slots=True)
class AuditProse:
    """methods: the paragraph for a methods section. references: as in APA style, in alphabetical order."""

    methods: str
    references: Sequence[str]


def prose_of(read: EvaluatedAudit) -> AuditProse:
    works: set[str] = set()
    methods = " ".join(_methods(read, works))
    return AuditProse(methods, [reference(work) for work in sorted(works)])


def _methods(read: EvaluatedAudit, works: set[str]) -> Iterator[str]:
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
        twice = twice_in_words(result, f"{count(result.n_twice)} of the items")
        if result.corrected.value is None:
            yield f"{twice}."
        else:
            yield (
                f"{twice}; the error rate by single auditors was also corrected for their errors, assuming that these "
                f"were equally frequent and independent ({cited(CORRECTED)})."
            )
    yield from _reviewed(read)
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


def _reviewed(read: EvaluatedAudit) -> Iterator[str]:
    """Yield on how many labels given and audited label differed, what reviewers decided, and what nobody reviewed."""
    found = read.differences
    if not found.n:
        return
    labels = _counted(found.n, "label")
    could_not = " or auditors could not tell" if any(each.audited is None for each in read.counted) else ""
    differed = f"The given and the audited label differed{could_not} for {labels}"
    if not found.n_reviewed:
        were = "It was not reviewed" if found.n == 1 else "None of them was reviewed"
        yield f"{differed}. {were}, and the audited label was taken to be right."
        return
    if found.n == 1:
        yield f"{differed}; a reviewer found the given label {'right' if found.n_found_right else 'wrong'}."
    else:
        right = _counted(found.n_found_right, "case") if found.n_found_right else "no case"
        which = f"{count(found.n_reviewed)} of them" if found.n_unreviewed else "all of them"
        yield f"{differed}. Reviewers decided on {which} and found the given label right in {right}."
    if found.n_unreviewed:
        were = "other was" if found.n_unreviewed == 1 else f"other {count(found.n_unreviewed)} were"
        yield f"The {were} not reviewed, and the audited label was taken to be right."
    decision, unreviewed = read.result.decision, read.unreviewed_decision
    if decision is None or unreviewed is None or decision.accepts is unreviewed.accepts:
        return
    without = {True: "accepted the labels", False: "rejected the labels", None: "been undecided"}[
        unreviewed.accepts
    ]
    yield f"Without the review, the plan would have {without}."


def _counted(n: int, noun: str) -> str:
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


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
