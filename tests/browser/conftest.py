"""What every browser test needs: passwords that the server knows, and pages without JavaScript or a connection."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from projects.models import Membership, Project
from raters.models import User
from tests import cast
from tests.browser.labeling import two_questions
from tests.finished import World, new_world
from tests.live import Site
from tests.working import Work

# As patient as everything else that a page is asked for: the machine may be busy.
expect.set_options(timeout=60_000)


@pytest.fixture(autouse=True)
def real_passwords(settings) -> None:
    """Passwords as the server under test knows them; elsewhere tests hash them cheaply."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]


@pytest.fixture
def plain_page(browser: Browser, site: Site, committed_db: None) -> Iterator[Page]:
    """A page without JavaScript."""
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def project(committed_db: None) -> Project:
    """In place of that which only the test itself sees: the server sees it too."""
    return cast.new_project("Reviews", unique=True)


@pytest.fixture
def lead(project: Project) -> User:
    return cast.member(project, Membership.Role.LEAD, username="lena", unique=True)


@pytest.fixture
def work(committed_db: None) -> Work:
    """In place of that with one question: two, so that an item is answered in steps."""
    return two_questions()


@pytest.fixture
def world(page: Page) -> World:
    """A world on committed data; `page` comes first, for it opens the database to the test."""
    return new_world("Reviews", n_items=30, n_raters=4)


@pytest.fixture
def loose_page(browser: Browser, site: Site, committed_db) -> Iterator[Page]:
    """A page whose connection may be cut: what the browser says of that is no fault."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()
