"""What the page of two reports side by side shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from projects.access import AnyUser
from projects.models import Item, Project, Question
from projects.templatetags.shown import count, in_percent, moment
from raters.access import rounds_to_be_blind_in
from raters.models import Assignment
from reports.catalogue import title_of
from reports.computing.compared_sides import ComparisonRefused, is_id
from reports.computing.moved_pairs import MOST_PAIRS
from reports.computing.two_reports import counted_among
from reports.counted import counted_in, counted_of_side
from reports.later import two_reports_asked
from reports.models import QuestionAgreement, Report
from reports.pages.addresses import behind, items_address, question_address
from reports.pages.comparing.behind import Behind, behind_category, behind_pair, behind_reports
from reports.pages.comparing.over_time import default_coefficient, signed
from reports.pages.comparing.sides import DifferenceRow, difference_row
from reports.pages.pair.figures import scope_of
from reports.pages.question.matrix import raters_of
from reports.pages.question.statistic_rows import in_order, shown_p
from reports.pages.question.verdict import Standing, claim_of, shown_of, standing_of
from reports.pages.scale_reading import reading_of, scale_of
from reports.pages.shown import shown_interval
from reports.wording import long_reason

REPORTS_LISTED = 50
SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of what the two reports are. addresses: where that of either is listed, "" where it is not."""

    name: str
    first: str
    second: str
    addresses: tuple[str, str] = ("", "")

    @property
    def differs(self) -> bool:
        return self.first != self.second


@dataclass(frozen=True, slots=True)
class Headline:
    """What one report says of the question: the coefficient of the project's choice, and in words."""

    agreement: QuestionAgreement
    address: str
    title: str
    value: str
    interval: str
    claim: str
    standing: Standing | None
    items: str


@dataclass(frozen=True, slots=True)
class CategoryLine:
    name: str
    cells: list[DifferenceRow]


@dataclass(frozen=True, slots=True)
class PairLine:
    name: str
    address: str
    row: DifferenceRow


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """n_labels: how many raters say something else of it."""

    key: str
    address: str
    n_labels: int


class Unknown(ValueError):
    """A report or question that the address names and that cannot be compared; the message says which."""


def done_reports(project: Project) -> QuerySet[Report]:
    return (
        project.reports.filter(state=Report.State.DONE).select_related("project", "asked_by").order_by("-id")
    )


def chosen_report(project: Project, text: str) -> Report:
    found = done_reports(project).filter(pk=int(text)).first() if is_id(text) else None
    if found is None:
        raise Unknown(f"There is no finished report {text!r} in this project.")
    return found


def shared_questions(before: Report, after: Report) -> dict[str, tuple[QuestionAgreement, QuestionAgreement]]:
    """The questions that both reports are about, by their keys: the results of either."""
    rows = QuestionAgreement.objects.filter(report__in=[before.pk, after.pk]).select_related("question")
    found: dict[int, dict[int, QuestionAgreement]] = {}
    for agreement in rows.order_by("question__position", "question_id"):
        # So that no report is fetched again for each question.
        agreement.report = before if agreement.report_id == before.pk else after
        found.setdefault(agreement.question_id, {})[agreement.report_id] = agreement
    return {
        of_both[before.pk].question.key: (of_both[before.pk], of_both[after.pk])
        for of_both in found.values()
        if before.pk in of_both and after.pk in of_both
    }


def chosen_pair(
    before: Report, after: Report, key: str
) -> tuple[str, dict[str, tuple[QuestionAgreement, QuestionAgreement]]]:
    """The key of the question, the first that both have unless told, and all of them."""
    if before.pk == after.pk:
        raise Unknown("Select two different reports.")
    questions = shared_questions(before, after)
    if not questions:
        raise Unknown("The two reports have no question in common.")
    if key and key not in questions:
        raise Unknown(f"Only one of the two reports, or neither, has a question {key!r}.")
    return key or next(iter(questions)), questions


def two_page(request: HttpRequest, project: Project) -> dict[str, Any]:
    texts = [request.GET.get(side, "")[:20] for side in SIDES]
    context = {"project": project, "reports": _listed(project), "texts": dict(zip(SIDES, texts, strict=True))}
    if not any(texts):
        return context
    try:
        before, after = (chosen_report(project, text) for text in texts)
        key, questions = chosen_pair(before, after, request.GET.get("question", "")[:300])
    except Unknown as unknown:
        return context | {"refusal": str(unknown)}
    agreements = questions[key]
    shown = {
        "before": before,
        "after": after,
        "key": key,
        "questions": {key: key for key in questions},
        "facts": facts_of(*agreements),
        "codebook": codebook_differences(*agreements),
        "headlines": [_headline(project, each) for each in agreements],
        "percent": after.chosen.percent,
    }
    return context | shown | _compared(request.user, project, *agreements)


def _listed(project: Project) -> dict[str, str]:
    """The reports that can be chosen, with when, and about which rounds."""
    rows = done_reports(project).values_list("pk", "asked_at", "scope")[:REPORTS_LISTED]
    return {
        str(pk): f"Report {pk}, {moment(asked_at)}, {_rounds(scope['batches'])}"
        for pk, asked_at, scope in rows
    }


def _rounds(batches: Sequence[str] | None) -> str:
    return "all labels" if batches is None else " and ".join(batches)


def facts_of(before: QuestionAgreement, after: QuestionAgreement) -> list[Fact]:
    """Scope, options, labels and program of both; first what differs."""
    first, second = _facts(before), _facts(after)
    listed = [_listings(agreement) for agreement in (before, after)]
    facts = [
        Fact(name, first[name], second[name], (listed[0].get(name, ""), listed[1].get(name, "")))
        for name in first
    ]
    return sorted(facts, key=lambda fact: not fact.differs)


def _facts(agreement: QuestionAgreement) -> dict[str, str]:
    report, options, counted = agreement.report, agreement.report.chosen, counted_in(agreement)
    return {
        "Computed": moment(report.finished_at),
        "Requested by": str(report.asked_by or "–"),
        "Rounds": _rounds(report.scope["batches"]),
        "Questions": ", ".join(report.scope["questions"]),
        "Items": count(counted.n_items),
        "Raters": counted.words,
        "Labels": count(counted.n_labels),
        "“Cannot tell”": count(counted.n_abstentions),
        "Weights": str(options.weights),
        "Other options": ", ".join(words for words in options.words if not words.endswith("weights"))
        or "defaults",
        "Data": agreement.digest[:8],
        "Software version": report.code_version,
    }


def _listings(agreement: QuestionAgreement) -> dict[str, str]:
    """Where what the facts count is listed."""
    if agreement.reason:
        return {}
    return {
        "Items": items_address(agreement),
        "Raters": f"{question_address(agreement)}raters/",
        "Labels": items_address(agreement),
        "“Cannot tell”": items_address(agreement, **{"in": "abstained"}),
    }


def codebook_differences(before: QuestionAgreement, after: QuestionAgreement) -> list[str]:
    """What the two reports understood by the question."""
    first, second = scope_of(before).question, scope_of(after).question
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
    if _counted_alike(before, after):
        found.append(
            "The reports include different rater types; below, both use the rater types of the second."
        )
    return [*found, *rater_differences(before, after)]


def rater_differences(before: QuestionAgreement, after: QuestionAgreement) -> list[str]:
    mine, others = ([rater.key for rater in raters_of(each)] for each in (before, after))
    found = []
    for some, rest, name in ((mine, set(others), "first"), (others, set(mine), "second")):
        if alone := [key for key in some if key not in rest]:
            more = f" and {count(len(alone) - 10)} more" if len(alone) > 10 else ""
            found.append(f"Raters in the {name} report only: {', '.join(alone[:10])}{more}.")
    return found


def _headline(project: Project, agreement: QuestionAgreement) -> Headline:
    name = default_coefficient(agreement) if not agreement.reason else ""
    found = agreement.coefficients.get(name, {})
    is_single = scope_of(agreement).kind == Question.Kind.SINGLE
    reading = reading_of(name, found, scale_of(project)) if found else None
    claim = claim_of(name, found, reading) if found and is_single else long_reason(agreement.reason)
    return Headline(
        agreement,
        reverse("report_question", args=[project.slug, agreement.report_id, agreement.question_id]),
        title_of(name) if name else "",
        shown_of(name, found.get("value")),
        shown_interval(found.get("ci_low"), found.get("ci_high")),
        claim if found or agreement.reason else "",
        standing_of(project, found, reading) if found else None,
        behind(agreement, found.get("n_items")),
    )


def _compared(
    user: AnyUser, project: Project, before: QuestionAgreement, after: QuestionAgreement
) -> dict[str, Any]:
    try:
        found = two_reports_asked(before, after, by=user)
    except ComparisonRefused as refused:
        return {"unlike": str(refused)}
    name = default_coefficient(after)
    keys = {rater.id: rater.key for agreement in (before, after) for rater in raters_of(agreement)}
    # Differences are the later report's less the earlier one's: what they call first is the second report.
    return {
        "sentence": _counted_alike(before, after)
        + sentence_of(name, found["differences"].get(name), after.report.chosen.percent),
        "labels": found["labels"],
        "labels_behind": _labels_behind(before, after),
        "changed": changed_items(user, project, found),
        "rested_on": rested_on_words(before, after),
        "rows": [
            swapped_row(each, found["differences"][each], behind_reports(before, after, each))
            for each in in_order(found["differences"])
        ],
        "category_titles": [title_of(each) for each in _category_names(found)],
        "categories": [_category_line(before, after, each) for each in found["categories"]],
        "n_categories_left_out": len(after.categories) - len(found["categories"])
        if found["categories"]
        else 0,
        "pair_title": title_of(found["pair_figure"]),
        "pairs": [
            _pair_line(project, (before, after), found["pair_figure"], each, keys) for each in found["pairs"]
        ],
        "n_pairs": found["n_pairs"],
        "most_pairs": MOST_PAIRS,
    }


def _counted_alike(before: QuestionAgreement, after: QuestionAgreement) -> str:
    """What to say before a comparison that holds the first report to the raters of the second."""
    is_alike = before.report.chosen.counted == after.report.chosen.counted
    return "" if is_alike else "With the rater types of the second report in both: "


def counted_of_both(before: QuestionAgreement, after: QuestionAgreement) -> list[dict[str, Any]]:
    """Who counts in the differences of all raters, on either side: both by the kinds of the second."""
    kinds = after.report.chosen.counted
    ids = counted_among((before, after), kinds)
    return [counted_of_side(each, ids, kinds) for each in (before, after)]


def rested_on_words(before: QuestionAgreement, after: QuestionAgreement) -> str:
    """The same in a sentence; "" where everyone counts in both."""
    sides = counted_of_both(before, after)
    if not any(side["left_out"] for side in sides):
        return ""
    words = [side["words"] for side in sides]
    if words[0] == words[1]:
        return f"In both reports, overall coefficients are based on {words[0]}."
    return (
        f"Overall coefficients are based on {words[0]}, in the first report and on {words[1]}, in the second."
    )


def changed_items(user: AnyUser, project: Project, found: Mapping[str, Any]) -> list[ChangedItem]:
    """Without those that the user still labels, or may change a label of."""
    own = Assignment.objects.filter(item=OuterRef("pk"), batch__in=rounds_to_be_blind_in(user, project))
    rows = Item.objects.filter(~Exists(own), pk__in=[each["item"] for each in found["changed_items"]])
    keys = dict(rows.values_list("pk", "key"))
    return [
        ChangedItem(keys[each["item"]], reverse("item", args=[project.slug, each["item"]]), each["n_labels"])
        for each in found["changed_items"]
        if each["item"] in keys
    ]


def sentence_of(name: str, found: Mapping[str, Any] | None, confidence: str) -> str:
    """Whether the coefficient of the project's choice changed."""
    if not found or found["value"] is None:
        return f"{title_of(name)} cannot be compared because it is undefined in one of the reports."
    if found["value"] == 0 and found["p_value"] is None:
        return f"{title_of(name)} is the same in both reports."
    if found["p_value"] is None:
        return f"{title_of(name)} differs by {signed(found['value'])}; no CI is available."
    interval = shown_interval(found["ci_low"], found["ci_high"])
    p = shown_p(found["p_value"])
    tail = f"{in_percent(confidence)} CI {interval}, p {p if p.startswith('<') else f'= {p}'}"
    if found["p_value"] >= 1 - float(confidence) / 100:
        return f"{title_of(name)} does not differ significantly: difference {signed(found['value'])}, {tail}."
    way = "higher" if found["value"] > 0 else "lower"
    return f"{title_of(name)} is significantly {way} in the second report: difference {signed(found['value'])}, {tail}."


def _labels_behind(before: QuestionAgreement, after: QuestionAgreement) -> dict[str, str]:
    """The items that both have, and those that one of them has alone, whoever counts."""
    of_all = {"raters": "all"} if counted_in(before).left_out or counted_in(after).left_out else {}
    return {
        "both": items_address(after, also=f"report:{before.report_id}", **of_all),
        "only_before": items_address(before, without=f"report:{after.report_id}", **of_all),
        "only_after": items_address(after, without=f"report:{before.report_id}", **of_all),
    }


def swapped_row(name: str, found: Mapping[str, Any], behind: Behind) -> DifferenceRow:
    """With the value of the first report first."""
    swapped = {
        "first": found["second"], "second": found["first"], "n_first": found["n_second"], "n_second": found["n_first"]
    }  # fmt: skip
    return difference_row(name, {**found, **swapped}, behind)


def _category_names(found: Mapping[str, Any]) -> list[str]:
    return in_order(found["categories"][0]["differences"]) if found["categories"] else []


def _category_line(
    before: QuestionAgreement, after: QuestionAgreement, found: Mapping[str, Any]
) -> CategoryLine:
    cells = [
        swapped_row(name, found["differences"][name], behind_category(before, after, found["key"], name))
        for name in in_order(found["differences"])
    ]
    return CategoryLine(found["name"], cells)


def _pair_line(
    project: Project,
    reports: tuple[QuestionAgreement, QuestionAgreement],
    name: str,
    found: Mapping[str, Any],
    keys: Mapping[int, str],
) -> PairLine:
    (before, after), a, b = reports, found["rater_a"], found["rater_b"]
    address = reverse("pair", args=[project.slug, after.report_id, after.question_id, a, b])
    tail = "items/" if after.question.kind == Question.Kind.SINGLE else "#items"
    behind = behind_pair(before, after, a, b, tail)
    return PairLine(f"{keys[a]} × {keys[b]}", address, swapped_row(name, found["difference"], behind))
