"""Label Studio: what the controls of both its exports write."""

from dataclasses import dataclass

from core.tables.faults import Faults
from raters.reading.formats.fields import (
    list_in,
    texts_in,
)
from raters.reading.formats.json_records import (
    Json,
    text_of,
)
from raters.reading.records import (
    MULTIPLE,
    NUMBER,
    SINGLE,
)

ANSWERS = ("choices", "taxonomy", "rating", "number", "pairwise")
REGIONS = {
    "labels": "spans",
    "hypertextlabels": "spans",
    "paragraphlabels": "spans",
    "timeserieslabels": "spans",
    "timelinelabels": "spans",
    "rectangle": "bounding boxes",
    "rectanglelabels": "bounding boxes",
    "ellipse": "ellipses",
    "ellipselabels": "ellipses",
    "polygon": "polygons",
    "polygonlabels": "polygons",
    "keypoint": "key points",
    "keypointlabels": "key points",
    "brush": "brush masks",
    "brushlabels": "brush masks",
    "relation": "relations",
    "ranker": "rankings",
    "datetime": "dates",
    "textarea": "free-text answers",
}
# Of a region, which a result about the region repeats.
PLACES = frozenset({"start", "end", "startOffset", "x", "y", "points", "rle", "ranges"})


@dataclass(slots=True)
class Question:
    """What the file shows of a question: the type of its control and how many categories were chosen at most."""

    control: str
    n_chosen: int = 0

    @property
    def kind(self) -> str:
        if self.control == "taxonomy" or self.n_chosen > 1:
            return MULTIPLE
        # Stars may be categories in an order or a number; the file does not say.
        return {"number": NUMBER, "rating": ""}.get(self.control, SINGLE)


def rater_of(who: object) -> str:
    """The e-mail if the file has it: the number is of one server only."""
    if isinstance(who, dict):
        return text_of(who.get("email") or who.get("id"))
    return text_of(who)


def keys_of(control: str, value: Json, line: int, faults: Faults) -> list[str]:
    if control in ("rating", "number"):
        return [text_of(value[control])] if value.get(control) is not None else []
    if control == "pairwise":
        return [text_of(value["selected"])] if value.get("selected") else []
    found = list_in(value, control, line, faults)
    if control == "taxonomy":
        return ["/".join(texts_in(path)) for path in found]
    return [text_of(key) for key in found]
