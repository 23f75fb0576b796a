"""The tiles beside the verdict: the coefficient of the project's choice, and others to compare it with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.templatetags.shown import figure, percent
from reports.analysis.catalogue import title_of
from reports.models import QuestionAgreement
from reports.results.addresses import behind, items_address, question_address
from reports.results.shown import shown_interval, shown_shares
from reports.results.wording import method_shown, short_reason

TILES = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement")


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: str
    interval: str
    method: str
    address: str = ""


def tiles_of(agreement: QuestionAgreement, main: str) -> list[Tile]:
    """main: the coefficient that comes first. Each leads to the items that it rests on."""
    names = (main, *(name for name in TILES if name != main))[: len(TILES)]
    return [_tile(name, agreement.coefficients.get(name, {}), agreement) for name in names]


def _tile(name: str, found: Mapping[str, Any], agreement: QuestionAgreement) -> Tile:
    value, reason = found.get("value"), found.get("reason", "")
    is_share = name.startswith("percent_agreement")
    interval = shown_interval(found.get("ci_low"), found.get("ci_high"))
    if is_share and interval:
        interval = shown_shares(found["ci_low"], found["ci_high"])
    return Tile(
        title_of(name),
        (percent(value) if is_share else figure(value)) if value is not None else "–",
        interval or short_reason(reason),
        method_shown(found.get("method", "")),
        behind(agreement, found.get("n_items")) if value is not None else "",
    )


def links_of(agreement: QuestionAgreement) -> list[tuple[str, str]]:
    """Lists to explore from the verdict, in words and as addresses."""
    if not agreement.n_pairs:
        return []
    links = [
        ("items with disagreement", items_address(agreement, **{"in": "dispute"})),
        ("items with full agreement", items_address(agreement, **{"in": "agreement"})),
    ]
    rows = agreement.statistics.get("categories", {}).get("fleiss_kappa", [])
    if any(row["n"] for row in rows):
        place = max(range(len(rows)), key=lambda each: rows[each]["n"])
        category = agreement.categories[place]
        name = category["name"] or category["key"]
        links.append((f"items with “{name}”", items_address(agreement, has=category["key"])))
    if agreement.n_pairs > 1:
        pairs = question_address(agreement)
        links.append(("pairs with lowest agreement", f"{pairs}?sort=worst#pairs"))
        links.append(("pairs with highest agreement", f"{pairs}?sort=best#pairs"))
    return links
