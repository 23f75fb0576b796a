"""Of the matrix of access: an owner of the server erases a person, and everyone else keeps what is theirs."""

from collections.abc import Iterator
from dataclasses import replace

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.urls import reverse
from knox.models import AuthToken

from projects.members import invitations
from raters.models import Rater
from tests.config.routes import ROWS
from tests.faults.matrix import Case, Outcome, Two, outcome_of, undone

OWNER = "owner of the server"
ADDRESS = "other@example.org"


def erasing(two: Two, number: int) -> Iterator[Case]:
    if ROWS[number].name == "api_person_erase":
        yield Case(number, "a rater, by an owner", lambda: _erased(two, number))


def _erased(two: Two, number: int) -> Outcome:
    """Of theirs, the lead has all that an account can have, and a rater has the name of the erased person."""
    with undone():
        user, other = two.mine.people["rater"], two.theirs.lead
        EmailAddress.objects.create(user=other, email=ADDRESS, verified=True)
        invitations.invite(two.theirs.project, by=other, role="rater", email=ADDRESS)
        Authenticator.objects.create(user=other, type="totp", data={})
        AuthToken.objects.create(user=other)
        UserSession.objects.create(user=other, session_key="s" * 32, ip="192.0.2.7", user_agent="Firefox")
        Rater.objects.create(project=two.theirs.project, user=other, key=f"not {user.username}")
        row = replace(ROWS[number], data={"username": user.username})
        address = reverse(row.name, args=[user.pk])
        outcome = outcome_of(two, row, OWNER, address)
        models = (EmailAddress, Authenticator, AuthToken, UserSession)
        left = [model.objects.filter(user=other).count() for model in models]
        return replace(outcome, shape=f"{outcome.shape} {left}")
    raise AssertionError("not reached")
