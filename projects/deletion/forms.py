"""The form that confirms a deletion."""

from django import forms

from core.keys import MAX_KEY


class DeletionForm(forms.Form):
    name = forms.CharField(
        label="Enter the project name to confirm",
        max_length=MAX_KEY,
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
