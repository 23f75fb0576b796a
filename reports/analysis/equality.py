"""Whether figures that were computed twice are the same."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

# Processors round the last digits of sums, exponentials and logarithms differently, so that figures found by iteration
# (Dawid and Skene's) come out equal to about fourteen digits on another machine, not to all seventeen.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


def same_figures(found: Any, stored: Any) -> bool:
    """Whether two figures, or two JSON values full of them, are equal: numbers but for the rounding of the processor.

    A whole number equals the same number with a fraction of 0: the database writes 1e30 without one.
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
