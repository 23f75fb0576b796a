"""Drafts of model runs: everything that would be sent, fixed and shown before anything is."""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.refusals import Refused, RefusedWithCode
from projects.models import Item, Project, Round
from projects.refusals import ProjectClosed
from raters.model_runs import choosing
from raters.model_runs.choosing import Items, items_to_label
from raters.model_runs.configuring import (
    ConfigurationContent,
    RunSettings,
    content_of,
    digest_of,
    estimated_input,
    estimated_output,
    guidelines_version,
    request_digest,
    request_of,
)
from raters.models import ModelRequest, ModelRun, User

_BATCH = 1_000


class RunOutdated(Refused):
    """The project has changed since the draft was made, so other requests would be sent than were shown."""

    code = "outdated"


@dataclass(frozen=True, slots=True)
class RunBudget:
    """What a run may use at most; None for no limit."""

    cost: float | None = None
    tokens: int | None = None


@transaction.atomic
def draft(
    project: Project, wanted: RunSettings, items: Items, *, round_: Round | None, limits: RunBudget, by: User
) -> ModelRun:
    """Fix what would be sent. Nothing is sent before `starting.start`.

    Raises EndpointNotConfigured, ProjectClosed, or RefusedWithCode for an invalid choice.
    """
    refuse_closed(project)
    content = content_of(project, wanted)
    price = settings.MODELS[wanted.model]
    check_limits(limits, has_price=price is not None)
    digest = digest_of(content)
    run = ModelRun.objects.create(
        project=project,
        state=ModelRun.State.DRAFT,
        content=content,
        digest=digest,
        chosen=items.as_json(),
        items_in_words=choosing.in_words(project, items),
        round=round_,
        guidelines_version=guidelines_version(project),
        input_price=price[0] if price else None,
        output_price=price[1] if price else None,
        max_cost=limits.cost,
        max_tokens=limits.tokens,
        asked_by=by,
    )
    _write_requests(run, items_to_label(project, items, digest, by=by))
    return run


def refuse_closed(project: Project) -> None:
    if project.is_closed:
        raise ProjectClosed(f"The project {project} is closed. Reopen it to label items with a model.")
    if project.is_audit:
        # The label of a model would count as an auditor's.
        raise RefusedWithCode(
            "is_audit", "This project is an audit, whose items only its auditors label.", status_code=409
        )


def check_limits(limits: RunBudget, *, has_price: bool) -> None:
    """Raises RefusedWithCode."""
    if limits.cost is not None and not has_price:
        raise RefusedWithCode(
            "no_price",
            "The price of this model is not set on this server. Limit the number of tokens instead.",
        )


def _write_requests(run: ModelRun, items: "QuerySet[Item]") -> None:
    n = items.count()
    if not n:
        raise RefusedWithCode("no_items", "There are no items to label. Choose other items.", status_code=409)
    if n > settings.MODEL_MAX_ITEMS:
        raise RefusedWithCode(
            "too_many_items",
            f"These are {n:,} items. A run can have at most {settings.MODEL_MAX_ITEMS:,}: choose a list or a round.",
        )
    n_output = estimated_output(run.content)
    rows: list[ModelRequest] = []
    for item in items.iterator(chunk_size=_BATCH):
        if body := request_of(run.content, item):
            rows.append(
                ModelRequest(
                    run=run,
                    item=item,
                    position=len(rows) + 1,
                    digest=request_digest(body),
                    n_input_estimated=estimated_input(body),
                    n_output_estimated=n_output,
                )
            )
    if not rows:
        raise RefusedWithCode(
            "no_text",
            "None of these items has a text to send. Images, audio, and video are never sent; send more fields, or "
            "choose other items.",
            status_code=409,
        )
    ModelRequest.objects.bulk_create(rows, batch_size=_BATCH)
    run.n_without_text = n - len(rows)
    run.save(update_fields=["n_without_text"])


def draft_again(run: ModelRun, *, by: User) -> ModelRun:
    """Make a new draft with the same choices from what the project has now. Raises as `draft` does."""
    content: ConfigurationContent = run.content
    return draft(
        run.project,
        RunSettings.of_content(content),
        Items.of_json(run.chosen),
        round_=run.round,
        limits=RunBudget(run.max_cost, run.max_tokens),
        by=by,
    )


def refuse_changed_configuration(run: ModelRun) -> None:
    """Raises RunOutdated if codebook, guidelines, or the operator's settings have changed since the draft."""
    try:
        content = content_of(run.project, RunSettings.of_content(run.content))
    except RefusedWithCode as refused:
        raise RunOutdated(f"This can’t be sent anymore. {refused}") from None
    if digest_of(content) != run.digest:
        raise RunOutdated(
            "The codebook, the guidelines, or the server’s settings have changed since this preview. Nothing was sent: "
            "create a new preview."
        )


def refuse_outdated(run: ModelRun) -> None:
    """Raises RunOutdated if the draft is old, or if anything that would be sent differs from what was shown."""
    if run.asked_at < timezone.now() - settings.MODEL_DRAFT_LASTS:
        raise RunOutdated("This preview is older than a day. Nothing was sent: create a new preview.")
    refuse_changed_configuration(run)
    shown = dict(run.requests.values_list("item", "digest"))
    items = Item.objects.filter(project=run.project, withdrawn_at=None, pk__in=list(shown)).order_by("pk")
    n_same = sum(
        request_digest(request_of(run.content, item)) == shown[item.pk]
        for item in items.iterator(chunk_size=_BATCH)
    )
    if n_same < len(shown):
        n = len(shown) - n_same
        raise RunOutdated(
            f"{n:,} item{' was' if n == 1 else 's were'} changed or withdrawn since this preview. Nothing was sent: "
            "create a new preview."
        )
