"""Consistent wording for answers that are treated as missing."""

from collections.abc import Mapping

from reports.analysis.question import Kind, QuestionJson


def missing_sentences(question: QuestionJson, counts: Mapping[str, int]) -> list[str]:
    """Return a sentence for each category or number declared as missing. counts: number of labels left out, by key."""
    declared = question.get("missing")
    if declared is None:
        return []
    of = "that include" if question["kind"] == Kind.MULTIPLE else "of"
    declared_missing = [
        (category["key"], category["name"] or category["key"]) for category in declared["categories"]
    ]
    found = [_sentence(counts.get(key, 0), f"{of} the category “{name}”") for key, name in declared_missing]
    keys = [f"{value:.15g}" for value in declared["values"]]
    return found + [_sentence(counts.get(key, 0), f"with the value {key}") for key in keys]


def _sentence(n: int, which: str) -> str:
    if n == 1:
        return f"1 label {which} is treated as missing."
    return f"{n:,} labels {which} are treated as missing."
