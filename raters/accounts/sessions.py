"""Sessions of a user: list, expire, and end them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from ua_parser import parse

from projects.events import record
from projects.models import Event

# Minimum interval between updates of a session's last use, so that most requests write nothing.
SEEN_EVERY = timedelta(minutes=5)
# Session data: when the user signed in, and the key and time of the last update.
BEGAN, SEEN = "began_at", "seen"


@dataclass(frozen=True, slots=True)
class SessionRow:
    id: int
    browser: str
    system: str
    address: str
    began_at: datetime
    seen_at: datetime
    is_present: bool


class SessionMaintenanceMiddleware(MiddlewareMixin):
    """Middleware that ends sessions that are too old and periodically records the use of others."""

    def process_request(self, request: HttpRequest) -> None:
        if not request.session.session_key or not request.user.is_authenticated:
            return
        now = timezone.now().timestamp()
        if now - request.session.get(BEGAN, now) >= settings.SESSION_MAX_AGE:
            logout(request)
            return
        key, seen_at = request.session.get(SEEN, ("", 0.0))
        # Changing the password changes the session key.
        if key != request.session.session_key or now - seen_at >= SEEN_EVERY.total_seconds():
            note(request, request.user)


def record_session(request: HttpRequest, user: Any) -> None:
    """Record a new session after signing in."""
    request.session[BEGAN] = timezone.now().timestamp()
    UserSession.objects.purge_and_list(user)
    note(request, user)


def note(request: HttpRequest, user: Any) -> None:
    """Record that a session is used, which also extends its idle timeout."""
    now, key = timezone.now(), request.session.session_key
    request.session.setdefault(BEGAN, now.timestamp())
    request.session[SEEN] = (key, now.timestamp())
    try:
        address = get_adapter().get_client_ip(request)
    except PermissionDenied:
        # The server does not pass on the client's IP address.
        return
    UserSession.objects.update_or_create(
        session_key=key,
        defaults={
            "user": user,
            "ip": address,
            "user_agent": request.headers.get("User-Agent", "")[:200],
            "last_seen_at": now,
        },
    )


def sessions_of(request: HttpRequest) -> list[SessionRow]:
    """Return the user's sessions: the current one first, then by last use."""
    if not UserSession.objects.filter(session_key=request.session.session_key).exists():
        note(request, request.user)
    found = [_session_row(session, request) for session in UserSession.objects.purge_and_list(request.user)]
    return sorted(found, key=lambda session: (session.is_present, session.seen_at), reverse=True)


def end(request: HttpRequest, pk: int) -> None:
    """End one of the user's sessions. Raises Http404 for a session of somebody else."""
    session = UserSession.objects.filter(user=request.user, pk=pk).first()
    if session is None:
        raise Http404("No such session.")
    _end(request, [session])


def end_others(request: HttpRequest) -> int:
    """End all the user's sessions except this one. Returns their number."""
    key = request.session.session_key
    others = [
        session for session in UserSession.objects.purge_and_list(request.user) if session.session_key != key
    ]
    _end(request, others)
    return len(others)


@transaction.atomic
def _end(request: HttpRequest, sessions: list[UserSession]) -> None:
    for session in sessions:
        shown = _session_row(session, request)
        record(
            Event.Kind.SESSION_ENDED,
            by=request.user,
            about=session.user.username,
            browser=shown.browser,
            system=shown.system,
        )
    end_sessions(request, sessions)


def _session_row(session: UserSession, request: HttpRequest) -> SessionRow:
    agent = parse(session.user_agent)
    return SessionRow(
        id=session.pk,
        browser=agent.user_agent.family if agent.user_agent else "Unknown browser",
        system=agent.os.family if agent.os else "",
        address=session.ip,
        began_at=session.created_at,
        seen_at=session.last_seen_at,
        is_present=session.session_key == request.session.session_key,
    )
