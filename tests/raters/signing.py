"""Making an account and signing in, and the link that came by mail."""

import re

from django.core import mail
from django.test import Client
from django.urls import reverse

from projects.members import invitations

PASSWORD = " a spoon, a fork and ünïcode "


def sign_up(client: Client | None = None, *, name: str = "nina", password: str = PASSWORD, email: str = ""):
    form = {"username": name, "email": email, "password1": password, "password2": password}
    return (client or Client()).post(reverse("account_signup"), form)


def sign_in(login: str, password: str = PASSWORD):
    client = Client()
    return client, client.post(reverse("account_login"), {"login": login, "password": password})


def link_in_mail() -> str:
    return re.search(r"http://testserver(/\S+)", mail.outbox[-1].body).group(1)


def came_with_invitation(project, lead, **more) -> Client:
    _, token = invitations.invite(project, by=lead, role="rater", **more)
    client = Client()
    client.get(reverse("join_by", args=[token]))
    return client
