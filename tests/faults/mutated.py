"""A plugin of pytest: each test runs again with each of the mutants that it is to notice, and has to fail then.

Those that no test noticed are written to the file that SURVIVORS names, a line each.
"""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.faults.survivors import NOTICED_BY

FILE = "SURVIVORS"
_noticed: set[str] = set()
_mutants: dict[str, Any] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    is_passed = _run(item, is_logged=True)
    wanted = {mutant for mutant, test in NOTICED_BY.items() if test == item.nodeid and is_passed}
    for name in wanted:
        item._initrequest()  # type: ignore[attr-defined]
        with _instead(name):
            if not _run(item, is_logged=False):
                _noticed.add(name)
    item.session._setupstate.teardown_exact(nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _instead(name: str) -> AbstractContextManager[None]:
    # Plugins are imported before Django is set up.
    from tests.faults import mutating

    if not _mutants:
        _mutants.update({str(mutant): mutant for mutant in mutating.served()})
    return mutating.instead(_mutants[name])


def _run(item: pytest.Item, *, is_logged: bool) -> bool:
    """Return whether it passed. What belongs to its module stays for the next run."""
    reports = runtestprotocol(item, log=False, nextitem=item.parent)  # type: ignore[arg-type]
    for report in reports if is_logged else ():
        item.ihook.pytest_runtest_logreport(report=report)
    return all(report.passed for report in reports)


def pytest_sessionfinish(session: pytest.Session) -> None:
    # The process that starts the others runs no test.
    if hasattr(session.config, "workerinput"):
        Path(os.environ[FILE]).write_text("\n".join(sorted(set(NOTICED_BY) - _noticed)))
