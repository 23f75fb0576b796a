"""The base class of all API views: strict about body, parameters and paging."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.numbers import MAX_ID, whole_number
from core.refusals import RefusedWithCode
from core.web.strict import StrictSerializer, refuse_text

MAX_PAGE = 10**9
MAX_PAGE_SIZE = 1000
PAGE_SIZE = 100
MAX_PARAMETER = 200
# How booleans are written in a query string.
FLAG = ("true", "false")


def whole_schema(low: int, high: int) -> dict[str, str | int]:
    return {"type": "integer", "minimum": low, "maximum": high}


ID = whole_schema(1, MAX_ID)
PAGE_PARAMETERS = [
    OpenApiParameter("page", whole_schema(1, MAX_PAGE), description="Page number, starting at 1."),
    OpenApiParameter(
        "page_size", whole_schema(1, MAX_PAGE_SIZE), description=f"Results per page. Default: {PAGE_SIZE}."
    ),
]

T = TypeVar("T")
Rows = QuerySet[Any] | Sequence[Any]


# Comments instead of a docstring, which the OpenAPI document would show for every view without one.
class View(APIView):
    # The OpenAPI document describes a view better than OPTIONS would.
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    # The accepted query parameters by method; any other is refused.
    parameters: ClassVar[Mapping[str, Sequence[str]]] = {}
    # The methods that a token with the scope `label` may use; see `raters.accounts.tokens`.
    for_labeling: ClassVar[frozenset[str]] = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        refuse_unsized(request)
        method = "get" if request.method == "HEAD" else (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            raise exceptions.MethodNotAllowed(request.method or "")
        refuse_parameters(request, self.parameters.get(method, ()))

    def checked(self, serializer: type[StrictSerializer], *, partial: bool = False) -> dict[str, Any]:
        """The validated body of the request; raises a refusal."""
        data = self.request.data
        if self.request.META.get("CONTENT_LENGTH") in {None, "", "0"}:
            raise RefusedWithCode("empty_body", "The request body is empty. Send a JSON object.")
        if not isinstance(data, dict):
            raise RefusedWithCode("not_an_object", "Send a JSON object.")
        form = serializer(data=data, partial=partial, context={"request": self.request})
        form.is_valid(raise_exception=True)
        return dict(form.validated_data)

    def checked_rows(self, serializer: type[StrictSerializer], *, most: int) -> list[dict[str, Any]]:
        """The validated objects of the array in the body; a refusal says which is wrong."""
        data = self.request.data
        if self.request.META.get("CONTENT_LENGTH") in {None, "", "0"}:
            raise RefusedWithCode("empty_body", "The request body is empty. Send a JSON array.")
        if not isinstance(data, list):
            raise RefusedWithCode("not_an_array", "Send a JSON array.")
        if not data:
            raise RefusedWithCode("empty_array", "The array is empty.")
        if len(data) > most:
            raise RefusedWithCode(
                "too_many",
                f"The array has {len(data):,} objects, but a request can have at most {most:,}. "
                "Send several requests, or import a file.",
                status_code=413,
            )
        form = serializer(data=data, many=True, context={"request": self.request})
        form.is_valid(raise_exception=True)
        return [dict(row) for row in form.validated_data]

    def paged(
        self, rows: Rows, show: Callable[[Any], Mapping[str, Any]], *, most: int = MAX_PAGE_SIZE
    ) -> Response:
        """One page of rows: {"count", "page", "page_size", "results"}."""
        page, size = self.requested_page()
        size = min(size, most)
        n = rows.count() if isinstance(rows, QuerySet) else len(rows)
        results = [show(row) for row in rows[slice_of(page, size, n)]]
        return Response({"count": n, "page": page, "page_size": size, "results": results})

    def requested_page(self, *, default_size: int = PAGE_SIZE) -> tuple[int, int]:
        """The number of the page, and how many rows a page has."""
        return (
            whole_parameter(self.request, "page", default=1, low=1, high=MAX_PAGE),
            whole_parameter(self.request, "page_size", default=default_size, low=1, high=MAX_PAGE_SIZE),
        )


def slice_of(page: int, size: int, n: int) -> slice:
    """The rows of a page, of n in all. Raises RefusedWithCode if there is no such page."""
    if page > 1 and (page - 1) * size >= n:
        raise RefusedWithCode("no_such_page", f"Page {page} does not exist.", status_code=404)
    return slice((page - 1) * size, page * size)


# Of files: their size is limited before authentication, whose check of the CSRF token reads the body.
class UploadView(View):
    @staticmethod
    def limit_upload(request: HttpRequest) -> None:
        raise NotImplementedError

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.limit_upload(request)
        return super().initialize_request(request, *args, **kwargs)


def texts_of_form(body: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    """The parts of a form other than its `file`; raises RefusedWithCode for one that is unknown or not text."""
    given = {name: body[name] for name in body if name != "file"}
    for name, value in given.items():
        if name not in known or not isinstance(value, str):
            raise RefusedWithCode("unknown_field", f"Unknown field {name[:100]!r}.")
    return given


def refuse_unsized(request: Request) -> None:
    """A body without a declared length never reaches Django; refuse it rather than read nothing."""
    if request.META.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked":
        raise RefusedWithCode("length_required", "Send a Content-Length header.", status_code=411)


def refuse_parameters(request: Request, known: Sequence[str]) -> None:
    for name, values in request.query_params.lists():
        if name not in known:
            raise RefusedWithCode("unknown_parameter", f"Unknown query parameter {name[:100]!r}.")
        if len(values) > 1:
            raise RefusedWithCode("repeated_parameter", f"Duplicate query parameter {name!r}.")
        if len(values[0]) > MAX_PARAMETER:
            raise RefusedWithCode(
                "too_long", f"The query parameter {name!r} is longer than {MAX_PARAMETER} characters."
            )
        refuse_text(values[0])


def chosen_parameter(request: Request, name: str, choices: Sequence[str]) -> str | None:
    """One of the choices, or None if the parameter is absent."""
    return choice_parameter(request, name, choices, default="") if name in request.query_params else None


def flag_parameter(request: Request, name: str) -> bool | None:
    """true or false, or None if the parameter is absent."""
    value = chosen_parameter(request, name, FLAG)
    return None if value is None else value == "true"


def whole_parameter(request: Request, name: str, *, default: int, low: int, high: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    number = whole_number(text, least=low, most=high)
    if number is None:
        raise RefusedWithCode("invalid_parameter", f"{name} must be a whole number from {low} to {high}.")
    return number


def choice_parameter(request: Request, name: str, choices: Sequence[str], *, default: str) -> str:
    text = request.query_params.get(name, default)
    if text not in choices:
        raise RefusedWithCode("invalid_parameter", f"{name} must be one of {', '.join(choices)}.")
    return text


def paginated(
    name: str, row: type[serializers.Serializer[Any]], **more: serializers.Field[Any, Any, Any, Any]
) -> Any:
    """The schema of one page of rows, for the OpenAPI document. more: what else the page has."""
    return inline_serializer(
        f"{name}Page",
        {
            "count": serializers.IntegerField(),
            "page": serializers.IntegerField(),
            "page_size": serializers.IntegerField(),
            "results": row(many=True),
            **more,
        },
    )
