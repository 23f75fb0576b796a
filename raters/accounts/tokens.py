"""API tokens: create and revoke them, and check their scopes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.http import Http404
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.models import AuthToken
from rest_framework.request import Request

from core.refusals import RefusedWithCode
from projects.events import record
from projects.models import Event
from raters.models import TokenGrant

Scope = TokenGrant.Scope
# Days until a token expires.
LIFETIMES = (1, 7, 30, 90, 180, 365)
LIFETIME = 90
# Minimum interval between updates of a token's last use, so that most requests write nothing.
USE_NOTED_EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as shown on pages and in the API, without its secret."""

    token_key: str
    name: str
    scope: str
    created: datetime
    expiry: datetime | None
    last_used_at: datetime | None


class TokenAuthentication(KnoxAuthentication):
    """Token authentication that enforces the scopes required by the view."""

    def authenticate(self, request: Request) -> tuple[Any, AuthToken] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        user, token = found
        grant = _grant_of(token)
        _note_use(grant)
        allowed = scopes_for((request.parser_context or {}).get("view"), request.method or "")
        if grant.scope not in allowed:
            needed = " or ".join(f"“{scope}”" for scope in allowed)
            raise RefusedWithCode(
                "insufficient_scope",
                f"This token has the scope “{grant.scope}”, but this request requires {needed}.",
                status_code=403,
            )
        return user, token


def scopes_for(view: Any, method: str) -> list[str]:
    """Return the scopes that allow this method on the view, narrowest first; `manage` allows all."""
    is_read = method in {"GET", "HEAD"}
    allowed = [Scope.READ] if is_read else []
    if ("get" if is_read else method.lower()) in getattr(view, "for_labeling", ()):
        allowed.append(Scope.LABEL)
    return [scope.value for scope in (*allowed, Scope.MANAGE)]


def tokens_of(user: Any) -> list[TokenRow]:
    """Return a user's active tokens, newest first."""
    return [token_row(token) for token in _working(user).select_related("grant").order_by("-created")]


def token_row(token: AuthToken) -> TokenRow:
    grant = _grant_of(token)
    return TokenRow(
        token_key=token.token_key,
        name=grant.name,
        scope=grant.scope,
        created=token.created,
        expiry=token.expiry,
        last_used_at=grant.last_used_at,
    )


@transaction.atomic
def make_token(user: Any, *, name: str, scope: str, days: int | None = LIFETIME) -> tuple[AuthToken, str]:
    """Create a token. Returns its row and its secret, which is not stored.

    days: days until it expires; None for never, if the operator allows it. Raises RefusedWithCode.
    """
    if days is None and not settings.TOKENS_MAY_LAST:
        raise RefusedWithCode(
            "must_expire",
            f"On this server, tokens must expire. Choose a number of days: {', '.join(map(str, LIFETIMES))}.",
        )
    made, words = AuthToken.objects.create(user=user, expiry=None if days is None else timedelta(days=days))
    TokenGrant.objects.create(token=made, name=name, scope=scope)
    record(Event.Kind.TOKEN_MADE, by=user, about=made.token_key, name=name, scope=scope, days=days)
    return made, words


def revoke(token_key: str, *, by: Any) -> None:
    """Revoke a token. Raises Http404 if it is not the user's or is no longer active."""
    n_deleted, _ = _working(by).filter(token_key=token_key).delete()
    if not n_deleted:
        raise Http404("No such token.")
    record(Event.Kind.TOKEN_REVOKED, by=by, about=token_key)


def _working(user: Any) -> Any:
    return AuthToken.objects.filter(Q(expiry=None) | Q(expiry__gt=timezone.now()), user=user)


def _grant_of(token: AuthToken) -> TokenGrant:
    """Return the token's grant. Tokens older than scopes have the scope `manage`."""
    return getattr(token, "grant", None) or TokenGrant(token=token, scope=Scope.MANAGE)


def _note_use(grant: TokenGrant) -> None:
    now = timezone.now()
    if grant.last_used_at and now - grant.last_used_at < USE_NOTED_EVERY:
        return
    if grant._state.adding:
        grant.last_used_at = now
        TokenGrant.objects.bulk_create([grant], ignore_conflicts=True)
        return
    # Only one of several concurrent requests writes.
    is_due = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_NOTED_EVERY)
    TokenGrant.objects.filter(is_due, pk=grant.pk).update(last_used_at=now)
