"""The first owner: made once, never beside somebody else, never with a weak password."""

import json

import psycopg
import pytest
from django.core.management import CommandError

from config.management.commands.prepare import make_owner
from raters.models import User
from tests import cast, services
from tests import live as living
from tests.live import Live
from tests.sizes import only_in_full

GOOD = "four words and a comma,"
EMPTY = "test_without_tables"


@pytest.fixture
def _asked_for_an_owner(monkeypatch):
    monkeypatch.setenv("OWNER_NAME", "lena")
    monkeypatch.setenv("OWNER_PASSWORD", GOOD)


@pytest.mark.usefixtures("_asked_for_an_owner")
def test_owner_is_made_where_there_is_nobody(db):
    make_owner(demo=False)

    owner = User.objects.get()
    assert (owner.username, owner.is_superuser, owner.check_password(GOOD)) == ("lena", True, True)


@pytest.mark.usefixtures("_asked_for_an_owner")
def test_no_owner_is_created_if_there_are_accounts(stranger):
    make_owner(demo=False)

    assert list(User.objects.all()) == [stranger]


def test_no_owner_is_made_without_a_password(db, monkeypatch):
    monkeypatch.delenv("OWNER_PASSWORD", raising=False)

    make_owner(demo=False)

    assert not User.objects.exists()


@pytest.mark.parametrize("password", ["short", "password1234", "1234567890123"])
def test_weak_password_makes_no_owner(db, monkeypatch, password):
    monkeypatch.setenv("OWNER_PASSWORD", password)

    with pytest.raises(CommandError, match="OWNER_PASSWORD is not valid"):
        make_owner(demo=False)

    assert not User.objects.exists()


def test_weak_password_is_refused_before_there_are_tables(live: Live):
    living.make_database(EMPTY)
    admin_url = living.with_name(services.admin_url(), EMPTY)
    try:
        done = live.run(
            "prepare",
            DATABASE_URL=living.live_url(EMPTY),
            ADMIN_DATABASE_URL=admin_url,
            OWNER_PASSWORD="short",
        )
        with psycopg.connect(admin_url) as connection:
            [table] = connection.execute("SELECT to_regclass('raters_user')").fetchone()
    finally:
        living.drop_database(EMPTY)

    assert "OWNER_PASSWORD is not valid" in done.stderr
    assert (done.returncode, table) == (1, None)


@only_in_full
def test_an_owner_with_another_password_does_not_see_ours(committed_db, live: Live):
    cast.person("root", unique=True, is_superuser=True)

    done = live.run("prepare", OWNER_PASSWORD=GOOD, ADMIN_DATABASE_URL=services.admin_url())

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["has_password"] is False
