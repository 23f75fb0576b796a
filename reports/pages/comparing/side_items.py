"""URLs of the lists of items behind the two sides of a comparison."""

from dataclasses import dataclass, replace

from reports.models import QuestionAgreement
from reports.results.addresses import items_address, question_address
from reports.results.items.query import ALL_ITEMS, COMPARED, ItemQuery
from reports.results.kinds import result_kind
from reports.store.sides import Side, side_of
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class SideItems:
    """URLs of the items with labels of at least two raters on each side, and of the items on both sides. values: URLs
    of the items that the two values use, if these are fewer. "" if there is no list.
    """

    first: str = ""
    second: str = ""
    both: str = ""
    values: tuple[str, str] = ("", "")

    @property
    def first_value(self) -> str:
        return self.values[0] or self.first

    @property
    def second_value(self) -> str:
        return self.values[1] or self.second


NO_LISTS = SideItems()


# These estimate category shares from all labels, including those of items with one label.
OF_ALL_ITEMS = ("fleiss_kappa", "gwet_ac", "brennan_prediger", "conger_kappa")


def items_used_query(name: str) -> ItemQuery:
    """Return the query for the items that a coefficient uses."""
    return ALL_ITEMS if name.startswith(OF_ALL_ITEMS) else COMPARED


def differs_on(row: QuestionAgreement, name: str) -> ItemQuery:
    """Return the query for the items that a difference between two of its values uses."""
    return ALL_ITEMS if name in result_kind(row.asked["kind"]).differ_by_all else items_used_query(name)


def items_of_reports(before: QuestionAgreement, after: QuestionAgreement, name: str) -> SideItems:
    """Return the lists of items for two reports on one question. name: of the coefficient."""
    query = differs_on(after, name)
    return SideItems(
        items_address(before, query),
        items_address(after, query),
        items_address(after, replace(query, also=f"report:{before.report_id}")),
    )


def items_of_category(before: QuestionAgreement, after: QuestionAgreement, key: str, name: str) -> SideItems:
    """Return the lists of items for a category: its values use items on which some but not all raters chose it."""
    query = ItemQuery(has=(key,), among="dispute")
    values = (items_address(before, query), items_address(after, query))
    return replace(items_of_reports(before, after, name), values=values)


def items_of_sides(result: StoredResult, first: str, second: str, name: str) -> SideItems:
    """Return the lists of items for two sides of a question, as given in the query string."""
    one, other = (side_of(result.row, text) for text in (first, second))
    if one.is_pair:
        return SideItems(_items_of_pair(one), _items_of_pair(other))
    query = differs_on(result.row, name)
    in_both = _items_of_both(result.row, (one, first), (other, second), query)
    return SideItems(_items(one, first, query), _items(other, second, query), in_both)


def _items(side: Side, text: str, query: ItemQuery) -> str:
    kind, _, rest = text.partition(":")
    if kind == "round":
        query = replace(query, round=rest)
    if kind == "raters":
        query = replace(query, raters=rest)
    return items_address(side.agreement, query)


def _items_of_both(
    row: QuestionAgreement, first: tuple[Side, str], second: tuple[Side, str], query: ItemQuery
) -> str:
    """Return the list from a side of this report, if there is one, since the other is named relative to this report."""
    for here, there in ((first, second), (second, first)):
        if here[0].agreement.pk == row.pk:
            return _items(*here, replace(query, also=there[1]))
    return _items(*first, replace(query, also=f"report:{second[0].agreement.report_id}"))


def _items_of_pair(side: Side) -> str:
    a, b = sorted(side.raters)
    return f"{question_address(side.agreement)}{a}/{b}/{result_kind(side.agreement.asked['kind']).items_tail}"
