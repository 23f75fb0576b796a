"""Figures that pages leave to a worker, computed in the test itself."""

from core.runs.lease import Lease, RunFailed
from reports.models import OnDemandFigures
from reports.store import on_demand as asking
from reports.store.computing_on_demand import compute_figures

ask_for = asking.ask_for


def ask_and_compute(*args, **options) -> OnDemandFigures:
    """The same as `reports.store.on_demand.ask_for`, and then what the worker does."""
    figures = ask_for(*args, **options)
    compute(figures)
    return figures


def compute(figures: OnDemandFigures) -> None:
    """Without a heartbeat, which another connection would keep."""
    if not figures.claim():
        return
    try:
        compute_figures(Lease(figures))
    except RunFailed as failure:
        figures.fail(str(failure))
    figures.refresh_from_db()
