"""Every committed reference row: figures of papers and of other programs against ours."""

import pytest

from tests.reference.checking import check
from tests.reference.published import datasets, rows
from tests.reference.rows import Outcome


@pytest.mark.parametrize("row", rows(), ids=str)
def test_our_figures_are_those_of_the_reference(row):
    verdict = check(row, datasets().get(row.dataset))

    assert not verdict.differences, f"{row} of {row.source}"
    assert verdict.outcome in (Outcome.AGREES, Outcome.AGREES_BY_CONVENTION, Outcome.EXCEPTION), verdict.why
