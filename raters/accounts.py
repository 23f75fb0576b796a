"""Signing in, and what a person may change about their own account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import forms as auth_forms
from django.contrib.auth import views as auth_views
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from knox.models import AuthToken

# Longer ones would only make the server hash for longer.
MAX_PASSWORD = 128


class SignInForm(auth_forms.AuthenticationForm):
    password = forms.CharField(strip=False, max_length=MAX_PASSWORD, widget=forms.PasswordInput)


class PasswordForm(auth_forms.PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.max_length = MAX_PASSWORD  # type: ignore[attr-defined]
            field.validators.append(forms.CharField(max_length=MAX_PASSWORD).validators[0])


class SignIn(auth_views.LoginView):
    authentication_form = SignInForm
    redirect_authenticated_user = True


class ChangePassword(auth_views.PasswordChangeView):
    form_class = PasswordForm
    template_name = "account/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: Any) -> HttpResponse:
        """Whoever knew the old password may have made a token with it."""
        AuthToken.objects.filter(user=self.request.user.pk).delete()
        messages.success(
            self.request,
            "Your password is changed. Other places where you were signed in are signed out, "
            "and your tokens for the API are revoked.",
        )
        return super().form_valid(form)


def tokens_of(user: Any) -> QuerySet[AuthToken]:
    """The tokens of a user that still work, newest first."""
    return AuthToken.objects.filter(user=user, expiry__gt=timezone.now()).order_by("-created")


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "account/account.html", {"tokens": tokens_of(request.user), "new_token": ""})


@never_cache
@require_POST
def create_token(request: HttpRequest) -> HttpResponse:
    """Show the new token in the answer itself: it is stored nowhere, so no later page could."""
    _, token = AuthToken.objects.create(user=request.user)
    return render(request, "account/account.html", {"tokens": tokens_of(request.user), "new_token": token})


@require_POST
def revoke_token(request: HttpRequest, token_key: str) -> HttpResponse:
    n_deleted, _ = tokens_of(request.user).filter(token_key=token_key).delete()
    if not n_deleted:
        raise Http404("No such token.")
    messages.success(request, f"The token {token_key}… works no more.")
    return redirect("account")
