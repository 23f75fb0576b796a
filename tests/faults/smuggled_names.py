"""What a request could name of one project or of the other."""

from dataclasses import dataclass, fields
from datetime import timedelta
from io import BytesIO
from typing import Any

from django.utils import timezone

from projects.events import record
from projects.media.media_files import store_media
from projects.models import Event, Invitation, Membership, Round
from raters.actions import rater_of
from raters.models import Assignment, Rater
from tests.config.routes.arguments import import_args
from tests.config.routes.row import HUGE
from tests.faults.matrix import CANARY, Two
from tests.finished import World
from tests.labeling import new_question
from tests.pictures import png


@dataclass(frozen=True, slots=True)
class Names:
    """What a request could name of one project. By a key, theirs are such as mine has none of."""

    slug: str
    project: int
    question: int
    question_key: str
    category: int
    category_key: str
    round: int
    round_key: str
    item_key: str
    first_rater: int
    rater: int
    rater_key: str
    first_report: int
    report: int
    media: str
    username: str
    user: int
    place: int
    done: int
    label_import: int
    # The categories of the question but for the last, which is `category`.
    others: tuple[int, ...]
    # What else waits for the rater but `place`.
    waiting: tuple[int, ...]


NOTHING = Names(**{each.name: {int: HUGE, str: "no-such-thing"}.get(each.type, ()) for each in fields(Names)})


def names_of(two: Two, world: World) -> Names:
    """Of mine, what works; made now, to be undone."""
    is_mine, project = world is two.mine, world.project
    pending = {"rater__user": world.people["rater"], "state": Assignment.State.PENDING}
    waiting = tuple(Assignment.objects.filter(**pending).values_list("pk", flat=True))
    question = world.agreement.question
    keyed = question if is_mine else new_question(project, key=f"{CANARY}-q", categories=[f"{CANARY}-c"])
    round_ = Round.objects.create(
        project=project, key="named" if is_mine else f"{CANARY}-round", state="open"
    )
    rater = rater_of(project, world.people["rater"])
    items = list(project.items.order_by("-pk")[:2])
    place, done = (Assignment.objects.create(rater=rater, item=item, round=round_) for item in items)
    Assignment.objects.filter(pk=done.pk).update(state=Assignment.State.DONE)
    media = f"{project.slug}.png"
    store_media(project, media, BytesIO(png()), by=world.lead)
    record(Event.Kind.IMPORTED, by=world.lead, project=project, about="items.csv")
    # Whom I invite may be invited by them too.
    Invitation.objects.create(
        project=project,
        role=Membership.Role.RATER,
        username=world.people["lead"].username,
        token_hash=project.slug,
        expires_at=timezone.now() + timedelta(days=1),
        made_by=world.lead,
    )
    # A codebook is copied from another project of one's own.
    source = two.second_project if is_mine else project
    return Names(
        slug=source.slug,
        project=source.pk,
        question=_last(project.questions).pk,
        question_key=keyed.key,
        category=_last(question.categories).pk,
        category_key=_last(keyed.categories).key,
        round=round_.pk,
        round_key=round_.key,
        item_key=items[0].key,
        first_rater=world.pair.rater_a_id,
        rater=world.pair.rater_b_id,
        rater_key=Rater.objects.get(pk=world.pair.rater_b_id).key,
        first_report=world.report.pk,
        report=two.second_report.pk if is_mine else world.report.pk,
        media=media,
        username=world.people["lead"].username,
        user=world.people["lead"].pk,
        place=place.pk,
        done=done.pk,
        label_import=import_args(world)[1],
        waiting=waiting,
        others=tuple(question.categories.order_by("position", "pk").values_list("pk", flat=True))[:-1],
    )


def _last(rows: Any) -> Any:
    return rows.order_by("position", "pk").last()
