"""Labels made up for the tests of models: three people and a model, whose figures are known from other programs."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.models.difference import LabelMatrix

# Figures of the reference tables were computed with the authors' notebook (nitaytech/AltTest, 18428b1), ppi_py
# (bd90caa), LLM-judge-reporting, and SciPy.
ITEMS = np.arange(40)


def moved(every: int, by: int) -> NDArray[np.int64]:
    """i mod 3, moved on for every so-manieth item."""
    return np.where(every * (ITEMS // every) == ITEMS, (ITEMS % 3 + by) % 3, ITEMS % 3)


PEOPLE = np.stack((moved(5, 1), moved(7, 2), moved(4, 1)), axis=1)
MODEL = moved(6, 1)
# Column 3 is the model's.
MATRIX = LabelMatrix(np.column_stack((PEOPLE, MODEL)), np.ones((40, 4), dtype=bool))
NUMBERS = np.stack(
    (
        np.where(ITEMS % 4 == 0, ITEMS % 5 + 1.0, ITEMS % 5),
        ITEMS % 5 + 0.0,
        np.where(ITEMS % 6 == 0, ITEMS % 5 - 1.0, ITEMS % 5),
    ),
    axis=1,
)
NUMBERS_MODEL = np.where(ITEMS % 3 == 0, ITEMS % 5 + 0.5, ITEMS % 5)


def long(matrix: NDArray, has: NDArray[np.bool_] | None = None) -> tuple[NDArray, NDArray, NDArray]:
    """Items, people and values, ordered by item."""
    items, people = np.nonzero(np.ones(matrix.shape, dtype=bool) if has is None else has)
    return items, people, matrix[items, people]
