"""Mail that is sent after the answer: how long an answer takes must not tell whether there was somebody to write to."""

import logging
import smtplib
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.mail import EmailMessage

logger = logging.getLogger(__name__)

# When the process ends, it waits for what is on its way; a mail server is given EMAIL_TIMEOUT.
_senders = ThreadPoolExecutor(max_workers=2, thread_name_prefix="mail")


def send_soon(message: EmailMessage) -> None:
    if settings.MAIL_AFTER_ANSWER:
        _senders.submit(send_now, message)
    else:
        send_now(message)


def send_now(message: EmailMessage) -> None:
    """A mail server that fails fails nothing else."""
    try:
        message.send()
    except (OSError, smtplib.SMTPException):
        logger.exception("an email could not be sent: %s", message.subject)
