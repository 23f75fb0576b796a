"""URLs of django-allauth's pages, which only accept the methods of a form and return 400 for an invalid one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

View = Callable[..., HttpResponseBase]


def form(view: View) -> View:
    """Make the view as strict as ours: only the methods of a form, and status 400 for an invalid one."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def strict(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        shown = getattr(response, "context_data", None) or {}
        sent = shown.get("form")
        if request.method == "POST" and response.status_code == 200 and sent is not None and sent.errors:
            response.status_code = 400
        return response

    return strict


urlpatterns: list[URLPattern] = [
    path("sign-in/", form(account.login), name="account_login"),
    path("sign-in/code/", form(second_factor.authenticate), name="mfa_authenticate"),
    path("sign-out/", require_POST(account.logout), name="account_logout"),
    path("sign-up/", form(account.signup), name="account_signup"),
    path("account/inactive/", require_safe(account.account_inactive), name="account_inactive"),
    path("account/reauthenticate/", form(account.reauthenticate), name="account_reauthenticate"),
    path("account/reauthenticate/code/", form(second_factor.reauthenticate), name="mfa_reauthenticate"),
    path("account/addresses/", form(account.email), name="account_email"),
    path(
        "account/confirm/",
        require_safe(account.email_verification_sent),
        name="account_email_verification_sent",
    ),
    path("account/confirm/<str:key>/", form(account.confirm_email), name="account_confirm_email"),
    path("account/password/", form(account.password_change), name="account_change_password"),
    path("account/password/first/", form(account.password_set), name="account_set_password"),
    path("account/reset/", form(account.password_reset), name="account_reset_password"),
    path(
        "account/reset/sent/", require_safe(account.password_reset_done), name="account_reset_password_done"
    ),
    path(
        "account/reset/done/",
        require_safe(account.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^account/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        form(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("account/second-factor/", require_safe(second_factor.index), name="mfa_index"),
    path("account/second-factor/on/", form(totp.activate_totp), name="mfa_activate_totp"),
    path("account/second-factor/off/", form(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path(
        "account/second-factor/codes/",
        require_safe(codes.view_recovery_codes),
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/second-factor/codes/new/",
        form(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/codes/file/",
        require_safe(codes.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
]
