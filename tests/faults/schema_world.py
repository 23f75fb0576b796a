"""A project in which every operation of the API finds something: all kinds of questions, rounds, reports, files."""

import io
from dataclasses import dataclass

from django.test import Client
from django.utils import timezone

from projects.codebook.guidelines import write_guidelines
from projects.media.media_files import store_media
from projects.models import Item, Membership, Project, Question, Round
from raters.actions import rater_of
from raters.models import Assignment, Label, Rater, User
from reports.models import OnDemandFigures
from reports.tasks import compute_on_demand
from tests import cast, files
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.pictures import png
from tests.reports.numbers_and_sets import add_numbers, add_sets


@dataclass(frozen=True, slots=True)
class SchemaWorld:
    project: Project
    # By the names of the subjects.
    people: dict[str, User]


def new_schema_world() -> SchemaWorld:
    project = cast.new_project("Schema", unique=True)
    people = {
        name: cast.member(project, role, username=name, unique=True)
        for name, role in [("owner", Membership.Role.LEAD), ("rater", Membership.Role.RATER)]
    }
    # Whoever is removed by the one that is tested; without another lead the owner stays one.
    for role in set(Membership.Role) - {Membership.Role.LEAD}:
        cast.member(project, role, username=f"other-{role}", unique=True)
    people["stranger"] = cast.person("stranger", unique=True)
    write_guidelines(project, "# Look twice", by=people["owner"])
    _label(project)
    _assign(project, people["rater"])
    store_media(project, "photos/1.png", io.BytesIO(png()), by=people["owner"])
    files.load(project, b"item,rater,label,question\nnew,r0,good,tone\n", by=people["owner"])
    reports = [
        finished_report(project, people["owner"], **options) for options in ({}, {"reference": "gold"})
    ]
    _look_ahead(people["owner"], project, [report.pk for report in reports])
    return SchemaWorld(project, people)


def _label(project: Project) -> None:
    tone = new_question(project, key="tone", categories=("good", "fair", "bad"), position=0)
    Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)
    words = ["good", "fair", "bad"]
    add_labels(
        tone,
        [
            (f"i{item:03}", rater, words[(item + place * (item % 3 == 0)) % 3])
            for item in range(9)
            for place, rater in enumerate(["r0", "r1", "r2", "gold"])
        ],
    )
    size = Question.objects.create(project=project, key="size", kind=Question.Kind.NUMBER, position=1)
    add_numbers(size, [(float(n), n + 0.5, float(n % 4)) for n in range(9)])
    themes = new_question(
        project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE, position=2
    )
    add_sets(themes, [(("a",), ("a", "b"), ("b",))] * 6 + [((), ("a",), ("a",))] * 3)
    Item.objects.filter(project=project).update(content=[{"name": "text", "kind": "text", "value": "Hello"}])


def _assign(project: Project, user: User) -> None:
    """A round to label in, one that is revealed, and one that is planned."""
    rater = rater_of(project, user)
    items = list(project.items.order_by("pk"))
    open_, draft = (Round.objects.create(project=project, key=key, state=key) for key in ("open", "draft"))
    for round_, some in ((open_, items[:4]), (draft, items[4:6])):
        Assignment.objects.bulk_create(
            Assignment(rater=rater, item=item, round=round_, position=place)
            for place, item in enumerate(some)
        )
    shown = Round.objects.create(project=project, key="shown", state="closed", revealed_at=timezone.now())
    tone = project.questions.get(key="tone")
    Label.objects.filter(question=tone, item__in=items[6:9]).update(round=shown)
    Label.objects.bulk_create(
        Label(item=item, question=tone, rater=rater, round=shown, category=tone.categories.first())
        for item in items[6:9]
    )


def _look_ahead(user: User, project: Project, reports: list[int]) -> None:
    """Have the figures that are left to a worker, so that they are answered and not only promised."""
    client = Client()
    client.force_login(user)
    first, second = reports
    raters = list(project.raters.order_by("pk").values_list("pk", flat=True))
    base = f"/api/v1/projects/{project.slug}/reports"
    client.get(f"{base}/comparison/?first={first}&second={second}")
    for key in ("tone", "size", "themes"):
        client.get(f"{base}/{second}/questions/{key}/time/")
        client.get(f"{base}/{second}/questions/{key}/comparison/?first=all&second=report:{first}")
        for rater in raters:
            client.get(f"{base}/{second}/questions/{key}/raters/{rater}/")
    later = OnDemandFigures.objects.filter(agreement__report__project=project, result__isnull=True)
    for pk in later.values_list("pk", flat=True):
        compute_on_demand(pk)
