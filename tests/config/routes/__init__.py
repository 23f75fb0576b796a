"""Who may follow which route: a row for every route that the resolver knows.

A new route has its row in the module of its subject; without one `test_routes` fails.
"""

from tests.config.routes import (
    account_rows,
    adjudication_rows,
    import_rows,
    labeling_rows,
    model_rows,
    project_rows,
    rater_rows,
    report_rows,
    round_rows,
)
from tests.config.routes.row import Row

ROWS: list[Row] = [
    *account_rows.ROWS,
    *project_rows.ROWS,
    *rater_rows.ROWS,
    *import_rows.ROWS,
    *round_rows.ROWS,
    *labeling_rows.ROWS,
    *model_rows.ROWS,
    *adjudication_rows.ROWS,
    *report_rows.ROWS,
]
