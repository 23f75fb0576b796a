"""What django-allauth asks of us: who may sign up, how attempts are counted, where mail goes, how secrets are kept."""

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

NO_MATCH = "Username and password do not match an active account. Both are case-sensitive."


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
        return settings.SIGN_UP == "invitation" and invitations.held_by(request) is not None

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Whoever came with an invitation goes on to it."""
        if invitations.held_by(request):
            return reverse("join")
        return super().get_login_redirect_url(request)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        return self.get_login_redirect_url(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """An address that an invitation was sent to is proved by the link in that mail."""
        invitation = invitations.held_by(request)
        return bool(invitation and invitation.email and invitation.email.lower() == email.lower())

    def is_ajax(self, request: HttpRequest) -> bool:
        # Pages only; the API is ours. One way in less.
        return False

    def get_login_stages(self) -> list[str]:
        stages = super().get_login_stages()
        theirs = "allauth.account.stages.EmailVerificationStage"
        return ["raters.accounts.adapters.ConfirmAddress" if stage == theirs else stage for stage in stages]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            raise ImmediateHttpResponse(respond_429(request)) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """One counter for an account, whichever of its names is tried."""
        login = credentials.get("email") or credentials.get("username") or ""
        found = User.objects.filter(
            Q(username__iexact=login) | Q(email__iexact=login) | Q(emailaddress__email__iexact=login)
        )
        pk = found.order_by("pk").values_list("pk", flat=True).first()
        return f"account {pk}" if pk else f"name {login.lower()}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """After the answer, and without failing it: neither its words nor its time tell who has an account."""
        request = allauth_context.request
        known = {"request": request, "email": email, "current_site": get_current_site(request)}
        send_soon(self.render_mail(template_prefix, email, known | context))


class ConfirmAddress(EmailVerificationStage):
    """Asks only those who have an address to confirm it: an owner made at the first start has none."""

    def handle(self) -> tuple[Any, bool]:
        user = self.login.user
        if user and (user.is_superuser or not (user.email or user.emailaddress_set.exists())):
            return None, True
        return super().handle()


class SecondFactorAdapter(DefaultMFAAdapter):
    """Keeps the secrets of second factors under the secret key, so that a copy of the database holds none."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or was already used. Wait for the next one.",
    }

    def build_totp_svg(self, url: str) -> str:
        # Inside a page, and without the line that only a file of its own begins with.
        return str(super().build_totp_svg(url)).partition("?>")[2].strip()

    def encrypt(self, text: str) -> str:
        return _lock().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _lock().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            # Made under another secret key. Something that no code matches: an empty secret would be one to guess.
            return base64.b32encode(secrets.token_bytes(20)).decode()


def _lock() -> Fernet:
    digest = hashlib.sha256(b"second factor\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
