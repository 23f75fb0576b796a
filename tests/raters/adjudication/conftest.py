"""A project in dispute: three raters, three items, one question with three categories."""

import pytest

from projects.models import Item, Membership, Project, Question, Round
from raters.models import Label, Rater, User
from tests import cast
from tests.labeling import new_question


@pytest.fixture
def disputed_tone(project: Project) -> Question:
    return new_question(project, key="tone", categories=("good", "fair", "bad"))


@pytest.fixture
def closed_round(project: Project) -> Round:
    return Round.objects.create(project=project, key="round 1", state=Round.State.CLOSED)


@pytest.fixture
def say(project: Project, disputed_tone: Question, closed_round: Round):
    """Write one label: say("item-1", "ann", "good"); None is "cannot tell"."""

    def write(item: str, rater: str, category: str | None, **more) -> Label:
        values = {"round": closed_round, "question": disputed_tone, **more}
        kind = values.pop("kind", Rater.Kind.HUMAN)
        return Label.objects.create(
            item=Item.objects.get_or_create(project=project, key=item)[0],
            rater=Rater.objects.get_or_create(project=project, key=rater, defaults={"kind": kind})[0],
            category=values["question"].categories.get(key=category) if category else None,
            is_abstention=category is None,
            **values,
        )

    return write


@pytest.fixture
def disputed(say, project: Project) -> list[Item]:
    """item-1: all agree. item-2: two against one. item-3: three ways."""
    for rater in ("ann", "bob", "cem"):
        say("item-1", rater, "good")
    say("item-2", "ann", "good")
    say("item-2", "bob", "good", note="Surely.")
    say("item-2", "cem", "bad")
    for rater, category in (("ann", "good"), ("bob", "fair"), ("cem", "bad")):
        say("item-3", rater, category)
    return list(Item.objects.filter(project=project).order_by("key"))


@pytest.fixture
def other_adjudicator(project: Project) -> User:
    return cast.member(project, Membership.Role.ADJUDICATOR, username="abe")
