"""The pages of a question and of a pair by kind of question; no other code chooses pages by kind."""

from collections.abc import Callable
from typing import Protocol

from django.http import HttpRequest

from projects.models import Question
from reports.models import PairAgreement
from reports.pages.contexts import PageSection
from reports.pages.kinds import multiple, numeric, single
from reports.store.stored_result import StoredResult


class KindPages(Protocol):
    """What the module of a kind provides: templates and their contexts."""

    QUESTION: str
    PAIR: str

    def question(self, request: HttpRequest, result: StoredResult) -> PageSection: ...

    def raters(self, request: HttpRequest, result: StoredResult) -> PageSection: ...

    def pair(self, request: HttpRequest, result: StoredResult, pair: PairAgreement) -> PageSection: ...


PAGES: dict[str, KindPages] = {
    Question.Kind.SINGLE: single,
    Question.Kind.MULTIPLE: multiple,
    Question.Kind.NUMBER: numeric,
}
# Sentences on the main figures of numbers and of sets.
SENTENCES: dict[str, Callable[[StoredResult], list[str]]] = {
    Question.Kind.MULTIPLE: multiple.sentences,
    Question.Kind.NUMBER: numeric.sentences,
}


def pages_of(result: StoredResult) -> KindPages:
    return PAGES[result.scope.kind]
