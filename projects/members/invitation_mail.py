"""Emails about invitations."""

import logging
import smtplib

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from core.mail import send_soon
from projects.models import Invitation

logger = logging.getLogger(__name__)


def link_of(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("join_by", args=[token]))


def send_invitation(invitation: Invitation, *, link: str) -> bool:
    """Whether the mail server accepted the email; a failure is only logged, because the lead can pass on the link."""
    try:
        return bool(send_mail(_subject(invitation), _text(invitation, link), None, [invitation.email]))
    except (OSError, smtplib.SMTPException):
        logger.exception("the email for invitation %s could not be sent", invitation.pk)
        return False


def mail_invitation(invitation: Invitation, *, link: str) -> None:
    """Email the account with this username, if it exists and has a confirmed address; nobody learns whether it does.

    It is sent after the response, so that response times reveal nothing. link: to the page for accepting.
    """
    if not settings.HAS_MAIL:
        return
    addresses = EmailAddress.objects.filter(
        user__username=invitation.username,
        user__is_active=True,
        user__date_joined__lte=invitation.made_at,
        primary=True,
        verified=True,
    )
    text = _text(invitation, link)
    for address in addresses.values_list("email", flat=True):
        send_soon(EmailMessage(_subject(invitation), text, None, [address]))


def _subject(invitation: Invitation) -> str:
    # A name with a line break would be rejected as header injection.
    return f"Interrater: invitation to {' '.join(invitation.project.name.split())}"


def _text(invitation: Invitation, link: str) -> str:
    context = {
        "invitation": invitation,
        "role": invitation.get_role_display(),
        "until": timezone.localtime(invitation.expires_at).strftime("%d %B %Y, %H:%M %Z"),
        "link": link,
    }
    return render_to_string("invitations/mail.txt", context)
