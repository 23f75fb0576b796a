"""Each rater of a file compared with the others: consensus, bias toward categories, and drift over time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.agreement.results import FloatArray, IntArray
from reports.analysis.drift import drift_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import AnswerColumns, RaterAndOtherLabels
from reports.analysis.rater_bias import rater_bias
from reports.analysis.rater_consensus import rater_and_consensus, rater_versus_consensus
from reports.analysis.results import Drift, RaterBias, RaterVersusConsensus
from reports.sources.file_labels import FileQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRater:
    """One rater compared with the others. drift: None for a file without times."""

    rater: str
    n_labels: int
    consensus: RaterVersusConsensus
    bias: RaterBias
    drift: Drift | None


@dataclass(frozen=True, slots=True, eq=False)
class FileAnswers:
    """The labels of a question by item. answers: in the order of their items. starts: (N + 1,) the start of each item's
    labels. share_of: the share of each category among all labels; [] for numbers.
    """

    answers: AnswerColumns
    starts: IntArray
    share_of: list[float | None]


def figures_of_raters(question: FileQuestion, kind: QuestionKind, columns: Sequence[int]) -> list[FileRater]:
    """Return the same figures as in a report. columns: the raters whose labels make the others' consensus."""
    found, has_times = _answers_in(question, kind, columns), len(question.times) > 0
    return [
        _of_rater(
            kind, name, _rater_and_other_labels(found, rater, columns), found.share_of, has_times=has_times
        )
        for rater, name in enumerate(question.raters)
    ]


def _answers_in(question: FileQuestion, kind: QuestionKind, columns: Sequence[int]) -> FileAnswers:
    order = np.lexsort((question.columns, question.rows))
    times: FloatArray = question.times[order] if len(question.times) else np.zeros(len(order))
    members = np.zeros((0, len(question.categories)), bool) if question.members is None else question.members
    answers = AnswerColumns(
        question.rows[order],
        question.columns[order],
        question.values[order],
        members,
        times,
        np.full(len(order), np.nan),
    )
    n_labels = np.bincount(question.rows, minlength=len(question.items))
    counted = answers.at(np.isin(answers.raters, np.array(columns, dtype=np.int64)))
    return FileAnswers(answers, np.concatenate(([0], np.cumsum(n_labels))), kind.category_shares(counted))


def _of_rater(
    kind: QuestionKind,
    name: str,
    labels: RaterAndOtherLabels,
    share_of: list[float | None],
    *,
    has_times: bool,
) -> FileRater:
    scope, compared = kind.scope, rater_and_consensus(kind.scope, labels)
    return FileRater(
        rater=name,
        n_labels=len(labels.own),
        consensus=rater_versus_consensus(scope, compared),
        bias=rater_bias(scope, labels, compared, share_of),
        drift=drift_of(compared) if has_times else None,
    )


def _rater_and_other_labels(found: FileAnswers, rater: int, columns: Sequence[int]) -> RaterAndOtherLabels:
    everyone = found.answers
    own = everyone.at(np.flatnonzero(everyone.raters == rater))
    starts = found.starts[own.items]
    n_labels = found.starts[own.items + 1] - starts
    places = np.repeat(np.arange(len(own)), n_labels)
    # The labels on the rater's own items, item by item.
    rows = np.arange(len(places)) + np.repeat(starts - (np.cumsum(n_labels) - n_labels), n_labels)
    is_other = (everyone.raters[rows] != rater) & np.isin(everyone.raters[rows], columns)
    nobody = everyone.at(np.empty(0, dtype=np.int64))
    return RaterAndOtherLabels(own, everyone.at(rows[is_other]), nobody, nobody, 0, places[is_other])
