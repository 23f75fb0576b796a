"""Whose labels count in disputes and final labels: people and models alike, unlike in reports."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from projects.models import Project
from raters.models import Label, Rater


@dataclass(frozen=True, slots=True)
class Voters:
    n_people: int
    n_models: int

    @property
    def n(self) -> int:
        return self.n_people + self.n_models

    @property
    def words(self) -> str:
        """For example, "4 people and 2 models"."""
        people = f"{self.n_people:,} {'person' if self.n_people == 1 else 'people'}"
        models = f"{self.n_models:,} model{'' if self.n_models == 1 else 's'}"
        return " and ".join(words for n, words in ((self.n_people, people), (self.n_models, models)) if n)


def voters_among(raters: Iterable[Rater]) -> Voters:
    """Count people and models; a rater may come several times."""
    kinds = {rater.pk: rater.kind for rater in raters}
    return Voters(*(list(kinds.values()).count(kind) for kind in (Rater.Kind.HUMAN, Rater.Kind.MODEL)))


def voters_of(project: Project) -> Voters:
    """Count the people and models that have labels in the project."""
    return voters_among(
        Rater.objects.filter(
            Exists(Label.objects.filter(rater=OuterRef("pk"))),
            project=project,
            kind__in=[Rater.Kind.HUMAN, Rater.Kind.MODEL],
        )
    )
