"""The forms of a project."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model

from projects.models import Membership, Project


class NewProjectForm(forms.ModelForm):
    class Meta:
        model = Project
        fields = ["name", "guidelines"]
        widgets = {"name": forms.TextInput(attrs={"autofocus": True})}
        help_texts = {"guidelines": "What raters should do, in Markdown. You can write it later."}


class ProjectForm(forms.ModelForm):
    class Meta:
        model = Project
        fields = ["name", "guidelines", "state", "is_codebook_closed"]
        labels = {"is_codebook_closed": "The codebook is closed"}
        help_texts = {
            "guidelines": "What raters should do, in Markdown.",
            "state": "A closed project takes no labels.",
            "is_codebook_closed": "Labels with a category that it does not declare are refused.",
        }


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.RATER)


class NewMemberForm(RoleForm):
    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ["username", "role"]

    def clean_username(self) -> Any:
        """The user of that name; accounts are made by whoever runs the server."""
        name = self.cleaned_data["username"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError("There is no user of this name.")
        return user


class SearchForm(forms.Form):
    """Search is literal: no character of it means anything but itself."""

    q = forms.CharField(label="Search", required=False, max_length=200, strip=False)

    @property
    def words(self) -> str:
        return str(self.cleaned_data["q"]) if self.is_valid() else ""
