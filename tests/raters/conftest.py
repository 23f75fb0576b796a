"""What the tests of raters share: an item, somebody else at the database, and a server that sends email."""

import psycopg
import pytest
from django.db import connection

from projects.models import Item, Project
from raters.imports import read_blocks, staging
from raters.models import User
from tests.working import Work


@pytest.fixture
def item(project: Project) -> Item:
    return Item.objects.create(
        project=project, key="i-1", content=[{"name": "Text", "kind": "text", "value": "A\n  B"}]
    )


@pytest.fixture
def small_read_blocks(monkeypatch):
    """A short file is read in several blocks, and stored in several."""
    monkeypatch.setattr(staging, "_BLOCK", 10)
    monkeypatch.setattr(read_blocks, "_SIZE", 500)


@pytest.fixture
def first_rater(work: Work) -> User:
    return work.user()


@pytest.fixture
def other(db):
    """A connection of somebody else; ours waits for it but a moment."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '50ms'")
    with psycopg.connect(**params_of(connection)) as opened:
        yield opened


def params_of(wrapper):
    params = wrapper.get_connection_params()
    return {name: params[name] for name in ("dbname", "user", "password", "host", "port") if name in params}


@pytest.fixture
def is_open(db, settings):
    settings.SIGN_UP = "open"


@pytest.fixture
def requires_email(settings):
    """As the settings stand with EMAIL_URL."""
    settings.HAS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]


@pytest.fixture
def stella_with_email(stranger, requires_email) -> User:
    """With an address that is proved."""
    User.objects.filter(pk=stranger.pk).update(email="stella@example.org")
    stranger.emailaddress_set.create(email="stella@example.org", verified=True, primary=True)
    return stranger
