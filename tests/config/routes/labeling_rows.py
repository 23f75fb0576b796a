"""Labeling, and questions that raters ask."""

from tests.config.routes.round_arguments import (
    asked_args,
    assignment_args,
    paused_args,
    thread_args,
    unclear_args,
)
from tests.config.routes.row import (
    API_LABEL,
    API_LEAD_ONLY,
    API_OWN_PLACE,
    LABEL,
    LEAD_GOES_ON,
    LEAD_ONLY,
    OWN_PLACE,
    Row,
)

ONCE = {"Idempotency-Key": "b7a1c5de-5a4e-4a53-9f3e-6d2f1c0b9a87"}
ROWS = [
    Row("label_item", (302, 404, 400, 403, 403, 404), method="post", args=assignment_args),
    Row("label", LABEL),
    Row("own_work", LABEL),
    Row("label", (302, 404, 200, 403, 403, 200), method="post"),
    Row("label_item", OWN_PLACE, args=assignment_args),
    Row(
        "label_skip", (302, 404, 302, 403, 403, 404), method="post", args=assignment_args, wrong_method="get"
    ),
    Row(
        "label_undo", (302, 404, 302, 403, 403, 404), method="post", args=assignment_args, wrong_method="get"
    ),
    Row("threads", LEAD_ONLY),
    Row(
        "thread_reply",
        LEAD_GOES_ON,
        method="post",
        args=thread_args,
        data={"text": "So."},
        wrong_method="get",
    ),
    Row(
        "unclear_reply",
        LEAD_GOES_ON,
        method="post",
        args=unclear_args,
        data={"text": "So."},
        wrong_method="get",
    ),
    Row("thread_into_guidelines", LEAD_GOES_ON, method="post", args=thread_args, wrong_method="get"),
    Row("own_thread", OWN_PLACE, args=assignment_args),
    Row(
        "own_thread",
        (302, 404, 302, 403, 403, 404),
        method="post",
        args=assignment_args,
        data={"text": "Why?"},
    ),
    Row(
        "own_thread_read", (302, 404, 302, 403, 403, 404), method="post", args=asked_args, wrong_method="get"
    ),
    Row("label_resume", (302, 404, 302, 403, 403, 404), method="post", args=paused_args, wrong_method="get"),
    Row("api_assignments", API_LABEL),
    Row("api_next_assignment", API_LABEL, method="post"),
    Row("api_assignment", API_OWN_PLACE, args=assignment_args),
    Row(
        "api_answers",
        API_OWN_PLACE,
        method="put",
        args=assignment_args,
        data={"answers": [{"question": "answer", "category": "good"}], "revisions": []},
        headers=ONCE,
    ),
    Row("api_skip", API_OWN_PLACE, method="post", args=assignment_args, wrong_method="get"),
    Row(
        "api_undo",
        (401, 404, 409, 403, 403, 404),
        method="post",
        args=assignment_args,
        data={"revisions": []},
        headers=ONCE,
    ),
    Row("api_own_pause", API_OWN_PLACE, args=paused_args, wrong_method="put"),
    Row("api_own_pause", API_OWN_PLACE, method="delete", args=paused_args, wrong_method="put"),
    Row("api_inquiries", API_LEAD_ONLY),
    Row(
        "api_unclear_reply",
        (401, 404, 403, 403, 403, 201),
        method="post",
        args=unclear_args,
        data={"text": "So."},
        wrong_method="get",
    ),
    Row("api_threads", API_LEAD_ONLY),
    Row(
        "api_thread_reply",
        (401, 404, 403, 403, 403, 201),
        method="post",
        args=thread_args,
        data={"text": "So."},
        wrong_method="get",
    ),
    Row("api_own_threads", API_LABEL),
    Row(
        "api_own_thread",
        (401, 404, 201, 403, 403, 404),
        method="post",
        args=assignment_args,
        data={"text": "Why?"},
        wrong_method="get",
    ),
    Row(
        "api_own_thread", (401, 404, 204, 403, 403, 404), method="delete", args=asked_args, wrong_method="get"
    ),
]
