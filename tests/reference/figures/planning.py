"""Our numbers of items for a study."""

from reports.agreement.planning.goodness_of_fit import items_for_fit_test, items_for_lower_limit
from reports.agreement.planning.kappa import items_for_kappa_test
from reports.agreement.weights import weighting
from tests.reference.data import Dataset
from tests.reference.rows import Figures, Options, Statistic


def items_for_kappa(_: Dataset | None, options: Options) -> Figures:
    """Two categories with the raters' rates of one of them, or more with common margins."""
    rows = options.get("margins") or [options["rate1"], 1 - options["rate1"]]
    columns = options.get("margins") or [options["rate2"], 1 - options["rate2"]]
    found = items_for_kappa_test(
        rows,
        columns,
        weighting("unweighted", n_categories=len(rows)),
        kappa=options["k1"],
        null=options["k0"],
        power=options["power"],
        confidence=1 - options["alpha"],
        n_sides=2 if options["twosided"] else 1,
    )
    return Figures(value=found.n_items)


def items_for_fit(_: Dataset | None, options: Options) -> Figures:
    found = items_for_fit_test(
        options["prevalence"],
        kappa=options["k1"],
        null=options["k0"],
        power=options["power"],
        confidence=1 - options["alpha"],
    )
    return Figures(value=found.n_items)


def items_for_limit(_: Dataset | None, options: Options) -> Figures:
    found = items_for_lower_limit(
        options["prevalence"],
        kappa=options["kappa"],
        lower=options["lower"],
        confidence=1 - options["alpha"],
    )
    return Figures(value=found.n_items)


FIGURES: dict[str, Statistic] = {
    "sample_size_cohen_kappa_cantor1996": items_for_kappa,
    "sample_size_cohen_kappa_flack1988": items_for_kappa,
    "sample_size_fit_test": items_for_fit,
    "sample_size_lower_limit": items_for_limit,
}
