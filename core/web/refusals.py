"""How pages report a refusal: as a message on the next page, or as an error of the submitted form."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from core.refusals import Refused


class _RefusalReporter(AbstractContextManager[None, bool]):
    """Ends a block that raises a refusal, and reports it."""

    def __init__(self, tell: Callable[[Refused], None]) -> None:
        self.tell = tell

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None, /
    ) -> bool:
        if not isinstance(raised, Refused):
            return False
        self.tell(raised)
        return True


def refusals_as_messages(request: HttpRequest) -> _RefusalReporter:
    """Report a refusal as a message on the next page."""
    return _RefusalReporter(lambda refused: messages.warning(request, str(refused)))


def refusals_in_form(form: forms.BaseForm, field: str | None = None) -> _RefusalReporter:
    """Report a refusal as an error of the form, which makes it invalid.

    field: by default, the one that the refusal names, if the form has it.
    """

    def tell(refused: Refused) -> None:
        named = field or getattr(refused, "field", None)
        form.add_error(named if named in form.fields else None, str(refused))

    return _RefusalReporter(tell)
