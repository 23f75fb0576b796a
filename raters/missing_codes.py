"""Labels that the codebook treats as missing, in queries: they count as if they had never been given."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from projects.models import Category, Question
from raters.models import Label

OF_QUESTIONS = "= ANY (%(questions)s)"


def is_missing(label: str, *, questions: str = OF_QUESTIONS) -> str:
    """Return SQL for whether a label row is treated as missing; a set that contains such a category is.

    label: the row's alias in the query. questions: a condition on the IDs of all questions that the query reads. The
    declared values are looked up once per query, not once per label.
    """
    declared = f"ARRAY(SELECT id FROM projects_category WHERE question_id {questions} AND treated_as_missing)"  # noqa: S608
    numbers = f"SELECT id, unnest(missing_values) FROM projects_question WHERE id {questions}"  # noqa: S608
    return f"""(
        {label}.category_id = ANY ({declared})
        OR {label}.category_set && {declared}
        OR ({label}.number IS NOT NULL AND ({label}.question_id, {label}.number) IN ({numbers}))
    ) IS TRUE"""


def is_missing_choice(label: str) -> str:
    """Return the same for a row known to be a single choice, based only on its category."""
    declared = (
        "SELECT id FROM projects_category WHERE question_id = ANY (%(questions)s) AND treated_as_missing"
    )
    return f"{label}.category_id = ANY (ARRAY({declared}))"


@dataclass(frozen=True, slots=True)
class MissingValueCodes:
    """What questions treat as missing. categories: their IDs. numbers: by question ID."""

    categories: Collection[int]
    numbers: Mapping[int, Collection[float]]

    def holds(self, label: Label) -> bool:
        """Return whether a label is treated as missing."""
        if label.category_id is not None:
            return label.category_id in self.categories
        if label.category_set is not None:
            return any(pk in self.categories for pk in label.category_set)
        return label.number is not None and label.number in self.numbers.get(label.question_id, ())

    def in_words(self, label: Label, words: str) -> str:
        return f"{words} (treated as missing)" if self.holds(label) else words


def declared_by(questions: Iterable[Question]) -> MissingValueCodes:
    known = list(questions)
    flagged = Category.objects.filter(question__in=known, treated_as_missing=True)
    is_number = Question.Kind.NUMBER
    return MissingValueCodes(
        set(flagged.values_list("pk", flat=True)),
        {question.pk: set(question.missing_values) for question in known if question.kind == is_number},
    )
