"""The tiles beside the verdict: the coefficient of the project's choice, and others to compare it with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projects.templatetags.shown import figure, percent
from reports.catalogue import title_of
from reports.models import QuestionAgreement
from reports.pages.matrix import shown_interval
from reports.wording import COEFFICIENTS, short_reason

TILES = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement")


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: str
    interval: str
    method: str


def tiles_of(agreement: QuestionAgreement, main: str) -> list[Tile]:
    """main: the coefficient that comes first."""
    names = (main, *(name for name in TILES if name != main))[: len(TILES)]
    return [_tile(name, agreement.coefficients.get(name, {})) for name in names]


def _tile(name: str, found: Mapping[str, Any]) -> Tile:
    value, reason = found.get("value"), found.get("reason", "")
    is_share = name.startswith("percent_agreement")
    interval = shown_interval(found.get("ci_low"), found.get("ci_high"))
    if is_share and interval:
        interval = f"{percent(found['ci_low'])} to {percent(found['ci_high'])}"
    return Tile(
        COEFFICIENTS.get(name, title_of(name)),
        (percent(value) if is_share else figure(value)) if value is not None else "–",
        interval or short_reason(reason),
        found.get("method", ""),
    )
