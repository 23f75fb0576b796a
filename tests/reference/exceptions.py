"""Errors that we do not compute, each with its reason; the value beside them is compared all the same."""

from tests.reference.rows import Row

# (statistic, option, its value)
EXCEPTIONS: dict[tuple[str, str, str], str] = {
    ("conger_kappa", "variance", "vanbelle2018"): (
        "value alone: the error of Vanbelle 2018 is another estimator, 5 and 13 % above the jackknife here; "
        "ours is the linearised one of Gwet"
    ),
}


def exception_of(row: Row) -> str:
    """Why we do not compute the error and interval of this row, "" if we do."""
    for name, value in row.options.items():
        reason = EXCEPTIONS.get((row.statistic, name, str(value)))
        if reason:
            return reason
    return ""
