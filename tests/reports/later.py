"""Figures that pages leave to a worker, computed in the test itself."""

from core.runs.lease import Lease, RunFailed
from reports.models import LaterFigures
from reports.store import on_demand as later
from reports.store.computing_on_demand import compute_later

ask_for = later.ask_for


def ask_and_compute(*args, **options) -> LaterFigures:
    """The same as `reports.store.on_demand.ask_for`, and then what the worker does."""
    figures = ask_for(*args, **options)
    compute(figures)
    return figures


def compute(figures: LaterFigures) -> None:
    """Without a heartbeat, which another connection would keep."""
    if not figures.claim():
        return
    try:
        compute_later(Lease(figures))
    except RunFailed as failure:
        figures.fail(str(failure))
    figures.refresh_from_db()
