"""Formats numbers and times; nothing is rounded before it gets here."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

register = template.Library()

NONE = "–"
MINUS = "−"
# Between a number and its unit, where no line may break.
NO_BREAK = "\N{NO-BREAK SPACE}"


@register.filter
def figure(value: float | None, digits: int = 2) -> str:
    """A coefficient with fixed digits and a true minus sign; −0.00 is 0.00."""
    if value is None:
        return NONE
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """A share as a percentage; only a share of 1 is shown as 100%, and only one of 0 as 0%."""
    if value is None:
        return NONE
    text = f"{100 * value:.{digits}f}"
    if value < 1 and float(text) == 100:
        return f"> {in_percent(f'{100 - 10**-digits:.{digits}f}')}"
    if value > 0 and float(text) == 0:
        return f"< {in_percent(f'{10**-digits:.{digits}f}')}"
    return in_percent(text.replace("-", "−"))


@register.filter
def in_percent(hundredths: str) -> str:
    """95 as 95%."""
    return f"{hundredths}%"


@register.filter
def with_article(noun: str) -> str:
    """A noun in lower case with its article: a rater, an auditor."""
    word = noun.lower()
    return f"{'an' if word[:1] in tuple('aeiou') else 'a'} {word}"


@register.filter
def count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


@register.filter
def plain_number(value: float) -> str:
    """A number as HTML and SVG attributes need it."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


@register.filter
def duration(seconds: float | None) -> str:
    """0.04 s, 3.2 s, 2 min 5 s, 3 h 20 min, 2 days. No line breaks between a number and its unit."""
    if seconds is None:
        return NONE
    if seconds < 0.995:
        return f"{max(seconds, 0.0):.2f}{NO_BREAK}s"
    if seconds < 9.95:
        return f"{seconds:.1f}{NO_BREAK}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{NO_BREAK}s"
    if whole < 3600:
        return f"{whole // 60}{NO_BREAK}min {whole % 60}{NO_BREAK}s"
    if whole < 86_400:
        return f"{whole // 3600}{NO_BREAK}h {whole % 3600 // 60}{NO_BREAK}min"
    days = whole // 86_400
    return f"{days}{NO_BREAK}day{'' if days == 1 else 's'}"


@register.filter
def roughly(seconds: float) -> str:
    """An estimated duration, without false precision: 1 min, 12 min, 3 h 20 min."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@register.filter
def ago(moment: datetime | None) -> str:
    """The time since then, as a duration in whole seconds."""
    if moment is None:
        return NONE
    seconds = max(0, round((timezone.now() - moment).total_seconds()))
    return f"{seconds}{NO_BREAK}s" if seconds < 60 else duration(seconds)


@register.filter
def moment(value: datetime | None) -> str:
    """20 Nov 2026, 14:02, in the server's time zone."""
    if value is None:
        return NONE
    local = timezone.localtime(value)
    return f"{local.day} {local:%b %Y, %H:%M}"


@register.filter
def listed(values: list[str] | str) -> str:
    return values if isinstance(values, str) else ", ".join(values)


@register.filter
def of(choices: dict[str, str], value: str) -> str:
    """The label of a value among its choices."""
    return choices[value]


@register.filter
def of_key(found: Mapping[Any, Any], key: Any) -> Any:
    """The value under a key, () if there is none."""
    return found.get(key, ())


@register.simple_tag(takes_context=True)
def querystring_of(context: Context, name: str, value: str) -> str:
    """The current URL with one parameter changed, back on the first page."""
    query = context["request"].GET.copy()
    query[name] = value
    query.pop("page", None)
    return f"?{query.urlencode()}"
