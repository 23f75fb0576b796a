"""The text of each kind of notification, who may see it, where it links to, and the default choice.

Its sentence is built only from its kind, its round, and its report number. So nobody learns from a notification, or
from its email, what somebody labeled, what an item contains, or who a rater is.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.urls import reverse

from projects.models import Membership, Project
from projects.roles import PERMISSIONS, Permission
from raters.models import Notification, NotificationChoice

Kind = Notification.Kind
Topic = NotificationChoice.Topic
How = NotificationChoice.How


@dataclass(frozen=True, slots=True)
class NotificationText:
    """permission: people without it do not see the notification at all. page: the route that it links to."""

    topic: Topic
    permission: Permission
    sentence: str
    page: str


ABOUT: dict[str, NotificationText] = {
    Kind.ASSIGNED: NotificationText(
        Topic.ASSIGNED, Permission.LABEL, "You have items to label in {round}.", "label"
    ),
    Kind.DEADLINE: NotificationText(
        Topic.DEADLINE, Permission.LABEL, "You have items left to label in {round}, due on {due_on}.", "label"
    ),
    Kind.ASKED: NotificationText(
        Topic.REPLY, Permission.EDIT_PROJECT, "A rater asked a question about an item.", "threads"
    ),
    Kind.ANSWERED: NotificationText(
        Topic.REPLY, Permission.LABEL, "A project lead answered your question.", "own_work"
    ),
    Kind.GUIDELINES: NotificationText(
        Topic.GUIDELINES, Permission.LABEL, "The guidelines changed.", "guidelines"
    ),
    Kind.CODEBOOK: NotificationText(
        Topic.GUIDELINES, Permission.LABEL, "A new version of the codebook was published.", "guidelines"
    ),
    Kind.REPORT_DONE: NotificationText(
        Topic.REPORT, Permission.SEE_LABELS, "Report {subject} is done.", "report"
    ),
    Kind.REPORT_FAILED: NotificationText(
        Topic.REPORT, Permission.SEE_LABELS, "Report {subject} failed.", "report"
    ),
    Kind.DISPUTES: NotificationText(
        Topic.DISPUTE, Permission.ADJUDICATE, "Disputes are waiting to be decided.", "adjudicate"
    ),
    Kind.ALERT: NotificationText(
        Topic.ALERT, Permission.EDIT_PROJECT, "A quality rule raised an alert.", "quality"
    ),
    Kind.PAUSED: NotificationText(
        Topic.ALERT, Permission.LABEL, "Your labeling is paused. The Label page says why.", "label"
    ),
    Kind.PASSED: NotificationText(Topic.PASS, Permission.LABEL, "You passed {round}.", "label"),
    Kind.NOT_PASSED: NotificationText(Topic.PASS, Permission.LABEL, "You did not pass {round}.", "label"),
}

# An answer that somebody is waiting for, and anything that blocks work, cannot wait until the next morning.
DEFAULTS = dict.fromkeys(Topic, How.DIGEST) | {Topic.REPLY: How.AT_ONCE, Topic.ALERT: How.AT_ONCE}


def kinds_of(*topics: str) -> list[str]:
    return [kind for kind, about in ABOUT.items() if about.topic in topics]


def roles_for(kind: str) -> list[str]:
    """Return the roles that may see a notification of this kind."""
    return [role for role, permissions in PERMISSIONS.items() if ABOUT[kind].permission in permissions]


def topics_of(roles: Collection[str]) -> list[Topic]:
    """Return the topics that people with these roles can be notified of, in topic order."""
    return [
        topic for topic in Topic if any(set(roles).intersection(roles_for(kind)) for kind in kinds_of(topic))
    ]


def sentence_of(notification: Notification) -> str:
    day = notification.due_on
    return ABOUT[notification.kind].sentence.format(
        round=notification.round.key if notification.round else "a round",
        subject=notification.subject_id,
        due_on=f"{day.day} {day:%B %Y}" if day else "",
    )


def subject_of(notification: Notification) -> str:
    """Return the subject of its email. A name with a line break would be rejected as header injection."""
    title = notification.get_kind_display()
    return f"Interrater: {title[0].lower()}{title[1:]} in {' '.join(notification.project.name.split())}"


def path_of(notification: Notification) -> str:
    page, slug = ABOUT[notification.kind].page, notification.project.slug
    return reverse(page, args=[slug, notification.subject_id] if page == "report" else [slug])


def members_for(kind: str, project: Project) -> list[int]:
    """Return the IDs of the members who may receive a notification of this kind."""
    members = Membership.objects.filter(project=project, role__in=roles_for(kind), user__is_active=True)
    return list(members.values_list("user", flat=True))
