"""Rows that we do not compute, each with its reason: nothing is left out without one."""

from tests.reference.rows import Row

EXCEPTIONS: dict[tuple[str, str, str], str] = {
    # statistic, option, its value
    (
        "conger_kappa",
        "variance",
        "vanbelle2018",
    ): "the error of Vanbelle 2018 is another estimator; ours is the linearised one of Gwet",
}


def exception_of(row: Row) -> str:
    """Why we do not compute this row, "" if we do."""
    for name, value in row.options.items():
        reason = EXCEPTIONS.get((row.statistic, name, str(value)))
        if reason:
            return reason
    return ""
