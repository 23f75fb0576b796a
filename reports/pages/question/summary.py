"""The tiles beside the verdict: the coefficient of the project's choice, and others to compare it with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.templatetags.shown import figure, percent
from reports.analysis.catalogue import title_of
from reports.results.addresses import items_address, items_behind, question_address
from reports.results.items.query import IN_AGREEMENT, IN_DISPUTE, ItemQuery
from reports.results.kappa_looks import shown_interval, shown_shares
from reports.results.kinds import result_kind
from reports.results.wording import method_shown, short_reason
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: str
    interval: str
    method: str
    address: str = ""


def tiles_of(result: StoredResult, main: str) -> list[Tile]:
    """main: the coefficient that comes first. Each leads to the items that it rests on."""
    kind = result_kind(result.scope.kind)
    names = (main, *(name for name in kind.tiles if name != main))[: len(kind.tiles)]
    return [_tile(name, result.coefficients.get(name, {}), result) for name in names]


def _tile(name: str, found: Mapping[str, Any], result: StoredResult) -> Tile:
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
        items_behind(result, found.get("n_items")) if value is not None else "",
    )


def links_of(result: StoredResult) -> list[tuple[str, str]]:
    """Lists to explore from the verdict, in words and as addresses."""
    if not result.n_pairs:
        return []
    links = [
        ("items with disagreement", items_address(result.row, IN_DISPUTE)),
        ("items with full agreement", items_address(result.row, IN_AGREEMENT)),
    ]
    rows = result.statistics.get("categories", {}).get("fleiss_kappa", [])
    if any(row["n"] for row in rows):
        place = max(range(len(rows)), key=lambda each: rows[each]["n"])
        category = result.categories[place]
        name = category["name"] or category["key"]
        links.append((f"items with “{name}”", items_address(result.row, ItemQuery(has=(category["key"],)))))
    if result.n_pairs > 1:
        pairs = question_address(result.row)
        links.append(("pairs with lowest agreement", f"{pairs}?sort=worst#pairs"))
        links.append(("pairs with highest agreement", f"{pairs}?sort=best#pairs"))
    return links
