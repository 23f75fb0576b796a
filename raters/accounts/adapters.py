"""Adapters for django-allauth: sign-up, counting of attempts, email, and storage of secrets."""

import base64
import hashlib
import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.stages import EmailVerificationStage
from allauth.core import context as allauth_context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import respond_429
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from core.mail import send_soon
from projects.members import invitations
from raters.models import User

NO_MATCH = (
    "No active account has this username or email address and this password. Usernames and passwords are "
    "case-sensitive."
)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": NO_MATCH,
        "email_password_mismatch": NO_MATCH,
        "incorrect_password": "Wrong password. Try again.",
        "enter_current_password": "This is not your current password.",
        "username_taken": "This username is already taken.",
        "email_taken": "An account with this email address already exists.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if settings.SIGN_UP == "open":
            return True
        return settings.SIGN_UP == "invitation" and invitations.invitation_in_session(request) is not None

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return the page of the invitation, if the user came with one."""
        if invitations.invitation_in_session(request):
            return reverse("join")
        return super().get_login_redirect_url(request)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        return self.get_login_redirect_url(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Return whether the address is verified: the link in an invitation verifies the address it was sent to."""
        invitation = invitations.invitation_in_session(request)
        return bool(invitation and invitation.email and invitation.email.lower() == email.lower())

    def is_ajax(self, request: HttpRequest) -> bool:
        # Only the pages of allauth are used, not its JSON responses, which reduces the attack surface.
        return False

    def get_login_stages(self) -> list[str]:
        stages = super().get_login_stages()
        theirs = "allauth.account.stages.EmailVerificationStage"
        return [
            "raters.accounts.adapters.ConfirmAddressStage" if stage == theirs else stage for stage in stages
        ]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            raise ImmediateHttpResponse(respond_429(request)) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return the same key for all names of an account, so that attempts are counted together."""
        login = credentials.get("email") or credentials.get("username") or ""
        found = User.objects.filter(
            Q(username__iexact=login) | Q(email__iexact=login) | Q(emailaddress__email__iexact=login)
        )
        pk = found.order_by("pk").values_list("pk", flat=True).first()
        return f"account {pk}" if pk else f"name {login.lower()}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """Send the email after the response, so that neither content nor timing reveals who has an account."""
        request = allauth_context.request
        known = {"request": request, "email": email, "current_site": get_current_site(request)}
        send_soon(self.render_mail(template_prefix, email, known | context))


class ConfirmAddressStage(EmailVerificationStage):
    """Require a confirmed address only from users with an address; the owner created at first start has none."""

    def handle(self) -> tuple[Any, bool]:
        user = self.login.user
        if user and (user.is_superuser or not (user.email or user.emailaddress_set.exists())):
            return None, True
        return super().handle()


class SecondFactorAdapter(DefaultMFAAdapter):
    """Encrypt the secrets of second factors with the secret key, so that a copy of the database reveals none."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or was already used. Wait for the next one.",
        "unverified_email": "Confirm your email addresses, or remove those you can’t confirm, before you turn on "
        "two-factor authentication.",
    }

    def build_totp_svg(self, url: str) -> str:
        # Embedded in a page, so without the XML declaration.
        return str(super().build_totp_svg(url)).partition("?>")[2].strip()

    def encrypt(self, text: str) -> str:
        return _lock().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _lock().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            # Encrypted with another secret key. Return a random secret, since codes for an empty one could be guessed.
            return base64.b32encode(secrets.token_bytes(20)).decode()


def _lock() -> Fernet:
    digest = hashlib.sha256(b"second factor\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
