"""The cast of the tests: people with fixed roles, made by functions that also work outside a transaction."""

import secrets
from datetime import timedelta
from functools import cache

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import get_hasher, make_password
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from projects.models import Membership, Project
from raters.accounts.sessions import BEGAN, SEEN
from raters.models import User

PASSWORD = "correct horse battery staple"


def person(username: str, *, unique: bool = False, is_superuser: bool = False) -> User:
    """A user who signs in with PASSWORD; `unique` adds letters, for databases that keep their rows."""
    name = f"{username}-{secrets.token_hex(4)}" if unique else username
    return User.objects.create(
        username=name, password=_encoded(get_hasher().algorithm), is_superuser=is_superuser
    )


@cache
def _encoded(algorithm: str) -> str:
    """Once for all: real servers check real passwords, which takes a quarter of a second to make."""
    return make_password(PASSWORD)


def member(project: Project, role: Membership.Role, *, username: str, unique: bool = False) -> User:
    user = person(username, unique=unique)
    Membership.objects.create(project=project, user=user, role=role)
    return user


def new_project(name: str = "Reviews", *, unique: bool = False) -> Project:
    letters = f"-{secrets.token_hex(4)}" if unique else ""
    return Project.objects.create(name=name + letters, slug=name.lower().replace(" ", "-") + letters)


def signed_in(user: User, *, raising: bool = True) -> Client:
    """raising: an error of the server fails the test there and then; else it is answered, as to a browser."""
    client = Client(raise_request_exception=raising)
    sign_in(client, user)
    return client


def sign_in(client: Client, user: User) -> None:
    """The session that signing in ends with, in one query instead of the 17 of `Client.force_login`.

    Its event in the log and the row by which it is listed are missing; tests/raters/test_accounts.py signs in.
    """
    now, key = timezone.now(), get_random_string(32, VALID_KEY_CHARS)
    content = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
        BEGAN: now.timestamp(),
        SEEN: (key, now.timestamp()),
    }
    expires = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    Session.objects.create(session_key=key, session_data=Session.objects.encode(content), expire_date=expires)
    client.cookies[settings.SESSION_COOKIE_NAME] = key
