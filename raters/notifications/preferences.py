"""How each person wants to be notified of each topic, and the unsubscribe link in emails."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse

from raters.models import NotificationChoice, User
from raters.notifications.notification_kinds import DEFAULTS, How, Topic

_SALT = "raters.notifications.stop"
# What the unsubscribe link in a digest stops.
DIGEST = "digest"
MAILED = (How.AT_ONCE, How.DIGEST)


def choices_of(user: Any) -> dict[str, str]:
    """Return the user's choice for each topic, in topic order."""
    chosen = dict(NotificationChoice.objects.filter(user=user).values_list("topic", "how"))
    return {topic.value: chosen.get(topic.value, DEFAULTS[topic].value) for topic in Topic}


def choices_of_users(users: Collection[int], topic: Topic) -> dict[int, str]:
    """Map each user to their choice for the topic."""
    rows = NotificationChoice.objects.filter(user__in=users, topic=topic)
    return dict.fromkeys(users, DEFAULTS[topic].value) | dict(rows.values_list("user", "how"))


def choose(user: Any, choices: Mapping[str, str]) -> None:
    """Save the user's choices. choices: the channel by topic; topics not included stay unchanged."""
    NotificationChoice.objects.bulk_create(
        [NotificationChoice(user=user, topic=topic, how=how) for topic, how in choices.items()],
        update_conflicts=True,
        unique_fields=["user", "topic"],
        update_fields=["how"],
    )


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """What an unsubscribe link stops. what: a topic, or DIGEST for everything in the daily email."""

    user: User
    what: str

    @property
    def words(self) -> str:
        return "the daily email" if self.what == DIGEST else f"emails about “{Topic(self.what).label}”"

    def topics(self, chosen: Mapping[str, str]) -> list[str]:
        if self.what == DIGEST:
            return [topic for topic, how in chosen.items() if how == How.DIGEST]
        return [self.what]


def stop_address(user: User, what: str) -> str:
    """Return the URL of a page without sign-in: having the email is enough to stop it, and allows nothing else."""
    token = signing.dumps([user.pk, what], salt=_SALT)
    return str(settings.SITE_URL + reverse("notifications_stop", args=[token]))


def stop_of(token: str) -> Unsubscription | None:
    """Return what the token stops, or None if the link is not ours or the person no longer has an account."""
    try:
        pk, what = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return None if user is None else Unsubscription(user, what)


@transaction.atomic
def stop(unsubscription: Unsubscription, *, everything: bool = False) -> None:
    """Stop emails on this topic, or on all topics; notifications are still shown in the app."""
    chosen = choices_of(unsubscription.user)
    _in_program_only(unsubscription.user, chosen, chosen if everything else unsubscription.topics(chosen))


def _in_program_only(user: User, chosen: Mapping[str, str], topics: Iterable[str]) -> None:
    choose(user, {topic: How.PROGRAM for topic in topics if chosen[topic] in MAILED})
