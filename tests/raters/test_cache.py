"""The cache that counters of attempts rest on."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from raters.cache import PostgresCache, clear_expired
from raters.models import CachedValue
from tests.together import at_once


def expire(*keys: str) -> None:
    CachedValue.objects.filter(key__in=[f":1:{key}" for key in keys]).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )


def test_the_program_uses_it():
    assert isinstance(cache._connections["default"], PostgresCache)


@pytest.mark.parametrize("value", [True, 0, "y", [1.5, 2.25], {"a": None}, None])
def test_what_is_kept_comes_back(db, value):
    cache.set("a", value, 60)

    assert cache.get("a", "nothing") == value


def test_a_value_is_replaced(db):
    cache.set("a", [1.0], 60)
    cache.set("a", [2.0, 1.0], 60)

    assert cache.get("a") == [2.0, 1.0]
    assert CachedValue.objects.count() == 1


def test_what_has_expired_is_not_there(db):
    cache.set("a", 1, 60)
    expire("a")

    assert cache.get("a", "nothing") == "nothing"
    assert not cache.touch("a", 60)


def test_what_never_expires_stays(db):
    cache.set("a", 1, None)

    clear_expired()

    assert cache.get("a") == 1


def test_add_keeps_what_is_there(db):
    assert cache.add("a", 1, 60)
    assert not cache.add("a", 2, 60)

    assert cache.get("a") == 1


def test_add_takes_the_place_of_what_has_expired(db):
    cache.set("a", 1, 60)
    expire("a")

    assert cache.add("a", 2, 60)

    assert cache.get("a") == 2


def test_touch_delete_and_clear(db):
    cache.set("a", 1, 60)
    cache.set("b", 1, 60)

    assert cache.touch("a", 120)
    assert cache.delete("a")
    assert not cache.delete("a")
    cache.clear()

    assert not CachedValue.objects.exists()


def test_a_write_now_and_then_clears_what_has_expired(db, monkeypatch):
    cache.set("old", 1, 60)
    expire("old")
    monkeypatch.setattr("raters.cache.secrets.randbelow", lambda n: 0)

    cache.set("new", 1, 60)

    assert [row.key for row in CachedValue.objects.all()] == [":1:new"]
    assert str(CachedValue.objects.get()) == ":1:new"


@pytest.mark.parametrize("is_left_over", [False, True], ids=["new", "in place of one that expired"])
def test_of_many_who_add_at_once_one_does(committed_db, is_left_over):
    key = f"race {is_left_over}".replace(" ", "-")
    cache.delete(key)
    if is_left_over:
        cache.set(key, "left", 60)
        expire(key)

    added = at_once(30, lambda number: cache.add(key, number, 60))

    assert sum(added) == 1
    assert cache.get(key) == added.index(True)
