"""Types for Vega-Lite specifications (https://vega.github.io/vega-lite/docs/spec.html)."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

# A whole specification, or a named part of one: a mark, a channel, an axis, a scale, a style.
Part = Mapping[str, object]


class Layer(TypedDict, total=False):
    """One mark for each row of the data."""

    name: str
    data: Part
    transform: Sequence[Part]
    mark: Part
    encoding: Mapping[str, Part]
