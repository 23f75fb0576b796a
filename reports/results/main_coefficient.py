"""The coefficient that leads, by the choice of the project."""

from projects.thresholds import CoefficientChoice
from reports.models import QuestionAgreement

WEIGHTED = {
    CoefficientChoice.GWET_AC1: "gwet_ac2",
    **{
        name: f"{name}_weighted"
        for name in (
            CoefficientChoice.FLEISS_KAPPA,
            CoefficientChoice.CONGER_KAPPA,
            CoefficientChoice.LIGHT_KAPPA,
            CoefficientChoice.BRENNAN_PREDIGER,
            CoefficientChoice.PERCENT_AGREEMENT,
        )
    },
}


def main_coefficient(agreement: QuestionAgreement) -> str:
    """The coefficient of the project's choice, with the weights of the report if it has a weighted form."""
    chosen = CoefficientChoice(agreement.report.project.coefficient)
    weighted = WEIGHTED.get(chosen, "")
    if agreement.report.chosen.is_weighted and weighted in agreement.coefficients:
        return weighted
    return str(chosen)
