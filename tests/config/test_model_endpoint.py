"""The endpoint for models, from the environment: off by default, and never with a password in an error."""

import math

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.model_endpoint import RunLimits, endpoint_url, offered_models, run_limits


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", ""),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        (" http://localhost:11434/v1 ", "http://localhost:11434/v1"),
    ],
)
def test_an_address(given, url):
    assert endpoint_url(given) == url


@pytest.mark.parametrize(
    "given",
    ["api.openai.com", "ftp://x/v1", "https:///v1", "https://x/v1?key=secret", "https://me:secret@x/v1"],
)
def test_what_is_no_address(given):
    with pytest.raises(ImproperlyConfigured) as raised:
        endpoint_url(given)

    assert "secret" not in str(raised.value)


def test_models_with_and_without_prices():
    assert offered_models(" gpt-4o-mini=0.15/0.60, llama3.1 ,") == {
        "gpt-4o-mini": (0.15, 0.6),
        "llama3.1": None,
    }
    assert offered_models("") == {}


@pytest.mark.parametrize("given", ["a=1", "a=x/y", "a=1/2/3", "a=-1/2", "a=nan/1"])
def test_wrong_prices(given):
    with pytest.raises(ImproperlyConfigured):
        offered_models(given)


def test_limits():
    assert run_limits("60", "4", "10000", soft_time_limit=300) == RunLimits(60.0, 4, 10_000)
    assert run_limits("600", "1", "1", soft_time_limit=math.inf) == RunLimits(600.0, 1, 1)


@pytest.mark.parametrize(
    "given",
    [
        ("241", "4", "1"),
        ("0", "4", "1"),
        ("60", "0", "1"),
        ("60", "33", "1"),
        ("60", "4", "0"),
        ("x", "4", "1"),
    ],
)
def test_limits_that_would_not_work(given):
    with pytest.raises(ImproperlyConfigured):
        run_limits(*given, soft_time_limit=300)
