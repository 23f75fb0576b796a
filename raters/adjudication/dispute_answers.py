"""The answers to questions in dispute, with how many raters gave each, for the list of disputes."""

from collections.abc import Sequence
from dataclasses import replace

from projects.models import Category, Project, Question
from raters.adjudication.dispute_queries import ANSWERS
from raters.adjudication.disputes import DisputeFilter, DisputeRow, params_of, rows_of
from raters.adjudication.proposing import words_of
from raters.adjudication.votes import FinalValue


def with_answers(
    project: Project, wanted: DisputeFilter, listed: Sequence[DisputeRow]
) -> list[tuple[DisputeRow, str]]:
    """Return the disputes with their answers in words, most frequent first, such as "Positive 2, Mixed 1"."""
    if not listed:
        return []
    items = tuple(row.item.pk for row in listed)
    found: dict[tuple[int, int], list[tuple[FinalValue, int]]] = {}
    for item, question, category, chosen, number, n in rows_of(
        ANSWERS, params_of(project, replace(wanted, items=items))
    ):
        value = FinalValue(category, None if chosen is None else tuple(chosen), number)
        found.setdefault((item, question), []).append((value, n))
    categories = Category.with_merged.filter(question__project=project)
    names = {each.pk: str(each) for each in categories}
    places = {each.pk: each.position or 0 for each in categories}

    def in_words(row: DisputeRow) -> str:
        answers = found.get((row.item.pk, row.question.pk), [])
        answers.sort(key=lambda each: (-each[1], places.get(each[0].category or 0, 0), each[0].number or 0.0))
        shown = [(words_of(value, names), n) for value, n in answers]
        if row.question.kind == Question.Kind.SINGLE:
            return ", ".join(f"{words} {n}" for words, n in shown)
        # A count next to a number, or to the last category of a set, would be misread.
        between = "; " if row.question.kind == Question.Kind.MULTIPLE else ", "
        return between.join(f"{words} ({n})" for words, n in shown)

    return [(row, in_words(row)) for row in listed]
