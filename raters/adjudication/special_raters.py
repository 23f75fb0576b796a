"""Raters that are not people: the consensus, whose labels are the decisions of adjudicators, and the reference."""

from django.db import IntegrityError, transaction

from projects.models import Project
from raters.models import Rater

MAX_TRIES = 1000


def consensus_of(project: Project) -> Rater | None:
    return _first(project, Rater.Kind.CONSENSUS)


def consensus_for(project: Project) -> Rater:
    """Return the consensus rater, creating it with the first decision."""
    return _first_or_made(project, Rater.Kind.CONSENSUS, "consensus")


def reference_of(project: Project) -> Rater | None:
    """Return the first reference, as imports may have created several."""
    return _first(project, Rater.Kind.REFERENCE)


def reference_for(project: Project) -> Rater:
    """Return the reference rater, creating it with the first reference answer."""
    return _first_or_made(project, Rater.Kind.REFERENCE, "reference")


def _first(project: Project, kind: Rater.Kind) -> Rater | None:
    return Rater.objects.filter(project=project, kind=kind).order_by("pk").first()


def _first_or_made(project: Project, kind: Rater.Kind, name: str) -> Rater:
    """Return the first rater of a kind, or create one. An imported rater with the same name is a different one."""
    for number in range(1, MAX_TRIES):
        if known := _first(project, kind):
            return known
        key = name if number == 1 else f"{name}-{number}"
        try:
            with transaction.atomic():
                return Rater.objects.create(project=project, key=key, kind=kind)
        except IntegrityError:
            # The name is taken, or the rater has just been created concurrently.
            continue
    raise ValueError(f"there are too many raters called {name!r} in {project.slug!r}")


def no_voters(project: Project) -> list[int]:
    """Return the IDs of raters whose labels are not votes: the consensus and the references."""
    kinds = [Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE]
    return list(Rater.objects.filter(project=project, kind__in=kinds).values_list("pk", flat=True))
