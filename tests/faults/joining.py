"""Of the matrix of access: who comes with an invitation that works."""

from collections.abc import Iterator
from dataclasses import replace

from allauth.account.models import EmailAddress
from django.urls import reverse

from projects.members import invitations
from tests.config.routes import ROWS
from tests.faults.matrix import Case, Outcome, Two, outcome_of, undone

ADDRESS = "xenia@example.org"


def joining(two: Two, number: int) -> Iterator[Case]:
    if ROWS[number].name == "api_join":
        for subject in ("stranger", "lead elsewhere"):
            for email in ("", ADDRESS):
                name = f"{subject} with an invitation {email}"
                yield Case(number, name, lambda who=subject, to=email: _joined(two, number, who, to))


def _joined(two: Two, number: int, subject: str, email: str) -> Outcome:
    """The invitation was used before by somebody else, or is for the proved address of somebody else."""
    with undone():
        left, lead = two.extra["ex-member"], two.mine.lead
        EmailAddress.objects.create(user=left, email=ADDRESS, verified=True)
        uses = 1 if email else 3
        _, token = invitations.invite(two.mine.project, by=lead, role="rater", email=email, max_uses=uses)
        if not email:
            invitations.redeem(invitations.hashed(token), user=left, addresses=[])
        row = replace(ROWS[number], data={"token": token})
        outcome = outcome_of(two, row, subject, reverse(row.name), may_tell=True)
        user = two.extra.get(subject) or two.mine.people[subject]
        is_member = two.mine.project.memberships.filter(user=user).exists()
        return replace(outcome, shape=f"{outcome.shape} {is_member}")
    raise AssertionError("not reached")
