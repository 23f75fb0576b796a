"""The harness can tell a figure that is not ours, and leaves out nothing."""

from dataclasses import replace

import pytest

from tests.reference.checking import check, summary
from tests.reference.figures import FIGURES
from tests.reference.published import datasets, rows
from tests.reference.rows import Outcome, Row

KAPPA = next(row for row in rows() if row.statistic == "cohen_kappa" and row.se is not None)


@pytest.mark.parametrize("field", ["value", "se", "ci_low", "ci_high"])
def test_a_figure_beyond_the_tolerance_differs(field):
    wrong = replace(KAPPA, **{field: getattr(KAPPA, field) + 3 * KAPPA.tolerance})

    verdict = check(wrong, datasets()[KAPPA.dataset])

    assert check(KAPPA, datasets()[KAPPA.dataset]).outcome is Outcome.AGREES
    assert verdict.outcome is Outcome.DIFFERS
    assert len(verdict.differences) == 1
    assert "differs" in summary([verdict])


def test_a_statistic_that_nothing_computes_is_named():
    verdict = check(replace(KAPPA, statistic="unknown"), datasets()[KAPPA.dataset])

    assert verdict.outcome is Outcome.NOT_COMPUTED
    assert "unknown" in summary([verdict])


def test_an_exception_has_its_value_compared():
    row = next(row for row in rows() if row.options.get("variance") == "vanbelle2018")

    verdict = check(row, datasets()[row.dataset])
    wrong = check(replace(row, value=row.value + 0.01), datasets()[row.dataset])

    assert (verdict.outcome, wrong.outcome) == (Outcome.EXCEPTION, Outcome.DIFFERS)
    assert "Vanbelle" in verdict.why


def test_every_statistic_of_the_harness_has_a_committed_row():
    def name_of(row: Row) -> str:
        return "set_alpha" if row.dataset == "dkpro_masi_sets" else row.statistic

    assert {name_of(row) for row in rows()} == set(FIGURES)


def test_every_row_and_every_data_set_has_a_source():
    assert all(row.source for row in rows())
    assert {row.dataset for row in rows()} - {"none"} == set(datasets())
