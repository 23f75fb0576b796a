"""Completes the OpenAPI document with everything the API refuses: every bound, every status, and unknown fields."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.extensions import OpenApiSerializerFieldExtension

from core.shapes import Json
from core.web.api import ID, MAX_PARAMETER
from core.web.strict import StrictLineField

Document = Json

# As `core.web.strict` reads them: any text without NUL, a text that is not blank, or a single line.
ANY_TEXT = r"^[^\u0000]*$"
TEXT = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
ANY_LINE = r"^[^\u0000-\u001f\u007f]*$"
LINE = r"^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$"

ERROR: Document = {
    "type": "object",
    "description": "The format of all errors.",
    "required": ["error", "detail", "errors", "request_id"],
    "properties": {
        "error": {"type": "string", "description": "A stable error code."},
        "detail": {"type": "string", "description": "A human-readable message."},
        "errors": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
        "request_id": {
            "type": "string",
            "description": "Also in the X-Request-ID header and in the server's log.",
        },
    },
}
REFUSAL: Document = {
    "description": "An error.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
REFUSED = (400, 401, 403, 404, 406, 500, 503)
# Statuses of requests that change something: conflict, too many requests, full disk.
CHANGE_REFUSED = (409, 429, 507)
# Statuses of requests that queue work, including some GET requests.
QUEUE_REFUSED = (429,)
# Every other operation with a body responds with 400 to an empty one.
BODY_OPTIONAL = {"assignment_next"}
BODY_REFUSED = (411, 413, 415)
# Statuses of requests that name their base revision, and of those with an idempotency key.
REVISION_REFUSED = (428,)
KEY_REFUSED = (422,)


# Fields that are required although the serializer makes them optional: leaving them out has its own status, or they
# are the only field of the change.
REQUIRED = {
    "AnswersInput": ["revisions"],
    "RevisionsInput": ["revisions"],
    "DecisionInput": ["revision"],
    "PatchedMemberChange": ["role"],
    "PatchedRaterChange": ["user"],
}


class TextFieldExtension(OpenApiSerializerFieldExtension):
    target_class = "core.web.strict.StrictCharField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> Document:
        schema: Document = auto_schema._map_serializer_field(self.target, direction, bypass_extensions=True)
        if "pattern" in schema:
            return schema
        # The pattern of a validator: a project's short name.
        for validator in self.target.validators:
            if isinstance(validator, RegexValidator):
                pattern = re.compile(validator.regex).pattern
                return schema | {"pattern": pattern.replace(r"\Z", "$")}
        is_line = isinstance(self.target, StrictLineField)
        if self.target.allow_blank:
            return schema | {"pattern": ANY_LINE if is_line else ANY_TEXT}
        return schema | {"pattern": LINE if is_line else TEXT, "minLength": 1}


class ListFieldExtension(OpenApiSerializerFieldExtension):
    target_class = "rest_framework.serializers.ListField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> Document:
        schema: Document = auto_schema._map_serializer_field(self.target, direction, bypass_extensions=True)
        return schema if self.target.allow_empty else {"minItems": 1} | schema


def strict(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """drf-spectacular's POSTPROCESSING_HOOKS."""
    components = result["components"]
    components["schemas"]["Error"] = ERROR
    components["responses"] = {"Refusal": REFUSAL}
    for name, fields in REQUIRED.items():
        components["schemas"][name]["required"] = sorted(
            {*components["schemas"][name].get("required", []), *fields}
        )
    _without_choice_of_nothing(components["schemas"])
    for schema in _objects(components["schemas"]):
        schema.setdefault("additionalProperties", False)
    for operations in result["paths"].values():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", []):
                _bound(parameter)
            if "requestBody" in operation and operation["operationId"] not in BODY_OPTIONAL:
                operation["requestBody"]["required"] = True
            _declare_refusals(operation, method, components["schemas"])
    _link(result["paths"])
    return result


def _without_choice_of_nothing(schema: Any) -> None:
    """Blank text: drf-spectacular writes "a pattern or empty", although these patterns match the empty text, too."""
    for inner in schema if isinstance(schema, list) else schema.values() if isinstance(schema, dict) else ():
        _without_choice_of_nothing(inner)
    if isinstance(schema, dict) and schema.get("oneOf", [{}])[-1] == {"type": "string", "maxLength": 0}:
        schema |= schema.pop("oneOf")[0]


def _objects(schema: Any) -> Iterator[Document]:
    """Every object schema with named properties."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _objects(inner)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
            yield schema
        for inner in schema.values():
            yield from _objects(inner)


def _bound(parameter: Document) -> None:
    """The limits that all parameters of a kind share."""
    schema = parameter["schema"]
    match parameter["in"], schema.get("type"):
        case "path", "integer":
            schema |= ID
        case "query", "string" if "enum" not in schema:
            schema.setdefault("maxLength", MAX_PARAMETER)
            schema.setdefault("pattern", ANY_LINE)


def _declare_refusals(operation: Document, method: str, schemas: Document) -> None:
    statuses = list(REFUSED)
    if method != "get":
        statuses += CHANGE_REFUSED
    if method == "get" and "202" in operation["responses"]:
        statuses += QUEUE_REFUSED
    if "requestBody" in operation:
        statuses += BODY_REFUSED
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    if "Idempotency-Key" in names:
        statuses += KEY_REFUSED
    if names & {"Idempotency-Key", "revision"} or "revision" in _body_fields(operation, schemas):
        statuses += REVISION_REFUSED
    for status in sorted(statuses):
        operation["responses"].setdefault(str(status), {"$ref": "#/components/responses/Refusal"})


# Where the response of an operation has values for a longer path: operation, path, parameter -> location.
SOURCES: dict[str, dict[str, dict[str, str]]] = {
    "projects_list": {"/api/v1/projects/{slug}/": {"slug": "/results/0/slug"}},
    "projects_create": {"/api/v1/projects/{slug}/": {"slug": "/slug"}},
    "questions_list": {
        "/api/v1/projects/{slug}/codebook/questions/{id}/": {"id": "/0/id"},
        "/api/v1/projects/{slug}/codebook/questions/{id}/categories/": {"id": "/0/id"},
        "/api/v1/projects/{slug}/codebook/questions/{question}/categories/{id}/": {
            "question": "/0/id",
            "id": "/0/categories/0/id",
        },
    },
    "assignment_next": {
        "/api/v1/projects/{slug}/assignments/{id}/": {"id": "/assignment/id"},
        "/api/v1/projects/{slug}/assignments/{id}/answers/": {"id": "/assignment/id"},
        "/api/v1/projects/{slug}/assignments/{id}/skip/": {"id": "/assignment/id"},
        "/api/v1/projects/{slug}/assignments/{id}/undo/": {"id": "/assignment/id"},
    },
    "adjudication_list": {
        "/api/v1/projects/{slug}/adjudication/{item}/{question}/": {
            "item": "/results/0/item_id",
            "question": "/results/0/question_id",
        },
    },
}


def _link(paths: Document) -> None:
    """OpenAPI links from a list or a created object to everything under its first element; and SOURCES."""
    for path, operations in paths.items():
        for method, operation in operations.items():
            if method not in {"get", "post"}:
                continue
            found = dict(SOURCES.get(operation["operationId"], {}))
            under = (other for other in paths if other.startswith(f"{path}{{id}}/"))
            place = _id_in(operation, method)
            found |= {other: {"id": place} for other in under if other.count("{") == path.count("{") + 1}
            for target, values in found.items():
                _add_links(path, operation, paths[target], values)


def _id_in(operation: Document, method: str) -> str:
    """Where the response has the ID of the created object, or of the first one in a list."""
    if method == "post":
        return "/id"
    is_paged = "page" in {parameter["name"] for parameter in operation.get("parameters", [])}
    return "/results/0/id" if is_paged else "/0/id"


def _add_links(path: str, operation: Document, targets: Document, values: dict[str, str]) -> None:
    # What a GET answers with 202 is not there yet.
    is_read = "200" in operation["responses"]
    statuses = [
        status
        for status in operation["responses"]
        if status.startswith("2") and not (is_read and status == "202")
    ]
    shared = {name: f"$request.path.{name}" for name in re.findall(r"{(\w+)}", path)}
    read = {name: f"$response.body#{place}" for name, place in values.items()}
    for status, target in itertools.product(statuses, targets.values()):
        operation["responses"][status].setdefault("links", {})[target["operationId"]] = {
            "operationId": target["operationId"],
            "parameters": shared | read,
        }


def _body_fields(operation: Document, schemas: Document) -> set[str]:
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    return set(schemas.get(reference.rpartition("/")[2], {}).get("properties", {}))
