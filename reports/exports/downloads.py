"""Downloads of a report's files, which are recorded in the project's log."""

import logging
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from core.refusals import Refused
from projects.events import record
from projects.models import Event
from reports.drawing.typeset import TypesettingFailed
from reports.exports.export_list import ExportFile
from reports.models import Report

logger = logging.getLogger(__name__)


def export_response(file: ExportFile, report: Report, *, by: Any) -> StreamingHttpResponse:
    """Return the file as a streaming response. Raises FileNotCreated."""
    pieces = begun(file.pieces(report))
    record(Event.Kind.EXPORTED, by=by, project=report.project, about=file.name, report=report.pk)
    response = StreamingHttpResponse(pieces, content_type=file.content_type)
    response["Content-Disposition"] = content_disposition_header(True, file.file_name(report)) or "attachment"
    return response


class FileNotCreated(Refused):
    """A file that could not be created; the message says why and what to do."""

    code, status_code = "not_made", 503


def begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Return the pieces with the first one already created, so that early failures occur before the response begins."""
    try:
        first = next(pieces, b"")
    except TypesettingFailed as error:
        logger.warning("a PDF was not made: %s", error)
        raise FileNotCreated(
            "Creating the PDF took too much time or memory. Download the Word document or the tables instead."
        ) from error
    return chain([first], pieces)
