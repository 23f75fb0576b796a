"""Figures of two raters for the examples."""

from collections.abc import Callable

from reports.agreement.intervals.pairs import bootstrap_pairs
from reports.agreement.pairs import chance_corrected, homogeneity, indices
from reports.agreement.pairs.cohen import cohen_kappa, kappa_null_se, kappa_zero
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.pairs.reference import against_reference
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import PairKappa
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, weighting
from tests.docs import shown
from tests.docs.examples import Data

Shown = Callable[[PairTables], str]
WEIGHTS = ("linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar")


def _kappa(tables: PairTables) -> PairKappa:
    return cohen_kappa(tables.counts, tables.weighting).pair(0)


def _share_of_max(tables: PairTables) -> str:
    return shown.value(float(cohen_kappa(tables.counts, tables.weighting).share_of_max[0]))


def _bootstrap(method: str) -> Shown:
    def intervals(tables: PairTables) -> str:
        found = bootstrap_pairs(
            tables.counts,
            lambda counts: cohen_kappa(counts, tables.weighting).kappa,
            seed=1,
            method=method,
        ).at(0)
        return f"95% CI [{found.ci_low:.4f}, {found.ci_high:.4f}]"

    return intervals


def _alpha(level: Level) -> Shown:
    return lambda tables: shown.estimate(
        krippendorff_alpha(tables.counts, Scale(tables.counts.shape[1], level=level)).at(0)
    )


def _index(name: str) -> Shown:
    return lambda tables: shown.estimate(getattr(indices, name)(tables.counts).at(0))


def _coefficient(name: str) -> Shown:
    return lambda tables: shown.estimate(getattr(chance_corrected, name)(tables).at(0))


def _test(name: str) -> Shown:
    return lambda tables: shown.significance(getattr(homogeneity, name)(tables.counts))


def _mcnemar(*, exact: bool, corrected: bool = False) -> Shown:
    def test(tables: PairTables) -> str:
        found = homogeneity.mcnemar(tables.counts, exact=exact, corrected=corrected)
        return shown.p(found.p_value[0]) if exact else shown.significance(found)

    return test


LABELS: dict[str, Shown] = {
    "Items": lambda tables: f"{tables.n[0]:.0f}",
    "Observed agreement": lambda tables: shown.value(_kappa(tables).observed),
    "Expected agreement": lambda tables: shown.value(_kappa(tables).expected),
    "Percent agreement": _coefficient("percent_agreement"),
    "Cohen's kappa": lambda tables: shown.estimate(_kappa(tables)),
    "Bootstrap": _bootstrap("percentile"),
    "Bootstrap, BCa": _bootstrap("bca"),
    "SE if kappa were 0": lambda tables: shown.value(
        float(kappa_null_se(tables.counts, tables.weighting)[0])
    ),
    "Test of kappa = 0": lambda tables: shown.significance(kappa_zero(tables.counts, tables.weighting), "z"),
    "Kappa max": lambda tables: shown.value(_kappa(tables).kappa_max),
    "Kappa / kappa max": _share_of_max,
    "Scott's pi": _coefficient("scott_pi"),
    "Brennan-Prediger": _coefficient("brennan_prediger"),
    "AC1": _coefficient("gwet_ac"),
    "AC2": _coefficient("gwet_ac"),
    "Alpha, nominal": _alpha(Level.NOMINAL),
    "Alpha, ordinal": _alpha(Level.ORDINAL),
    "Alpha, interval": _alpha(Level.INTERVAL),
    "PABAK": _index("pabak"),
    "Prevalence index": _index("prevalence_index"),
    "Bias index": _index("bias_index"),
    "McNemar": _mcnemar(exact=False),
    "McNemar, corrected": _mcnemar(exact=False, corrected=True),
    "McNemar, exact": _mcnemar(exact=True),
    "Bowker": _test("bowker"),
    "Stuart-Maxwell": _test("stuart_maxwell"),
    "Bhapkar": _test("bhapkar"),
}


def pair(data: Data, label: str) -> str:
    """Of a table of counts: a label of LABELS, with weights after a comma, or specific agreement on a category."""
    name, _, weights = label.rpartition(", ")
    if weights not in WEIGHTS or label in LABELS:
        name, weights = label, "unweighted"
    tables = PairTables(data.table[None], weighting(weights, n_categories=len(data.table)))
    if name.startswith("Specific agreement on "):
        category = data.header.index(name.removeprefix("Specific agreement on "))
        return shown.estimate(specific_agreement(tables.counts).at(0, category))
    return LABELS[name](tables)


OF_CATEGORY = {
    "Recall": "recall",
    "Specificity": "specificity",
    "Precision": "precision",
    "Negative predictive value": "negative_predictive_value",
    "F1": "f1",
}
OF_ALL = {"Accuracy": "accuracy", "Balanced accuracy": "balanced_accuracy", "Matthews": "matthews"}


def reference(data: Data, label: str) -> str:
    """Of a table with the rater in rows and the reference in columns."""
    found = against_reference(data.table[None])
    if label in OF_ALL:
        return shown.estimate(getattr(found, OF_ALL[label]).at(0))
    if label == "Expected accuracy":
        return shown.value(float(found.expected_accuracy[0]))
    if label.startswith(("Cohen", "Kappa")):
        return pair(data, label)
    name, _, category = label.partition(" of ")
    return shown.estimate(getattr(found, OF_CATEGORY[name]).at(0, data.header.index(category)))
