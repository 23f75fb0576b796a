"""Runs of models: labels that the program requests."""

from tests.config.routes.arguments import (
    ended_run_args,
    model_draft_args,
    model_request_args,
    model_run_args,
)
from tests.config.routes.row import API_LEAD_ONLY, LEAD_EMPTY, LEAD_GOES_ON, LEAD_ONLY, Row

ROWS = [
    # The operator has set no endpoint.
    Row("model_runs", LEAD_ONLY),
    Row("model_run_new", LEAD_ONLY),
    Row("model_run_new", LEAD_EMPTY, method="post"),
    Row("model_run", LEAD_ONLY, args=model_draft_args, wrong_method="post"),
    Row("model_run_start", LEAD_GOES_ON, method="post", args=model_draft_args, wrong_method="get"),
    Row("model_run_review", LEAD_GOES_ON, method="post", args=model_draft_args, wrong_method="get"),
    Row("model_run_cancel", LEAD_GOES_ON, method="post", args=model_run_args, wrong_method="get"),
    Row("model_run_resume", LEAD_EMPTY, method="post", args=ended_run_args, wrong_method="put"),
    Row("api_model_runs", API_LEAD_ONLY),
    Row("api_model_runs", (401, 404, 403, 403, 403, 409), method="post", data={"model": "tiny"}),
    Row("api_model_run", API_LEAD_ONLY, args=model_run_args, wrong_method="put"),
    Row(
        "api_model_run",
        (401, 404, 403, 403, 403, 204),
        method="delete",
        args=model_draft_args,
        wrong_method="put",
    ),
    Row(
        "api_model_run_start",
        (401, 404, 403, 403, 403, 409),
        method="post",
        args=model_draft_args,
        wrong_method="get",
    ),
    Row("api_model_run_cancel", API_LEAD_ONLY, method="post", args=model_run_args, wrong_method="get"),
    Row(
        "api_model_run_resume",
        (401, 404, 403, 403, 403, 409),
        method="post",
        args=ended_run_args,
        data={"failed": True},
        wrong_method="get",
    ),
    Row("api_model_requests", API_LEAD_ONLY, args=model_run_args),
    Row("api_model_request", API_LEAD_ONLY, args=model_request_args),
]
