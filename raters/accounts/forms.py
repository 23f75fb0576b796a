"""Account forms: those of django-allauth with our own wording."""

from typing import Any

from allauth.account import forms as account_forms
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import respond_429
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as second_factor_forms
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp_forms
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.utils import encrypt
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, RegexValidator

from projects.members import invitations
from raters.accounts.tokens import LIFETIME, LIFETIMES
from raters.models import TokenGrant

NEVER = "never"
# Longer passwords would only make hashing slower.
MAX_PASSWORD = 128
MAX_LOGIN = 254
# ASCII only, so that nobody can choose a name that looks like another's or is another's email address.
USERNAME_VALIDATORS = [
    RegexValidator(
        r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z",
        "Use letters from a to z, digits, and . _ - (not as the first character).",
    )
]
ADVICE = "At least 12 characters. A memorable sentence is stronger than a word with a digit."
LABELS = {
    "login": "Username or email address",
    "username": "Username",
    "email": "Email address",
    "password": "Password",
    "oldpassword": "Current password",
    "password1": "New password",
    "password2": "Confirm new password",
    "code": "Code",
}


class BaseAccountForm(forms.Form):
    """A form with our own labels, no placeholders, and a maximum password length."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
            if isinstance(field.widget, forms.PasswordInput):
                field.help_text = ADVICE if name == "password1" else ""
                limit(field, MAX_PASSWORD)


def limit(field: forms.Field, n: int) -> None:
    field.validators.append(MaxLengthValidator(n))
    field.widget.attrs["maxlength"] = str(n)


class SignInForm(BaseAccountForm, account_forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limit(self.fields["login"], MAX_LOGIN)
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autocapitalize": "none"}


class SignUpForm(BaseAccountForm, account_forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = "Password"
        self.fields["password2"].label = "Confirm password"
        if not self.fields["email"].required:
            self.fields["email"].label = "Email address (optional)"
        invitation = invitations.invitation_in_session(context.request)
        self.fields["email"].initial = invitation.email if invitation else ""


class AddEmailForm(BaseAccountForm, account_forms.AddEmailForm):
    pass


class ChangePasswordForm(BaseAccountForm, account_forms.ChangePasswordForm):
    pass


class ResetPasswordForm(BaseAccountForm, account_forms.ResetPasswordForm):
    pass


class NewPasswordForm(BaseAccountForm, account_forms.ResetPasswordKeyForm):
    pass


class ReauthenticateForm(BaseAccountForm, account_forms.ReauthenticateForm):
    pass


class BaseCodeForm(BaseAccountForm):
    """A form for a code. Too many attempts return status 429."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limit(self.fields["code"], 32)
        self.fields["code"].widget.attrs |= {"inputmode": "text", "autocapitalize": "none"}

    def clean_code(self) -> str:
        try:
            return super().clean_code()  # type: ignore[misc]
        except ValidationError as error:
            if error.code in {"too_many_login_attempts", "rate_limited"}:
                raise ImmediateHttpResponse(respond_429(context.request)) from None
            raise


class CodeForm(BaseCodeForm, second_factor_forms.AuthenticateForm):
    pass


class ReauthenticateCodeForm(BaseCodeForm, second_factor_forms.ReauthenticateForm):
    pass


def expiry_choices() -> list[tuple[int | str, str]]:
    days: list[tuple[int | str, str]] = [(n, f"After {n} day{'' if n == 1 else 's'}") for n in LIFETIMES]
    return [*days, (NEVER, "Never")] if settings.TOKENS_MAY_LAST else days


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80, help_text="What you will use it for, such as “nightly export”.")
    scope = forms.ChoiceField(
        choices=TokenGrant.Scope.choices,
        help_text="Read: view what you can view. Label: also save your own labels. Manage: everything you can do.",
    )
    days = forms.TypedChoiceField(
        coerce=lambda days: None if days == NEVER else int(days),
        choices=expiry_choices,
        initial=LIFETIME,
        label="Expires",
    )


class ActivateForm(BaseCodeForm, totp_forms.ActivateTOTPForm):
    def clean_code(self) -> str:
        """Mark the code that activates the second factor as used, so that it cannot sign anyone in."""
        code = super().clean_code()
        to_be = Authenticator(user=self.user, data={"secret": encrypt(self.secret)})
        if not TOTP(to_be).validate_code(code):
            raise get_adapter().validation_error("incorrect_code")
        return code


class EraseForm(forms.Form):
    username = forms.CharField(
        label="Enter the username to confirm",
        max_length=150,
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
