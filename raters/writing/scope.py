"""What is exported: labels, final labels or items; of which questions and rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.models import Project, Question, Round
from raters.writing.records import NUMBER_RULES, What, WrittenCategory, WrittenQuestion


@dataclass(frozen=True, slots=True)
class Scope:
    """questions: in the order of the codebook. rounds: None for all, and for labels of no round."""

    project: Project
    what: What
    questions: tuple[WrittenQuestion, ...]
    rounds: tuple[Round, ...] | None = None

    @property
    def round_keys(self) -> list[str] | None:
        return None if self.rounds is None else [round_.key for round_ in self.rounds]

    @property
    def about(self) -> str:
        """For the log."""
        return "all rounds" if self.rounds is None else ", ".join(round_.key for round_ in self.rounds)


def scope_of(
    project: Project,
    what: What,
    questions: Sequence[Question] | None = None,
    rounds: Sequence[Round] | None = None,
) -> Scope:
    """None, or all rounds: without a limit."""
    asked = list(project.questions.all()) if questions is None else questions
    return Scope(
        project,
        what,
        tuple(map(_written, asked)),
        None if rounds is None else tuple(rounds),
    )


def _written(question: Question) -> WrittenQuestion:
    categories = question.categories.all()
    # A number question may keep the categories of its earlier kind; its labels have none of them.
    is_number = question.kind == Question.Kind.NUMBER
    return WrittenQuestion(
        pk=question.pk,
        key=question.key,
        prompt=question.prompt,
        kind=question.kind,
        level=question.level,
        categories=tuple(
            WrittenCategory(each.key, str(each), each.value, each.treated_as_missing and not is_number)
            for each in categories
        ),
        missing_numbers=tuple(question.missing_values) if is_number else (),
        number_rules=tuple(getattr(question, name) for name in NUMBER_RULES) if is_number else (),
    )
