"""What a model may decide alone, and its labels with those of a random sample, over the API."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, overload

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.tables.safe_cells import Cell
from core.web.api import PAGE_PARAMETERS, View, paginated
from projects.access import project_to
from projects.roles import Permission
from reports.analysis.results import Json, for_programs, to_json
from reports.analysis.results.decisions import NONE_PASSES, NOT_RANDOM, TOO_FEW
from reports.api.report_views import result_of
from reports.results import decided_rows, sampled_rows
from reports.results.decision_wording import (
    BELOW,
    NO_THRESHOLD,
    OUTSIDE,
    PARAMETERS,
    WITHOUT,
    methods_of,
    requested_decisions,
)
from reports.store.model_decisions import STATED, DecisionsResult, decided_by_model
from reports.store.sampled_labels import sampled_labels
from reports.store.stored_result import StoredResult

ASKED = [
    OpenApiParameter("model", str, description="Key of the model. Default: the one with most confidences."),
    OpenApiParameter("alpha", float, description="Accepted error rate, at most 0.5. Default: 0.1."),
    OpenApiParameter("delta", float, description="Risk that it is exceeded, at most 0.5. Default: 0.05."),
    OpenApiParameter(
        "against", str, description="Key of a reference. Default: the majority of people (`people`)."
    ),
    OpenApiParameter(
        "drawn",
        str,
        enum=[STATED],
        description="States that calibration items without a record were drawn at random from the model’s items.",
    ),
]


class DecisionStepSerializer(serializers.Serializer[Any]):
    """The calibration items of at least this confidence."""

    confidence = serializers.FloatField()
    n_items = serializers.IntegerField()
    n_wrong = serializers.IntegerField()
    share_wrong = serializers.FloatField()
    bound = serializers.FloatField(help_text="One-sided Clopper–Pearson limit at 1 − delta.")
    coverage = serializers.FloatField(help_text="Share of all calibration items.")


class DecisionsSerializer(serializers.Serializer[Any]):
    model = serializers.CharField()
    against = serializers.CharField(help_text="`people`, or the key of a reference.")
    alpha = serializers.FloatField()
    delta = serializers.FloatField()
    least = serializers.IntegerField(help_text="Number of items that a confidence must reach to be tested.")
    sampled = serializers.CharField(help_text="How the calibration items were drawn.")
    reason = serializers.ChoiceField(
        choices=[
            ("", "There is a threshold"),
            (NOT_RANDOM, "Calibration items are not known to be a random sample"),
            (TOO_FEW, "Too few calibration items"),
            (NONE_PASSES, "No confidence has an upper limit of at most alpha"),
        ],
        help_text="Why there is no threshold.",
    )
    n_drawn = serializers.IntegerField(allow_null=True)
    n_labels = serializers.IntegerField(help_text="Items that the model labeled.")
    n_stated = serializers.IntegerField(help_text="Of these, with a confidence.")
    n_compared = serializers.IntegerField(
        help_text="Items of the model that people, or the reference, labeled."
    )
    n_tied = serializers.IntegerField()
    n_unstated = serializers.IntegerField()
    n_calibration = serializers.IntegerField()
    n_wrong = serializers.IntegerField()
    threshold = DecisionStepSerializer(allow_null=True, help_text="Null if nothing is guaranteed.")
    steps = DecisionStepSerializer(many=True, help_text="If there are more than 200, some are left out.")
    n_open = serializers.IntegerField(help_text="Items that only models labeled.")
    n_decided = serializers.IntegerField(help_text="Of these, those that the model may decide.")
    n_for_people = serializers.IntegerField()
    n_without = serializers.IntegerField(help_text="Open items without a confidence.")
    n_outside = serializers.IntegerField(help_text="Open items that could not have been drawn.")
    methods = serializers.CharField(help_text="A paragraph for a paper.")


class DecidedItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    model_label = serializers.CharField(help_text="Key of a category, or keys of a set with | between them.")
    confidence = serializers.FloatField(allow_null=True)
    decided = serializers.ChoiceField(choices=["yes", "no"])
    reason = serializers.ChoiceField(
        choices=[
            ("", "The model may decide"),
            (BELOW, "Confidence below the threshold"),
            (WITHOUT, "No confidence"),
            (OUTSIDE, "Could not have been drawn"),
            (NO_THRESHOLD, "There is no threshold"),
        ]
    )


def decided_in(request: Request, slug: str, pk: int, key: str) -> tuple[StoredResult, DecisionsResult]:
    """Return what the request asks for. Raises DecisionsRefused."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = result_of(project, pk, key)
    return result, decided_by_model(result, requested_decisions(request.query_params))


class DecisionsDetail(View):
    parameters = {"get": list(PARAMETERS)}

    @extend_schema(parameters=ASKED, responses=DecisionsSerializer, operation_id="report_decisions")
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get the confidence at which a model may decide alone, with a guarantee on how often people disagree."""
        _, decided = decided_in(request, slug, pk, key)
        return Response(for_programs(to_json(decided.found)) | {"methods": methods_of(decided)})


class DecidedItemList(View):
    parameters = {"get": [*PARAMETERS, "page", "page_size"]}

    @extend_schema(
        parameters=[*ASKED, *PAGE_PARAMETERS],
        responses=paginated("DecidedItem", DecidedItemSerializer),
        operation_id="report_decided_items",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """List the items that only models labeled, with the model’s label and whether it may decide."""
        result, decided = decided_in(request, slug, pk, key)
        rows = _RowsOnDemand(len(decided.items), partial(decided_rows.rows_of, result, decided))
        return self.paged(rows, lambda row: dict(zip(decided_rows.COLUMNS, row, strict=True)))


class SampledItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    model_label = serializers.CharField(
        help_text="Key of a category, keys of a set with |, or a number as text."
    )
    gold_label = serializers.CharField(
        allow_null=True,
        help_text="What most people say, or the mean of their numbers; null if there is none.",
    )
    sampled = serializers.ChoiceField(choices=[0, 1], help_text="1 if the item was drawn for people.")
    probability = serializers.FloatField(help_text="Of being drawn.")


class SampledItemList(View):
    parameters = {"get": ["model", "page", "page_size"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "model", str, description="Key of the model. Default: the one with most labels."
            ),
            *PAGE_PARAMETERS,
        ],
        responses=paginated("SampledItem", SampledItemSerializer),
        operation_id="report_sampled_items",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """List a model’s labels with people’s on a random sample of its items, for dsl and ppi_py."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        found = sampled_labels(result, request.query_params.get("model", ""))
        rows = _RowsOnDemand(len(found), partial(sampled_rows.rows_of, result, found))
        return self.paged(rows, _sampled)


def _sampled(row: tuple[Cell, ...]) -> Json:
    found = dict(zip(sampled_rows.COLUMNS, row, strict=True))
    labels = {name: found[name] for name in ("model_label", "gold_label")}
    return found | {name: None if cell is None else str(cell) for name, cell in labels.items()}


class _RowsOnDemand(Sequence[tuple[Cell, ...]]):
    """Rows of a table, of which only those of a page are made."""

    def __init__(self, n: int, make: Callable[[range], Iterable[tuple[Cell, ...]]]) -> None:
        self.n, self.make = n, make

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, place: int) -> tuple[Cell, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> list[tuple[Cell, ...]]: ...

    def __getitem__(self, place: int | slice) -> tuple[Cell, ...] | list[tuple[Cell, ...]]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        return list(self.make(range(self.n)[place]))
