"""A report of several hosts has the same figures, once, whatever becomes of a host."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from reports.models import Report, ReportShard
from tests import cast
from tests.faults.arena import Arena
from tests.faults.hosts import CAN_HAVE_HOSTS, Host, open_hosts
from tests.faults.saving import Ledger, assert_all_kept, savers, wait_for_savings
from tests.faults.test_runs import all_final, results, states
from tests.faults.test_shards import BLOCK_CELLS, assert_same_figures, finished, small_shards, starts
from tests.labeling import labeled_project
from tests.live import wait_until
from tests.sizes import only_in_full
from tests.working import new_work

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(900),
    only_in_full,
    pytest.mark.skipif(not CAN_HAVE_HOSTS, reason="only root can make networks"),
]
assert small_shards
SHARED = {
    "RUN_SHARD_SECONDS": "0.001",
    "FAULT_BLOCK_CELLS": str(BLOCK_CELLS),
    "FAULT_SLOW_SECONDS": "0.5",
}


@pytest.fixture
def hosts(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Arena, list[Host]]]:
    """Two hosts with a worker each."""
    with django_db_blocker.unblock(), open_hosts(2) as (arena, opened):
        arena.start_dispatcher()
        for host in opened:
            arena.start_worker(concurrency=1, inside=host.inside, **SHARED)
        yield arena, opened


# There and back, as between two cities (seconds each).
DELAY = 0.005


@pytest.fixture
def far_sites(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Arena, list[Host], list[str]]]:
    """Two hosts with a proxy, a web server, and a worker each, both far from the database; and their addresses."""
    with django_db_blocker.unblock(), open_hosts(2) as (arena, opened):
        arena.start_dispatcher()
        addresses = []
        for host in opened:
            there = host.delay(arena, DELAY)
            addresses.append(host.start_site(arena, WEB_WORKERS="1", **there))
            arena.start_worker(concurrency=1, inside=host.inside, **SHARED, **there)
        yield arena, opened, addresses


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


def test_raters_and_a_report_survive_the_host_that_they_were_at(far_sites, folder):
    arena, hosts, addresses = far_sites
    work = new_work(n_items=10, n_raters=10)
    ledger = Ledger(folder / "ledger")
    at = [addresses[0]]

    with savers(work, lambda: at[0], ledger) as clients:
        report = shared_report(arena)
        wait_for_savings(ledger, 100, clients)
        hosts[0].kill()
        n_before = ledger.n
        at[0] = addresses[1]
        wait_for_savings(ledger, n_before + 100, clients)

    assert_same_figures(arena, report)
    assert_all_kept(work, ledger.read())
