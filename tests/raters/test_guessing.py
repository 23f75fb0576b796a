"""Guessing passwords and codes: few are looked at, whoever asks and however."""

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from projects.models import Event
from raters.models import User
from tests import cast
from tests.together import at_once

pytestmark = pytest.mark.signed_in(None)

MOST = 10


def sign_in(login: str, password: str = "not this one at all", **headers):
    return Client(headers=headers).post(reverse("account_login"), {"login": login, "password": password})


def test_the_eleventh_guess_is_not_looked_at(stranger):
    answers = [sign_in("stella").status_code for _ in range(12)]

    assert answers == [400] * MOST + [429] * 2
    assert Event.objects.filter(kind="sign_in_failed", about="stella").count() == MOST


def test_the_right_password_is_not_looked_at_either(stranger):
    for _ in range(MOST):
        sign_in("stella")

    assert sign_in("stella", cast.PASSWORD).status_code == 429
    assert not Event.objects.filter(kind="signed_in").exists()


def test_all_names_of_an_account_share_one_counter(stranger):
    stranger.emailaddress_set.create(email="stella@example.org", verified=True, primary=True)

    names = ["stella", "STELLA", "stella@example.org", "Stella@Example.ORG"] * 3
    answers = [sign_in(name).status_code for name in names]

    assert answers == [400] * MOST + [429] * 2


def test_names_of_nobody_are_counted_alike(db):
    answers = [sign_in(name).status_code for name in ["nobody", "NOBODY"] * 6]

    assert answers == [400] * MOST + [429] * 2


def test_another_account_is_not_held_up(stranger, rita):
    for _ in range(MOST + 1):
        sign_in("stella")

    assert sign_in("rita", cast.PASSWORD).status_code == 302


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-Ip", "Forwarded", "Cf-Connecting-Ip"])
def test_a_forged_address_changes_nothing(stranger, settings, header):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/m/ip"}

    answers = [
        sign_in(f"name{number}", **{header: f"203.0.113.{number}"}).status_code for number in range(20)
    ]

    assert answers == [400] * 5 + [429] * 15


def test_behind_a_proxy_of_ours_its_word_counts_and_no_other(db, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/m/ip"}
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1

    def guess(number: int, address: str) -> int:
        forged = {"X-Forwarded-For": f"203.0.113.{number}, {address}"}
        return sign_in(f"name{number}", **forged).status_code

    answers = [guess(number, "198.51.100.7") for number in range(3)]

    assert answers == [400, 400, 429]
    assert guess(4, "198.51.100.8") == 400


def test_who_is_signed_in_already_stays_so(client, stranger):
    client.force_login(stranger)
    for _ in range(MOST + 1):
        sign_in("stella")

    assert client.get("/account/").status_code == 200


def test_signing_in_rightly_uses_nothing_up(stranger):
    answers = [sign_in("stella", cast.PASSWORD).status_code for _ in range(MOST + 2)]

    assert set(answers) == {302}


def test_the_page_says_what_to_do(stranger):
    for _ in range(MOST):
        sign_in("stella")

    shown = sign_in("stella").content.decode()

    assert "Too many attempts" in shown
    assert "Wait a while" in shown


def test_of_a_hundred_guesses_at_once_ten_are_looked_at(committed_db, monkeypatch):
    cache.clear()
    person = cast.person("victim", unique=True)
    checked: list[str] = []
    check = User.check_password

    def counted(user: User, raw: str) -> bool:
        checked.append(raw)
        return check(user, raw)

    monkeypatch.setattr(User, "check_password", counted)

    def guess(number: int) -> list[int]:
        forged = {"X-Forwarded-For": f"203.0.113.{number}"}
        return [sign_in(person.username, f"guess {number} {turn}", **forged).status_code for turn in range(2)]

    answers = [code for codes in at_once(50, guess) for code in codes]

    assert len(checked) <= MOST
    assert sorted(set(answers)) == [400, 429]
    assert answers.count(400) == len(checked)
    # The counter is not only strict: what it allows is looked at.
    assert checked


@pytest.mark.parametrize("name", ["stella", "nobody"])
def test_a_wrong_password_and_an_unknown_user_cost_one_hash_each(stranger, monkeypatch, name):
    hashed: list[str] = []
    for method in (User.set_password, User.check_password):

        def counted(user: User, raw: str, method=method) -> object:
            hashed.append(method.__name__)
            return method(user, raw)

        monkeypatch.setattr(User, method.__name__, counted)

    sign_in(name)

    assert len(hashed) == 1


def ask_for_a_link(address: str):
    return Client().post(reverse("account_reset_password"), {"email": address})


def test_links_for_a_password_are_sent_few_times(stranger, settings):
    settings.HAS_MAIL = True
    User.objects.filter(pk=stranger.pk).update(email="stella@example.org")

    answers = [ask_for_a_link("stella@example.org").status_code for _ in range(7)]

    assert answers == [302] * 5 + [429] * 2
    assert len(mail.outbox) == 5
