"""The endpoint for model runs, and the models that leads may choose, from the environment."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

Price = tuple[float, float]
# A worker sends requests for this long at most before it lets other runs have their turn (seconds), with a margin.
TURN = 60.0


def endpoint_url(given: str) -> str:
    """The base address of the endpoint, such as https://api.openai.com/v1, without a slash at its end."""
    url = given.strip().rstrip("/")
    if not url:
        return ""
    parts = urlsplit(url)
    is_plain = (
        not (parts.query or parts.fragment or "@" in parts.netloc) and url.isprintable() and " " not in url
    )
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_plain:
        # Not the value, which may contain a password.
        raise ImproperlyConfigured("MODEL_ENDPOINT must have the form https://host/v1, without a password.")
    return url


def offered_models(given: str) -> dict[str, Price | None]:
    """Models by name, from “gpt-4o-mini=0.15/0.60, llama3.1”: a name, and optionally its prices."""
    return dict(_model(word.strip()) for word in given.split(",") if word.strip())


def _model(word: str) -> tuple[str, Price | None]:
    name, equals, prices = word.partition("=")
    if not equals:
        return name, None
    try:
        price_in, price_out = (float(price) for price in prices.split("/"))
    except ValueError:
        raise ImproperlyConfigured(
            f"MODEL_NAMES must have the form name=input/output, such as gpt-4o-mini=0.15/0.60, got {word!r}."
        ) from None
    if not (0 <= price_in < 1e6 and 0 <= price_out < 1e6):
        raise ImproperlyConfigured(
            f"The prices of {name.strip()} in MODEL_NAMES must be from 0 to 1,000,000."
        )
    return name.strip(), (price_in, price_out)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """timeout: seconds for an answer. n_at_once: requests of a run that are under way at a time. n_items: of a run."""

    timeout: float
    n_at_once: int
    n_items: int


def run_limits(timeout: str, n_at_once: str, n_items: str, *, soft_time_limit: float) -> RunLimits:
    """soft_time_limit: after so many seconds, any run is stopped, even if it waits for an answer."""
    try:
        limits = RunLimits(float(timeout), int(n_at_once), int(n_items))
    except ValueError:
        raise ImproperlyConfigured(
            "MODEL_TIMEOUT, MODEL_CONCURRENCY, and MODEL_MAX_ITEMS must be numbers."
        ) from None
    if not 0 < limits.timeout <= soft_time_limit - TURN:
        raise ImproperlyConfigured(
            f"MODEL_TIMEOUT must be at most {soft_time_limit - TURN:g}, a minute less than RUN_SOFT_TIME_LIMIT, got "
            f"{limits.timeout:g}."
        )
    if not 1 <= limits.n_at_once <= 32:
        raise ImproperlyConfigured(f"MODEL_CONCURRENCY must be from 1 to 32, got {limits.n_at_once}.")
    if limits.n_items < 1:
        raise ImproperlyConfigured(f"MODEL_MAX_ITEMS must be at least 1, got {limits.n_items}.")
    return limits
