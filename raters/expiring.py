"""Deletion of data that is kept only for a limited time."""

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Model, Q, QuerySet
from django.utils import timezone
from knox.models import AuthToken

from projects.models import Delivery, Invitation
from raters.figures.stored_figures import KEPT_FOR
from raters.imports.uploads import clear_away
from raters.models import (
    CachedValue,
    LabelImport,
    ModelRun,
    Notification,
    NotificationMail,
    StoredFigures,
    Submission,
)


def clear_expired() -> dict[str, int]:
    """Delete everything past its configured lifetime; return the number deleted of each kind."""
    n_drafts = clear_away(LabelImport.objects.all())
    now = timezone.now()
    ended = now - settings.INVITATION_REMAINS_FOR
    gone: dict[str, QuerySet[Model]] = {
        "submissions": Submission.objects.filter(at__lt=now - settings.SUBMISSION_KEPT_FOR),
        "invitations": Invitation.objects.filter(Q(expires_at__lt=ended) | Q(withdrawn_at__lt=ended)),
        "webhook deliveries": Delivery.objects.filter(asked_at__lt=now - settings.DELIVERY_KEPT_FOR),
        "drafts of model runs": ModelRun.objects.filter(
            state=ModelRun.State.DRAFT, asked_at__lt=now - settings.MODEL_DRAFT_LASTS
        ),
        "notifications": Notification.objects.filter(created_at__lt=now - settings.NOTIFICATION_KEPT_FOR),
        "emails of notifications": NotificationMail.objects.filter(
            asked_at__lt=now - settings.NOTIFICATION_KEPT_FOR
        ),
        "sessions": Session.objects.filter(expire_date__lt=now),
        "tokens": AuthToken.objects.filter(expiry__lt=now),
        "stored figures": StoredFigures.objects.filter(asked_at__lt=now - KEPT_FOR),
        "cached values": CachedValue.objects.filter(expires_at__lte=now),
    }
    found = {"drafts of imports": n_drafts}
    for name, rows in gone.items():
        found[name] = rows.count()
        rows.delete()
    return found
