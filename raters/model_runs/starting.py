"""Start, cancel, and continue model runs."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from core.keys import MAX_KEY
from core.refusals import Refused
from core.runs.ledger import Run
from projects.events import record
from projects.models import Event
from raters.model_runs.configuring import EndpointNotConfigured, is_on
from raters.model_runs.drafting import (
    RunBudget,
    check_limits,
    refuse_changed_configuration,
    refuse_closed,
    refuse_outdated,
)
from raters.models import ModelConfiguration, ModelRequest, ModelRun, Rater

State = ModelRequest.State
# Added to the time limit of a request before it counts as lost.
GRACE = timedelta(seconds=10)
_SHORTEST_DIGEST = 6


class RunNotStartable(Refused):
    """The run is not a draft any more, or another one is under way."""

    code = "not_startable"


class NothingToSend(Refused):
    code = "nothing_to_send"


def start(run: ModelRun, *, by: Any) -> None:
    """Queue a draft. Raises EndpointNotConfigured, ProjectClosed, RunOutdated, or RunNotStartable."""
    try:
        _start(run, by=by)
    except IntegrityError as error:
        raise _refused(error) from error
    run.refresh_from_db()


@transaction.atomic
def _start(given: ModelRun, *, by: Any) -> None:
    run = (
        ModelRun.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .get(pk=given.pk)
    )
    refuse_closed(run.project)
    if not run.is_draft:
        raise RunNotStartable("This run was already started or canceled.")
    refuse_outdated(run)
    run.rater = rater_of(run)
    run.save(update_fields=["rater"])
    run.queue(by=by)
    _record_start(
        run,
        run.rater,
        by=by,
        items=run.figures.n,
        questions=run.content["questions"],
        fields_left_out=run.content["fields_left_out"],
        digest=run.digest,
    )


def _record_start(run: ModelRun, rater: Rater, *, by: Any, **more: Any) -> None:
    record(
        Event.Kind.MODEL_RUN_STARTED,
        by=by,
        project=run.project,
        about=rater.key,
        run=run.pk,
        model=run.model,
        host=run.host,
        **more,
    )


def _refused(error: IntegrityError) -> Exception:
    if "model_run_one_under_way_per_project" in str(error):
        return RunNotStartable(
            "Another model run of this project is under way. Wait until it has ended, or cancel it."
        )
    return error


def rater_of(run: ModelRun) -> Rater:
    """Return the rater that stands for the configuration, created if this is its first run."""
    known = ModelConfiguration.objects.filter(
        rater__project=run.project, rater__kind=Rater.Kind.MODEL, digest=run.digest
    )
    if configuration := known.select_related("rater").first():
        return configuration.rater
    rater = Rater.objects.create(
        project=run.project,
        key=_free_key(run),
        kind=Rater.Kind.MODEL,
        attributes={"model": run.model, "configuration": run.digest},
    )
    ModelConfiguration.objects.create(rater=rater, digest=run.digest, content=run.content)
    return rater


def _free_key(run: ModelRun) -> str:
    """Return, for example, “gpt-4o-mini · 3f2a91”, with more of the digest if that is taken."""
    for length in range(_SHORTEST_DIGEST, len(run.digest) + 1):
        ending = f" · {run.digest[:length]}"
        key = run.model[: MAX_KEY - len(ending)] + ending
        if not run.project.raters.filter(key=key).exists():
            return key
    raise RunNotStartable("Another rater already has the name of this configuration. Rename that rater.")


@transaction.atomic
def cancel(run: ModelRun, *, by: Any) -> bool:
    """Stop before the next request; what has been answered stays. False if the run was not under way."""
    if run.is_draft or not run.cancel():
        return False
    run.refresh_from_db()
    figures = run.figures
    record(
        Event.Kind.MODEL_RUN_CANCELED,
        by=by,
        project=run.project,
        about=run.rater_name,
        run=run.pk,
        labeled=figures.n_done,
        not_sent=figures.n_pending,
    )
    return True


def discard(run: ModelRun) -> None:
    """Delete a draft, of which nothing was sent. Raises RunNotStartable."""
    n_deleted, _ = ModelRun.objects.filter(pk=run.pk, state=Run.State.DRAFT).delete()
    if not n_deleted:
        raise RunNotStartable("This run was already started, so it can’t be discarded.")


def resume(
    run: ModelRun, *, by: Any, with_failed: bool = False, with_unknown: bool = False, limits: RunBudget
) -> None:
    """Send what a run that has ended has not sent, and on request what failed or has no answer recorded.

    Raises EndpointNotConfigured, ProjectClosed, RunOutdated, RunNotStartable, or NothingToSend.
    """
    try:
        _resume(run, by=by, with_failed=with_failed, with_unknown=with_unknown, limits=limits)
    except IntegrityError as error:
        raise _refused(error) from error
    run.refresh_from_db()


@transaction.atomic
def _resume(given: ModelRun, *, by: Any, with_failed: bool, with_unknown: bool, limits: RunBudget) -> None:
    run = (
        ModelRun.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .get(pk=given.pk)
    )
    refuse_closed(run.project)
    if not is_on():
        raise EndpointNotConfigured
    if run.rater is None or not run.is_final:
        raise RunNotStartable("Only a run that has ended can be continued.")
    refuse_changed_configuration(run)
    check_limits(limits, has_price=run.input_price is not None)
    again = _lost() if with_unknown else Q(pk=None)
    if with_failed:
        again |= Q(state=State.FAILED)
    run.requests.filter(again).update(**ModelRequest.fresh())
    n = run.requests.filter(state__in=[State.PENDING, State.ANSWERED]).count()
    if not n:
        raise NothingToSend(
            "There is nothing left to send. Choose failed items or items without an answer, if any."
        )
    ModelRun.objects.filter(pk=run.pk).update(
        state=Run.State.QUEUED,
        due_at=Now(),
        losses=0,
        sends=0,
        sent_at=None,
        failure="",
        finished_at=None,
        asked_by=by,
        max_cost=limits.cost,
        max_tokens=limits.tokens,
    )
    run.admit(by=by)
    _record_start(run, run.rater, by=by, items=n, is_continued=True)


def _lost() -> Q:
    """Requests whose answer nobody can be waiting for any more."""
    age = timedelta(seconds=settings.MODEL_TIMEOUT) + GRACE
    return Q(state=State.UNKNOWN) | Q(state=State.SENT, sent_at__lt=Now() - age)
