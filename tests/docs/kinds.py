"""What computes the examples of each kind."""

from tests.docs import all_raters, audits, designs, models, plans, strata, two_raters
from tests.docs.examples import Figures

KINDS: dict[str, Figures] = {
    "pair": two_raters.pair,
    "reference": two_raters.reference,
    "raters": all_raters.raters,
    "groups": all_raters.groups,
    "design": designs.design,
    "strata": strata.strata,
    "numbers": all_raters.numbers,
    "sets": all_raters.sets,
    "consensus": all_raters.consensus,
    "plan": plans.plan,
    "audit": audits.audit,
    "curve": plans.curve,
    "reading": plans.reading,
    "coverage": plans.coverage,
    "model": models.against,
    "shares": models.shares,
    "correction": models.correction,
    "labels": models.labels,
    "decisions": models.decisions,
}
