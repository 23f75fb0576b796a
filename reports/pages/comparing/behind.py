"""Where the items behind the two sides of a comparison are listed."""

from dataclasses import dataclass, replace

from projects.models import Question
from reports.models import QuestionAgreement
from reports.results.addresses import items_address, question_address
from reports.store.sides import Side, side_of


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


# These take their categories' shares from all labels, those of items with one label too.
OF_ALL_ITEMS = ("fleiss_kappa", "gwet_ac", "brennan_prediger", "conger_kappa")
# The difference of its values counts all items too: those with one label add nothing but to their number.
DIFFERS_BY_ALL = frozenset({"percent_agreement", "percent_agreement_weighted"})


def rested_on(name: str) -> dict[str, str]:
    """What the address of a list says of the items that a coefficient of labels rests on."""
    return {} if name.startswith(OF_ALL_ITEMS) else {"in": "compared"}


def differs_on(agreement: QuestionAgreement, name: str) -> dict[str, str]:
    """The same of the difference between two values of it."""
    is_single = agreement.question.kind == Question.Kind.SINGLE
    return {} if is_single and name in DIFFERS_BY_ALL else rested_on(name)


def behind_reports(before: QuestionAgreement, after: QuestionAgreement, name: str) -> Behind:
    """Two reports on one question. name: of the coefficient."""
    query = differs_on(after, name)
    return Behind(
        items_address(before, **query),
        items_address(after, **query),
        items_address(after, **query, also=f"report:{before.report_id}"),
    )


def behind_category(before: QuestionAgreement, after: QuestionAgreement, key: str, name: str) -> Behind:
    """The same of one category: its values are about the items on which somebody chose it and not all did."""
    found = behind_reports(before, after, name)
    first, second = (items_address(each, has=key, **{"in": "dispute"}) for each in (before, after))
    return replace(found, values=(first, second))


def behind_pair(before: QuestionAgreement, after: QuestionAgreement, a: int, b: int, tail: str) -> Behind:
    """The same of two raters. tail: what follows the address of the pair."""
    first, second = (f"{question_address(each)}{a}/{b}/{tail}" for each in (before, after))
    return Behind(first, second)


def behind_sides(agreement: QuestionAgreement, first: str, second: str, name: str) -> Behind:
    """Two sides of a question, as the address of the page names them."""
    one, other = (side_of(agreement, text) for text in (first, second))
    if one.is_pair:
        return Behind(_items_of_pair(one), _items_of_pair(other))
    query = differs_on(agreement, name)
    in_both = _items_of_both(agreement, (one, first), (other, second), query)
    return Behind(_items(one, first, query), _items(other, second, query), in_both)


def _items(side: Side, text: str, query: dict[str, str]) -> str:
    kind, _, rest = text.partition(":")
    name = {"batch": "round", "raters": "raters"}.get(kind)
    return items_address(side.agreement, **query, **({name: rest} if name else {}))


def _items_of_both(
    agreement: QuestionAgreement, first: tuple[Side, str], second: tuple[Side, str], query: dict[str, str]
) -> str:
    """Listed from the side that is of this report, if one is: the other one is named as it is from there."""
    for here, there in ((first, second), (second, first)):
        if here[0].agreement.pk == agreement.pk:
            return _items(*here, {**query, "also": there[1]})
    return _items(*first, {**query, "also": f"report:{second[0].agreement.report_id}"})


def _items_of_pair(side: Side) -> str:
    a, b = sorted(side.raters)
    tail = "items/" if side.agreement.question.kind == Question.Kind.SINGLE else "#items"
    return f"{question_address(side.agreement)}{a}/{b}/{tail}"
