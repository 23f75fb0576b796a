"""Mail sent after the response, so that response times don't reveal whether an account exists."""

import logging
import smtplib
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.mail import EmailMessage

logger = logging.getLogger(__name__)

# The process waits for mail in progress before it ends; a mail server gets EMAIL_TIMEOUT.
_senders = ThreadPoolExecutor(max_workers=2, thread_name_prefix="mail")


def send_soon(message: EmailMessage) -> None:
    if settings.MAIL_AFTER_ANSWER:
        _senders.submit(send_now, message)
    else:
        send_now(message)


def send_now(message: EmailMessage) -> None:
    """A failing mail server makes nothing else fail."""
    try:
        message.send()
    except (OSError, smtplib.SMTPException):
        logger.exception("an email could not be sent: %s", message.subject)
