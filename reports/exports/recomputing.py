"""Scripts in R and Python that recompute the main figures of a report from its exported labels."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from reports.analysis.results import Json
from reports.models import QuestionAgreement, Report
from reports.results.kinds import result_kind
from reports.results.queries import agreements_of
from reports.store.agreements import scope_of
from reports.store.included_raters import excluded_keys

FOLDER = Path(__file__).parent / "scripts"


def python_script(report: Report) -> Iterator[bytes]:
    values = {"questions": [_for_python(agreement) for agreement in _computed(report)]}
    # As ASCII JSON in a Python string literal, which no name can terminate.
    literal = repr(json.dumps(values))
    yield _template("recompute.py.txt").replace("__REPORT__", literal, 1).encode()


def r_script(report: Report) -> Iterator[bytes]:
    questions = ",\n".join(
        _for_r(agreement)
        for agreement in _computed(report)
        if not result_kind(agreement.asked["kind"]).has_sets
    )
    yield _template("recompute.R.txt").replace("__QUESTIONS__", questions, 1).encode()


def _template(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _computed(report: Report) -> list[QuestionAgreement]:
    return [agreement for agreement in agreements_of(report) if not agreement.reason]


def _for_python(agreement: QuestionAgreement) -> Json:
    scope = scope_of(agreement)
    return {
        "key": agreement.question.key,
        "kind": scope.kind,
        "level": str(scope.level),
        "categories": [category["key"] for category in agreement.categories],
        "values": scope.values,
        "weights": _weights(agreement),
        "left_out": excluded_keys(agreement),
    }


def _weights(agreement: QuestionAgreement) -> list[list[float]] | None:
    """Return the similarity of each pair of categories; None without weights."""
    scope = scope_of(agreement)
    if not scope.is_weighted or not result_kind(scope.kind).weightings(scope):
        return None
    similarity: list[list[float]] = scope.scale.weighting.similarity.tolist()
    return similarity


def _for_r(agreement: QuestionAgreement) -> str:
    found = _for_python(agreement)
    parts = [
        f"key = {r_string(found['key'])}",
        f"kind = {r_string(found['kind'])}",
        f"level = {r_string(found['level'])}",
        f"categories = c({', '.join(map(r_string, found['categories']))})",
    ]
    if found["left_out"]:
        parts.append(f"left_out = c({', '.join(map(r_string, found['left_out']))})")
    if found["values"] is not None:
        parts.append(f"values = c({_numbers(found['values'])})")
    if found["weights"] is not None:
        flat = [value for row in found["weights"] for value in row]
        parts.append(f"weights = matrix(c({_numbers(flat)}), nrow = {len(found['weights'])}, byrow = TRUE)")
    return "  list(" + ", ".join(parts) + ")"


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(map(repr, values))


def r_string(text: str) -> str:
    """Return an ASCII string literal for R."""
    return '"' + "".join(map(_r_letter, text)) + '"'


def _r_letter(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if " " <= letter <= "~":
        return letter
    return f"\\U{ord(letter):08x}"
