"""Adjudication, references, and final labels."""

from typing import Any

from tests.config.routes.arguments import (
    item_args,
)
from tests.config.routes.row import (
    API_LEAD_ONLY,
    API_SEE_LABELS,
    LEAD_GOES_ON,
    LEAD_ONLY,
    SEE_LABELS,
    Row,
)
from tests.finished import World

ADJUDICATE = (302, 404, 404, 403, 200, 200)
SEE_DISPUTES = (302, 404, 404, 200, 200, 200)
GOES_ON = (302, 404, 404, 403, 302, 302)
API_ADJUDICATE = (401, 404, 404, 403, 200, 200)
API_SEE_DISPUTES = (401, 404, 404, 200, 200, 200)


def case_args(world: World) -> list[Any]:
    return [world.project.slug, world.item.pk, world.agreement.question_id]


def bulk_args(world: World) -> list[Any]:
    """Nothing was decided in bulk."""
    return [world.project.slug, "0123456789ab"]


def rule_args(world: World) -> list[Any]:
    return [world.project.slug, world.agreement.question_id]


ROWS = [
    Row("adjudicate", SEE_DISPUTES),
    Row("adjudicate_next", GOES_ON),
    Row("adjudicate_item", SEE_DISPUTES, args=case_args),
    # A form that decides nothing.
    Row("adjudicate_item", (302, 404, 404, 403, 400, 400), method="post", args=case_args),
    Row(
        "adjudicate_withdraw",
        GOES_ON,
        method="post",
        args=case_args,
        wrong_method="get",
    ),
    Row("adjudicate_next_item", GOES_ON),
    Row("adjudicate_whole", ADJUDICATE, args=item_args),
    # A form that decides nothing.
    Row("adjudicate_whole", (302, 404, 404, 403, 400, 400), method="post", args=item_args),
    # Nothing was saved in this session.
    Row("adjudicate_undo", GOES_ON, method="post", wrong_method="get"),
    Row("adjudicate_bulk", ADJUDICATE, query="?rule=majority&share=60"),
    # Without the digest of a preview.
    Row("adjudicate_bulk", (302, 404, 404, 403, 409, 409), method="post"),
    Row(
        "adjudicate_bulk_undo",
        (302, 404, 404, 403, 404, 404),
        method="post",
        args=bulk_args,
        wrong_method="get",
    ),
    Row(
        "api_adjudication_bulk",
        API_ADJUDICATE,
        method="post",
        data={"rule": "majority"},
        wrong_method="get",
    ),
    Row(
        "api_adjudication_bulk_undo",
        (401, 404, 404, 403, 404, 404),
        method="delete",
        args=bulk_args,
        wrong_method="get",
    ),
    Row(
        "api_adjudication_item",
        API_ADJUDICATE,
        args=item_args,
        wrong_method="post",
    ),
    # The labels are not those that were seen.
    Row(
        "api_adjudication_item",
        (401, 404, 404, 403, 409, 409),
        method="put",
        args=item_args,
        data={"labels_digest": "0", "decisions": []},
        wrong_method="post",
    ),
    Row("item_reference", LEAD_ONLY, args=item_args),
    Row("item_reference", LEAD_GOES_ON, method="post", args=item_args),
    Row("references_from_decisions", LEAD_GOES_ON, method="post", wrong_method="get"),
    Row("api_references_from_decisions", API_LEAD_ONLY),
    Row("api_references_from_decisions", (401, 404, 403, 403, 403, 409), method="post"),
    Row("finals", SEE_LABELS),
    Row("final_rule", LEAD_ONLY, args=rule_args),
    Row("final_rule", LEAD_GOES_ON, method="post", args=rule_args, data={"rule": "majority"}),
    Row("final_rule_estimate", LEAD_GOES_ON, method="post", args=rule_args, wrong_method="get"),
    Row("api_final_rules", API_SEE_LABELS),
    Row(
        "api_final_rule",
        API_LEAD_ONLY,
        method="patch",
        args=rule_args,
        data={"rule": "unanimous"},
        wrong_method="get",
    ),
    # The rule needs no estimate.
    Row(
        "api_final_rule_estimate",
        (401, 404, 403, 403, 403, 409),
        method="post",
        args=rule_args,
        wrong_method="get",
    ),
    Row("finals_file", SEE_LABELS, args=lambda world: [world.project.slug, "csv"], is_of_project=False),
    Row("api_disputes", API_SEE_DISPUTES),
    Row("api_case", API_SEE_DISPUTES, args=case_args, wrong_method="post"),
    Row(
        "api_case",
        (401, 404, 404, 403, 200, 409),
        method="put",
        args=case_args,
        data={"category": "good", "reason": "Rater slip", "revision": 0},
        wrong_method="post",
    ),
    # Nothing is decided, so that there is nothing to withdraw.
    Row(
        "api_case",
        (401, 404, 404, 403, 409, 409),
        method="delete",
        args=case_args,
        query="?revision=1",
        wrong_method="post",
    ),
    Row("api_finals", API_SEE_LABELS),
]
