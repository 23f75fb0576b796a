"""A run: background work, with its row in PostgreSQL as its only record.

The life of a run: (draft ->) queued -> running -> done | failed | cancelled. A broker message is a hint
that names the row; claim, heartbeat and finish are UPDATEs on condition that state and attempt are still the
claimant's (ADR 0002).
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any, ClassVar, Self, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Case, ExpressionWrapper, F, Q, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from core.refusals import Refused
from core.web import request_ids

CHANNEL = "runs"
# Held while waiting runs are counted, so that simultaneous requests can't all take the last place.
QUEUE_LOCK = 4_711_202_602
FULL = (
    "{who} already {has} {most} reports, comparisons, or imports waiting. Try again after one of them starts."
)
# Below this progress and this elapsed time, an estimate of the remaining time would jump.
_TELLING_SHARE, _TELLING_SECONDS = 0.03, 5.0
LOST = "The worker stopped {attempts} times while working on this, probably because it ran out of memory or time."


def from_now(seconds: float) -> "ExpressionWrapper[CombinedExpression]":
    """A time from now by the database's clock, the only clock that leases use."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=models.DateTimeField())


class QueueFull(Refused):
    """The run would exceed the number of waiting runs per project or per person; the message says which."""

    code, status_code, retry_after = "queue_full", 429, 30


R = TypeVar("R", bound="Run")


class RunQuerySet(models.QuerySet[R]):
    def due(self) -> Self:
        """Runs that a worker should start: queued, or abandoned by a worker that went silent."""
        return self.filter(self.model.is_waiting() | Q(state=Run.State.RUNNING, lease_until__lt=Now()))

    def fail_lost(self) -> int:
        """Fail the runs whose last attempt went silent; returns their number."""
        return sum(run.fail_as_lost() for run in self.filter(Run.is_lost_for_good()))


def time_left(share_done: float, seconds: float) -> float | None:
    """Estimated seconds left, rounded, of work that took this long so far; None while there is too little to go by."""
    if share_done < _TELLING_SHARE or seconds < _TELLING_SECONDS:
        return None
    left = seconds * (1 - share_done) / share_done
    step = 10 if left < 120 else 60 if left < 7_200 else 600
    return float(step * max(1, round(left / step)))


class Run(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", "Not started"
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        # The stored value keeps its original spelling.
        CANCELLED = "cancelled", "Canceled"

    # The name of the Celery task that executes such runs.
    task_name: ClassVar[str]
    # The lookup path from the run to its project.
    project_path: ClassVar[str] = "project"
    # Whether it counts toward the queue limits of a project and a person.
    takes_a_place: ClassVar[bool] = True
    # The progress of a run that has just begun.
    no_progress: ClassVar[dict[str, object]] = {"stage": "", "share_done": 0.0}

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED, editable=False)
    # Counts claims, which distinguishes the current holder of the lease from an earlier one.
    attempt = models.PositiveIntegerField(default=0, editable=False)
    # Attempts that ended with a silent worker; released ones do not count.
    losses = models.PositiveSmallIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)
    sends = models.PositiveSmallIntegerField(default=0, editable=False)
    stage = models.CharField(max_length=60, blank=True, editable=False)
    share_done = models.FloatField(default=0, editable=False)
    failure = models.TextField(blank=True, editable=False)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", editable=False
    )
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    # The request that queued it, or the request behind the run that did; empty for commands and the dispatcher.
    request_id = models.CharField(
        max_length=request_ids.LONGEST, blank=True, default=request_ids.current, db_default="", editable=False
    )
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def task_names(cls) -> Collection[str]:
        """All tasks that execute runs of this model."""
        return {cls.task_name}

    @property
    def task(self) -> str:
        """The name of the task that executes this run."""
        return self.task_name

    @classmethod
    def is_waiting(cls) -> Q:
        """The condition for runs that a worker may claim, and none has yet."""
        return Q(state=cls.State.QUEUED)

    @property
    def is_final(self) -> bool:
        return self.state in {self.State.DONE, self.State.FAILED, self.State.CANCELLED}

    @property
    def seconds(self) -> float | None:
        """Duration of the last attempt, in seconds."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()

    @property
    def seconds_allowed(self) -> int:
        """How long a worker may take for an attempt before it is stopped."""
        return int(settings.CELERY_TASK_SOFT_TIME_LIMIT)

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time of this attempt, rounded; None while there is too little to go by."""
        if self.state != self.State.RUNNING or self.started_at is None:
            return None
        return time_left(self.share_done, (timezone.now() - self.started_at).total_seconds())

    @transaction.atomic
    def queue(self, *, by: Any) -> bool:
        """Queue a draft; raises QueueFull."""
        queued = self._change(Q(state=self.State.DRAFT), state=self.State.QUEUED, **self._asked(by))
        if queued:
            self.admit(by=by)
        return queued

    def admit(self, *, by: Any) -> None:
        """Admit this run to the queue when the surrounding transaction commits; raises QueueFull to undo it.

        Every way into the queue ends here. Runs are counted after this one was queued: a simultaneous request waits
        for the lock, and then counts this run too.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [QUEUE_LOCK])
        project = type(self).objects.filter(pk=self.pk).values_list(self.project_path, flat=True).get()
        if _n_waiting(lambda kind: Q((kind.project_path, project))) > settings.RUN_MAX_WAITING_PER_PROJECT:
            raise QueueFull(
                FULL.format(who="This project", has="has", most=settings.RUN_MAX_WAITING_PER_PROJECT)
            )
        if by is not None and _n_waiting(lambda kind: Q(asked_by=by)) > settings.RUN_MAX_WAITING_PER_PERSON:
            raise QueueFull(FULL.format(who="You", has="have", most=settings.RUN_MAX_WAITING_PER_PERSON))
        self.notify()

    def notify(self) -> None:
        """Wake the dispatcher once the surrounding transaction commits."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, self._meta.label_lower])

    def cancel(self) -> bool:
        """Cancel unless the run has ended; a worker that is executing it can no longer write anything."""
        return self._change(
            Q(state__in=[self.State.DRAFT, self.State.QUEUED, self.State.RUNNING]),
            state=self.State.CANCELLED,
            finished_at=Now(),
            lease_until=None,
        )

    def claim(self) -> bool:
        """Claim the run, unless another worker has it; True means that this attempt is ours."""
        lost = Q(state=self.State.RUNNING, lease_until__lt=Now())
        claimed = self._change(
            self.is_waiting() | (lost & Q(losses__lt=settings.RUN_MAX_ATTEMPTS - 1)),
            state=self.State.RUNNING,
            attempt=F("attempt") + 1,
            losses=Case(
                When(lost, then=F("losses") + 1),
                default=F("losses"),
                output_field=models.IntegerField(),
            ),
            lease_until=from_now(settings.RUN_LEASE),
            started_at=Now(),
            sent_at=None,
            sends=0,
            **self.no_progress,
        )
        if claimed:
            self.refresh_from_db()
            # The project's next run may be sent now.
            self.notify()
        return claimed

    def release(self) -> bool:
        """Release our attempt, so that the run can be claimed again at once."""
        return self._change(self._ours(), state=self.State.QUEUED, lease_until=None)

    @transaction.atomic
    def retry(self, *, by: Any) -> bool:
        """Queue a run that failed or was canceled once more; raises QueueFull."""
        ended = Q(state__in=[self.State.FAILED, self.State.CANCELLED])
        queued = self._change(
            ended,
            state=self.State.QUEUED,
            losses=0,
            sent_at=None,
            sends=0,
            failure="",
            finished_at=None,
            **self._asked(by),
        )
        if queued:
            self.admit(by=by)
        return queued

    def beat(self, **progress: object) -> bool:
        """Extend our lease and store the progress; False if the run is no longer ours."""
        return self._change(self._ours(), lease_until=from_now(settings.RUN_LEASE), **progress)

    def is_ours(self) -> bool:
        """Whether our attempt is still the current one: not canceled, not taken over; also true when it is done."""
        states = [self.State.RUNNING, self.State.DONE]
        return type(self).objects.filter(pk=self.pk, attempt=self.attempt, state__in=states).exists()

    def record(self, **values: object) -> bool:
        """Update the row while the run is ours."""
        return self._change(self._ours(), **values)

    def finish(self, **results: object) -> bool:
        """Mark the run as done, in the transaction that wrote its results; if False, they must not be committed."""
        return self._change(
            self._ours(),
            state=self.State.DONE,
            finished_at=Now(),
            lease_until=None,
            share_done=1.0,
            stage="",
            **results,
        )

    def fail(self, sentence: str) -> bool:
        return self._fail(self._ours(), sentence)

    @staticmethod
    def is_lost_for_good() -> Q:
        """What holds of the runs whose last attempt went silent."""
        most = settings.RUN_MAX_ATTEMPTS - 1
        return Q(state=Run.State.RUNNING, lease_until__lt=Now(), losses__gte=most)

    def fail_as_lost(self) -> bool:
        return self._fail(self.is_lost_for_good(), LOST.format(attempts=settings.RUN_MAX_ATTEMPTS))

    @transaction.atomic
    def _fail(self, condition: Q, sentence: str) -> bool:
        failed = self._change(
            condition, state=self.State.FAILED, failure=sentence, finished_at=Now(), lease_until=None
        )
        if failed:
            self.after_failure()
        return failed

    def after_failure(self) -> None:
        """What else is written in the transaction in which a run of this kind fails."""

    @classmethod
    def lose(cls, pk: int) -> None:
        """End the lease of a worker that is known to be dead, so that the run is claimed again at once."""
        cls.objects.filter(pk=pk, state=cls.State.RUNNING).update(lease_until=from_now(-1))

    @staticmethod
    def _asked(by: Any) -> dict[str, object]:
        return {"asked_by": by, "asked_at": Now(), "request_id": request_ids.current()}

    def _ours(self) -> Q:
        return Q(state=self.State.RUNNING, attempt=self.attempt)

    def _change(self, condition: Q, **values: object) -> bool:
        return type(self).objects.filter(condition, pk=self.pk).update(**values) == 1


def run_models() -> list[type[Run]]:
    return [model for model in apps.get_models() if issubclass(model, Run)]


def _n_waiting(condition: Callable[[type[Run]], Q]) -> int:
    """How many waiting runs of a project or a person count toward its limit."""
    kinds = [kind for kind in run_models() if kind.takes_a_place]
    return sum(kind.objects.filter(condition(kind), state=Run.State.QUEUED).count() for kind in kinds)
