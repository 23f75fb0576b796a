"""The second factor: turning it on, signing in with it, and guessing at it."""

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from projects.models import Event
from raters.models import CachedValue
from tests import cast
from tests.sizes import some
from tests.together import at_once


def now(secret: str) -> str:
    return totp.format_hotp_value(totp.hotp_value(secret, next(totp.yield_hotp_counters_from_time())))


def wrong(secret: str) -> str:
    return f"{(int(now(secret)) + 1) % 10**6:06}"


@pytest.fixture
def trusted(stranger):
    client = Client()
    client.force_login(stranger)
    client.post(reverse("account_reauthenticate"), {"password": cast.PASSWORD})
    return client


@pytest.fixture(autouse=True)
def still_codes(monkeypatch):
    """The clock of the codes stands still, so that no code grows old within a test."""
    counter = [*totp.yield_hotp_counters_from_time()]
    monkeypatch.setattr(totp, "yield_hotp_counters_from_time", lambda: iter(counter))


def turn_on(client) -> str:
    """Turn the second factor on, half a minute ago; returns its secret."""
    secret, _ = just_turned_on(client)
    # The code that turned it on counts as used.
    CachedValue.objects.filter(key__contains="totp.used").delete()
    return secret


def just_turned_on(client) -> tuple[str, str]:
    """Turn the second factor on; returns its secret, and the code that did it."""
    shown = client.get(reverse("mfa_activate_totp")).content.decode()
    secret = re.search("<code>([A-Z2-7]{32})</code>", shown).group(1)
    code = now(secret)
    answer = client.post(reverse("mfa_activate_totp"), {"code": code})
    assert answer.headers["Location"] == reverse("mfa_view_recovery_codes")
    return secret, code


def with_password(username: str = "stella") -> Client:
    client = Client()
    answer = client.post(reverse("account_login"), {"login": username, "password": cast.PASSWORD})
    assert answer.headers["Location"] == reverse("mfa_authenticate")
    return client


def give(client: Client, code: str):
    return client.post(reverse("mfa_authenticate"), {"code": code})


def test_the_password_comes_first(stranger):
    client = Client()
    client.force_login(stranger)

    answer = client.get(reverse("mfa_activate_totp"))

    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))
    refused = client.post(reverse("account_reauthenticate"), {"password": "wrong"})
    assert refused.status_code == 400
    assert "Wrong password. Try again." in refused.content.decode()


def test_the_picture_lies_in_the_page_itself(trusted):
    shown = trusted.get(reverse("mfa_activate_totp")).content.decode()

    assert "<svg" in shown
    assert "<?xml" not in shown
    assert "data:" not in shown


def test_with_it_on_the_password_alone_admits_nobody(trusted):
    turn_on(trusted)

    half = with_password()

    assert half.get("/account/").status_code == 302
    assert half.get("/api/v1/projects/").status_code == 401
    asked = half.get(reverse("mfa_authenticate"))
    assert asked.status_code == 200
    assert "Lost your phone and your recovery codes?" in asked.content.decode()


# S15
def test_the_code_signs_in_once(trusted):
    secret = turn_on(trusted)
    first, second = with_password(), with_password()
    code = now(secret)

    assert give(first, code).headers["Location"] == "/"
    assert give(second, code).status_code == 400

    assert first.get("/account/").status_code == 200
    assert second.get("/account/").status_code == 302


# S15
def test_the_code_that_turned_it_on_signs_nobody_in(trusted):
    _, code = just_turned_on(trusted)

    assert give(with_password(), code).status_code == 400
    assert give(with_password(), f" {code[:3]}-{code[3:]} ").status_code == 400


# S15
@pytest.mark.parametrize("first", ["mfa_authenticate", "mfa_reauthenticate"])
@pytest.mark.parametrize("second", ["mfa_authenticate", "mfa_reauthenticate"])
@pytest.mark.parametrize("kind", ["code", "recovery code"])
def test_a_code_works_once_whatever_it_is_for(trusted, first, second, kind):
    secret = turn_on(trusted)
    code = now(secret) if kind == "code" else recovery_codes(trusted)[0]
    clients = {"mfa_authenticate": with_password, "mfa_reauthenticate": lambda: trusted}

    used = clients[first]().post(reverse(first), {"code": code})
    again = clients[second]().post(reverse(second), {"code": code})

    assert (used.status_code, again.status_code) == (302, 400)


# S15
def test_a_code_that_was_used_does_not_turn_it_on_again(trusted):
    secret, code = just_turned_on(trusted)
    trusted.post(reverse("mfa_deactivate_totp"))
    session = trusted.session
    session[totp.SECRET_SESSION_KEY] = secret
    session.save()

    assert trusted.post(reverse("mfa_activate_totp"), {"code": code}).status_code == 400
    assert not Authenticator.objects.exists()


# S15
@pytest.mark.parametrize("kind", some(["code", "recovery code"], every=2))
def test_of_ten_who_give_a_code_at_once_one_comes_in(committed_db, settings, kind):
    # Ten attempts at once are looked at; this is about the code itself.
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed": "100/m/key"}
    stella = cast.person("stella", unique=True)
    client = Client()
    client.force_login(stella)
    client.post(reverse("account_reauthenticate"), {"password": cast.PASSWORD})
    secret = turn_on(client)
    code = now(secret) if kind == "code" else recovery_codes(client)[0]
    halves = [with_password(stella.username) for _ in range(10)]

    answers = at_once(10, lambda number: give(halves[number], code).status_code)

    assert sorted(answers) == [302] + [400] * 9
    assert [half.get("/account/").status_code for half in halves].count(200) == 1


def recovery_codes(client) -> list[str]:
    shown = client.get(reverse("mfa_view_recovery_codes")).content.decode()
    return re.findall(r"^(?:.*>)?(\d{8})$", shown, re.MULTILINE)


# S15
def test_a_recovery_code_signs_in_once(trusted):
    turn_on(trusted)
    codes = recovery_codes(trusted)

    assert len(set(codes)) == 10
    assert give(with_password(), codes[3]).headers["Location"] == "/"
    assert give(with_password(), codes[3]).status_code == 400
    assert give(with_password(), codes[4]).headers["Location"] == "/"
    assert len(recovery_codes(trusted)) == 8


def test_new_recovery_codes_end_the_old(trusted):
    turn_on(trusted)
    old = recovery_codes(trusted)

    trusted.post(reverse("mfa_generate_recovery_codes"))

    new = recovery_codes(trusted)
    assert not set(old) & set(new)
    assert give(with_password(), old[0]).status_code == 400
    assert new[0] in trusted.get(reverse("mfa_download_recovery_codes")).content.decode()


# S15
def test_after_ten_wrong_codes_none_is_looked_at(trusted):
    secret = turn_on(trusted)
    half = with_password()

    answers = [give(half, wrong(secret)).status_code for _ in range(12)]

    assert answers == [400] * 10 + [429] * 2
    assert give(half, now(secret)).status_code == 429
    assert Event.objects.filter(kind="sign_in_failed", detail={"step": "second factor"}).count() == 10


def test_starting_again_gives_no_more_guesses(trusted):
    secret = turn_on(trusted)

    answers = [give(with_password(), wrong(secret)).status_code for _ in range(12)]

    assert answers == [400] * 10 + [429] * 2


def test_turning_it_on_takes_the_right_code_and_few_guesses(trusted):
    trusted.get(reverse("mfa_activate_totp"))
    secret = trusted.session["mfa.totp.secret"]

    answers = [
        trusted.post(reverse("mfa_activate_totp"), {"code": wrong(secret)}).status_code for _ in range(11)
    ]

    assert answers == [400] * 10 + [429]
    assert not Authenticator.objects.exists()


def test_the_database_holds_no_secret(trusted):
    secret = turn_on(trusted)
    codes = recovery_codes(trusted)

    kept = repr(list(Authenticator.objects.values()))

    assert secret not in kept
    assert not [code for code in codes if code in kept]


def test_under_another_secret_key_no_code_fits(trusted, settings):
    secret = turn_on(trusted)
    settings.SECRET_KEY = "another key, which made none of the secrets in the database"

    assert give(with_password(), now(secret)).status_code == 400


def test_turning_it_off_leaves_the_password(trusted, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        turn_on(trusted)

    trusted.post(reverse("mfa_deactivate_totp"))

    answer = Client().post(reverse("account_login"), {"login": "stella", "password": cast.PASSWORD})
    assert answer.headers["Location"] == "/"
    kinds = list(Event.objects.order_by("id").values_list("kind", flat=True))
    assert kinds.count("second_factor_added") == kinds.count("second_factor_removed") == 2


def test_a_server_owner_removes_it_for_someone_who_lost_it(trusted, capsys):
    turn_on(trusted)

    call_command("remove_second_factor", "stella")

    assert "authentication is off" in capsys.readouterr().out
    answer = Client().post(reverse("account_login"), {"login": "stella", "password": cast.PASSWORD})
    assert answer.headers["Location"] == "/"
    assert Event.objects.filter(kind="second_factor_removed", about="stella").count() == 1


@pytest.mark.parametrize(
    ("name", "words"), [("stella", "does not use two-factor"), ("nobody", "Account not found")]
)
def test_there_has_to_be_one_to_remove(stranger, name, words):
    with pytest.raises(CommandError, match=words):
        call_command("remove_second_factor", name)
