"""Signal handlers for sign-ins, sign-outs, and second factors: log entries and sessions."""

from typing import Any

from allauth.mfa.signals import authentication_failed, authenticator_added, authenticator_removed
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from projects.events import record
from projects.models import Event
from raters.accounts import sessions

MAX_LOGIN = 254


@receiver(user_logged_in)
def signed_in(sender: Any, request: HttpRequest, user: Any, **_more: Any) -> None:
    record(Event.Kind.SIGNED_IN, by=user, about=user.username)
    sessions.record_session(request, user)


@receiver(user_logged_out)
def signed_out(sender: Any, request: HttpRequest, **_more: Any) -> None:
    UserSession.objects.filter(session_key=request.session.session_key).delete()


@receiver(user_login_failed)
def sign_in_failed(sender: Any, credentials: dict[str, object], **_more: Any) -> None:
    name = credentials.get("username") or credentials.get("email") or ""
    record(Event.Kind.SIGN_IN_FAILED, about=str(name)[:MAX_LOGIN])


@receiver(authentication_failed)
def code_failed(sender: Any, user: Any, **_more: Any) -> None:
    record(Event.Kind.SIGN_IN_FAILED, about=user.username, step="second factor")


@receiver(authenticator_added)
def second_factor_added(sender: Any, user: Any, authenticator: Any, **_more: Any) -> None:
    record(Event.Kind.SECOND_FACTOR_ADDED, by=user, about=user.username, what=authenticator.type)


@receiver(authenticator_removed)
def second_factor_removed(sender: Any, user: Any, authenticator: Any, **_more: Any) -> None:
    record(Event.Kind.SECOND_FACTOR_REMOVED, by=user, about=user.username, what=authenticator.type)
