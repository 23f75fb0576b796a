"""Compare figures that were computed twice."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

# Processors round the last digits of sums, exponentials, and logarithms differently, so that iterative estimates
# (Dawid and Skene's) agree to about fourteen digits on another machine, not to all seventeen.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


def same_figures(found: Any, stored: Any) -> bool:
    """Return whether two figures, or two JSON values of figures, are equal up to the rounding of the processor.

    An integer equals the same number with a zero fraction: the database writes 1e30 without one.
    """
    if isinstance(found, Mapping) and isinstance(stored, Mapping):
        return found.keys() == stored.keys() and all(same_figures(found[k], stored[k]) for k in found)
    if isinstance(found, str) or isinstance(stored, str):
        return bool(found == stored)
    if isinstance(found, Sequence) and isinstance(stored, Sequence):
        return len(found) == len(stored) and all(map(same_figures, found, stored))
    if isinstance(found, bool) or isinstance(stored, bool) or found is None or stored is None:
        return found is stored
    if isinstance(found, int) and isinstance(stored, int):
        return found == stored
    return math.isclose(found, stored, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
