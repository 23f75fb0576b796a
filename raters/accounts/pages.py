"""Pages for viewing and changing one's own account; signing in is in `account_urls`."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.web.form_pages import require_form_of_page_above
from raters.accounts import sessions, tokens
from raters.accounts.forms import TokenForm
from raters.notifications.forms import ChoicesForm, mail_goes_nowhere
from raters.notifications.preferences import choose


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return _account_page(request)


@require_form_of_page_above
def choose_notifications(request: HttpRequest) -> HttpResponse:
    form = ChoicesForm(request.user, request.POST)
    if not form.is_valid():
        return _account_page(request, status=400, notification_form=form)
    choose(request.user, form.changed)
    messages.success(request, "Your choice of notifications is saved.")
    return redirect("account")


@require_form_of_page_above
def create_token(request: HttpRequest) -> HttpResponse:
    """Create a token and show it in the response, since it is not stored and cannot be shown later."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, status=400, token_form=form)
    _, words = tokens.make_token(request.user, **form.cleaned_data)
    return _account_page(request, new_token=words, new_name=form.cleaned_data["name"])


def _account_page(request: HttpRequest, *, status: int = 200, **new: Any) -> HttpResponse:
    context = {
        "sessions": sessions.sessions_of(request),
        "tokens": tokens.tokens_of(request.user),
        "token_form": TokenForm(),
        "notification_form": ChoicesForm(request.user),
        "mail_goes_nowhere": mail_goes_nowhere(request.user),
        **new,
    }
    return render(request, "account/account.html", context, status=status)


@require_POST
def revoke_token(request: HttpRequest, token_key: str) -> HttpResponse:
    tokens.revoke(token_key, by=request.user)
    messages.success(request, f"Token {token_key}… revoked.")
    return redirect("account")


@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    sessions.end(request, pk)
    messages.success(request, "Session ended.")
    return redirect("account")


@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    n = sessions.end_others(request)
    messages.success(request, f"{n} other session{'' if n == 1 else 's'} ended.")
    return redirect("account")
