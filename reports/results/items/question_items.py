"""The items behind an overall figure: those that a query selects, in words, and page by page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
from django.http import Http404

from core.numbers import whole_number
from core.templatetags.shown import count, moment
from projects.models import Item
from raters.items.queries import items_of
from reports.agreement.consensus.dawid_skene import dawid_skene
from reports.agreement.consensus.majority import majority_vote
from reports.agreement.results import FloatArray, IntArray
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import NO_ROUND, NO_VERSION, of_raters
from reports.analysis.results import LatentClassEstimates
from reports.analysis.windows import EPOCH
from reports.results.decision_wording import PARAMETERS as DECISIONS
from reports.results.decision_wording import requested_decisions
from reports.results.items.items_by_attribute import requested_group
from reports.results.items.label_selection import LabelSelection
from reports.results.items.query import ItemQuery, category_of, known
from reports.sources.label_columns import read_columns
from reports.sources.tally import BoolArray, ItemDisagreement, Tally
from reports.store.agreements import ReportRater
from reports.store.included_raters import counted_in_all_rounds
from reports.store.model_decisions import DecisionsRefused, decided_by_model
from reports.store.sides import ALL, RATERS, ComparisonRefused, round_ids, side_of
from reports.store.stored_result import StoredResult

# The most raters listed in a query string.
MOST_RATERS = 200
# The most labels x categories for which a page may recompute the estimate, which takes some tenths of a second.
MOST_LABEL_CELLS = 500_000
# More than the number of guidelines versions.
MANY = 2**31
MAJORITY = "majority"

Condition = Callable[[Tally], BoolArray]
# A condition in words ("" if implied) and as a function of items; None if it concerns labels only.
Asked = tuple[str, Condition | None]


@dataclass(frozen=True, slots=True)
class ListedItem:
    """answers: each with the number of raters who gave it; a category ID, a number, or the IDs of a set."""

    item: Item
    answers: list[tuple[Any, int]]
    n_abstained: int


@dataclass(frozen=True, slots=True)
class AgreementFilter:
    """The meaning of a value of the parameter `in`. most: None for any number of labels."""

    words: str = ""
    least: int = 1
    most: int | None = None
    differ: bool | None = None
    n_abstained: int = 0
    vote: Condition | None = None

    def holds(self, items: ItemDisagreement) -> BoolArray:
        """Return which items meet the conditions other than the vote, whose categories may differ in other reports."""
        which = items.n_labels >= self.least
        if self.most is not None:
            which &= items.n_labels <= self.most
        if self.n_abstained:
            which &= items.n_abstained >= self.n_abstained
        if self.differ is not None:
            which &= (items.n_different > 1) == self.differ
        return which


@dataclass(frozen=True, slots=True)
class QuestionItems:
    """Items of a question that are among some, and for which every condition holds, most disputed first."""

    title: str
    counting: LabelSelection
    among: AgreementFilter
    conditions: tuple[Condition, ...] = ()
    has_moments: bool = False

    def ids(self) -> IntArray:
        """Return the IDs of all items in ascending order."""
        found = [found.items for _, found in self._found()]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def page(self, start: int, size: int) -> tuple[list[ListedItem], int]:
        """Return one page of items, and the total number."""
        found = list(self._found())
        if not found:
            return [], 0
        firsts = np.repeat([first_item for first_item, _ in found], [len(each.items) for _, each in found])
        ids, spreads, entropies = (
            np.concatenate([getattr(each, name) for _, each in found])
            for name in ("items", "spreads", "entropies")
        )
        page = _most_disputed(ids, spreads, entropies, start + size)[start:]
        again = self.counting.tallies(first_items=np.unique(firsts[page]).tolist(), items=ids[page])
        return self._listed([tally for _, tally in again], ids[page]), len(ids)

    def _found(self) -> Iterator[tuple[int, ItemDisagreement]]:
        """Yield the items, with the first item of each block."""
        stored = None if self.conditions else self.counting.disagreement
        if stored is not None:
            for first_item, disagreement in stored:
                yield first_item, disagreement.at(self.among.holds(disagreement))
            return
        for first_item, tally in self.counting.tallies(moments=self.has_moments):
            disagreement = tally.disagreement
            which = self.among.holds(disagreement)
            for condition in self.conditions:
                which &= condition(tally)
            yield first_item, disagreement.at(which)

    def _listed(self, tallies: list[Tally], page: IntArray) -> list[ListedItem]:
        items = Item.objects.in_bulk(page.tolist())
        categories = [category["id"] for category in self.counting.row.categories]
        found = {
            int(tally.items[place]): (tally.answers(place, categories), int(tally.n_abstained[place]))
            for tally in tallies
            for place in range(len(tally.items))
        }
        return [ListedItem(items[pk], *found[pk]) for pk in page.tolist() if pk in items]


def _most_disputed(ids: IntArray, spreads: FloatArray, entropies: FloatArray, n: int) -> IntArray:
    """Return the positions of the n most disputed items, in order. Without labels, both measures are NaN."""
    order = -spreads if np.any(spreads > 0) else -entropies
    among = np.arange(len(ids))
    # To sort millions takes as long as to count them.
    if n < len(ids):
        least = np.partition(order, n - 1)[n - 1]
        # NaN sorts after all numbers.
        if not np.isnan(least):
            among = np.flatnonzero(order <= least)
    found: IntArray = among[np.lexsort((ids[among], -entropies[among], -spreads[among]))][:n]
    return found


AGREEMENT_FILTERS = {
    "dispute": AgreementFilter("raters disagree", least=2, differ=True),
    "agreement": AgreementFilter("all raters agree", least=2, differ=False),
    "compared": AgreementFilter("at least two raters gave a label", least=2),
    "alone": AgreementFilter("only one rater gave a label", most=1),
    "abstained": AgreementFilter("a rater answered “cannot tell”", least=0, n_abstained=1),
    "scattered": AgreementFilter("no two of three labels or more agree", least=3, vote=Tally.is_scattered),
    "decided": AgreementFilter("one category has the most labels", vote=Tally.is_decided),
    "tied": AgreementFilter("two or more categories are tied for the most labels", vote=Tally.is_tied),
}


def items_of_question(query: ItemQuery, result: StoredResult) -> QuestionItems:
    """Return the items that the query selects. Raises Http404 for anything the report does not have."""
    if query.decided:
        return _decided(query, result)
    counted = result.counted
    keys = {rater.key: rater for rater in result.raters}
    ids = {str(rater.id): rater for rater in result.raters}
    asked_for = (query.rater, query.abstains, *query.one_of)
    named = {key: known(keys, key, "rater") for key in asked_for if key is not None}
    # No group means all raters, whether they count or not.
    group = query.raters.split(":")[:MOST_RATERS] if query.raters and query.raters != ALL else []
    chosen = [known(ids, pk, "rater") for pk in group]
    raters = [rater.id for rater in chosen]
    # Behind overall figures, only the labels of raters who count are used.
    is_about_counted = bool(counted.left_out) and not counted.are_too_few and not query.raters
    if is_about_counted:
        # Raters named in the query are included, too.
        who = counted_in_all_rounds(result.row) if query.is_of_a_part else counted.ids
        raters = [*{*who, *(rater.id for rater in named.values())}]
    counting = LabelSelection(result.row, tuple(sorted(raters)), all_rounds=query.is_of_a_part)
    among = _agreement_filter(query, counted.n_raters)
    asked: list[Asked] = [*_asked_of_raters(query, result, named, chosen), (among.words, among.vote)]
    for part, name in (("round", query.round), ("guidelines", query.guidelines)):
        if name is not None:
            counting, words = _of_part(result, counting, part, name)
            asked.append((words, None))
    if query.since or query.until:
        asked.append(_asked_of_time(query))
    asked += _asked_of_other_lists(query, result, among, counting.raters)
    asked += _asked_of_estimate(query, result)
    asked += _asked_of_attribute(query, result)
    asked += _asked_of_words(query, result)
    titles = [words for words, _ in asked if words]
    title = "Items where " + " and ".join(titles) if titles else "All labeled items"
    if is_about_counted:
        title += f", {counted.without}"
    conditions = tuple(condition for _, condition in asked if condition)
    return QuestionItems(title, counting, among, conditions, has_moments=bool(query.since or query.until))


def _decided(query: ItemQuery, result: StoredResult) -> QuestionItems:
    """Return the items that a model may decide alone, or those that it may not, with its labels."""
    address = {name: getattr(query, name) or "" for name in DECISIONS}
    try:
        decided = decided_by_model(result, requested_decisions(address))
    except DecisionsRefused as refused:
        raise Http404(str(refused)) from None
    model, is_yes, opened = decided.rater, query.decided == "yes", decided.items
    items = opened.items[opened.is_decided == is_yes]
    words = f"only {model.key} gave a label, and " + (
        "it may decide alone" if is_yes else "people are needed"
    )
    asked: list[Asked] = [(words, partial(_is_in_other_list, items, True)), *_asked_of_words(query, result)]
    counting = LabelSelection(result.row, (model.id,), all_rounds=True)
    conditions = [condition for _, condition in asked if condition]
    title = "Items where " + " and ".join(titles for titles, _ in asked)
    return QuestionItems(title, counting, AgreementFilter(least=0), tuple(conditions))


def _asked_of_words(query: ItemQuery, result: StoredResult) -> Iterator[Asked]:
    if searched := query.searched:
        found = items_of(result.report.project, searched).values_list("pk", flat=True)
        items = np.fromiter(found, dtype=np.int64)
        yield f"the item name or text contains “{searched}”", partial(_is_in_other_list, items, True)


def _agreement_filter(query: ItemQuery, n_raters: int) -> AgreementFilter:
    if query.among == "complete":
        among = AgreementFilter(f"all {count(n_raters)} raters gave a label", least=n_raters)
    elif query.among == "incomplete":
        among = AgreementFilter(f"some of the {count(n_raters)} raters gave no label", most=n_raters - 1)
    else:
        among = AGREEMENT_FILTERS.get(query.among or "", AgreementFilter())
    # The rater who could not tell may be the only one who was asked.
    return among if query.abstains is None else replace(among, least=0)


def _asked_of_raters(
    query: ItemQuery, result: StoredResult, named: Mapping[str, ReportRater], chosen: Sequence[ReportRater]
) -> Iterator[Asked]:
    """Yield conditions on the answers of raters."""
    for key in query.has[:2]:
        place, name = category_of(result.categories, key)
        yield f"at least one rater chose “{name}”", partial(Tally.has, category=place)
    if query.rater is not None:
        rater = named[query.rater]
        label = category_of(result.categories, query.label) if query.label else None
        words = f"{rater.key} chose “{label[1]}”" if label else f"{rater.key} gave a label"
        yield words, lambda tally: tally.has_label(rater.id, label[0] if label else None)
    if query.abstains is not None:
        silent = named[query.abstains]
        yield f"{silent.key} answered “cannot tell”", lambda tally: tally.could_not_tell(silent.id)
    if query.one_of:
        if len(query.one_of) != 2:
            raise Http404("one_of requires two raters.")
        a, b = (named[key] for key in query.one_of)
        yield (
            f"only one of {a.key} and {b.key} gave a label",
            lambda tally: tally.has_label(a.id) ^ tally.has_label(b.id),
        )
    if chosen:
        # Labels of other raters are not counted at all.
        yield f"labels are by {', '.join(each.key for each in chosen)}", None
    if query.most:
        place, name = category_of(result.categories, query.most)
        yield f"“{name}” has the most labels", partial(Tally.is_decided, category=place)


def _of_part(
    result: StoredResult, counting: LabelSelection, part: str, name: str
) -> tuple[LabelSelection, str]:
    """Limit the counting to one round, by key, or to one version of the guidelines; also return this in words.

    name: "" for labels without one.
    """
    if part == "guidelines":
        version = whole_number(name) if name else NO_VERSION
        if version is None:
            raise Http404("The version of the guidelines must be a number.")
        under = f"version {name}" if name else "an unknown version"
        counting = replace(counting, version=min(version, MANY))
        return counting, f"labels were made under {under} of the guidelines"
    round_ = known({**round_ids(result.row), "": NO_ROUND}, name, "round")
    counting = replace(counting, round=round_)
    return counting, f"labels are from round “{name}”" if name else "labels are from no round"


def _asked_of_time(query: ItemQuery) -> Asked:
    """Return the condition on the time of the latest label."""
    try:
        since, until = (datetime.fromisoformat((text or "")[:40]) for text in (query.since, query.until))
    except ValueError:
        raise Http404("“from” and “to” must be timestamps, such as 2026-03-02T09:00:00+00:00.") from None
    if since.tzinfo is None or until.tzinfo is None:
        raise Http404("“from” and “to” must have a time zone, such as +00:00.")
    low, high = ((each - EPOCH) // timedelta(microseconds=1) for each in (since, until))
    return (
        f"the latest label is from {moment(since)} to {moment(until)}",
        lambda tally: (tally.finished >= low) & (tally.finished <= high),
    )


def _asked_of_other_lists(
    query: ItemQuery, result: StoredResult, among: AgreementFilter, raters: tuple[int, ...]
) -> Iterator[Asked]:
    """Yield conditions on whether items are in another list: of another round, report, or group of raters."""
    # Another report may have other categories, so only the number of labels of an item is compared.
    alike = replace(among, vote=None)
    for text, verb, is_wanted in (
        (query.also, "has the item too", True),
        (query.without, "does not have the item", False),
    ):
        if not text:
            continue
        text = text[: MOST_RATERS * 20]
        part, _, name = text.partition(":")
        if part in {"round", "guidelines"}:
            counting, _ = _of_part(result, LabelSelection(result.row, raters), part, name)
            title = f"the round “{name}”" if part == "round" else f"version {name} of the guidelines"
        else:
            try:
                side = side_of(result.row, text)
            except ComparisonRefused as refused:
                raise Http404(str(refused)) from None
            if side.is_pair:
                raise Http404(
                    "Items can be compared with a round, a report, or a group of raters, not with a pair."
                )
            is_of_all = query.raters == ALL and not text.startswith(RATERS)
            counting = LabelSelection(side.agreement, () if is_of_all else side.raters, round=side.round)
            title = side.name
        items = QuestionItems(title, counting, alike).ids()
        yield f"{title} {verb}", partial(_is_in_other_list, items, is_wanted)


def can_be_listed(result: StoredResult) -> bool:
    """Return whether there is a Dawid–Skene estimate, with few enough labels to recompute it.

    A report stores how many items are estimated to be in each category, but not which: for 10,000 or more items, that
    would double its size.
    """
    # The estimate is for single choices only.
    found = result.figures.consensus
    is_estimated = found is not None and isinstance(found.dawid_skene, LatentClassEstimates)
    return is_estimated and result.counted.n_labels * len(result.categories) <= MOST_LABEL_CELLS


def _asked_of_estimate(query: ItemQuery, result: StoredResult) -> Iterator[Asked]:
    """Yield conditions on the Dawid–Skene estimate: a category, or a difference from the majority."""
    if not (query.estimated or query.unlike):
        return
    if (query.unlike or MAJORITY) != MAJORITY or not can_be_listed(result):
        raise Http404("The report has no such list.")
    labels = of_raters(read_columns(result.row), result.counted.ids)
    part = kind_of(result.scope).part(labels)
    codes = np.asarray(dawid_skene(part.sample, smoothing=result.report.chosen.smoothing).codes)
    if query.estimated:
        place, name = category_of(result.categories, query.estimated)
        items = part.item_ids[codes == place]
        yield f"the Dawid–Skene estimate is “{name}”", partial(_is_in_other_list, items, True)
    if query.unlike:
        majority = majority_vote(part.sample).codes
        items = part.item_ids[(majority >= 0) & (codes >= 0) & (majority != codes)]
        yield (
            "the Dawid–Skene estimate differs from the majority vote",
            partial(_is_in_other_list, items, True),
        )


def _asked_of_attribute(query: ItemQuery, result: StoredResult) -> Iterator[Asked]:
    """Yield the condition on an attribute of the items when the report was computed."""
    if query.attribute is None:
        return
    group = requested_group(query, result.report)
    yield f"{query.attribute} is “{group.value or '(empty)'}”", partial(_is_in_other_list, group.ids, True)


def _is_in_other_list(items: IntArray, is_wanted: bool, tally: Tally) -> BoolArray:
    return np.isin(tally.items, items) == is_wanted
