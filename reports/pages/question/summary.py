"""The tiles beside the verdict: the coefficient of the project's choice, and others to compare it with."""

from dataclasses import dataclass

from reports.analysis.catalogue import title_of
from reports.pages.question.verdict import commonest, shown_of
from reports.results.addresses import items_address, items_behind, question_address
from reports.results.items.query import IN_AGREEMENT, IN_DISPUTE, ItemQuery
from reports.results.kinds import result_kind
from reports.results.wording import method_shown, short_reason, shown_interval, shown_shares
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
    tiles = []
    for name in names:
        found = result.figure(name)
        show = shown_shares if name.startswith("percent_agreement") else shown_interval
        tiles.append(
            Tile(
                title_of(name),
                shown_of(name, found.value),
                show(found.ci_low, found.ci_high) or short_reason(found.reason),
                method_shown(found.method or ""),
                "" if found.value is None else items_behind(result, found.n_items),
            )
        )
    return tiles


def links_of(result: StoredResult) -> list[tuple[str, str]]:
    """Lists to explore from the verdict, in words and as addresses."""
    if not result.n_pairs:
        return []
    links = [
        ("items with disagreement", items_address(result.row, IN_DISPUTE)),
        ("items with full agreement", items_address(result.row, IN_AGREEMENT)),
    ]
    if common := commonest(result):
        query = ItemQuery(has=(result.categories[common.place]["key"],))
        links.append((f"items with “{common.name}”", items_address(result.row, query)))
    if result.n_pairs > 1:
        pairs = question_address(result.row)
        links.append(("pairs with lowest agreement", f"{pairs}?sort=worst#pairs"))
        links.append(("pairs with highest agreement", f"{pairs}?sort=best#pairs"))
    return links
