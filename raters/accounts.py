"""What a person may see and change about their own account; signing in is in `account_urls`."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from knox.models import AuthToken

from projects.events import record
from projects.models import Event


def tokens_of(user: Any) -> QuerySet[AuthToken]:
    """The tokens of a user that still work, newest first."""
    return AuthToken.objects.filter(user=user, expiry__gt=timezone.now()).order_by("-created")


def make_token(user: Any) -> tuple[AuthToken, str]:
    """A new token of the user: its row, and its words, which are stored nowhere."""
    made, words = AuthToken.objects.create(user=user)
    record(Event.Kind.TOKEN_MADE, by=user, about=made.token_key)
    return made, words


def revoke(token_key: str, *, by: Any) -> None:
    """Raises Http404 for a token that is not the user's, or works no more."""
    n_deleted, _ = tokens_of(by).filter(token_key=token_key).delete()
    if not n_deleted:
        raise Http404("No such token.")
    record(Event.Kind.TOKEN_REVOKED, by=by, about=token_key)


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "account/account.html", {"tokens": tokens_of(request.user), "new_token": ""})


@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """Show the new token in the answer itself: it is stored nowhere, so no later page could."""
    _, token = make_token(request.user)
    return render(request, "account/account.html", {"tokens": tokens_of(request.user), "new_token": token})


@require_POST
def revoke_token(request: HttpRequest, token_key: str) -> HttpResponse:
    revoke(token_key, by=request.user)
    messages.success(request, f"The token {token_key}… works no more.")
    return redirect("account")
