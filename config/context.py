"""Context available in every template."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def version(request: HttpRequest) -> dict[str, str]:
    # A name that no page uses for another version.
    return {"program_version": settings.VERSION}


def signing_up(request: HttpRequest) -> dict[str, Any]:
    return {
        "has_mail": settings.HAS_MAIL,
        "sign_up": settings.SIGN_UP,
        "has_calculator": settings.CALCULATOR,
    }
