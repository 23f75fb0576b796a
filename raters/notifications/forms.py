"""The form for choosing how to be notified of each topic."""

from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.conf import settings

from projects.models import Membership
from raters.notifications.notification_kinds import How, Topic, topics_of
from raters.notifications.preferences import MAILED, choices_of

HELP = {
    Topic.ASSIGNED: "A round with items for you was opened, or items were added.",
    Topic.DEADLINE: "A round is due within a day, and you have items left.",
    Topic.REPLY: "Questions about items: for leads, a new question; for raters, the answer.",
    Topic.GUIDELINES: "Changes while you are a rater in an open round.",
    Topic.REPORT: "A report that you requested is done, or failed.",
    Topic.DISPUTE: "The first dispute since you last looked.",
    Topic.ALERT: "For leads, quality alerts; for raters, a pause with a note.",
    Topic.PASS: "You passed a round that opens another one, or missed its pass mark.",
}


class ChoicesForm(forms.Form):
    """One field for each topic that people with the person's roles can be notified of.

    On a server that sends no email, choices to get email are shown as what applies: in the program only.
    """

    prefix = "notify"

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = choices_of(user)
        roles = set(Membership.objects.filter(user=user).values_list("role", flat=True))
        for topic in topics_of(roles) or list(Topic):
            how = How(chosen[topic])
            self.fields[topic] = forms.ChoiceField(
                label=topic.label,
                choices=[(each.value, each.label) for each in How if _is_possible(each)],
                initial=how if _is_possible(how) else How.PROGRAM,
                help_text=HELP[topic],
            )

    @property
    def changed(self) -> dict[str, str]:
        """What the person chose: choices that were left alone may be those of a server that sends email."""
        return {topic: self.cleaned_data[topic] for topic in self.changed_data}


def _is_possible(how: How) -> bool:
    return settings.HAS_MAIL or how not in MAILED


def mail_goes_nowhere(user: Any) -> bool:
    """Return whether there is a mail server but no confirmed address to send to."""
    return (
        settings.HAS_MAIL and not EmailAddress.objects.filter(user=user, primary=True, verified=True).exists()
    )
