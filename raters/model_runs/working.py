"""How a worker handles a model run: a few requests at a time, for some seconds, then other runs get their turn.

Three commits for each request, so that nothing is lost or sent twice whenever the worker dies: it is marked as sent
before it leaves, its answer is stored when it arrives, and its labels are saved. Only the first one depends on the run
still being ours: an answer that arrives after a cancellation was paid for, and counts.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from core.runs.lease import Lease, RunFailed, RunLost
from raters.model_runs.configuring import is_on, request_digest, request_of
from raters.model_runs.endpoint import post_request
from raters.model_runs.replies import ParsedReply, ReplyOutcome, parsed_reply
from raters.model_runs.saving_answers import save_answers
from raters.models import ModelRequest, ModelRun

State = ModelRequest.State
# Seconds for which a worker is held before other runs get their turn.
SLICE = 20.0
# Requests that the endpoint refuses one by one before the run is stopped.
MOST_REFUSED = 10


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    request: ModelRequest
    body: str


def work(lease: Lease[ModelRun]) -> None:
    """Send requests until all are answered, the time slice is over, or the endpoint wants a pause."""
    run = lease.run
    until = time.monotonic() + SLICE
    _give_up_lost(run)
    while True:
        lease.report_progress("labeling", run.figures.share)
        with lease.uninterrupted():
            save_answers(run)
            wave = _taken(run)
            pause = _send(run, wave) if wave else None
        if not wave and not run.requests.filter(state__in=[State.PENDING, State.ANSWERED]).exists():
            _finish(run)
            return
        if pause is not None or time.monotonic() > until:
            _pause(run, pause or 0.0)
            return


def _give_up_lost(run: ModelRun) -> None:
    """Mark what earlier attempts sent and got no answer for: it may have been charged, so a lead decides."""
    lost = run.requests.filter(state=State.SENT, attempt__lt=run.attempt)
    lost.update(state=State.UNKNOWN, fault="The worker stopped before there was an answer.")


def _taken(run: ModelRun) -> list[OutgoingRequest]:
    """Mark the next requests as sent, in a transaction of its own. Raises RunLost, or RunFailed at a limit."""
    with transaction.atomic():
        # A cancellation waits for this lock, or is seen here.
        held = ModelRun.objects.select_for_update(no_key=True, of=("self",)).select_related("project")
        now = held.filter(pk=run.pk, state=ModelRun.State.RUNNING, attempt=run.attempt).first()
        if now is None:
            raise RunLost
        if now.project.is_closed:
            raise RunFailed("The project was closed. Reopen it to continue.")
        if not is_on() or run.content["endpoint"] != settings.MODEL_ENDPOINT:
            raise RunFailed("The endpoint of this server was changed or turned off. Nothing more was sent.")
        wave = _within_limits(now, _next(now))
        ModelRequest.objects.filter(pk__in=[each.request.pk for each in wave]).update(
            state=State.SENT, attempt=run.attempt, sent_at=Now(), n_tries=F("n_tries") + 1
        )
        return wave


def _next(run: ModelRun) -> list[OutgoingRequest]:
    """Return the next requests as the lead saw them; one whose item has changed since fails instead."""
    found: list[OutgoingRequest] = []
    changed: list[int] = []
    for request in run.requests.filter(state=State.PENDING).select_related("item").iterator(chunk_size=100):
        body = request_of(run.content, request.item)
        if request_digest(body) != request.digest or request.item.withdrawn_at is not None:
            changed.append(request.pk)
            continue
        found.append(OutgoingRequest(request, body))
        if len(found) >= settings.MODEL_CONCURRENCY:
            break
    run.requests.filter(pk__in=changed).update(
        state=State.FAILED, fault="The item was changed or withdrawn after the preview, so it was not sent."
    )
    return found


def _within_limits(run: ModelRun, wave: Sequence[OutgoingRequest]) -> list[OutgoingRequest]:
    """Return as many of the requests as the limits allow. Raises RunFailed if they allow none."""
    if run.max_cost is None and run.max_tokens is None:
        return list(wave)
    used = run.figures
    n_input, n_output = used.n_input, used.n_output
    allowed = []
    for each in wave:
        n_input += each.request.n_input_estimated
        n_output += each.request.n_output_estimated
        if run.max_tokens is not None and n_input + n_output > run.max_tokens:
            break
        if run.max_cost is not None and (run.cost_of(n_input, n_output) or 0.0) > run.max_cost:
            break
        allowed.append(each)
    if wave and not allowed:
        raise RunFailed("The next request would exceed the limit of this run. Raise the limit to continue.")
    return allowed


def _send(run: ModelRun, wave: Sequence[OutgoingRequest]) -> float | None:
    """Send the requests, store the replies, and save the labels. Returns the seconds until the next try, if needed.

    Raises RunFailed if the endpoint refuses requests, or keeps failing.
    """
    send = partial(post_request, run.content["endpoint"])
    with ThreadPoolExecutor(max_workers=len(wave)) as pool:
        replies = list(pool.map(lambda each: parsed_reply(send(each.body)), wave))
    answered = list(zip(wave, replies, strict=True))
    with transaction.atomic():
        for outgoing, meaning in answered:
            _store(run, outgoing.request, meaning)
    _note_models(run, replies)
    save_answers(run)
    _refuse_to_go_on(run, answered)
    later = [(each.request, meaning) for each, meaning in answered if meaning.outcome is ReplyOutcome.LATER]
    return max((_pause_after(request, meaning) for request, meaning in later), default=None)


def _store(run: ModelRun, request: ModelRequest, meaning: ParsedReply) -> None:
    """Store a reply, unless a lead has asked to send the request again meanwhile."""
    values: dict[str, object] = {"status": meaning.status, "fault": meaning.fault, "answered_at": Now()}
    match meaning.outcome:
        case ReplyOutcome.ANSWERED:
            n_input, n_output = meaning.n_input, meaning.n_output
            values |= {
                "state": State.ANSWERED,
                "answer": meaning.text,
                "n_input": F("n_input") + (request.n_input_estimated if n_input is None else n_input),
                "n_output": F("n_output") + (request.n_output_estimated if n_output is None else n_output),
            }
        case ReplyOutcome.LATER:
            values["state"] = State.FAILED if _is_exhausted(request) else State.PENDING
        case ReplyOutcome.REFUSED:
            values["state"] = State.FAILED
    waiting = run.requests.filter(pk=request.pk, attempt=run.attempt, state__in=[State.SENT, State.UNKNOWN])
    waiting.update(**values)


def _is_exhausted(request: ModelRequest) -> bool:
    # n_tries was read before this try was counted.
    return request.n_tries >= len(settings.MODEL_PAUSES)


def _pause_after(request: ModelRequest, meaning: ParsedReply) -> float:
    place = min(request.n_tries, len(settings.MODEL_PAUSES) - 1)
    return float(settings.MODEL_PAUSES[place]) if meaning.pause is None else meaning.pause


def _note_models(run: ModelRun, replies: Sequence[ParsedReply]) -> None:
    """Note under which names the endpoint answers; the rater gets the latest as an attribute."""
    new = {meaning.model for meaning in replies if meaning.model} - set(run.reported_models)
    if not new or run.rater is None:
        return
    run.reported_models = [*run.reported_models, *sorted(new)]
    ModelRun.objects.filter(pk=run.pk).update(reported_models=run.reported_models)
    run.rater.attributes["reported model"] = run.reported_models[-1]
    run.rater.save(update_fields=["attributes"])


def _refuse_to_go_on(run: ModelRun, replies: Sequence[tuple[OutgoingRequest, ParsedReply]]) -> None:
    refused = [meaning for _, meaning in replies if meaning.outcome is ReplyOutcome.REFUSED]
    if refused and not (all(meaning.is_of_one_request for meaning in refused) and _is_of_few(run)):
        raise RunFailed(refused[0].fault)
    is_down = all(meaning.outcome is ReplyOutcome.LATER for _, meaning in replies)
    has_more = run.requests.filter(state=State.PENDING).exists()
    if is_down and has_more and any(_is_exhausted(outgoing.request) for outgoing, _ in replies):
        raise RunFailed(f"The endpoint kept failing. {replies[0][1].fault}")


def _is_of_few(run: ModelRun) -> bool:
    """Return whether others succeeded and few were refused, so that the reason is probably in single items."""
    n_refused = run.requests.filter(state=State.FAILED, status__gte=400, status__lt=500).count()
    return n_refused < MOST_REFUSED and run.requests.filter(state=State.DONE).exists()


def _pause(run: ModelRun, seconds: float) -> None:
    if not run.postpone(seconds):
        raise RunLost
    run.notify()


@transaction.atomic
def _finish(run: ModelRun) -> None:
    if not run.finish():
        raise RunLost
    run.state = ModelRun.State.DONE
    run.record_end()
