"""Context available in every template."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from raters.notifications.inbox import n_unread


def version(request: HttpRequest) -> dict[str, str]:
    # A name that no page uses for another version.
    return {"program_version": settings.VERSION}


def signing_up(request: HttpRequest) -> dict[str, object]:
    return {
        "has_mail": settings.HAS_MAIL,
        "sign_up": settings.SIGN_UP,
        "has_calculator": settings.CALCULATOR,
    }


def rater_letters(request: HttpRequest) -> dict[str, bool]:
    """Whether the page shows letters for raters because their names are hidden from its user."""
    return {"has_letters": hasattr(request, "letters")}


def unread_notifications(request: HttpRequest) -> dict[str, object]:
    """Counted only by the pages that show it: not where somebody labels."""
    user = getattr(request, "user", None)
    if user is None:
        return {}
    return {"n_unread": SimpleLazyObject(lambda: n_unread(user) if user.is_authenticated else 0)}
