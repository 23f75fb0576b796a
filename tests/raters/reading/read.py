"""What a format makes of files."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from core.tables.faults import Faults
from core.tables.sources import bytes_of
from raters.reading.records import (
    Files,
    Format,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)


def files_of(contents: Mapping[str, str | bytes]) -> list[InputFile]:
    """Files by their names."""
    return [
        InputFile(name, bytes_of(content.encode() if isinstance(content, str) else content))
        for name, content in contents.items()
    ]


class Read:
    """What a format makes of files."""

    def __init__(self, format_: Format, files: Files, **chosen: str) -> None:
        self.left_out, self.faults = LeftOut(), Faults()
        # Keys of choices may hold dots, which no keyword can.
        chosen = {key.replace("__", "."): value for key, value in chosen.items()}
        self.records: list[Record] = list(format_.read(files, chosen, self.left_out, self.faults))
        self.labels = [record for record in self.records if isinstance(record, LabelRecord)]
        self.items = {record.item: record for record in self.records if isinstance(record, ItemRecord)}
        self.questions = {
            record.question: record for record in self.records if isinstance(record, QuestionRecord)
        }

    def values(self, question: str) -> dict[tuple[str, str], Any]:
        """(item, rater) -> value."""
        return {(label.item, label.rater): label.value for label in self.labels if label.question == question}


def zipped(contents: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return packed.getvalue()
