"""The effect of a part of the history on agreement: the labels before and after it, read from the history.

The report determines how the question is read and who counts; its own labels are not used.
"""

from dataclasses import dataclass, replace

from core.history import Head
from core.refusals import Refused
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.part_figures import figure_of_part
from reports.analysis.question import QuestionNotComputable, QuestionScope
from reports.analysis.results import EffectSide, LabelChangeEffect
from reports.analysis.steps import ReportStep, phase, silent
from reports.models import QuestionAgreement
from reports.sources.history_spans import ChangedLabels, HistorySpan, changes_in, has_other_kind
from reports.sources.past_labels import labels_then
from reports.sources.question_labels import read_labels
from reports.sources.relation import LabelSource, UndeclaredCategory
from reports.sources.shared_snapshots import Snapshot, open_snapshot
from reports.store.agreements import scope_of
from reports.store.included_raters import kinds_in
from reports.store.sides import MAX_LABELS

OTHER_CODEBOOK = (
    "This can’t be computed exactly: labels were given when the question had other categories or another "
    "answer type. Compare reports from that time instead, if there are any."
)


class EffectRefused(Refused):
    """An effect that cannot be computed."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """after, up_to: positions in the history of the project; `after` is excluded and `up_to` included."""

    after: int
    up_to: int
    coefficient: str


def coefficients_of_effect(agreement: QuestionAgreement) -> list[str]:
    return kind_of(scope_of(agreement)).part_names


def refuse_effect(agreement: QuestionAgreement, request: EffectRequest) -> None:
    """Raise EffectRefused if the effect cannot be computed, as far as can be known without the labels."""
    if agreement.reason:
        raise EffectRefused("The report has no results for this question.")
    if request.coefficient not in coefficients_of_effect(agreement):
        raise EffectRefused(f"{request.coefficient!r} can’t be computed here.")
    if not 0 <= request.after < request.up_to:
        raise EffectRefused("after must be a position before up_to.")
    if agreement.n_labels > MAX_LABELS:
        raise EffectRefused(f"More than {MAX_LABELS:,} labels are too many to compare here.")


def effect(
    agreement: QuestionAgreement, request: EffectRequest, report_step: ReportStep = silent
) -> LabelChangeEffect:
    """Return agreement after minus before, paired where both have the items. Raises EffectRefused."""
    refuse_effect(agreement, request)
    span = HistorySpan(agreement.report.project, request.after, request.up_to)
    report_step("Reading labels", 0)
    changes = changes_in(span, [agreement.question_id]).get(agreement.question_id)
    if changes is None:
        raise EffectRefused("No rater’s label on this question changed in this part of the history.")
    scope, round_ = _scope(agreement, changes)
    heads = span.heads
    if any(has_other_kind(head, agreement.question_id, scope.kind) for head in heads):
        raise EffectRefused(OTHER_CODEBOOK)
    try:
        with open_snapshot(n_connections=1) as snapshot:
            before, after = (_part(agreement, scope, head, snapshot) for head in heads)
    except (UndeclaredCategory, QuestionNotComputable):
        raise EffectRefused(OTHER_CODEBOOK) from None
    kind = kind_of(scope)
    sides = [
        _side(kind, part, request.coefficient, report_step, start)
        for part, start in ((before, 0.3), (after, 0.5))
    ]
    difference = None
    if all(side.figure is not None for side in sides):
        report_progress = phase(report_step, "Comparing", 0.7, 1)
        only = frozenset({request.coefficient})
        difference = kind.differences(after, before, only, report_progress)[request.coefficient]
    return LabelChangeEffect(
        coefficient=request.coefficient,
        round=round_,
        n_changed=changes.n,
        before=sides[0],
        after=sides[1],
        difference=difference,
    )


def _scope(agreement: QuestionAgreement, changes: ChangedLabels) -> tuple[QuestionScope, str]:
    """Return the scope of the changes and the key of their round; rounds are pooled unless all changes are in one."""
    scope = scope_of(agreement).of_all_rounds
    [*rounds] = changes.rounds
    if len(rounds) != 1 or rounds[0] is None:
        return scope, ""
    # Labels may since have been changed in rounds that did not exist yet.
    keys = dict(agreement.report.project.rounds.values_list("pk", "key")) | agreement.report.round_keys
    if scope.round_ids is not None and rounds[0] not in scope.round_ids:
        raise EffectRefused(f"The report is not about round “{keys.get(rounds[0], rounds[0])}”.")
    return replace(scope, lead=rounds[0]), keys.get(rounds[0], "")


def _part(agreement: QuestionAgreement, scope: QuestionScope, head: Head, snapshot: Snapshot) -> LabelSubset:
    then = labels_then(head, scope)
    raters = agreement.report.project.raters.filter(kind__in=kinds_in(agreement))
    relation = f"(SELECT * FROM {then.relation} AS labels WHERE rater_id = ANY (%(raters)s))"  # noqa: S608
    source = LabelSource(relation, {**then.params, "raters": list(raters.values_list("pk", flat=True))})
    labels = read_labels(snapshot, scope, source=source)
    return LabelSubset(labels.sample, labels.item_ids)


def _side(
    kind: QuestionKind, part: LabelSubset, coefficient: str, report_step: ReportStep, start: float
) -> EffectSide:
    size = part.size
    # Each item has at least one label, so some item has two only if there are more labels than items.
    has_pairs = size.n_labels > size.n_items
    report_progress = phase(report_step, "Computing agreement", start, start + 0.2)
    return EffectSide(
        n_items=size.n_items,
        n_raters=size.n_raters,
        n_labels=size.n_labels,
        figure=figure_of_part(kind, coefficient, part, report_progress) if has_pairs else None,
    )
