"""The cast of the tests: people with fixed roles, made by functions that also work outside a transaction."""

import secrets
from functools import cache

from django.contrib.auth.hashers import get_hasher, make_password
from django.test import Client

from projects.models import Membership, Project
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
    client.force_login(user)
    return client
