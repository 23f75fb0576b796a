"""Several processes of pytest (`-n 3`): what the first one starts for the others, and who runs which file.

The first starts one Postgres and one broker and migrates one database; each of the others gets a copy of it, and a
numbered part of the broker. A file is run by one process, so that what is made once for a file is made once.
"""

import os
import re
from collections.abc import Iterator
from itertools import cycle

import pytest
from pytest_django.plugin import blocking_manager_key
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests import live, services

# Tests of the first two mostly wait, for browsers, servers and programs that are killed; all others compute. A process
# begins with files of its own lane, so that there is always something to compute, and only one opens a browser soon.
BROWSERS, WAITING, COMPUTING = "browser", "waiting", "computing"
LANES = [BROWSERS, COMPUTING, WAITING]
WAITS = re.compile(
    r"tests/(faults/|upgrades/|config/(test_supervisor|test_web_worker|test_live|test_suite|backups))"
)


def lane_of(scope: str) -> str:
    if scope.startswith("tests/browser/"):
        return BROWSERS
    return WAITING if WAITS.match(scope) else COMPUTING


class Lanes(LoadScopeScheduling):
    """A file at a time; whoever has done those of its lane takes those of others."""

    def add_node(self, node: WorkerController) -> None:
        super().add_node(node)
        self.lanes = dict(zip(self.assigned_work, cycle(LANES), strict=False))

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        mine = (scope for scope in self.workqueue if lane_of(scope) == self.lanes[node])
        if scope := next(mine, None):
            self.workqueue.move_to_end(scope, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Lanes:
    config.option.loadscopereorder = False
    return Lanes(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Before the other processes start: what they find in their environment."""
    services.tell_others()
    live.name_template()


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Iterator[None]:
    """The services start while the other processes, which are there already, look for their tests."""
    yield
    if session.config.pluginmanager.hasplugin("dsession"):
        services.ensure_started()
        with session.config.stash[blocking_manager_key].unblock():
            live.make_template()


def worker() -> str:
    """The name of this process among several, or nothing."""
    return os.environ.get("PYTEST_XDIST_WORKER", "")
