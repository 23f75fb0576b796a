"""The endpoint for model runs, and the models that leads may choose, from the environment."""

from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

Price = tuple[float, float]


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
