"""What saving takes, returns, and refuses: requests, responses, and the locked assignment between them."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from core.refusals import FieldError, Refused
from projects.models import Question
from raters.labeling.answers import Answer, SerializedAnswer, StoredAnswer
from raters.models import Assignment, Label, Rater

MAX_SECONDS = 86_400.0


class RoundClosed(Refused):
    """Raters cannot change labels of a closed round, a closed project, or a withdrawn item."""

    code = "closed"


class ReferenceAlreadyShown(Refused):
    """The rater has seen the reference answer and can no longer change their own."""

    code = "reference_shown"

    def __init__(self) -> None:
        super().__init__("You have seen the reference answer for this item, so you can’t change your own.")


class KeyReused(Refused):
    """The idempotency key was used for a different request."""

    code, status_code = "key_reused", 422

    def __init__(self) -> None:
        super().__init__(
            "This idempotency key was already used for a different request. Send the request with a new key."
        )


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """A question whose label has changed since the client saw it. answer: the current answer, None if there is none."""

    question: str
    revision: int
    answer: Answer | None

    @property
    def error(self) -> "StaleLabel":
        return {
            "field": self.question,
            "code": StaleRevision.code,
            "detail": "This label has changed since you saw it.",
            "revision": self.revision,
            "current": None
            if self.answer is None
            else self.answer.serialized_for(self.question, self.revision),
        }


class StaleLabel(FieldError):
    """The API error for a stale label. current: the current answer."""

    revision: int
    current: SerializedAnswer | None


class StaleRevision(Refused):
    code = "stale_revision"

    def __init__(self, changed: Sequence[StaleAnswer]) -> None:
        super().__init__(
            "This item was changed since you opened it, possibly in another tab. Nothing was overwritten."
        )
        self.changed = changed
        self.errors = [stale.error for stale in changed]


@dataclass(frozen=True, slots=True)
class SubmittedAnswers:
    """A rater's submission for one item.

    revisions: the revisions that the rater saw, by question key; 0 or absent for no label.
    seconds: how long the page was visible. source: where the submission comes from, for the history.
    """

    answers: Mapping[str, Answer]
    revisions: Mapping[str, int]
    seconds: float | None = None
    is_guideline_unclear: bool = False
    source: str = "page"
    # The version of the guidelines that was shown; None for the current one.
    guidelines_version: int | None = None
    # The version of the codebook that was shown; None if none was.
    codebook_version: int | None = None

    @property
    def digest(self) -> bytes:
        """SHA-256 hash of the submission, independent of the order of its parts."""
        asked = asdict(self)
        # Same hash as before versions existed, since old requests may be sent again.
        if self.codebook_version is None:
            del asked["codebook_version"]
        for answer in asked["answers"].values():
            # Same hash as before these fields existed.
            for name in ("text", "confidence"):
                if answer[name] is None:
                    del answer[name]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).digest()


class StoredSubmission(TypedDict):
    """The response to a save, as stored with its submission; older ones have no reference."""

    assignment: int
    revisions: dict[str, int]
    reference: NotRequired[dict[str, StoredAnswer] | None]


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The response to a save. The stored response is returned again when a request is repeated.

    reference: in a training round, the item's reference answers by question key, if any.
    codebook_version, is_paused (round or rater): current values at the time of the response, even if it is
    repeated.
    """

    assignment: int
    revisions: dict[str, int]
    reference: dict[str, Answer] | None = None
    codebook_version: int = 0
    is_paused: bool = False

    @classmethod
    def of_json(cls, stored: StoredSubmission) -> "SaveResult":
        shown = stored.get("reference")
        reference = None if shown is None else {key: Answer.of_json(answer) for key, answer in shown.items()}
        return cls(stored["assignment"], stored["revisions"], reference)


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """A save request. digest: hash of its content. source: where it comes from, for the history."""

    key: UUID
    digest: bytes
    by: Any
    source: str


@dataclass(slots=True)
class LockedAssignment:
    """A locked assignment with its current labels by question."""

    assignment: Assignment
    rater: Rater
    questions: Sequence[Question]
    guidelines_version: int
    is_training: bool = False
    codebook_version: int = 0
    # Whether the round or the rater is paused.
    is_paused: bool = False
    has_pass_mark: bool = False
    labels: dict[int, Label] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, int]:
        return {
            "item_id": self.assignment.item_id,
            "rater_id": self.rater.pk,
            "pass_number": self.assignment.pass_number,
        }

    def about(self, keys: Collection[str]) -> "LockedAssignment":
        """Restrict to the questions that the rater is asked again, if the keys include no other question.

        All other labels are then neither compared nor deleted.
        """
        asked = [question for question in self.questions if question.pk in self.assignment.asked_again]
        if not keys or not {question.key for question in asked}.issuperset(keys):
            return self
        ids = {question.pk for question in asked}
        labels = {pk: label for pk, label in self.labels.items() if pk in ids}
        return replace(self, questions=asked, labels=labels)
