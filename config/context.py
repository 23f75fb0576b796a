"""What every template knows."""

from django.conf import settings
from django.http import HttpRequest


def version(request: HttpRequest) -> dict[str, str]:
    return {"version": settings.VERSION}
