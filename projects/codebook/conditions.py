"""Conditional questions, asked only of raters who chose certain categories of an earlier question.

The rule is also in static/js/label_form.js.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from projects.codebook.refusals import CodebookRefused
from projects.models import Project, Question

# Both fields are empty for a question that is always asked.
FIELDS = ("asked_if_question", "asked_if_categories")


def check_conditions(project: Project | int) -> None:
    """Raise CodebookRefused if any condition in the project can never be met.

    A question depends on an earlier one, so that chains of conditions cannot be circular.
    """
    if not Question.objects.filter(project=project).exclude(asked_if_question="").exists():
        return
    earlier: dict[str, Question] = {}
    questions = list(Question.objects.filter(project=project).prefetch_related("categories"))
    places = {question.key: question for question in questions}
    for question in questions:
        if question.asked_if_question:
            _check(question, earlier, places)
        earlier[question.key] = question


def _check(question: Question, earlier: Mapping[str, Question], all_of_them: Mapping[str, Question]) -> None:
    key = question.asked_if_question
    parent = earlier.get(key)
    where = f"“{question.key}” is asked only if “{key}” is answered in a certain way"
    if parent is None:
        rule = (
            f"but “{key}” does not come before it"
            if key in all_of_them
            else f"but “{key}” is not in the codebook"
        )
        raise CodebookRefused("bad_condition", f"{where}, {rule}.", field="asked_if_question")
    if not parent.has_categories:
        sentence = f"{where}, so “{key}” must be single or multiple choice."
        raise CodebookRefused("bad_condition", sentence, field="asked_if_question")
    known = {category.key for category in parent.categories.all()}
    for category in question.asked_if_categories:
        if category not in known:
            sentence = (
                f"“{question.key}” is asked only if “{key}” is “{category}”, so “{key}” needs this category. "
                f"Change the condition of “{question.key}” first."
            )
            raise CodebookRefused("bad_condition", sentence, field="asked_if_categories")


def check_fields(question: Question) -> None:
    """Raise CodebookRefused for an incomplete condition."""
    if bool(question.asked_if_question) != bool(question.asked_if_categories):
        missing = "asked_if_categories" if question.asked_if_question else "asked_if_question"
        sentence = "A condition needs an earlier question and at least one of its categories."
        raise CodebookRefused("bad_condition", sentence, field=missing)


def is_met(question: Question, chosen: Iterable[str | None]) -> bool:
    """Return whether raters who chose these categories of the parent question are asked this one."""
    return not set(question.asked_if_categories).isdisjoint(chosen)


def questions_not_asked(
    questions: Sequence[Question], chosen: Mapping[str, Collection[str | None]]
) -> set[str]:
    """Return the keys of the questions that are not asked, in the order of the codebook.

    chosen: the categories chosen for each question, by key; empty for “cannot tell” and for no answer.
    """
    found: set[str] = set()
    for question in questions:
        key = question.asked_if_question
        if key and (key in found or not is_met(question, chosen.get(key, ()))):
            found.add(question.key)
    return found


def in_words(question: Question, questions: Iterable[Question]) -> str:
    """Return, for example, “Asked only if “relevant” is “yes” or “partly””; "" for a question that is always asked."""
    key = question.asked_if_question
    if not key:
        return ""
    parent = next((each for each in questions if each.key == key), None)
    names = {category.key: str(category) for category in parent.categories.all()} if parent else {}
    categories = " or ".join(f"“{names.get(each, each)}”" for each in question.asked_if_categories)
    return f"Asked only if “{parent or key}” is {categories}"
