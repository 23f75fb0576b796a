"""Imports and files of whole projects."""

from tests.config.routes.arguments import (
    import_args,
    items_args,
    words_of,
)
from tests.config.routes.row import (
    API_LEAD_ONLY,
    API_SEE_ORIGINS,
    LEAD_EMPTY,
    LEAD_GOES_ON,
    LEAD_ONLY,
    OWNERS_ONLY,
    SEE_ORIGINS,
    Row,
    nothing,
)

ROWS = [
    Row("imports", LEAD_EMPTY, method="post"),
    # Read as it was before.
    Row("import", LEAD_ONLY, method="post", args=items_args),
    Row("project_file", LEAD_ONLY),
    Row("project_import", OWNERS_ONLY, is_owners=True, args=nothing),
    Row("project_upload", OWNERS_ONLY, is_owners=True, args=words_of(1), is_of_project=False),
    Row(
        "project_upload_cancel",
        OWNERS_ONLY,
        is_owners=True,
        method="post",
        args=words_of(1),
        wrong_method="get",
        is_of_project=False,
    ),
    Row(
        "api_project_files",
        (401, *(404,) * 5),
        method="post",
        args=nothing,
        wrong_method="get",
        is_owners=True,
    ),
    Row("api_project_file", API_LEAD_ONLY),
    Row("imports", SEE_ORIGINS),
    Row("import", SEE_ORIGINS, args=import_args),
    # A draft, which is for those who import.
    Row("import", (302, 404, 404, 404, 403, 200), args=items_args),
    Row("import_confirm", LEAD_GOES_ON, method="post", args=import_args, wrong_method="get"),
    Row("import_confirm", LEAD_GOES_ON, method="post", args=items_args, wrong_method="get"),
    Row("import_cancel", LEAD_ONLY, args=items_args),
    Row("import_cancel", LEAD_GOES_ON, method="post", args=import_args),
    Row("import_undo", LEAD_ONLY, args=import_args),
    Row("import_undo", LEAD_GOES_ON, method="post", args=import_args),
    Row("api_imports", (401, 404, 403, 403, 403, 400), method="post"),
    Row("api_imports", API_SEE_ORIGINS),
    Row("api_import", API_SEE_ORIGINS, args=import_args),
    Row("api_import_undo", API_LEAD_ONLY, method="post", args=import_args, wrong_method="get"),
]
