"""The comparison of two reports on one question, for pages and API: which reports, their facts, and the differences."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from core.numbers import whole_number
from core.refusals import Refused
from core.templatetags.shown import count, moment
from projects.access import AnyUser, Guest, opens_items, reports_opened
from projects.models import Item, Project
from raters.access import rounds_to_be_blind_in
from raters.lettered import letters_in_force
from raters.models import Assignment
from reports.analysis.results import ChangedItem, Json
from reports.models import QuestionAgreement, Report
from reports.results.addresses import items_address, question_address
from reports.results.items.query import ItemQuery
from reports.store.included_raters import SideRaters, counted_of_side, kinds_in
from reports.store.stored_result import StoredResult
from reports.store.two_reports import included_raters_of

SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about the two reports. addresses: the URL of its list in each, or ""."""

    name: str
    first: str
    second: str
    addresses: tuple[str, str] = ("", "")

    @property
    def differs(self) -> bool:
        return self.first != self.second


@dataclass(frozen=True, slots=True)
class AppliedOption:
    """An option of the second report with which the figures of both are computed, and what the first has instead."""

    name: str
    first: str
    second: str

    @property
    def words(self) -> str:
        return f"{self.name}: {self.second} ({self.first} in the first report)"


@dataclass(frozen=True, slots=True)
class ChangedItemRow:
    """n_labels: the number of raters whose label of the item changed."""

    key: str
    address: str
    n_labels: int


class UnknownComparison(Refused):
    """A report or question in the URL that cannot be compared; the message says which."""

    status_code = 400


def done_reports(user: AnyUser, project: Project) -> QuerySet[Report]:
    """Return the finished reports that the user may open."""
    found = project.reports.filter(state=Report.State.DONE, **reports_opened(user))
    return found.select_related("project", "asked_by").order_by("-id")


def chosen_report(user: AnyUser, project: Project, text: str) -> Report:
    found = done_reports(user, project).filter(pk=whole_number(text) or 0).first()
    if found is None:
        raise UnknownComparison(f"There is no finished report {text!r} in this project.")
    return found


def shared_questions(before: Report, after: Report) -> dict[str, tuple[StoredResult, StoredResult]]:
    """Return the results of the questions in both reports, by key."""
    rows = QuestionAgreement.objects.filter(report__in=[before.pk, after.pk]).select_related("question")
    found: dict[int, dict[int, StoredResult]] = {}
    for row in rows.order_by("question__position", "question_id"):
        # Avoids fetching the report for each question.
        row.report = before if row.report_id == before.pk else after
        found.setdefault(row.question_id, {})[row.report_id] = StoredResult.of(row)
    return {
        of_both[before.pk].question.key: (of_both[before.pk], of_both[after.pk])
        for of_both in found.values()
        if before.pk in of_both and after.pk in of_both
    }


def chosen_pair(
    before: Report, after: Report, key: str
) -> tuple[str, dict[str, tuple[StoredResult, StoredResult]]]:
    """Return the key of the question (default: the first in both reports) and the results of all shared questions."""
    if before.pk == after.pk:
        raise UnknownComparison("Select two different reports.")
    questions = shared_questions(before, after)
    if not questions:
        raise UnknownComparison("The two reports have no question in common.")
    if key and key not in questions:
        raise UnknownComparison(f"Only one of the two reports, or neither, has a question {key!r}.")
    return key or next(iter(questions)), questions


def rounds_in_words(scope: Json, *, has_rounds: bool) -> str:
    """Return the rounds of a report's scope in words. has_rounds: whether the project has any."""
    rounds, is_pooled = scope["rounds"], scope.get("pooled", True) or not has_rounds
    if rounds is None:
        return "all labels" if is_pooled else "round by question"
    words = " and ".join(rounds)
    return words if is_pooled or len(rounds) == 1 else f"one of {words}, by question"


def facts_of(user: AnyUser, before: StoredResult, after: StoredResult) -> list[Fact]:
    """Return scope, options, labels, and program of both, differences first. Guests do not see who requested them."""
    first, second = _facts(before), _facts(after)
    if isinstance(user, Guest):
        del first["Requested by"]
    listed = [_listings(result) for result in (before, after)]
    facts = [
        Fact(name, first[name], second[name], (listed[0].get(name, ""), listed[1].get(name, "")))
        for name in first
    ]
    return sorted(facts, key=lambda fact: not fact.differs)


def _facts(result: StoredResult) -> dict[str, str]:
    report, options, counted = result.report, result.report.chosen, result.counted
    return {
        "Computed": moment(report.finished_at),
        # The person who requested a report may be a rater.
        "Requested by": "–" if letters_in_force() else str(report.asked_by or "–"),
        "Rounds": result.row.lead["key"]
        if result.row.lead
        else rounds_in_words(report.scope, has_rounds=False),
        "Questions": ", ".join(report.scope["questions"]),
        "Items": count(counted.n_items),
        "Raters": counted.words,
        "Labels": count(counted.n_labels),
        "“Cannot tell”": count(counted.n_abstentions),
        "Weights": str(result.scope.weights) if not result.reason else str(options.weights),
        "Other options": ", ".join(words for words in options.words if not words.endswith("weights"))
        or "defaults",
        "Data": result.row.digest[:8],
        "Software version": report.code_version,
    }


def _listings(result: StoredResult) -> dict[str, str]:
    """Return the URLs of the lists of what is counted."""
    if result.reason:
        return {}
    return {
        "Items": items_address(result.row),
        "Raters": f"{question_address(result.row)}raters/",
        "Labels": items_address(result.row),
        "“Cannot tell”": items_address(result.row, ItemQuery(among="abstained")),
    }


def codebook_differences(before: StoredResult, after: StoredResult) -> list[str]:
    """Return the differences in the definition of the question between the two reports."""
    first, second = before.scope.question, after.scope.question
    found = [
        f"The {name} is {first[name]} in the first report and {second[name]} in the second."
        for name in ("kind", "level")
        if first[name] != second[name]
    ]
    keys = [[category["key"] for category in question["categories"]] for question in (first, second)]
    for mine, others, name in ((keys[0], keys[1], "first"), (keys[1], keys[0], "second")):
        if alone := [key for key in mine if key not in others]:
            found.append(f"Categories in the {name} report only: {', '.join(alone)}.")
    if sorted(keys[0]) == sorted(keys[1]) and keys[0] != keys[1]:
        found.append("The order of the categories differs.")
    return [*found, *rater_differences(before, after)]


def rater_differences(before: StoredResult, after: StoredResult) -> list[str]:
    mine, others = ([rater.key for rater in each.raters] for each in (before, after))
    found = []
    for some, rest, name in ((mine, set(others), "first"), (others, set(mine), "second")):
        if alone := [key for key in some if key not in rest]:
            more = f" and {count(len(alone) - 10)} more" if len(alone) > 10 else ""
            found.append(f"Raters in the {name} report only: {', '.join(alone[:10])}{more}.")
    return found


def counted_of_both(before: StoredResult, after: StoredResult) -> list[SideRaters]:
    """Return who counts on each side of overall differences; the rater types of the second report apply to both."""
    kinds = kinds_in(after.row)
    ids = included_raters_of((before.row, after.row), kinds)
    return [counted_of_side(each.row, ids, kinds) for each in (before, after)]


def changed_items(user: AnyUser, project: Project, changed: Sequence[ChangedItem]) -> list[ChangedItemRow]:
    """Return the changed items, except those that the user still labels or whose labels the user may change."""
    if not opens_items(user):
        return []
    own = Assignment.objects.filter(item=OuterRef("pk"), round__in=rounds_to_be_blind_in(user, project))
    rows = Item.objects.filter(~Exists(own), pk__in=[each.item for each in changed])
    keys = dict(rows.values_list("pk", "key"))
    return [
        ChangedItemRow(keys[each.item], reverse("item", args=[project.slug, each.item]), each.n_labels)
        for each in changed
        if each.item in keys
    ]


def applied_options(before: StoredResult, after: StoredResult) -> list[AppliedOption]:
    """Return the options of the second report that the first does not have: a difference only means something if both
    figures are computed in the same way.
    """
    first, second = _applied(before), _applied(after)
    found = [AppliedOption(name, first[name], second[name]) for name in second if first[name] != second[name]]
    custom = [each.report.chosen.matrices.get(each.question.key) for each in (before, after)]
    if first["Weights"] == second["Weights"] and custom[0] != custom[1]:
        found.append(AppliedOption("Weights", "other custom weights", "custom weights"))
    return found


def _applied(result: StoredResult) -> dict[str, str]:
    options, scope = result.report.chosen, result.scope
    drawn = f", {count(options.replicates)} replicates, seed {options.seed}" if options.is_bootstrap else ""
    return {
        "Weights": str(scope.weights),
        "Rater types": " and ".join(kind.many for kind in kinds_in(result.row)),
        "Level": str(scope.level),
        "CIs": f"{options.percent}%, {options.interval}{drawn}",
    }
