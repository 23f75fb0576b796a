"""What pages make of a refusal: a message on the page that is shown next, or an error of the form that was sent."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from core.refusals import Refused


@contextmanager
def told(request: HttpRequest) -> Iterator[None]:
    """On the page that is shown next."""
    try:
        yield
    except Refused as refused:
        messages.warning(request, str(refused))


@contextmanager
def refused_in(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """In the form, which is not valid from then on."""
    try:
        yield
    except Refused as refused:
        form.add_error(field, str(refused))
