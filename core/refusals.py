"""What the rules do not allow: one base for every refusal, whichever page, API or command asked."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class FieldError(TypedDict):
    """What is wrong where, as the API says it. field: the path to it, empty for the whole body."""

    field: str
    code: str
    detail: str


class Refused(Exception):
    """The message is for people, code and status_code are for programs; errors say where, one object for each place.

    A subclass is a rule with a name of its own. Pages, API and commands each have one place that answers any of them:
    core.web.refusals, core.web.errors and core.commands.
    """

    code: str = "refused"
    status_code: int = 409
    errors: Sequence[Mapping[str, Any]] = ()
    # Seconds after which it makes sense to try again.
    retry_after: int | None = None


class Refusal(Refused):
    """A rule without a name, where it is asked for."""

    def __init__(
        self, code: str, detail: str, *, status_code: int = 400, errors: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        super().__init__(detail)
        self.code, self.status_code, self.errors = code, status_code, errors
