"""Files that items refer to but the project does not have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import connection

from projects.media.names import MEDIA, is_elsewhere, name_in
from projects.models import MediaFile, Project

LISTED = 20
_BLOCK = 5_000
_NAMED = """
SELECT DISTINCT part ->> 'value'
FROM projects_item i, jsonb_array_elements(i.content) part
WHERE i.project_id = %(project)s
  AND i.content @? '$[*].kind ? (@ == "image" || @ == "audio" || @ == "video")'
  AND part ->> 'kind' IN ('image', 'audio', 'video')
  AND part ->> 'value' !~* '^\\s*(https?://|$)'
"""


@dataclass(frozen=True, slots=True)
class MissingMedia:
    """How many files are missing, and the names of the first."""

    n: int
    names: list[str]

    @property
    def n_more(self) -> int:
        return self.n - len(self.names)


def missing_files(project: Project) -> MissingMedia:
    """Of all items of the project."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, {"project": project.pk})
        return missing_of(project, (value for (value,) in cursor.fetchall()))


def missing_of(project: Project, values: Iterable[str]) -> MissingMedia:
    """The missing files that this content refers to."""
    names = sorted({name_in(value) for value in values})
    known: set[str] = set()
    for start in range(0, len(names), _BLOCK):
        rows = MediaFile.objects.filter(project=project, name__in=names[start : start + _BLOCK])
        known.update(rows.values_list("name", flat=True))
    missing = [name for name in names if name not in known]
    return MissingMedia(len(missing), missing[:LISTED])


def missing_in_file(
    project: Project, columns: Sequence[tuple[str, str]], rows: Iterable[list[str]]
) -> MissingMedia:
    """The missing files that a file to be imported refers to; columns: (name, kind)."""
    places = [place for place, (_, kind) in enumerate(columns) if kind in MEDIA]
    values = {cells[place] for cells in rows for place in places} if places else set()
    return missing_of(project, (value for value in values if value.strip() and not is_elsewhere(value)))
