"""Runs that start at a set time, and retry later what failed."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.runs.ledger import Run, from_now


class DelayedRun(Run):
    # No worker starts it before this time.
    due_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        abstract = True

    @classmethod
    def is_waiting(cls) -> Q:
        return super().is_waiting() & Q(due_at__lte=Now())

    def postpone(self, seconds: float, **values: object) -> bool:
        """End our attempt; the run is started again after this many seconds."""
        return self._change(
            self._ours(),
            state=self.State.QUEUED,
            lease_until=None,
            due_at=from_now(seconds),
            **values,
        )
