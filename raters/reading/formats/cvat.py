"""CVAT for images, XML 1.1: the tags of each image and their attributes. Video tracks have no tags."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import first_option
from raters.reading.formats.opening import (
    base_name,
    brought,
    faults_of,
    first_characters,
    parts_of,
    stem,
    unless_refused,
    xml_events,
)
from raters.reading.records import (
    MODEL,
    MULTIPLE,
    NUMBER,
    REFERENCE,
    SINGLE,
    Files,
    Format,
    FormatChoice,
    InputFile,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

TAG = "tag"
_SHAPES = {
    "box": "bounding boxes",
    "polygon": "polygons",
    "polyline": "polylines",
    "points": "points",
    "cuboid": "cuboids",
    "ellipse": "ellipses",
    "mask": "masks",
    "skeleton": "skeletons",
    "track": "tracks",
}
# Rater and kind of a tag by its source; model-assisted tags are still a person's.
_OTHERS = {"auto": ("auto", MODEL), "consensus": ("consensus", REFERENCE)}


@dataclass(slots=True)
class _Image:
    place: int
    name: str
    task: str
    # (label, source, attributes)
    tags: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@dataclass(slots=True)
class _Job:
    """One file. assignees: by task ID, and for the whole file under ""."""

    name: str
    folder: str
    images: list[_Image] = field(default_factory=list)
    assignees: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    # (label, attribute) -> input type, and values.
    attributes: dict[tuple[str, str], tuple[str, list[str]]] = field(default_factory=dict)


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    start = first_characters(file)
    at = start.find("<annotations>")
    rest = start[at:]
    return (
        at >= 0
        and start.lstrip().startswith("<")
        and "<" not in start[:at].replace("<?xml", "").replace("<!", "")
        and any(part in rest for part in ("<image ", "<track ", "<meta>"))
    )


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    """Tags have no author, and replicas of one job may have the same assignee: then each file is a rater's."""
    n_files = sum(_is_ours(file) for file in brought(files))
    if n_files < 2:
        return ()
    options = [("assignee", "Who the job is assigned to"), ("file", "The file")]
    jobs = _jobs(files, LeftOut(), Faults())
    if len({job.assignees.get("", "") for job in jobs}) < n_files:
        options.reverse()
    return [FormatChoice("rater", "Rater", options)]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    by_file = first_option(choices(files), chosen, "rater", "assignee") == "file"
    jobs = _jobs(files, left_out, faults)
    questions = _questions(jobs)
    for name, (record, _) in questions.items():
        if record.kind or name == TAG:
            yield record
    for job in jobs:
        for image in job.images:
            own = job.assignees.get(image.task) or job.assignees.get("", "")
            yield from _labels(image, job.folder if by_file else own, questions, left_out)


def _labels(
    image: _Image,
    rater: str,
    questions: Mapping[str, tuple[QuestionRecord, AnswerStatistics]],
    left_out: LeftOut,
) -> Iterator[LabelRecord]:
    for who, kind, tags in _by_author(image, rater):
        given: dict[str, list[str]] = {}
        for label, _, attributes in tags:
            given.setdefault(TAG, []).append(label)
            for name, value in attributes.items():
                given.setdefault(f"{label}.{name}", []).append(value)
        for question, (record, seen) in questions.items():
            values = given.get(question, [])
            if question != TAG and not values:
                # An attribute is only asked if its tag is set.
                continue
            if not record.kind:
                left_out[FREE_TEXT] += len(values)
                continue
            yield LabelRecord(
                image.place,
                image.name,
                who,
                question,
                tuple(dict.fromkeys(values)) if record.kind == MULTIPLE else seen.value(values[:1]),
                rater_kind=kind,
                column=question,
            )


def _by_author(image: _Image, rater: str) -> Iterator[tuple[str, str, list[tuple[str, str, dict[str, str]]]]]:
    """Yield the tags of the person, the model, and the consensus. An image without tags was seen by the person."""
    for source, (who, kind) in _OTHERS.items():
        if tags := [tag for tag in image.tags if tag[1] == source]:
            yield who, kind, tags
    tags = [tag for tag in image.tags if tag[1] not in _OTHERS]
    if tags or not image.tags:
        yield rater, "", tags


def _questions(jobs: Sequence[_Job]) -> dict[str, tuple[QuestionRecord, AnswerStatistics]]:
    """Return the tags and each attribute of a tag as questions. A kind of "" means text."""
    tags = AnswerStatistics(TAG)
    labels: dict[str, None] = {}
    attributes: dict[str, AnswerStatistics] = {}
    declared: dict[str, tuple[str, list[str]]] = {}
    for job in jobs:
        labels.update(dict.fromkeys(job.labels))
        declared.update({f"{label}.{name}": spec for (label, name), spec in job.attributes.items()})
        for image in job.images:
            for _, _, given in _by_author(image, ""):
                tags.add(*dict.fromkeys(label for label, _, _ in given))
                for label, _, values in given:
                    labels[label] = None
                    for name, value in values.items():
                        attributes.setdefault(f"{label}.{name}", AnswerStatistics(name)).add(value)
    if not labels:
        return {}
    found = {TAG: (QuestionRecord(1, TAG, tags.kind, [(label, label) for label in labels]), tags)}
    for name, seen in attributes.items():
        entered, listed = declared.get(name, ("", []))
        kind = {"number": NUMBER, "text": ""}.get(entered, SINGLE)
        categories = [] if kind == NUMBER else [(value, value) for value in listed]
        found[name] = (QuestionRecord(1, name, kind, categories), seen)
    return found


# Reading the XML


def _jobs(files: Files, left_out: LeftOut, faults: Faults) -> list[_Job]:
    return [_job(file, left_out, faults_of(file, files, faults)) for file in brought(files) if _is_ours(file)]


def _job(file: InputFile, left_out: LeftOut, faults: Faults) -> _Job:
    folders = parts_of(file)[:-1]
    is_plain = base_name(file) == "annotations.xml" and folders
    job = _Job(file.name, folders[-1] if is_plain else stem(file))
    place = 0
    for event, path, element in xml_events(file, faults, is_done=_is_done):
        name = path[-1]
        if event == "start":
            if name == "image":
                place += 1
            continue
        if "meta" in path:
            _read_meta(job, path, element)
        elif name == "image":
            image = _image(element, place, faults)
            if image is not None:
                job.images.append(image)
        elif name in _SHAPES and "skeleton" not in path[:-1] and "track" not in path[:-1]:
            left_out[_SHAPES[name]] += 1
    return job


def _is_done(path: list[str]) -> bool:
    return path[-1] in ("image", "track", "label", "segment", "task", "job") or path[-1] in _SHAPES


def _image(element: Element, place: int, faults: Faults) -> _Image | None:
    name = element.get("name", "")
    if not name:
        faults.add(0, "image", element.get("id", ""), "missing_key", f"image {place:,} has no name")
        return None
    image = _Image(place, name, element.get("task_id", ""))
    for tag in element.iter("tag"):
        if not (label := tag.get("label", "")):
            faults.add(0, "tag", name, "missing_key", f"a tag of image {place:,} has no label")
            continue
        values = {
            attribute.get("name", ""): text
            for attribute in tag.iter("attribute")
            if (text := (attribute.text or "").strip())
        }
        image.tags.append((label, tag.get("source", ""), values))
    return image


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _read_meta(job: _Job, path: list[str], element: Element) -> None:
    name = path[-1]
    if name in ("task", "job"):
        if who := _text(element, "assignee/username"):
            job.assignees.setdefault(_text(element, "id"), who)
            job.assignees.setdefault("", who)
    elif name == "label" and path[-2] == "labels":
        label, kind = _text(element, "name"), _text(element, "type")
        if kind == "tag":
            job.labels.append(label)
        for attribute in element.iterfind("attributes/attribute"):
            values = [value for value in _text(attribute, "values").split("\n") if value.strip()]
            spec = (_text(attribute, "input_type"), [value.strip() for value in values])
            job.attributes[label, _text(attribute, "name")] = spec


CVAT = Format("cvat", "CVAT", recognizes, read, choices)
