"""A revealed round with people, a model and a reference, at known times, with blind repeats; and a report on it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from django.urls import reverse

from projects.models import Category, Item, Membership, Project, Question, Round
from raters.models import Assignment, Label, Rater, User
from reports.models import QuestionAgreement, Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import keyed, new_question

WORDS = ("good", "fair", "bad")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
N_ITEMS = 60
# Whoever is a member labels with a name of one's own.
PEOPLE = ("ann", "bob")


@dataclass(frozen=True, slots=True)
class Rated:
    project: Project
    round: Round
    question: Question
    report: Report
    raters: dict[str, Rater]
    users: dict[str, User]

    @property
    def agreement(self) -> QuestionAgreement:
        return self.report.questions.select_related("report__project", "question").get()

    @property
    def ann(self) -> Rater:
        return self.raters["ann"]

    def address(self, rater: str = "ann", tail: str = "") -> str:
        args = [self.project.slug, self.report.pk, self.question.pk, self.raters[rater].pk]
        return reverse("report_rater", args=args) + tail

    def api(self, rater: str = "ann") -> str:
        args = [self.project.slug, self.report.pk, self.question.key, self.raters[rater].pk]
        return reverse("api_report_rater", args=args)


def label_of(rater: str, item: int) -> int:
    """Ann calls much of what is fair good, most of it at the end; the others slip now and then."""
    truth = item % 3
    if rater == "gold":
        return truth
    if rater == "ann":
        return 0 if truth == 1 and item > 32 else truth
    slips = {"bob": 7, "cy": 9, "dee": 11, "model": 13}
    return (truth + 1) % 3 if item % slips[rater] == 0 else truth


def rated(name: str = "Rated", **options) -> Rated:
    project = cast.new_project(name, unique=True)
    question = new_question(project, key="tone", categories=WORDS)
    round_ = Round.objects.create(
        project=project, key="round 1", state=Round.State.CLOSED, revealed_at=START + timedelta(days=9)
    )
    raters, users = new_raters(project)
    items = keyed(Item, project, [f"item-{number:02}" for number in range(N_ITEMS)])
    label(question, round_, raters, list(items.values()))
    report = finished_report(project, users["lead"], **{"counted": ["human", "model"]} | options)
    return Rated(project, round_, question, report, raters, users)


@cache
def rated_once() -> Rated:
    """One for all tests, which take back what they do to it."""
    return rated()


def new_raters(project: Project) -> tuple[dict[str, Rater], dict[str, User]]:
    users = {name: cast.member(project, Membership.Role.RATER, username=name, unique=True) for name in PEOPLE}
    for role in (Membership.Role.LEAD, Membership.Role.AUDITOR, Membership.Role.ADJUDICATOR):
        users[role] = cast.member(project, role, username=role, unique=True)
    kinds = {"model": Rater.Kind.MODEL, "gold": Rater.Kind.REFERENCE}
    raters = {
        name: Rater.objects.create(
            project=project, key=name, kind=kinds.get(name, Rater.Kind.HUMAN), user=users.get(name)
        )
        for name in ("ann", "bob", "cy", "dee", "model", "gold")
    }
    return raters, users


def label(question: Question, round_: Round, raters: dict[str, Rater], items: list[Item]) -> None:
    """Everybody labels everything, a minute after the other; Ann the first ten again, three of them otherwise."""
    categories = list(Category.objects.filter(question=question))
    rows = [
        Label(
            item=item,
            question=question,
            rater=rater,
            round=round_,
            category=categories[label_of(name, place)],
            labelled_at=START + timedelta(minutes=place),
            seconds=5.0 + place % 4 if name == "ann" else None,
        )
        for name, rater in raters.items()
        for place, item in enumerate(items)
    ]
    rows += [
        Label(
            item=item,
            question=question,
            rater=raters["ann"],
            round=round_,
            pass_number=2,
            category=categories[(label_of("ann", place) + (place < 3)) % 3],
            labelled_at=START + timedelta(days=1),
        )
        for place, item in enumerate(items[:10])
    ]
    Label.objects.bulk_create(rows)
    Assignment.objects.bulk_create(
        Assignment(rater=raters["ann"], item=item, round=round_, position=place, state="done")
        for place, item in enumerate(items)
    )
