"""What the addresses of rounds and of the labeling in them take in a world."""

from typing import Any

from django.utils import timezone

from projects.models import Round, RoundAttempt
from raters.actions import rater_of
from raters.models import (
    AdaptiveOverlap,
    Assignment,
    Label,
    Qualification,
    Rater,
)
from tests.finished import World


def assignment_args(world: World) -> list[Any]:
    """An assignment of the rater in an open round: for everyone else it does not exist."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    rater = rater_of(world.project, world.people["rater"])
    assignment, _ = Assignment.objects.get_or_create(rater=rater, item=world.item, round=round_)
    return [world.project.slug, assignment.pk]


def round_args(world: World) -> list[Any]:
    round_, _ = Round.objects.get_or_create(project=world.project, key="open")
    return [world.project.slug, round_.pk]


def planned_args(world: World) -> list[Any]:
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="planned", defaults={"plans": [{"seed": 1}]}
    )
    return [world.project.slug, round_.pk]


def adaptive_args(world: World) -> list[Any]:
    slug, pk = planned_args(world)
    AdaptiveOverlap.objects.get_or_create(round_id=pk, defaults={"changed_by": world.lead})
    return [slug, pk]


def thread_args(world: World) -> list[Any]:
    """A question that was answered."""
    thread, _ = world.item.threads.get_or_create(rater=world.pair.rater_a, defaults={"is_open": False})
    thread.messages.create(author=world.lead, text="Why?")
    thread.messages.create(author=world.lead, text="So.", is_answer=True)
    return [world.project.slug, thread.pk]


def unclear_args(world: World) -> list[Any]:
    """An assignment that its rater marked as not covered by the guidelines."""
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="unclear", defaults={"state": Round.State.CLOSED}
    )
    mark, _ = Assignment.objects.get_or_create(
        round=round_, item=world.item, rater=world.pair.rater_b, defaults={"pass_number": 99}
    )
    Assignment.objects.filter(pk=mark.pk).update(is_guideline_unclear=True)
    return [world.project.slug, mark.pk]


def asked_args(world: World) -> list[Any]:
    """An assignment of the rater, who has asked about it, as has another rater."""
    slug, pk = assignment_args(world)
    for rater in (rater_of(world.project, world.people["rater"]), world.pair.rater_b):
        world.item.threads.get_or_create(rater=rater)
    return [slug, pk]


def alert_args(world: World) -> list[Any]:
    project = world.project
    alert = project.quality_alerts.create(rater=world.pair.rater_a, kind="reference", rule="x", n=3, n_bad=2)
    return [project.slug, alert.pk]


def pass_args(world: World) -> list[Any]:
    """A rater of a round with a pass mark."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="school", defaults={"pass_mark": 0.5})
    rater = world.pair.rater_a
    Assignment.objects.get_or_create(rater=rater, item=world.item, round=round_, pass_number=9)
    return [world.project.slug, round_.pk, rater.pk]


def attempt_args(world: World) -> list[Any]:
    """A rater who missed the pass mark of a round, of whose item the answer is known; the attempt is given already."""
    project = world.project
    round_, _ = Round.objects.get_or_create(
        project=project, key="missed", defaults={"pass_mark": 0.5, "state": Round.State.CLOSED}
    )
    further, _ = Round.objects.get_or_create(
        project=project, key="missed: attempt 2", defaults={"pass_mark": 0.5, "state": Round.State.OPEN}
    )
    RoundAttempt.objects.get_or_create(round=further, first=round_, number=2)
    rater = rater_of(project, world.people["rater"])
    reference, _ = Rater.objects.get_or_create(project=project, key="known", kind=Rater.Kind.REFERENCE)
    question = world.agreement.question
    Label.objects.get_or_create(
        item=world.item,
        question=question,
        rater=reference,
        defaults={"category": question.categories.first()},
    )
    Assignment.objects.get_or_create(
        rater=rater, item=world.item, round=round_, defaults={"pass_number": 88, "state": "done"}
    )
    Qualification.objects.get_or_create(
        round=round_, rater=rater, defaults={"n": 1, "n_right": 0, "is_passed": False}
    )
    return [project.slug, round_.pk, rater.pk]


def paused_args(world: World) -> list[Any]:
    """The rater has a message to read; for everyone else, it does not exist."""
    rater = rater_of(world.project, world.people["rater"])
    Rater.objects.filter(pk=rater.pk).update(paused_at=timezone.now(), pause_note="x", may_resume=True)
    return [world.project.slug]


def unlabeled_args(world: World) -> list[Any]:
    """A round that nobody has labeled in."""
    round_, _ = Round.objects.get_or_create(project=world.project, key="unlabeled")
    return [world.project.slug, round_.pk]


def revealed_args(world: World) -> list[Any]:
    """A revealed round in which the rater has labeled: for who has not, it does not exist."""
    round_, _ = Round.objects.get_or_create(
        project=world.project, key="revealed", defaults={"state": "closed", "revealed_at": timezone.now()}
    )
    question = world.agreement.question
    Label.objects.get_or_create(
        item=world.item,
        question=question,
        rater=rater_of(world.project, world.people["rater"]),
        defaults={"round": round_, "category": question.categories.first()},
    )
    return [world.project.slug, round_.pk]
