"""Where the items behind the two sides of a comparison are listed."""

from dataclasses import dataclass

from reports.computing.compared_sides import Side, side_of
from reports.models import QuestionAgreement
from reports.pages.addresses import items_address, question_address


@dataclass(frozen=True, slots=True)
class Behind:
    """Addresses of the items that both raters or more of a side have labelled, and of those that both sides have.

    values: those of the items that the two values are about, if these are fewer. "" where there is no such list.
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


NOTHING = Behind()


def behind_reports(before: QuestionAgreement, after: QuestionAgreement) -> Behind:
    """Two reports on one question."""
    in_both = {"in": "compared", "also": f"report:{before.report_id}"}
    return Behind(
        items_address(before, **{"in": "compared"}),
        items_address(after, **{"in": "compared"}),
        items_address(after, **in_both),
    )


def behind_category(before: QuestionAgreement, after: QuestionAgreement, key: str) -> Behind:
    """The same of one category: its values are about the items on which somebody chose it and not all did."""
    found = behind_reports(before, after)
    first, second = (items_address(each, has=key, **{"in": "dispute"}) for each in (before, after))
    return Behind(found.first, found.second, found.both, (first, second))


def behind_pair(before: QuestionAgreement, after: QuestionAgreement, a: int, b: int, tail: str) -> Behind:
    """The same of two raters. tail: what follows the address of the pair."""
    first, second = (f"{question_address(each)}{a}/{b}/{tail}" for each in (before, after))
    return Behind(first, second)


def behind_sides(agreement: QuestionAgreement, first: str, second: str) -> Behind:
    """Two sides of a question, as the address of the page names them."""
    one, other = (side_of(agreement, text) for text in (first, second))
    if one.is_pair:
        return Behind(_items_of_pair(one), _items_of_pair(other))
    return Behind(
        _items(one, first), _items(other, second), _items_of_both(agreement, one, other, first, second)
    )


def _items(side: Side, text: str, **more: str) -> str:
    kind, _, rest = text.partition(":")
    query = {"in": "compared", **more}
    if kind == "batch":
        query["round"] = rest
    if kind == "raters":
        query["raters"] = rest
    return items_address(side.agreement, **query)


def _items_of_both(agreement: QuestionAgreement, one: Side, other: Side, first: str, second: str) -> str:
    """Listed from the side that is of this report, if one is: the other one is named as it is from there."""
    if one.agreement.pk == agreement.pk:
        return _items(one, first, also=second)
    if other.agreement.pk == agreement.pk:
        return _items(other, second, also=first)
    return _items(one, first, also=f"report:{other.agreement.report_id}")


def _items_of_pair(side: Side) -> str:
    a, b = sorted(side.raters)
    tail = "items/" if side.agreement.question.kind == "single" else "#items"
    return f"{question_address(side.agreement)}{a}/{b}/{tail}"
