"""Preview of a bulk decision: the decisions, the disputes left open, and the effect. Nothing is saved.

Of a large project, the disputes that are stored are looked at; whether they are open and who labeled what is read now.

There are two rules: the label that more than a share of the raters gave, or all labels of one rater.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from core.numbers import letters
from projects.models import Category, Item, Project
from raters.adjudication.conditional_questions import Place, QuestionCondition, codebook_of, links_of
from raters.adjudication.disputes import Dispute, DisputeFilter, OpenDisputes, read
from raters.adjudication.finals import FinalAnswer, final_of
from raters.adjudication.ruling import rules_of
from raters.adjudication.stored_disputes import open_disputes
from raters.adjudication.votes import CANNOT_TELL, FinalValue, Voter, Votes, are_equal_values
from raters.figures.stored_figures import FigureFreshness
from raters.missing_codes import declared_by
from raters.models import Label, Rater
from raters.passes import CurrentLabels

# Maximum number of disputes per bulk decision.
MOST = 2000
VOTERS = {Rater.Kind.REFERENCE: Voter.REFERENCE, Rater.Kind.CONSENSUS: Voter.CONSENSUS}


@dataclass(frozen=True, slots=True)
class BulkRule:
    """share: more than this share of the raters with a label must have given it. rater: whose labels to adopt."""

    share: float = 0.5
    rater: int | None = None

    @property
    def words(self) -> str:
        return "all of one rater" if self.rater is not None else f"majority above {100 * self.share:.12g}%"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposed decision of a dispute. before: its current final label."""

    dispute: Dispute
    value: FinalValue
    before: FinalAnswer


@dataclass(frozen=True, slots=True)
class OpenDispute:
    """A dispute that stays open, and why."""

    dispute: Dispute
    why: str


@dataclass(frozen=True, slots=True)
class RaterEffect:
    """How often one rater agrees with the final labels of these disputes, before and after the decision."""

    name: str
    n: int
    n_before: int
    n_after: int


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """digest: hash of the proposals, so that only what was seen can be confirmed. n_more: disputes beyond MOST.

    n_waiting: disputes on items without all of their planned labels. counted: when the disputes were listed.
    """

    proposals: list[Proposal]
    left: list[OpenDispute]
    raters: list[RaterEffect]
    digest: str
    n_more: int
    n_waiting: int
    counted: FigureFreshness

    @property
    def n_new(self) -> int:
        """Number of disputes that had no final label."""
        return sum(each.before.value is None for each in self.proposals)

    @property
    def n_other(self) -> int:
        """Number of disputes whose final label would change."""
        return sum(each.before.value not in {None, each.value} for each in self.proposals)

    @property
    def n_same(self) -> int:
        return len(self.proposals) - self.n_new - self.n_other


@dataclass(frozen=True, slots=True)
class Vote:
    rater: int
    voter: Voter
    value: FinalValue


def votes_of(votes: Iterable[Vote]) -> list[Votes]:
    """Group the votes as rules expect them: each value once per kind of rater."""
    raters: dict[tuple[Voter, FinalValue], list[int]] = {}
    for each in votes:
        raters.setdefault((each.voter, each.value), []).append(each.rater)
    return [Votes(*key, len(of_value), tuple(of_value)) for key, of_value in raters.items()]


def offered_to(project: Project, wanted: DisputeFilter, *, by: Any) -> OpenDisputes:
    """Return the disputes that are looked at. Raises FiguresNotComputed."""
    return open_disputes(project, wanted, first=MOST, by=by)


def preview_of(project: Project, wanted: DisputeFilter, rule: BulkRule, *, by: Any = None) -> BulkPreview:
    """Return what deciding the disputes would do. Raises FiguresNotComputed."""
    return preview_among(project, wanted, rule, offered_to(project, wanted, by=by))


def preview_among(
    project: Project, wanted: DisputeFilter, rule: BulkRule, offered: OpenDisputes
) -> BulkPreview:
    """Return the same for the items of these disputes, as they are now."""
    items = tuple({each.item for each in offered.firsts})
    _, disputes = read(project, replace(wanted, items=items), limit=MOST)
    votes = _votes(project, wanted, disputes)
    tolerances = dict(project.questions.values_list("pk", "tolerance"))
    rules = rules_of(project)
    links = links_of(codebook_of(project))
    proposals: list[Proposal] = []
    left: list[OpenDispute] = []
    for dispute in disputes:
        cast, tolerance = votes.get((dispute.item, dispute.question), []), tolerances[dispute.question] or 0.0
        value, why = _decided(cast, rule, tolerance)
        if value is None:
            left.append(OpenDispute(dispute, why))
        else:
            before = final_of(votes_of(cast), tolerance=tolerance, rule=rules[dispute.question])
            proposals.append(Proposal(dispute, value, before))
    proposals, ruled_out = _split_by_conditions(proposals, links)
    left += ruled_out
    effects = _effects(project, proposals, votes, {pk: value or 0.0 for pk, value in tolerances.items()})
    return BulkPreview(
        proposals,
        left,
        effects,
        _digest(rule, proposals),
        n_more=max(offered.total.n_open - len(disputes), 0),
        n_waiting=offered.n_waiting,
        counted=offered.counted,
    )


def _split_by_conditions(
    proposals: Sequence[Proposal], links: Sequence[QuestionCondition]
) -> tuple[list[Proposal], list[OpenDispute]]:
    """Split off proposals that would not count because other proposals for the same item rule them out."""
    values = {(each.dispute.item, each.dispute.question): each.value for each in proposals}
    out: set[Place] = set()
    for item, question in values:
        for link in links:
            value = values.get((item, link.parent)) if link.question == question else None
            if value is not None and not _categories(value) & set(link.categories):
                out.add((item, question))
    kept = [each for each in proposals if (each.dispute.item, each.dispute.question) not in out]
    gone = [each.dispute for each in proposals if (each.dispute.item, each.dispute.question) in out]
    return kept, [
        OpenDispute(dispute, "not asked, as the earlier question would be decided") for dispute in gone
    ]


def _categories(value: FinalValue) -> set[int]:
    return {value.category} if value.category is not None else set(value.category_set or ())


def names_in(project: Project) -> dict[int, str]:
    """Return the display names of a project's raters for selecting one, in display order.

    Hidden names are letters in an order that only the server can compute and that differs from those on item pages.
    """
    has_labels = Exists(Label.objects.filter(rater=OuterRef("pk")))
    raters = list(Rater.objects.filter(has_labels, project=project).exclude(kind__in=VOTERS))
    if project.adjudicators_see_names:
        return {rater.pk: rater.key for rater in raters}
    order = sorted(
        (rater.pk for rater in raters),
        key=lambda pk: salted_hmac("raters of a project", f"{project.pk} {pk}").digest(),
    )
    return {pk: f"Rater {letters(place)}" for place, pk in enumerate(order)}


def value_of(label: Label) -> FinalValue:
    chosen = None if label.category_set is None else tuple(label.category_set)
    return FinalValue(label.category_id, chosen, label.number)


def words_of(value: FinalValue, categories: Mapping[int, str]) -> str:
    """Return the value in words. categories: names by ID."""
    if value.category is not None:
        return categories.get(value.category, str(value.category))
    if value.category_set is not None:
        return ", ".join(categories.get(pk, str(pk)) for pk in value.category_set) or "none of these"
    return "cannot tell" if value.number is None else f"{value.number:.12g}"


def names_of_categories(project: Project) -> dict[int, str]:
    return {each.pk: str(each) for each in Category.with_merged.filter(question__project=project)}


def _votes(
    project: Project, wanted: DisputeFilter, disputes: Sequence[Dispute]
) -> dict[tuple[int, int], list[Vote]]:
    """Return each rater's first non-missing label in scope, as counted in the list of disputes."""
    declared = declared_by(project.questions.all())
    raters = Rater.objects.filter(project=project).in_bulk()
    labels = Label.objects.filter(
        item__in={each.item for each in disputes}, question__in={each.question for each in disputes}
    ).exclude(rater__kind=Rater.Kind.CONSENSUS)
    found: dict[tuple[int, int], list[Vote]] = {}
    rows = list(labels.order_by("item", "question", "rater", "pass_number"))
    for label in rows:
        # One object for all labels of a rater takes a third of the time of one for each.
        label.rater = raters[label.rater_id]
    if wanted.round is None:
        current = CurrentLabels.of(project, {each.item for each in disputes})
        rows = [
            label
            for _, of_item in groupby(rows, key=lambda row: row.item_id)
            for label in current.among(of_item)
        ]
    for (item, question, rater), of_rater in groupby(
        rows, key=lambda row: (row.item_id, row.question_id, row.rater_id)
    ):
        voter = VOTERS.get(Rater.Kind(raters[rater].kind), Voter.RATER)
        in_scope = (
            label
            for label in of_rater
            if not declared.holds(label)
            and (voter is not Voter.RATER or wanted.round in {None, label.round_id})
        )
        if (first := next(in_scope, None)) is not None:
            value = CANNOT_TELL if first.is_abstention else value_of(first)
            found.setdefault((item, question), []).append(Vote(rater, voter, value))
    return found


def _decided(votes: Sequence[Vote], rule: BulkRule, tolerance: float) -> tuple[FinalValue | None, str]:
    """Return the value, or the reason why there is none."""
    if rule.rater is not None:
        own = next((each.value for each in votes if each.rater == rule.rater), CANNOT_TELL)
        return (None, "no label by this rater") if own.is_abstention else (own, "")
    final = final_of(votes_of(each for each in votes if each.voter is Voter.RATER), tolerance=tolerance)
    if final.value is None or final.share_agree is None or final.share_agree <= rule.share:
        return None, "no majority above the share"
    references = [
        each.value for each in votes if each.voter is Voter.REFERENCE and not each.value.is_abstention
    ]
    if not all(are_equal_values(each, final.value, tolerance) for each in references):
        return None, "a reference says otherwise"
    return final.value, ""


def _effects(
    project: Project,
    proposals: Sequence[Proposal],
    votes: dict[tuple[int, int], list[Vote]],
    tolerances: dict[int, float],
) -> list[RaterEffect]:
    names = names_in(project)
    counts = {pk: [0, 0, 0] for pk in names}
    for proposal in proposals:
        place = (proposal.dispute.item, proposal.dispute.question)
        tolerance = tolerances[proposal.dispute.question]
        for vote in votes[place]:
            if vote.rater not in counts or vote.value.is_abstention:
                continue
            before = proposal.before.value
            counted = counts[vote.rater]
            counted[0] += 1
            counted[1] += before is not None and are_equal_values(vote.value, before, tolerance)
            counted[2] += are_equal_values(vote.value, proposal.value, tolerance)
    return [RaterEffect(names[pk], *counted) for pk, counted in counts.items() if counted[0]]


def _digest(rule: BulkRule, proposals: Sequence[Proposal]) -> str:
    values = [(each.dispute.item, each.dispute.question, each.value, each.before.value) for each in proposals]
    return hashlib.sha256(repr((rule, sorted(values, key=lambda each: each[:2]))).encode()).hexdigest()


def lock_items(pks: Iterable[int]) -> None:
    """Lock the items in ID order, to avoid deadlocks."""
    items = Item.objects.select_for_update(no_key=True).filter(pk__in=set(pks))
    list(items.order_by("pk").values_list("pk"))
