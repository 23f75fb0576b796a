"""What the rules do not allow: one base class for every refusal, on pages, in the API and in commands."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class FieldError(TypedDict):
    """What is wrong and where, as the API reports it. field: its path, empty for the whole body."""

    field: str
    code: str
    detail: str


class Refused(Exception):
    """The message is for people, code and status_code for programs; errors name each place.

    A subclass is a rule with a name of its own; `RefusedWithCode` is for all others. Pages, API, and commands each have
    one place that reports any of them: core.web.refusals, core.web.api_errors, and core.commands.
    """

    code: str = "refused"
    status_code: int = 409
    errors: Sequence[Mapping[str, Any]] = ()
    # Seconds after which the client may try again.
    retry_after: int | None = None


class RefusedWithCode(Refused):
    """A refusal for which a code is enough, without a class of its own."""

    def __init__(
        self, code: str, detail: str, *, status_code: int = 400, errors: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        super().__init__(detail)
        self.code, self.status_code, self.errors = code, status_code, errors
