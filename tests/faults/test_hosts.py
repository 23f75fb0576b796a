"""A report of several hosts has the same figures, once, whatever becomes of a host."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from reports.models import Report, ReportShard
from tests import cast
from tests.faults.arena import Arena
from tests.faults.hosts import CAN_HAVE_HOSTS, Host, open_hosts
from tests.faults.test_runs import all_final, results, states
from tests.faults.test_shards import BLOCK_CELLS, assert_same_figures, finished, small_shards, starts
from tests.labeling import labeled_project
from tests.live import wait_until
from tests.sizes import only_in_full

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(900),
    only_in_full,
    pytest.mark.skipif(not CAN_HAVE_HOSTS, reason="only root can make networks"),
]
assert small_shards


@pytest.fixture
def hosts(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Arena, list[Host]]]:
    """Two hosts with a worker each."""
    shared = {
        "RUN_SHARD_SECONDS": "0.001",
        "FAULT_BLOCK_CELLS": str(BLOCK_CELLS),
        "FAULT_SLOW_SECONDS": "0.5",
    }
    with django_db_blocker.unblock(), open_hosts(2) as (arena, opened):
        arena.start_dispatcher()
        for host in opened:
            arena.start_worker(concurrency=1, inside=host.inside, **shared)
        yield arena, opened


def shared_report(arena: Arena) -> Report:
    """A report in shards of half a second each, of which each host has started one."""
    made = Report.objects.create(
        project=labeled_project("slow hosts", n_items=30),
        asked_by=cast.person("lena", unique=True),
        scope={"questions": ["answer"], "rounds": None},
        options={"interval": "percentile", "replicates": 1000},
    )
    made.notify()
    wait_until(lambda: finished(made, least=3))
    wait_until(lambda: all(starts(worker) for worker in arena.workers))
    return made


def test_two_hosts_share_a_report(hosts):
    arena, _ = hosts
    report = shared_report(arena)

    assert_same_figures(arena, report)


@pytest.mark.parametrize("place", [0, 1])
def test_a_host_without_power_costs_its_shards_only(hosts, place):
    arena, both = hosts
    report = shared_report(arena)
    done = set(finished(report))
    survivor = arena.workers[1 - place]
    n_before = len(starts(survivor))

    both[place].kill()

    assert_same_figures(arena, report)
    assert not done & set(starts(survivor)[n_before:])


@pytest.mark.parametrize("place", [0, 1])
def test_a_host_that_was_cut_off_writes_nothing_when_it_is_back(hosts, place):
    arena, both = hosts
    report = shared_report(arena)

    both[place].disconnect()
    arena.wait(all_final, [report.pk])
    before = results(report.pk)
    both[place].connect()

    # It takes work again.
    later = shared_report(arena)
    arena.wait(all_final, [later.pk])
    assert (states([report.pk]), states([later.pk])) == (["done"], ["done"])
    assert results(report.pk) == before
    assert not ReportShard.objects.filter(report__in=[report, later]).exists()
