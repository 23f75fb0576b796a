"""Samples analyzed as a report would analyze them, without a database."""

import numpy as np

from reports.agreement.weights import Level
from reports.analysis.analyze import analyze
from reports.analysis.labels import QuestionLabels, Raters
from reports.analysis.options import Options
from reports.analysis.question import Kind, Scope
from reports.analysis.results import PairResult, QuestionResult


def analyzed(
    sample, kind: Kind, *, level: Level = Level.NOMINAL, categories: str = "", options: Options | None = None
) -> tuple[QuestionResult, list[PairResult]]:
    """All raters, and all pairs; categories: a letter each."""
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
    pairs: list[PairResult] = []
    return analyze(labels, Scope(question, None, options or Options()), raters, take=pairs.append), pairs
