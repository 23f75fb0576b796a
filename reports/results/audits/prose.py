"""The paragraph about an audit for a methods section, and its references."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from core.templatetags.shown import count
from raters.audits.judging import JudgmentState
from raters.models import Audit
from reports.plans.audit_plan_tables import percent
from reports.results.audits.audit_results import EvaluatedAudit
from reports.results.audits.wording import DIVISIONS, division_name
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
        n_right = sum(each.state is JudgmentState.RIGHT for each in reviewed)
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
