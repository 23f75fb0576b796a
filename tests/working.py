"""A project with an open round and work in it, for tests of labeling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db.models import QuerySet

from projects.codebook.versions import store_version
from projects.models import Item, Membership, Project, Question, Round
from raters.actions import rater_of
from raters.labeling.answers import Answer
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SaveResult, SubmittedAnswers
from raters.models import Assignment, Label, Rater, User
from tests import cast
from tests.labeling import new_question


@dataclass(frozen=True, slots=True)
class Work:
    project: Project
    round: Round
    question: Question
    items: list[Item]
    raters: list[Rater]

    def user(self, place: int = 0) -> User:
        user = self.raters[place].user
        assert user is not None
        return user

    def assignment(self, place: int = 0, rater: int = 0) -> Assignment:
        return Assignment.objects.get(rater=self.raters[rater], item=self.items[place], pass_number=1)


def new_work(
    *,
    n_items: int = 3,
    n_raters: int = 2,
    places: int | None = None,
    project: Project | None = None,
    usernames: Sequence[str] = (),
) -> Work:
    """Every item by every rater; with `places`, so many free places for each item instead."""
    project = project or cast.new_project("Work", unique=True)
    question = new_question(project, key="tone", categories=("good", "fair", "bad"))
    round_ = Round.objects.create(project=project, key="round 1", state=Round.State.OPEN)
    Item.objects.bulk_create(
        Item(
            project=project,
            key=f"item-{n + 1}",
            content=[{"name": "text", "kind": "text", "value": f"Text {n + 1}"}],
        )
        for n in range(n_items)
    )
    items = list(project.items.order_by("id"))
    raters = [new_rater(project, *usernames[n : n + 1]) for n in range(n_raters)]
    if places is None:
        rows = [
            Assignment(rater=rater, item=item, round=round_, position=n)
            for rater in raters
            for n, item in enumerate(items)
        ]
    else:
        rows = [
            Assignment(item=item, round=round_, position=n, is_on_demand=True)
            for n, item in enumerate(items)
            for _ in range(places)
        ]
    Assignment.objects.bulk_create(rows)
    store_version(project)
    return Work(project, round_, question, items, raters)


def new_rater(project: Project, username: str = "rater") -> Rater:
    user = cast.member(project, Membership.Role.RATER, username=username, unique=username == "rater")
    return rater_of(project, user)


def answer(
    work: Work,
    label: Mapping[str, Answer] | str,
    *,
    place: int = 0,
    rater: int = 0,
    seen: Mapping[str, int] | None = None,
    key: UUID | None = None,
    **draft,
) -> SaveResult:
    """Save what a rater said of an item; a text is the category of the work's question."""
    answers = {"tone": Answer(category=label)} if isinstance(label, str) else label
    return save_answers(
        work.raters[rater],
        work.assignment(place, rater).pk,
        SubmittedAnswers(answers=answers, revisions=seen or {}, **draft),
        key=key or uuid4(),
        by=work.user(rater),
    )


def label_all(assignments: QuerySet[Assignment]) -> None:
    """Done as if their raters had labeled them: each required question has the first of its answers."""
    done = list(assignments.select_related("item"))
    for question in Question.objects.filter(project=done[0].item.project_id, is_required=True):
        Label.objects.bulk_create(
            Label(
                item=each.item,
                rater_id=each.rater_id,
                question=question,
                round_id=each.round_id,
                pass_number=each.pass_number,
                category=question.categories.first(),
            )
            for each in done
        )
    assignments.update(state=Assignment.State.DONE)
