"""Downloads of final labels for pages and API: permission check, round, and a log event."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from projects.events import record
from projects.models import Event, Project, Round
from raters.access import also_rates, refuse_blind_to
from raters.adjudication.exporting import FORMATS, TYPES, ExportableLabel, FinalLabel, final_labels
from raters.adjudication.final_fields import ItemField, joined


def refuse_while_labeling(user: Any, project: Project, round_: Round | None) -> None:
    """Raise LabelsHidden if the user labels any of the items in a round that is not closed."""
    refuse_blind_to(user, project, None if round_ is None else [round_.key], about="final labels")


def file_of(
    user: Any, project: Project, round_: Round | None, kind: str, fields: Sequence[ItemField] = ()
) -> StreamingHttpResponse:
    """Return all final labels as a download, with these fields of their items. Raises LabelsHidden."""
    refuse_while_labeling(user, project, round_)
    record(
        Event.Kind.FINAL_LABELS_TAKEN,
        by=user,
        project=project,
        about=round_.key if round_ else "all rounds",
        format=kind,
        also_rates=also_rates(user, project),
    )
    labels: Iterator[FinalLabel] = final_labels(project, round_)
    rows: Iterator[ExportableLabel] = joined(project, labels, fields) if fields else labels
    file = FORMATS[kind](rows, [field.column for field in fields])
    response = StreamingHttpResponse(file, content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-final-labels.{kind}"'
    return response
