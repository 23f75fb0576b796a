"""The consensus rater: whose labels are what adjudicators decided, one in each project."""

from django.db import IntegrityError, transaction

from projects.models import Project
from raters.models import Rater

KEY = "consensus"
MAX_TRIES = 1000


def consensus_of(project: Project) -> Rater | None:
    return Rater.objects.filter(project=project, kind=Rater.Kind.CONSENSUS).first()


def consensus_for(project: Project) -> Rater:
    """The same, made when the first decision needs it; an imported rater of that name is somebody else."""
    for number in range(1, MAX_TRIES):
        if known := consensus_of(project):
            return known
        key = KEY if number == 1 else f"{KEY}-{number}"
        try:
            with transaction.atomic():
                return Rater.objects.create(project=project, key=key, kind=Rater.Kind.CONSENSUS)
        except IntegrityError:
            # The name is taken, or somebody else just made it.
            continue
    raise ValueError(f"there are too many raters called {KEY!r} in {project.slug!r}")


def no_voters(project: Project) -> list[int]:
    """The raters whose labels are no votes: the consensus and the references."""
    kinds = [Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE]
    return list(Rater.objects.filter(project=project, kind__in=kinds).values_list("pk", flat=True))
