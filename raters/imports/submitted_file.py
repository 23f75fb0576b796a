"""Parse import requests to the API: the file, in a form or as the body, and its options."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import IO, Any

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from core.refusals import RefusedWithCode
from core.tables.encoding import Source
from core.web.api import texts_of_form
from core.web.strict import parsed
from projects.imports.protocol import ReadingOptions
from raters.imports.file_kinds import KINDS
from raters.imports.label_options import CHOICES as OPTION_CHOICES
from raters.imports.label_options import FLAGS, OBJECTS, TEXTS, LabelOptions
from raters.imports.uploads import limited, one_of
from raters.models import LabelImport

FLAG = ["true", "false"]
# File options, and further parameters.
OPTIONS = (*TEXTS, *FLAGS, *OBJECTS, "mapping")
PARAMETERS = (*OPTIONS, "kind", "dry_run", "file_name")
# Allowed values of parameters with a choice.
CHOICES: dict[str, list[Any]] = {
    **{name: [*choices] for name, choices in OPTION_CHOICES.items()},
    "kind": [*KINDS],
    **dict.fromkeys((*FLAGS, "dry_run"), FLAG),
}


class RawFileParser(BaseParser):
    """The request body is the file."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        file = tempfile.TemporaryFile()  # noqa: SIM115  Closed by the view.
        try:
            for block in limited(iter(lambda: stream.read(64 * 1024), b"")):
                file.write(block)
        except BaseException:
            file.close()
            raise
        return RawFile(file)


class CSVParser(RawFileParser):
    media_type = "text/csv"


class TSVParser(RawFileParser):
    media_type = "text/tab-separated-values"


class JSONLinesParser(RawFileParser):
    media_type = "application/x-ndjson"


class ZIPParser(RawFileParser):
    media_type = "application/zip"


class XLSXParser(RawFileParser):
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class XLSParser(RawFileParser):
    media_type = "application/vnd.ms-excel"


class ODSParser(RawFileParser):
    media_type = "application/vnd.oasis.opendocument.spreadsheet"


class SPSSParser(RawFileParser):
    media_type = "application/x-spss-sav"


class StataParser(RawFileParser):
    media_type = "application/x-stata-dta"


class BytesParser(RawFileParser):
    """Any file. The format is detected from the content, whatever the content type."""

    media_type = "application/octet-stream"


RAW_PARSERS = (
    CSVParser,
    TSVParser,
    JSONLinesParser,
    ZIPParser,
    XLSXParser,
    XLSParser,
    ODSParser,
    SPSSParser,
    StataParser,
    BytesParser,
)


class RawFile:
    """A file sent as the request body."""

    name = ""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def chunks(self) -> Iterator[bytes]:
        self.file.seek(0)
        while block := self.file.read(64 * 1024):
            yield block

    def close(self) -> None:
        self.file.close()


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A file with its parameters. Must be closed."""

    file: Any
    given: dict[str, str]

    @property
    def source(self) -> Source:
        chunks: Source = self.file.chunks
        return chunks

    @property
    def name(self) -> str:
        return self.given.get("file_name") or self.file.name

    @property
    def kind(self) -> str:
        return _choice(self.given, "kind", LabelImport.Kind.LABELS)

    @property
    def is_dry_run(self) -> bool:
        return _choice(self.given, "dry_run", "false") == "true"

    def options(self) -> ReadingOptions:
        """Return the options of this kind of file. Raises RefusedWithCode for options that it does not have."""
        options = KINDS[self.kind].options
        names = {field.name for field in fields(options)}
        sent = {name: _parsed_option(self.given, name) for name in OPTIONS if name in self.given}
        is_of_labels = options is LabelOptions
        if other := sent.keys() - names - ({"mapping"} if is_of_labels else set()):
            raise RefusedWithCode("invalid_option", f"{min(other)} does not apply to files of {self.kind}.")
        try:
            return options.from_json({**sent.pop("mapping", {}), **sent})
        except (ValueError, TypeError) as error:
            raise RefusedWithCode("invalid_option", f"{error}.") from None


def sent_file(request: Request) -> SubmittedFile:
    """Return the file from a form, or from the body with options in the query string."""
    body: Any = request.data
    query = {name: request.query_params[name] for name in request.query_params}
    if isinstance(body, RawFile):
        return SubmittedFile(body, query)
    files = request.FILES.getlist("file") if request.FILES else []
    if not files:
        raise RefusedWithCode(
            "not_a_file",
            "Send the file itself, as the multipart part `file` or as the request body.",
        )
    sent = SubmittedFile(one_of(files), query | texts_of_form(body, PARAMETERS))
    if len(files) > 1 and sent.kind != LabelImport.Kind.LABELS:
        raise RefusedWithCode("several_files", f"Send one file of {sent.kind} at a time.")
    return sent


def _choice(given: Mapping[str, str], name: str, default: str) -> str:
    value = given.get(name, default)
    if value not in CHOICES[name]:
        raise RefusedWithCode(
            "invalid_option", f"{name} must be one of {', '.join(CHOICES[name])}, got {value[:100]!r}."
        )
    return value


def _parsed_option(given: Mapping[str, str], name: str) -> Any:
    """Parse an option as a flag, an object, or text."""
    if name in FLAGS:
        return _choice(given, name, "false") == "true"
    if name in OBJECTS or name == "mapping":
        value = parsed(given[name].encode("utf-8", "surrogatepass"))
        if not isinstance(value, dict):
            raise RefusedWithCode("invalid_option", f"{name} must be a JSON object.")
        return value
    return given[name]
