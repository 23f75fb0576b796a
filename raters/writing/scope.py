"""What is exported: labels, final labels, or items, and for which questions and rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from projects.models import Project, Question, Round
from raters.writing.records import NUMBER_RULES, ExportCategory, ExportKind, ExportQuestion


@dataclass(frozen=True, slots=True)
class ExportScope:
    """questions: in codebook order. rounds: None for all rounds, including labels without a round."""

    project: Project
    what: ExportKind
    questions: tuple[ExportQuestion, ...]
    rounds: tuple[Round, ...] | None = None

    @property
    def round_keys(self) -> list[str] | None:
        return None if self.rounds is None else [round_.key for round_ in self.rounds]

    @property
    def has_texts(self) -> bool:
        return any(question.is_text for question in self.questions)

    def without_texts(self) -> "ExportScope":
        return replace(self, questions=tuple(each for each in self.questions if not each.is_text))

    @property
    def about(self) -> str:
        """A description for the log."""
        return "all rounds" if self.rounds is None else ", ".join(round_.key for round_ in self.rounds)


def scope_of(
    project: Project,
    what: ExportKind,
    questions: Sequence[Question] | None = None,
    rounds: Sequence[Round] | None = None,
) -> ExportScope:
    """Return the scope; None for questions or rounds means no limit."""
    asked = list(project.questions.all()) if questions is None else questions
    if what is ExportKind.FINAL:
        # Texts have no final labels, as raters' texts are not compared.
        asked = [question for question in asked if question.is_compared]
    return ExportScope(
        project,
        what,
        tuple(map(_written, asked)),
        None if rounds is None else tuple(rounds),
    )


def _written(question: Question) -> ExportQuestion:
    categories = question.categories.all()
    # A number question may retain the categories of its earlier kind, but its labels have none of them.
    is_number = question.kind == Question.Kind.NUMBER
    return ExportQuestion(
        pk=question.pk,
        key=question.key,
        prompt=question.prompt,
        kind=question.kind,
        level=question.level,
        categories=tuple(
            ExportCategory(each.key, str(each), each.value, each.treated_as_missing and not is_number)
            for each in categories
        ),
        missing_numbers=tuple(question.missing_values) if is_number else (),
        max_length=question.most_characters if question.kind == Question.Kind.TEXT else None,
        number_rules=tuple(getattr(question, name) for name in NUMBER_RULES) if is_number else (),
    )
