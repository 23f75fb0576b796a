"""Figures of audits for the examples; the data are named numbers."""

from reports.agreement.audits.designing import Risks, double_plan, sequential_plan, single_plan
from reports.agreement.audits.estimates import exact_share
from reports.agreement.audits.sample_sizes import needed_for_margin
from reports.agreement.audits.sampling_plans import InspectionPoint, SamplingPlan, performance
from tests.docs.examples import Data

DESIGNS = {"Single": single_plan, "Double": double_plan, "Sequential": sequential_plan}


def audit(data: Data, label: str) -> str:
    given = {key: float(words[0]) for key, words in data.keyed.items()}
    size = int(given["labels"]) if "labels" in given else None
    if label == "Labels to audit":
        return str(needed_for_margin(given["error rate"], given["margin"], size=size))
    if label == "Accepted":
        plan = SamplingPlan(
            (InspectionPoint(int(given["sample"]), int(given["accept"]), int(given["accept"]) + 1),)
        )
        return f"{100 * performance(plan, [given['error rate']], size=size).acceptance[0]:.2f}%"
    if label == "Interval":
        share = exact_share(int(given["wrong"]), int(given["audited"]), size=size)
        return f"{share.low:.4f} to {share.high:.4f}"
    risks = Risks(given["acceptable"], given["rejectable"], given["producer"], given["consumer"], size)
    return _described(DESIGNS[label](risks), risks)


def _described(plan: SamplingPlan, risks: Risks) -> str:
    """At most so many labels, and the average number at both rates."""
    found = performance(plan, risks.rates, size=risks.size)
    good, bad = found.acceptance
    mean_good, mean_bad = found.sample_number
    return (
        f"{plan.n_most} labels at most, {mean_good:.0f} and {mean_bad:.0f} on average; "
        f"accepts {100 * good:.1f}% and {100 * bad:.1f}%"
    )
