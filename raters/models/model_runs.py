"""Runs in which a model labels items, with each of their requests, and what a model was asked."""

from dataclasses import dataclass

from django.db import models
from django.db.models import Count, Q, Sum
from django.urls import reverse

from core.keys import MAX_KEY
from core.runs.delayed import DelayedRun
from projects.events import record
from projects.models import Event, Item, Project, Round
from raters.models.assignments import Rater

MAX_INSTRUCTIONS = 20_000


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Counts of requests by state; tokens used so far, and estimated for the rest; costs are None without prices.

    n_unknown: sent, but without an answer recorded, and no worker waits for one.
    """

    n: int
    n_pending: int
    n_waiting: int
    n_done: int
    n_failed: int
    n_unknown: int
    n_input: int
    n_output: int
    n_input_left: int
    n_output_left: int
    cost: float | None
    cost_left: float | None

    @property
    def n_tokens(self) -> int:
        return self.n_input + self.n_output

    @property
    def n_tokens_left(self) -> int:
        return self.n_input_left + self.n_output_left

    @property
    def share(self) -> float:
        return (self.n_done + self.n_failed + self.n_unknown) / self.n if self.n else 0.0


class ModelConfiguration(models.Model):
    """What a rater of the kind model is asked with, except the item: model, settings, and prompt.

    content: `raters.model_runs.configuring.ConfigurationContent`. digest: its SHA-256 hash, in hexadecimal.
    """

    rater = models.OneToOneField(Rater, models.PROTECT, related_name="configuration")
    digest = models.CharField(max_length=64)
    content = models.JSONField()

    def __str__(self) -> str:
        return f"configuration {self.digest[:6]} of {self.rater}"


class ModelRun(DelayedRun):
    """Items sent to a model, one request for each: a draft while a lead reviews what would be sent, then a run.

    content, digest: as for `ModelConfiguration`, fixed when the draft was made, and never changed.
    """

    task_name = "raters.run_model"
    # Waiting for another server must not use up places for reports.
    takes_a_place = False

    project = models.ForeignKey(Project, models.PROTECT, related_name="model_runs")
    # Null until the run is started.
    rater = models.ForeignKey(Rater, models.PROTECT, null=True, related_name="model_runs")
    # The round that the labels belong to.
    round = models.ForeignKey(Round, models.SET_NULL, null=True, related_name="model_runs")
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    # How the items were chosen: `raters.model_runs.choosing.StoredItemChoice`, and in words.
    chosen = models.JSONField(default=dict)
    items_in_words = models.CharField(max_length=MAX_KEY + 50)
    # Chosen items without any text to send.
    n_without_text = models.PositiveIntegerField(default=0)
    guidelines_version = models.PositiveSmallIntegerField(default=0)
    # Prices per million tokens when the draft was made; null if unknown.
    input_price = models.FloatField(null=True)
    output_price = models.FloatField(null=True)
    # The run stops before a request that would exceed one of these.
    max_cost = models.FloatField(null=True)
    max_tokens = models.BigIntegerField(null=True)
    # The names of the model in the endpoint’s answers, which may be more specific.
    reported_models = models.JSONField(default=list)

    class Meta:
        ordering = ["-id"]
        constraints = [
            # Two runs at a time would exceed the endpoint's limits, and might take the same pass.
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="model_run_one_under_way_per_project",
            ),
            models.CheckConstraint(
                condition=Q(max_cost__isnull=True) | Q(max_cost__gt=0, input_price__isnull=False),
                name="model_run_max_cost_has_a_price",
            ),
            models.CheckConstraint(
                condition=Q(max_tokens__isnull=True) | Q(max_tokens__gt=0),
                name="model_run_max_tokens_is_positive",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="model_run_due")]

    def __str__(self) -> str:
        return f"model run {self.pk} of {self.project}"

    def get_absolute_url(self) -> str:
        return reverse("model_run", args=[self.project.slug, self.pk])

    @property
    def model(self) -> str:
        return str(self.content["model"])

    @property
    def rater_name(self) -> str:
        """The key of its rater; "" for a draft."""
        return self.rater.key if self.rater else ""

    @property
    def host(self) -> str:
        return str(self.content["endpoint"]).partition("://")[2].partition("/")[0]

    @property
    def origin(self) -> str:
        """The source of its labels in the history."""
        return f"model run {self.pk}"

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    def after_failure(self) -> None:
        self.state = self.State.FAILED
        self.record_end()

    def record_end(self) -> None:
        """Record in the log what became of the requests. Call it in the transaction that ends the run."""
        figures = self.figures
        record(
            Event.Kind.MODEL_RUN_ENDED,
            by=self.asked_by,
            project=self.project,
            about=self.rater_name,
            run=self.pk,
            labeled=figures.n_done,
            failed=figures.n_failed,
            unknown=figures.n_unknown,
            not_sent=figures.n_pending,
            tokens=figures.n_tokens,
            **({} if figures.cost is None else {"cost": round(figures.cost, 6)}),
        )

    @property
    def figures(self) -> RunFigures:
        """How far the run is, and what it has used, by one query."""
        states = ModelRequest.State
        left = Q(state=states.PENDING)
        found = self.requests.aggregate(
            n=Count("pk"),
            **{name: Count("pk", filter=Q(state=name)) for name in states.values},
            used_in=Sum("n_input", default=0),
            used_out=Sum("n_output", default=0),
            left_in=Sum("n_input_estimated", filter=left, default=0),
            left_out=Sum("n_output_estimated", filter=left, default=0),
        )
        n_lost = found[states.SENT] if self.is_final else 0
        return RunFigures(
            n=found["n"],
            n_pending=found[states.PENDING],
            n_waiting=found[states.ANSWERED] + found[states.SENT] - n_lost,
            n_done=found[states.DONE],
            n_failed=found[states.FAILED],
            n_unknown=found[states.UNKNOWN] + n_lost,
            n_input=found["used_in"],
            n_output=found["used_out"],
            n_input_left=found["left_in"],
            n_output_left=found["left_out"],
            cost=self.cost_of(found["used_in"], found["used_out"]),
            cost_left=self.cost_of(found["left_in"], found["left_out"]),
        )

    def cost_of(self, n_input: float, n_output: float) -> float | None:
        """The price of these numbers of tokens; None if prices are unknown."""
        if self.input_price is None or self.output_price is None:
            return None
        return (n_input * self.input_price + n_output * self.output_price) / 1_000_000


class ModelRequest(models.Model):
    """One item of a model run. It is marked as sent before it leaves, so that it is never sent twice by accident."""

    class State(models.TextChoices):
        PENDING = "pending", "Not sent"
        SENT = "sent", "Sent"
        # Its labels are not saved yet.
        ANSWERED = "answered", "Answered"
        DONE = "done", "Labeled"
        FAILED = "failed", "Failed"
        # The worker ended before there was an answer.
        UNKNOWN = "unknown", "No answer recorded"

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="requests", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    # SHA-256 hash, in hexadecimal, of the request that the lead saw: another one is not sent.
    digest = models.CharField(max_length=64)
    # Estimated tokens of the request and of its answer.
    n_input_estimated = models.PositiveIntegerField()
    n_output_estimated = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    # The attempt of the run that sent it last.
    attempt = models.PositiveIntegerField(default=0)
    # Since a lead last asked for it: how often it was sent, and how many answers did not fit the codebook.
    n_tries = models.PositiveSmallIntegerField(default=0)
    n_invalid = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    # Of the last try: HTTP status, what went wrong, and the answer of the model.
    status = models.PositiveSmallIntegerField(null=True)
    fault = models.TextField(blank=True, db_default="")
    answer = models.TextField(blank=True, db_default="")
    # Of all tries, as reported by the endpoint, or estimated if it reports none.
    n_input = models.PositiveIntegerField(default=0)
    n_output = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="model_request_once_per_position"),
            models.UniqueConstraint(fields=["run", "item"], name="model_request_once_per_item"),
        ]
        indexes = [models.Index(fields=["run", "state", "position"], name="model_request_by_state")]

    def __str__(self) -> str:
        return f"request {self.position} of {self.run}"

    @classmethod
    def fresh(cls) -> dict[str, object]:
        """The values of a request that is to be sent again."""
        return {"state": cls.State.PENDING, "n_tries": 0, "n_invalid": 0, "fault": "", "status": None}
