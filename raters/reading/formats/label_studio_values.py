"""Label Studio: values of controls in both kinds of exports."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.fields import (
    list_in,
    texts_in,
)
from raters.reading.formats.json_records import text_of
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
# Position keys of a region, repeated in results about the region.
PLACES = frozenset({"start", "end", "startOffset", "x", "y", "points", "rle", "ranges"})


@dataclass(slots=True)
class LabelStudioQuestion:
    """A question in the files: the type of its control, and the maximum number of categories chosen at once.

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
        # Stars may be ordered categories or a number; the file does not declare it.
        return {"number": NUMBER, "rating": ""}.get(self.control, SINGLE)


def declared_in(files: Files, faults: Faults) -> dict[str, LabelStudioQuestion]:
    """Return the questions of the configuration, if supplied."""
    return {
        name: LabelStudioQuestion(control.type, 0, control.kind, control.categories)
        for name, control in controls_in(files, faults).items()
    }


def rater_of(who: object) -> str:
    """Return the email address if available, since the user ID is specific to one server."""
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
