"""What specifications of Vega-Lite (https://vega.github.io/vega-lite/docs/spec.html) are made of."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

# A whole specification, or what it calls by a name: a mark, a channel, an axis, a scale, a style.
Part = Mapping[str, object]


class Layer(TypedDict, total=False):
    """One mark for each row of the data."""

    name: str
    data: Part
    transform: Sequence[Part]
    mark: Part
    encoding: Mapping[str, Part]
