"""The form for inviting people."""

from typing import Any

from django import forms
from django.conf import settings

from projects.members.invitations import MAX_DAYS, MAX_USES
from projects.models import Membership


class InvitationForm(forms.Form):
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.RATER)
    username = forms.CharField(
        label="Username",
        required=False,
        max_length=150,
        help_text="To invite one person.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    email = forms.EmailField(
        label="Email address",
        required=False,
        max_length=254,
        help_text="To invite one person, with or without an account.",
    )
    max_uses = forms.IntegerField(label="Maximum uses", min_value=1, max_value=MAX_USES, initial=1)
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MAX_DAYS, initial=7)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.HAS_MAIL:
            del self.fields["email"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned.setdefault("email", "")
        is_for_one = cleaned["email"] or cleaned.get("username")
        if cleaned["email"] and cleaned.get("username"):
            self.add_error("email", "Enter a username or an email address, not both.")
        if is_for_one and cleaned.get("max_uses") != 1:
            self.add_error("max_uses", "An invitation to one person can be used only once.")
        return cleaned


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.RATER)
