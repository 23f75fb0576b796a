"""Samples analyzed as a report would analyze them, without a database."""

from typing import Any

import numpy as np

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.weights import Level
from reports.analysis.analyze import analyze
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.options import Options
from reports.analysis.pair_blocks import each
from reports.analysis.question import Kind, QuestionScope
from reports.analysis.results import PairResult, QuestionResult


def asked(
    sample, kind: Kind, *, level: Level = Level.NOMINAL, categories: str = "", options: Options | None = None
) -> tuple[QuestionLabels[Any], QuestionScope, Raters]:
    """A sample as the labels of a question; categories: a letter each."""
    n_raters = len(sample.labels_per_rater)
    question = {
        "id": 1,
        "key": "answer",
        "kind": kind,
        "level": level,
        "categories": [{"id": place, "key": key, "value": None} for place, key in enumerate(categories)],
    }
    labels = QuestionLabels(sample, np.arange(sample.size.n_items), np.arange(n_raters), 0, "")
    raters = Raters([f"r{column}" for column in range(n_raters)], range(n_raters))
    return labels, QuestionScope(question, None, options or Options()), raters


def analyzed(
    sample, kind: Kind, *, compute: ComputeBlocks = here, **more
) -> tuple[QuestionResult, list[PairResult]]:
    """All raters, and all pairs; more: as for `asked`."""
    labels, scope, raters = asked(sample, kind, **more)
    pairs: list[PairResult] = []
    return analyze(labels, scope, raters, keep=each(pairs.append), compute=compute), pairs
