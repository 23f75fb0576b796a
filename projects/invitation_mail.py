"""The mail that an invitation goes by."""

import logging
import smtplib

from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from projects.models import Invitation

logger = logging.getLogger(__name__)


def link_of(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("join_by", args=[token]))


def send_invitation(invitation: Invitation, *, link: str) -> bool:
    """Whether the mail server took the mail; a failure is logged, for the lead can pass the link on by hand."""
    context = {
        "invitation": invitation,
        "role": invitation.get_role_display().lower(),
        "until": timezone.localtime(invitation.expires_at).strftime("%d %B %Y, %H:%M %Z"),
        "link": link,
    }
    # A name with a line break would be refused as a forged header.
    name = " ".join(invitation.project.name.split())
    text = render_to_string("invitations/mail.txt", context)
    try:
        return bool(send_mail(f"Interrater: invitation to {name}", text, None, [invitation.email]))
    except (OSError, smtplib.SMTPException):
        logger.exception("the mail of invitation %s could not be sent", invitation.pk)
        return False
