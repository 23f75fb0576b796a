"""Fixtures that every folder of tests shares: the cast, live processes, a browser, and the order of the folders."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from core.runs import lease
from projects.models import Membership, Project
from raters.models import User
from tests import cast, chromium, parallel, services
from tests import live as living
from tests.config.running import new_folder
from tests.live import Live, Site
from tests.watching import watch
from tests.working import Work, new_work

# No test is to fail because the machine is busy. What else holds, in CI or here, stays.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("patient", PATIENT)
hypothesis.settings.load_profile("patient")

# Fast and pure first, so that a mistake shows within seconds; real servers and faults last.
ORDER = ["reports/agreement", "projects", "raters", "reports", "config", "browser", "faults"]


def _place(item: pytest.Item) -> int:
    folders = item.path.parent.as_posix().partition("/tests/")[2]
    return next((place for place, name in enumerate(ORDER) if folders.startswith(name)), 4)


def pytest_configure(config: pytest.Config) -> None:
    # As Ctrl-C: what fixtures started is ended.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.pluginmanager.register(parallel)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)
    for item in items:
        if "page" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests and their modules stay; the garbage collector need not look through them each time.

    Nor need it look as often as it does by itself: what one test leaves is little.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 10)
        gc.enable()


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Start the throw-away services, if any, before Django makes its test database there."""
    services.ensure_started()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """In place of pytest-django's: the tables belong to their owner, and tests run as the program's role."""
    with django_db_blocker.unblock():
        living.make_test_database(parallel.worker())
    yield
    with django_db_blocker.unblock():
        living.remove_test_database()


@pytest.fixture(autouse=True)
def patient_lease(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else sees what a test of the database has written: the heartbeat of a run would find the run gone."""
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        monkeypatch.setattr(lease, "PROGRESS_EVERY", 3600.0)


@pytest.fixture
def project(db: None) -> Project:
    return cast.new_project()


@pytest.fixture
def lead(project: Project) -> User:
    return cast.member(project, Membership.Role.LEAD, username="lena")


@pytest.fixture
def adjudicator(project: Project) -> User:
    return cast.member(project, Membership.Role.ADJUDICATOR, username="ada")


@pytest.fixture
def auditor(project: Project) -> User:
    return cast.member(project, Membership.Role.AUDITOR, username="otto")


@pytest.fixture
def rita(project: Project) -> User:
    """A rater of the project."""
    return cast.member(project, Membership.Role.RATER, username="rita")


@pytest.fixture
def stranger(db: None) -> User:
    """Signed in, and a member of nothing."""
    return cast.person("stella")


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Client:
    """Signed in: the lead, or whose fixture `pytest.mark.signed_in` names, which may be None.

    Its options are those of cast.signed_in.
    """
    mark = request.node.get_closest_marker("signed_in") or pytest.mark.signed_in("lead").mark
    [name] = mark.args
    return Client() if name is None else cast.signed_in(request.getfixturevalue(name), **mark.kwargs)


@pytest.fixture
def api(client: Client) -> Client:
    """The same person, signed in likewise, where a program asks."""
    return client


@pytest.fixture
def work(db: None) -> Work:
    """Three items, each for two raters, in an open round with one question."""
    return new_work()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the services' user may enter, unlike pytest's own."""
    with new_folder() as made:
        yield made


@pytest.fixture
def has_mail(settings: Settings) -> None:
    settings.HAS_MAIL = True


@pytest.fixture
def media_folder(settings: Settings, tmp_path: Path) -> Path:
    """Media files are kept in a folder of this test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture(scope="session")
def live_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """A database beside Django's test database, for rows that other processes must see."""
    with django_db_blocker.unblock():
        name = living.copy_test_database()
    yield name
    living.drop_database(name)


@pytest.fixture
def committed_db(live_database: str, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The ORM on the live database, without a transaction around the test: make a project of your own."""
    with django_db_blocker.unblock(), living.use_database(live_database):
        yield


@pytest.fixture(scope="session")
def live(live_database: str) -> Iterator[Live]:
    """Starts programs of ours on the live database and the broker of this run, with a short lease."""
    with living.open_live(living.live_url(live_database), broker_url=os.environ["BROKER_URL"]) as started:
        yield started


@pytest.fixture(scope="module")
def worker(live: Live) -> Iterator[Live]:
    """A real Celery worker and a real dispatcher.

    Not for longer than a file: they would compute the reports of all other tests too.
    """
    started = (live.start_worker(), live.start_dispatcher())
    yield live
    live.end(*started)


@pytest.fixture(scope="session")
def site(live: Live) -> Iterator[Site]:
    """The program as gunicorn serves it, on the live database."""
    with living.open_site(live) as opened:
        yield opened


@pytest.fixture(scope="session")
def browser(live_database: str) -> Iterator[Browser]:
    # The live database is made first: once Playwright's event loop runs, Django sees other connections than before,
    # and the one that it no longer sees would keep the test database from being copied.
    path = chromium.find()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(chromium.NONE)
        pytest.skip(chromium.NONE)
    # Playwright runs an event loop in the thread of the test, where Django would refuse its own database.
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        environment.setenv(living.ASYNC, "1")
        yield playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)


@pytest.fixture
def page(browser: Browser, site: Site, committed_db: None) -> Iterator[Page]:
    """A page of a fresh browser session; faults that the browser reports fail the test."""
    context = browser.new_context(base_url=site.url, locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(60_000)
    opened = context.new_page()
    faults = watch(opened)
    try:
        yield opened
    finally:
        context.close()
    assert faults == []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if any(chromium.NONE in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"\n{'!' * 100}\n{chromium.NONE}\n{'!' * 100}", red=True, bold=True)
