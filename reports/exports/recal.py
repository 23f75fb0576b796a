"""The labels of a report as files for ReCal; see raters.writing.recal."""

from collections.abc import Iterator

from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from raters.writing.recal import RecalFile, file_name, readme
from raters.writing.records import ExportCategory
from reports.exports.label_exports import LabelExportReader, reading
from reports.models import Report
from reports.results.kinds import result_kind
from reports.results.queries import agreements_of
from reports.store.included_raters import excluded_keys


def recal_archive(report: Report) -> Iterator[bytes]:
    return zip_pieces(_members(report))


def _members(report: Report) -> Iterator[ZipMember]:
    files: list[RecalFile] = []
    left_out: list[str] = []
    with reading(report) as read:
        raters = _raters(read, report)
        for question in read.questions.values():
            if result_kind(question["kind"]).has_sets:
                left_out.append(question["key"])
                continue
            key = question["key"]
            categories = [
                ExportCategory(each["key"], each["key"], each["value"]) for each in question["categories"]
            ]
            name = file_name(key, len(files))
            file = RecalFile(name, key, question["level"], categories, raters[key])
            files.append(file)
            yield ZipMember(file.name, in_blocks(file.lines(read.labels(question["id"]))))
    yield readme(files, left_out)


def _raters(read: LabelExportReader, report: Report) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {question["key"]: {} for question in read.questions.values()}
    left_out = {agreement.question.key: set(excluded_keys(agreement)) for agreement in agreements_of(report)}
    for question, rater, _ in read.columns():
        if rater not in left_out[question]:
            found[question][rater] = None
    return {question: tuple(sorted(raters)) for question, raters in found.items()}
