"""A page as it is shown, a form as it is sent, and what a page says of it."""

import re

from django.contrib.messages import get_messages
from django.urls import reverse


def told(response) -> str:
    """The last message: those before it wait for the next page, which most tests never ask for."""
    messages = list(get_messages(response.wsgi_request))
    return str(messages[-1]) if messages else ""


def page(client, name, *args) -> str:
    """A page without its CSRF token, which is masked anew each time."""
    text = client.get(reverse(name, args=args)).content.decode()
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", text)


def send(client, name, /, *args, **data):
    return client.post(reverse(name, args=args), data)
