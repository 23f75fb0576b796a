"""Figures that are computed when a page asks for them, and then kept: what they are computed from never changes."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache

from reports.models import QuestionAgreement

SECONDS = 7 * 24 * 3600


def kept(name: str, agreements: tuple[QuestionAgreement, ...], compute: Callable[[], Any]) -> Any:
    """What compute returns, JSON, or what it returned before for the same name and results of reports."""
    of = "-".join(f"{agreement.pk}.{agreement.digest[:16]}" for agreement in agreements)
    key = f"figures:{settings.VERSION}:{name}:{of}"
    found = cache.get(key)
    if found is None:
        found = compute()
        cache.set(key, found, SECONDS)
    return found
