"""Label Studio: what the controls of both its exports write."""

from collections.abc import Sequence
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
from raters.reading.formats.label_studio_config import controls_in
from raters.reading.records import (
    MULTIPLE,
    NUMBER,
    SINGLE,
    Files,
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
    """What the files say of a question: the type of its control, and how many categories were chosen at most.

    declared, categories: its kind and categories, if there is a configuration.
    """

    control: str
    n_chosen: int = 0
    declared: str = ""
    categories: Sequence[tuple[str, str]] = ()

    @property
    def kind(self) -> str:
        if self.control == "taxonomy" or self.n_chosen > 1 or self.declared == MULTIPLE:
            return MULTIPLE
        # Stars may be categories in an order or a number; the file does not say.
        return {"number": NUMBER, "rating": ""}.get(self.control, SINGLE)


def declared_in(files: Files, faults: Faults) -> dict[str, Question]:
    """The questions of the configuration, if it came along."""
    return {
        name: Question(control.type, 0, control.kind, control.categories)
        for name, control in controls_in(files, faults).items()
    }


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
