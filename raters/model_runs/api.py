"""API for model runs: draft, review, start, follow, cancel, and continue."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.runs.ledger import Run
from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, View, chosen_parameter, paginated
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictSerializer,
)
from projects.access import project_to
from projects.models import Item, Project, Round
from projects.roles import Permission
from raters.model_runs import starting
from raters.model_runs.choosing import Items
from raters.model_runs.configuring import FORMATS, AnswerFormat, RunSettings, request_digest, request_of
from raters.model_runs.drafting import RunBudget, draft
from raters.model_runs.forms import MAX_SEED
from raters.models import ModelRequest, ModelRun
from raters.models.model_runs import MAX_INSTRUCTIONS

ANSWER_FORMATS = [(value, value) for value, _ in FORMATS]
MAX_KEYS = 100_000


class RunLimitsInput(StrictSerializer):
    max_cost = StrictFloatField(
        required=False,
        allow_null=True,
        min_value=0.0001,
        max_value=1_000_000,
        help_text="The run stops before a request that would exceed it. Only if the server knows the price.",
    )
    max_tokens = StrictIntegerField(
        required=False, allow_null=True, min_value=1, help_text="Of requests and answers together."
    )


class NewModelRun(RunLimitsInput):
    model = StrictLineField(max_length=MAX_KEY, help_text="One of the models that the server offers.")
    items_of_round = StrictLineField(
        required=False,
        max_length=MAX_KEY,
        help_text="Key of the round whose items are sent. Default: all items.",
    )
    items_of_list = StrictIntegerField(
        required=False, min_value=1, help_text="ID of the list whose items are sent."
    )
    items = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        min_length=1,
        max_length=MAX_KEYS,
        help_text="Keys of the items that are sent.",
    )
    only_new = StrictBooleanField(
        required=False,
        help_text="Whether to leave out items that this configuration has labeled. Otherwise they get another pass. "
        "Default: true.",
    )
    round = StrictLineField(
        required=False,
        allow_null=True,
        max_length=MAX_KEY,
        help_text="Key of the round of the labels. Default: none.",
    )
    questions = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        min_length=1,
        max_length=500,
        help_text="Question keys. Default: all.",
    )
    fields_left_out = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        max_length=2_000,
        help_text="Item fields that are not sent. Default: none.",
    )
    guidelines = StrictBooleanField(
        required=False, help_text="Whether to send the guidelines. Default: true."
    )
    instructions = StrictCharField(required=False, allow_blank=True, max_length=MAX_INSTRUCTIONS)
    temperature = StrictFloatField(
        required=False, allow_null=True, min_value=0, max_value=2, help_text="null: not sent. Default: 0."
    )
    seed = StrictIntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_SEED,
        help_text="null: not sent, the default.",
    )
    answer_format = StrictChoiceField(
        choices=ANSWER_FORMATS, required=False, help_text="Default: json_schema."
    )

    def validate(self, attrs: Json) -> Json:
        given = [name for name in ("items_of_round", "items_of_list", "items") if name in attrs]
        if len(given) > 1:
            raise serializers.ValidationError(dict.fromkeys(given, "Send only one choice of items."))
        return attrs


class ModelRunResumeInput(RunLimitsInput):
    """What is left out stays as it is."""

    failed = StrictBooleanField(
        required=False, help_text="Whether to send failed items again. Default: false."
    )
    unknown = StrictBooleanField(
        required=False,
        help_text="Whether to send items again for which no answer was recorded. They may have been charged already. "
        "Default: false.",
    )


class ModelRunSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Run.State.choices)
    failure = serializers.CharField(help_text="Why it stopped; empty otherwise.")
    model = serializers.CharField()
    rater = serializers.CharField(allow_null=True, help_text="Key of the rater; null for a draft.")
    configuration = serializers.CharField(
        help_text="SHA-256 hash of model, settings, and prompt. Runs with the same one have the same rater."
    )
    prompt = serializers.CharField(help_text="The message that all items share.")
    items_chosen = serializers.CharField()
    fields_left_out = serializers.ListField(child=serializers.CharField())
    round = serializers.CharField(allow_null=True)
    reported_models = serializers.ListField(
        child=serializers.CharField(), help_text="Names of the model in the endpoint’s responses."
    )
    max_cost = serializers.FloatField(allow_null=True)
    max_tokens = serializers.IntegerField(allow_null=True)
    n_items = serializers.IntegerField(help_text="Items to send, one request for each.")
    n_without_text = serializers.IntegerField(help_text="Chosen items that have no text to send.")
    n_labeled = serializers.IntegerField()
    n_failed = serializers.IntegerField()
    n_unknown = serializers.IntegerField(
        help_text="Sent, but no answer was recorded; you may have been charged."
    )
    n_not_sent = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True, help_text="null if the server does not know the price.")
    estimated_tokens_left = serializers.IntegerField(help_text="For what was not sent yet.")
    estimated_cost_left = serializers.FloatField(allow_null=True)
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ModelRequestSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    item = serializers.CharField()
    state = serializers.ChoiceField(choices=ModelRequest.State.choices)
    status = serializers.IntegerField(allow_null=True, help_text="HTTP status of the last attempt.")
    fault = serializers.CharField()
    answer = serializers.CharField(help_text="The model’s answer.")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    sent_at = serializers.DateTimeField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)


class ModelRequestWithBody(ModelRequestSerializer):
    body = serializers.CharField(
        allow_null=True,
        help_text="The exact body of the request. null if the item has changed since the draft.",
    )


class ModelRuns(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("ModelRun", ModelRunSerializer),
        operation_id="model_runs_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List drafts and runs, newest first."""
        project = project_to(request.user, slug, Permission.IMPORT)
        return self.paged(project.model_runs.select_related("rater", "round"), _serialized)

    @extend_schema(request=NewModelRun, responses={201: ModelRunSerializer}, operation_id="model_runs_create")
    def post(self, request: Request, slug: str) -> Response:
        """Create a draft. Nothing is sent until you start it; read its requests first."""
        project = project_to(request.user, slug, Permission.IMPORT)
        given = self.checked(NewModelRun)
        run = draft(
            project,
            _wanted(given),
            _items(project, given),
            round_=_round(project, given.get("round")),
            limits=RunBudget(given.get("max_cost"), given.get("max_tokens")),
            by=request.user,  # type: ignore[arg-type]
        )
        return Response(_serialized(run), status=201)


class ModelRunDetail(View):
    @extend_schema(responses=ModelRunSerializer, operation_id="model_runs_retrieve")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a draft or run, with its progress."""
        return Response(_serialized(_found(request, slug, pk)))

    @extend_schema(responses={204: None}, operation_id="model_runs_discard")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Discard a draft."""
        starting.discard(_found(request, slug, pk))
        return Response(status=204)


class ModelRunStart(View):
    @extend_schema(request=None, responses={202: ModelRunSerializer}, operation_id="model_runs_start")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send a draft. Refused if anything that would be sent has changed since the draft was made."""
        run = _found(request, slug, pk)
        starting.start(run, by=request.user)
        return Response(_serialized(run), status=202)


class ModelRunCancel(View):
    @extend_schema(request=None, responses=ModelRunSerializer, operation_id="model_runs_cancel")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Stop before the next request. Labels from earlier answers stay."""
        run = _found(request, slug, pk)
        if not starting.cancel(run, by=request.user):
            raise RefusedWithCode("not_under_way", "This run is not under way.", status_code=409)
        return Response(_serialized(run))


class ModelRunResume(View):
    @extend_schema(
        request=ModelRunResumeInput, responses={202: ModelRunSerializer}, operation_id="model_runs_resume"
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Continue a run that has ended: send what was not sent and, if requested, what failed or has no answer."""
        run = _found(request, slug, pk)
        given = self.checked(ModelRunResumeInput, partial=True)
        starting.resume(
            run,
            by=request.user,
            with_failed=given.get("failed", False),
            with_unknown=given.get("unknown", False),
            limits=RunBudget(
                given.get("max_cost", run.max_cost),
                given.get("max_tokens", run.max_tokens),
            ),
        )
        return Response(_serialized(run), status=202)


class ModelRequests(View):
    parameters = {"get": ["state", "page", "page_size"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "state", str, enum=ModelRequest.State.values, description="Default: requests in any state."
            ),
            *PAGE_PARAMETERS,
        ],
        responses=paginated("ModelRequest", ModelRequestSerializer),
        operation_id="model_runs_requests_list",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the requests of a run, one for each item, with the answers."""
        rows = _found(request, slug, pk).requests.select_related("item")
        if state := chosen_parameter(request, "state", ModelRequest.State.values):
            rows = rows.filter(state=state)
        return self.paged(rows, lambda row: dict(ModelRequestSerializer(_request(row)).data))


class ModelRequestDetail(View):
    @extend_schema(responses=ModelRequestWithBody, operation_id="model_runs_requests_retrieve")
    def get(self, request: Request, slug: str, pk: int, position: int) -> Response:
        """Get one request with its exact body."""
        run = _found(request, slug, pk)
        row = get_object_or_404(run.requests.select_related("item"), position=position)
        body = request_of(run.content, row.item)
        shown = {**_request(row), "body": body if request_digest(body) == row.digest else None}
        return Response(ModelRequestWithBody(shown).data)


def _found(request: Request, slug: str, pk: int) -> ModelRun:
    project = project_to(request.user, slug, Permission.IMPORT)
    rows = ModelRun.objects.select_related("project", "rater", "round")
    return get_object_or_404(rows, project=project, pk=pk)


def _wanted(given: dict[str, Any]) -> RunSettings:
    return RunSettings(
        model=given["model"],
        temperature=given.get("temperature", 0.0),
        seed=given.get("seed"),
        answer_format=given.get("answer_format", AnswerFormat.SCHEMA),
        questions=given.get("questions", ()),
        fields_left_out=given.get("fields_left_out", ()),
        has_guidelines=given.get("guidelines", True),
        instructions=given.get("instructions", ""),
    )


def _items(project: Project, given: dict[str, Any]) -> Items:
    """Raises RefusedWithCode for a round that does not exist."""
    round_ = _round(project, given.get("items_of_round"))
    return Items(
        round=round_.pk if round_ else None,
        list=given.get("items_of_list"),
        keys=given.get("items", ()),
        is_only_new=given.get("only_new", True),
    )


def _round(project: Project, key: str | None) -> Round | None:
    if key is None:
        return None
    found = project.rounds.filter(key=key).exclude(state=Round.State.DRAFT).first()
    if found is None:
        raise RefusedWithCode("no_such_round", f"There is no opened round {key!r}.")
    return found


def _serialized(run: ModelRun) -> Json:
    figures = run.figures
    values = {name: getattr(run, name) for name in _OWN}
    values |= {
        "rater": run.rater.key if run.rater else None,
        "configuration": run.digest,
        "prompt": run.content["system"],
        "items_chosen": run.items_in_words,
        "fields_left_out": run.content["fields_left_out"],
        "round": run.round.key if run.round else None,
        "n_items": figures.n,
        "n_labeled": figures.n_done,
        "n_failed": figures.n_failed,
        "n_unknown": figures.n_unknown,
        "n_not_sent": figures.n_pending,
        "input_tokens": figures.n_input,
        "output_tokens": figures.n_output,
        "cost": figures.cost,
        "estimated_tokens_left": figures.n_tokens_left,
        "estimated_cost_left": figures.cost_left,
    }
    return dict(ModelRunSerializer(values).data)


_OWN = (
    *("id", "state", "failure", "model", "reported_models", "max_cost", "max_tokens", "n_without_text"),
    *("asked_at", "finished_at"),
)


def _request(row: ModelRequest) -> Json:
    item: Item = row.item
    names = ("position", "state", "status", "fault", "answer", "sent_at", "answered_at")
    values = {name: getattr(row, name) for name in names}
    return {**values, "item": item.key, "input_tokens": row.n_input, "output_tokens": row.n_output}
