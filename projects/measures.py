"""The measures that a lead can choose for a question: coefficients, weights, and criteria that fit its scale.

`reports.analysis.measure` determines the defaults; a test keeps the two consistent.
"""

from collections.abc import Sequence

from django.db import models


class QuestionCoefficient(models.TextChoices):
    KRIPPENDORFF_ALPHA = "krippendorff_alpha", "Krippendorff’s alpha"
    FLEISS_KAPPA = "fleiss_kappa", "Fleiss’ kappa"
    COHEN_KAPPA = "cohen_kappa", "Cohen’s kappa (two raters)"
    CONGER_KAPPA = "conger_kappa", "Conger’s kappa"
    LIGHT_KAPPA = "light_kappa", "Light’s kappa (mean pairwise Cohen’s kappa)"
    GWET_AC1 = "gwet_ac1", "Gwet’s AC1 (AC2 with weights)"
    BRENNAN_PREDIGER = "brennan_prediger", "Brennan–Prediger"
    PERCENT_AGREEMENT = "percent_agreement", "Percent agreement"
    KRIPPENDORFF_ALPHA_JACCARD = (
        "krippendorff_alpha_jaccard",
        "Krippendorff’s alpha with the Jaccard distance",
    )
    ICC_A_1 = "icc_a_1", "ICC(A,1): absolute agreement"
    ICC_C_1 = "icc_c_1", "ICC(C,1): consistency"
    ICC_1_1 = "icc_1_1", "ICC(1,1): raters who differ from item to item"
    KENDALL_W = "kendall_w", "Kendall’s W"


class QuestionWeights(models.TextChoices):
    UNWEIGHTED = "unweighted", "Unweighted"
    LINEAR = "linear", "Linear weights"
    QUADRATIC = "quadratic", "Quadratic weights"
    ORDINAL = "ordinal", "Ordinal weights"
    RADICAL = "radical", "Radical weights"
    RATIO = "ratio", "Ratio weights"
    CIRCULAR = "circular", "Circular weights"
    BIPOLAR = "bipolar", "Bipolar weights"


_C, _W = QuestionCoefficient, QuestionWeights
_ALPHA = _C.KRIPPENDORFF_ALPHA
_NOT_SINGLE = (_C.KRIPPENDORFF_ALPHA_JACCARD, _C.ICC_A_1, _C.ICC_C_1, _C.ICC_1_1, _C.KENDALL_W)
_BY_VALUES = (_W.UNWEIGHTED, _W.LINEAR, _W.QUADRATIC, _W.RADICAL, _W.CIRCULAR, _W.BIPOLAR)
_BY_LEVEL: dict[str, tuple[QuestionWeights, ...]] = {
    "nominal": (_W.UNWEIGHTED,),
    "ordinal": (_W.UNWEIGHTED, _W.LINEAR, _W.QUADRATIC, _W.ORDINAL, _W.RADICAL, _W.BIPOLAR),
    "interval": _BY_VALUES,
    "ratio": (*_BY_VALUES, _W.RATIO),
}


def offered_coefficients(kind: str, level: str) -> Sequence[QuestionCoefficient]:
    if kind == "multiple":
        return (_ALPHA, _C.KRIPPENDORFF_ALPHA_JACCARD)
    if kind == "single":
        return [each for each in _C if each not in _NOT_SINGLE]
    if level in ("nominal", "ordinal"):
        return (_ALPHA, _C.KENDALL_W)
    return (_C.ICC_A_1, _C.ICC_C_1, _C.ICC_1_1, _ALPHA)


def offered_weights(kind: str, level: str) -> Sequence[QuestionWeights]:
    return _BY_LEVEL[level] if kind == "single" else (_W.UNWEIGHTED,)
