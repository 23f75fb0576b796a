"""Final labels taken away, by page and API alike: who may, which round, and one line in the log."""

from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse

from projects.events import record
from projects.models import Batch, Event, Project
from raters.access import StillBlind, also_rates, refused_look, rounds_to_be_blind_in
from raters.adjudication.exporting import FORMATS, TYPES, FinalLabel, final_labels
from raters.models import Assignment, Label


def refuse_while_labelling(user: Any, project: Project, batch: Batch | None) -> None:
    """Raises StillBlind for one who labels items of it in a round that is not closed.

    A file that leaves out what one may not see would be taken for a whole one.
    """
    rounds = rounds_to_be_blind_in(user, project)
    places = Assignment.objects.filter(batch__in=rounds)
    if batch is not None:
        places = places.filter(item__in=Label.objects.filter(batch=batch).values("item"))
    if keys := sorted(set(places.values_list("batch__key", flat=True))):
        refused_look(user, project, keys, "final labels")
        raise StillBlind(keys)


def file_of(user: Any, project: Project, batch: Batch | None, kind: str) -> StreamingHttpResponse:
    """All final labels as a download. Raises StillBlind."""
    refuse_while_labelling(user, project, batch)
    record(
        Event.Kind.FINAL_LABELS_TAKEN,
        by=user,
        project=project,
        about=batch.key if batch else "all rounds",
        format=kind,
        also_rates=also_rates(user, project),
    )
    labels: Iterator[FinalLabel] = final_labels(project, batch)
    response = StreamingHttpResponse(FORMATS[kind](labels), content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-final-labels.{kind}"'
    return response
