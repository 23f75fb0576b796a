"""Which items of a question an address asks for, and the same in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404, HttpRequest

from core.templatetags.shown import count, moment
from projects.models import Project
from raters.items.queries import items_of
from reports.agreement.results import IntArray
from reports.models import QuestionAgreement
from reports.pages.question.behind import MAJORITY, MANY, TIED, WantedItems, items_wanted
from reports.pages.question.estimated import can_be_listed, estimated_in
from reports.store.agreements import Rater, raters_of
from reports.store.counted import counted_in, without
from reports.store.sides import ALL, RATERS, ComparisonRefused, batches_of, is_id, side_of

# Raters that an address names one by one.
MOST_RATERS = 200
LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Among:
    """What `in` of an address means. most: None for any number of labels."""

    words: str
    least: int = 1
    differ: bool | None = None
    abstained: int = 0
    most: int | None = None
    vote: str = ""


AMONG = {
    "dispute": Among("raters disagree", least=2, differ=True),
    "agreement": Among("all raters agree", least=2, differ=False),
    "compared": Among("at least two raters gave a label", least=2),
    "alone": Among("only one rater gave a label", most=1),
    "abstained": Among("a rater answered “cannot tell”", least=0, abstained=1),
    "decided": Among("one category has the most labels", vote=MAJORITY),
    "tied": Among("two or more categories are tied for the most labels", vote=TIED),
}


def among_of(request: HttpRequest, agreement: QuestionAgreement) -> Among:
    name = request.GET.get("in", "")
    n = counted_in(agreement).n_raters
    if name == "complete":
        return Among(f"all {count(n)} raters gave a label", least=n)
    if name == "incomplete":
        return Among(f"some of the {count(n)} raters gave no label", most=n - 1)
    return AMONG.get(name, Among(""))


def wanted_of(
    request: HttpRequest, project: Project, agreement: QuestionAgreement
) -> tuple[WantedItems, str]:
    """What the address asks for, and in words. Raises Http404 for what the report does not know."""
    parts: list[str] = []
    wanted = _by_labels(request, agreement, parts)
    wanted = _by_time(request, agreement, wanted, parts)
    wanted = _beside(request, agreement, wanted, parts)
    wanted = _by_estimate(request, agreement, wanted, parts)
    if words := words_of(request):
        wanted = _only(wanted, _found(project, words))
        parts.append(f"the item name or text contains “{words}”")
    title = "Items where " + " and ".join(parts) if parts else "All labeled items"
    return wanted, f"{title}, {_without(agreement)}" if _is_about_counted(request, agreement) else title


def _only(wanted: WantedItems, items: Iterable[int]) -> WantedItems:
    """Of what is wanted, these items alone."""
    found = set(items) & set(wanted.only) if wanted.is_only else items
    return replace(wanted, only=tuple(found), is_only=True)


def _by_estimate(
    request: HttpRequest, agreement: QuestionAgreement, wanted: WantedItems, parts: list[str]
) -> WantedItems:
    """By the estimate of Dawid and Skene: of one category, or other than the majority."""
    key, unlike = request.GET.get("estimated", ""), request.GET.get("unlike", "")
    if not key and not unlike:
        return wanted
    places = {category["key"]: place for place, category in enumerate(agreement.categories)}
    if (key and key not in places) or unlike not in {"", MAJORITY} or not can_be_listed(agreement):
        raise Http404("The report has no such list.")
    found = estimated_in(agreement)
    if key:
        name = agreement.categories[places[key]]["name"] or key
        parts.append(f"the Dawid–Skene estimate is “{name}”")
        wanted = _only(wanted, found.of_category(places[key]))
    if unlike:
        parts.append("the Dawid–Skene estimate differs from the majority vote")
        wanted = _only(wanted, found.unlike_majority())
    return wanted


def _is_about_counted(request: HttpRequest, agreement: QuestionAgreement) -> bool:
    """Whether labels of those who do not count are left aside, as in the figures of all raters behind which this is."""
    counted = counted_in(agreement)
    return bool(counted.left_out) and not counted.are_too_few and not request.GET.get("raters")


def _without(agreement: QuestionAgreement) -> str:
    return without(agreement.report.chosen.counted, len(counted_in(agreement).left_out))


def words_of(request: HttpRequest) -> str:
    """What is searched for."""
    return request.GET.get("q", "").strip()[:LONGEST_WORDS]


def _found(project: Project, words: str) -> tuple[int, ...]:
    return tuple(items_of(project, words).values_list("pk", flat=True))


def _by_labels(request: HttpRequest, agreement: QuestionAgreement, parts: list[str]) -> WantedItems:
    """By what raters said."""
    ids = {category["key"]: category["id"] for category in agreement.categories}
    names = {category["key"]: category["name"] or category["key"] for category in agreement.categories}
    has, says, most = request.GET.getlist("has")[:2], request.GET.get("says", ""), request.GET.get("most", "")
    if any(key not in ids for key in (*has, *(key for key in (says, most) if key))):
        raise Http404("The report has no such category.")
    rater, one_of, raters = (
        _rater(request, agreement),
        _one_of(request, agreement),
        _raters(request, agreement),
    )
    among, silent = among_of(request, agreement), _rater(request, agreement, "abstains")
    labellers = {each.id for each in raters}
    if _is_about_counted(request, agreement):
        # Whoever is named has a say in the list too.
        named = [each.id for each in (rater, silent, *one_of) if each]
        labellers = {*counted_in(agreement).ids, *named}
    parts += [f"at least one rater chose “{names[key]}”" for key in has]
    if rater is not None:
        parts.append(f"{rater.key} chose “{names[says]}”" if says else f"{rater.key} gave a label")
    if silent is not None:
        parts.append(f"{silent.key} answered “cannot tell”")
    if one_of:
        parts.append(f"only one of {one_of[0].key} and {one_of[1].key} gave a label")
    if raters:
        parts.append(f"labels are by {', '.join(each.key for each in raters)}")
    if most:
        parts.append(f"“{names[most]}” has the most labels")
    parts += [among.words] if among.words else []
    return WantedItems(
        both=tuple(ids[key] for key in has),
        rater=rater.id if rater else None,
        says=ids[says] if says and rater else None,
        one_of=tuple(each.id for each in one_of),
        abstains=silent.id if silent else None,
        raters=tuple(sorted(labellers)),
        differ=among.differ,
        least=0 if silent else among.least,
        most=MANY if among.most is None else among.most,
        abstained=among.abstained,
        vote=among.vote,
        elected=ids[most] if most else None,
    )


def _by_time(
    request: HttpRequest, agreement: QuestionAgreement, wanted: WantedItems, parts: list[str]
) -> WantedItems:
    """By round, by version of the guidelines, or by when the items were finished."""
    if (key := request.GET.get("round")) is not None:
        wanted = _of_labels(agreement, wanted, f"round:{key}")
        parts.append(f"labels are from round “{key}”" if key else "labels are from no round")
    if (version := request.GET.get("guidelines")) is not None:
        wanted = _of_labels(agreement, wanted, f"guidelines:{version}")
        words = f"version {version} of the guidelines" if version else "an unknown version of the guidelines"
        parts.append(f"labels were made under {words}")
    if (finished := _finished(request)) is not None:
        wanted = replace(wanted, finished=finished)
        parts.append(f"the latest label is from {moment(finished[0])} to {moment(finished[1])}")
    return wanted


def _of_labels(agreement: QuestionAgreement, wanted: WantedItems, text: str) -> WantedItems:
    """Only labels of one round or of one version of the guidelines count; text: such as round:KEY, guidelines:2."""
    kind, _, rest = text.partition(":")
    if kind == "guidelines":
        if rest and not is_id(rest):
            raise Http404("The version of the guidelines must be a number.")
        return replace(wanted, version=min(int(rest), MANY) if rest else -1)
    batch = batches_of(agreement).get(rest) if rest else 0
    if batch is None:
        raise Http404("The report has no such round.")
    return replace(wanted, batch=batch)


def _beside(
    request: HttpRequest, agreement: QuestionAgreement, wanted: WantedItems, parts: list[str]
) -> WantedItems:
    """Only items that another list has too, or has not: that of another round, report or group of raters."""
    for name, verb in (("also", "has"), ("without", "does not have")):
        text = request.GET.get(name, "")[: MOST_RATERS * 20]
        if not text:
            continue
        items, title = _items_of(agreement, wanted, text, of_all=request.GET.get("raters") == ALL)
        parts.append(f"{title} {verb} the item{' too' if name == 'also' else ''}")
        found = tuple(items.tolist())
        wanted = _only(wanted, found) if name == "also" else replace(wanted, but=found)
    return wanted


def _items_of(
    agreement: QuestionAgreement, wanted: WantedItems, text: str, *, of_all: bool
) -> tuple[IntArray, str]:
    """The items of the same sort by other labels, and whose labels these are. of_all: whoever counts."""
    kind, _, rest = text.partition(":")
    # Another report may know other categories: only how many labels an item has is asked for there too.
    alike = WantedItems(
        least=wanted.least, most=wanted.most, differ=wanted.differ, abstained=wanted.abstained
    )
    if kind in {"round", "guidelines"}:
        alike = replace(alike, raters=wanted.raters)
        title = f"the round “{rest}”" if kind == "round" else f"version {rest} of the guidelines"
        return items_wanted(agreement, _of_labels(agreement, alike, text)), title
    try:
        side = side_of(agreement, text)
    except ComparisonRefused as refused:
        raise Http404(str(refused)) from None
    if side.is_pair:
        raise Http404("Items can be compared with a round, a report, or a group of raters, not with a pair.")
    raters = () if of_all and not text.startswith(RATERS) else side.raters
    return items_wanted(side.agreement, replace(alike, batch=side.batch, raters=raters)), side.name


def _finished(request: HttpRequest) -> tuple[datetime, datetime] | None:
    texts = [request.GET.get(name, "") for name in ("from", "to")]
    if not any(texts):
        return None
    try:
        since, until = (datetime.fromisoformat(text[:40]) for text in texts)
    except ValueError:
        raise Http404("“from” and “to” must be timestamps, such as 2026-03-02T09:00:00+00:00.") from None
    if since.tzinfo is None or until.tzinfo is None:
        raise Http404("“from” and “to” must have a time zone, such as +00:00.")
    return since, until


def _rater(request: HttpRequest, agreement: QuestionAgreement, name: str = "rater") -> Rater | None:
    key = request.GET.get(name)
    return None if key is None else _of_key(agreement, key)


def _of_key(agreement: QuestionAgreement, key: str) -> Rater:
    for rater in raters_of(agreement):
        if rater.key == key:
            return rater
    raise Http404("The report has no such rater.")


def _one_of(request: HttpRequest, agreement: QuestionAgreement) -> Sequence[Rater]:
    keys = request.GET.getlist("one_of")
    if keys and len(keys) != 2:
        raise Http404("one_of requires two raters.")
    return [_of_key(agreement, key) for key in keys]


def _raters(request: HttpRequest, agreement: QuestionAgreement) -> Sequence[Rater]:
    """Those of the ids, such as 3:5:8; none of them for everybody, whoever counts."""
    text = request.GET.get("raters", "")
    if text == ALL:
        return []
    known: Mapping[str, Rater] = {str(rater.id): rater for rater in raters_of(agreement)}
    ids = text.split(":")[:MOST_RATERS] if text else []
    if any(pk not in known for pk in ids):
        raise Http404("The report has no such rater.")
    return [known[pk] for pk in ids]
