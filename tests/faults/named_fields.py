"""Which fields, form names and query parameters could name something: read from the API's document and the source."""

import ast
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.urls import resolve

from config.environment import BASE_DIR
from tests.faults.smuggling import NOTHING, SENT, names_in
from tests.written_yaml import read_yaml

Fields = dict[str, Any]

# Fields that name nothing that there is: words, numbers, choices, and names of what is yet to be made.
WORDS_ALONE = """
token name slug guidelines state is_codebook_closed coefficient reading_scale thresholds from thresholds_for shows_names
adjudicators_see_names adjudication_reasons revision number cannot_tell reason note for_guidelines starter
with_guidelines text seen prompt kind level is_required allows_abstention key definition examples value shortcut color
as round columns declared_only dry_run encoding file_name layout question_kind rater_kind replace separator
format sheet header_line decimal repeats choices statuses
role email max_uses days file folder weights interval replicates seed confidence scale kappa prevalence design
raters_per_item share is_on_demand n_items repeat_share n_reference_items reference_share holds separately then
idle_minutes reference_use show preview seconds
is_guideline_unclear guidelines_version page page_size what to part q sort in least differences unclear version decision
other_number scope window repeat unlike shows_own_figures by windows cut named smoothing counted since until
head people url events description is_active on_conflict attribute attributes withdrawn state fields changed_since
change way before after up_to carried is_confirmed
alt labeled_at pass_number source_id rater_kind n finding identity
treated_as_missing missing_values criterion pooled codebook_version codebook
minimum maximum is_whole step unit tolerance max_length asked_if_question asked_if_categories asked_if
main_field fields_hidden fields_side_by_side one_key_saving
due_on remind_days
opens names shows_items allows_export follows
rule digest accept labels labels_digest ahead
takes_references threshold epsilon source item_list of_round of_question words ids again stratify_by items list value
alpha delta drawn decided from_suggestion suggested
acceptable at_most limit pauses message resumes is_passed pass_mark until up_to into_guidelines field projects
unit allocation rates aim share margin sampling rejectable producer consumer shows_given double_share severity verdict
failed unknown max_cost max_tokens answer_format fields_left_out instructions model only_new temperature
"""
WORDS = set(WORDS_ALONE.split())
# Of what is made if it is not there: labels come with the names of their questions, raters and round.
MADE = {
    ("api_imports", "question"),
    ("api_imports", "rater"),
    ("api_imports", "questions"),
    ("api_imports", "mapping"),
    ("api_items", "content"),
    *(("api_labels", name) for name in ("category", "categories")),
    ("api_questions", "categories"),
}
# Plans of nothing but numbers, of no project.
NO_PROJECT = {"api_plan_audit", "api_plan_items", "plan_audit", "plan_items"}


def unasked_of_api() -> list[str]:
    """Every field and query parameter of the API's document that no request here names."""
    asked = {(sent.route, name) for sent in SENT for name in names_in(sent.sent(NOTHING, NOTHING))}
    return sorted(
        f"{route} {name}"
        for route, name in _fields_of_api()
        if name not in WORDS and route not in NO_PROJECT and (route, name) not in asked | MADE
    )


def _fields_of_api() -> Iterator[tuple[str, str]]:
    document = read_yaml((BASE_DIR / "docs" / "openapi.yaml").read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    for address, operations in document["paths"].items():
        route = str(resolve(re.sub(r"\{\w+\}", "1", address.replace("{public}", str(UUID(int=1))))).url_name)
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    yield route, parameter["name"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for name in _properties(content["schema"], schemas):
                    yield route, name


def _properties(schema: Fields, schemas: Fields) -> Iterator[str]:
    named = schema.get("$ref", "").rpartition("/")[2]
    schema = schemas[named] if named else schema
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from _properties(inner, schemas)
    for inner in (*schema.get("allOf", ()), *schema.get("oneOf", ()), schema.get("items")):
        if inner:
            yield from _properties(inner, schemas)


def unasked_of_pages() -> list[str]:
    """Every name that a page reads from its address or form, and every choice among rows, without a request."""
    asked = {name for sent in SENT for name in names_in(sent.sent(NOTHING, NOTHING))}
    folders = (BASE_DIR / name for name in ("projects", "raters", "reports"))
    trees = [
        ast.parse(path.read_text(encoding="utf-8")) for folder in folders for path in folder.rglob("*.py")
    ]
    named = {name for tree in trees for node in ast.walk(tree) for name in _named_by(node)}
    return sorted(named - asked - WORDS)


SENT_BY = {"request.GET", "request.POST", "post", "sent"}
OF_ROWS = {"ModelChoiceField", "ModelMultipleChoiceField", "RatersField"}


def _named_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Attribute(value=of, attr="get" | "getlist"), args=[ast.Constant(value=str(name)), *_]
        ):
            if ast.unparse(of) in SENT_BY:
                yield name
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=kind) | ast.Attribute(attr=kind))
        ):
            if kind in OF_ROWS:
                yield name
