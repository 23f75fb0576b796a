"""The differences between kinds of questions; no other module branches on the kind."""

from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.kinds.multiple import MultipleChoice
from reports.analysis.kinds.numeric import Numeric
from reports.analysis.kinds.single import SingleChoice
from reports.analysis.question import Kind, QuestionScope

KINDS: dict[Kind, type[SingleChoice] | type[Numeric] | type[MultipleChoice]] = {
    Kind.SINGLE: SingleChoice,
    Kind.NUMBER: Numeric,
    Kind.MULTIPLE: MultipleChoice,
}


def kind_of(scope: QuestionScope) -> QuestionKind:
    return KINDS[Kind(scope.kind)](scope)
