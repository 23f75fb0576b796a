"""Files to import, and the ways they come in."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from core.tables.sources import bytes_of
from projects.codebook.imports import QuestionFile
from projects.imports.protocol import ImportContext, ImportResult
from projects.imports.read_options import ReadOptions
from projects.items.imports import ItemFile
from projects.items.item_columns import ItemOptions
from projects.models import Category, Item, Project, Question, Round
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions
from raters.models import Label, LabelImport, LabelRevision, Rater

HEADER = "item,rater,label\n"
GOOD = b"item,rater,label\na,ann,yes\na,ben,no\n"


def post_file(client: Client, project: Project, content: bytes, *, name: str = "labels.csv", **fields: str):
    """Upload a file over the API, as a form; of labels, if no kind is named."""
    file = SimpleUploadedFile(name, content)
    return client.post(f"/api/v1/projects/{project.slug}/imports/", {"file": file, **fields})


def send(client: Client, project: Project, content: bytes, *, what="labels", name="labels.csv", **fields):
    """Upload a file on the import page."""
    data = {"encoding": "auto", "what": what, "file": SimpleUploadedFile(name, content), **fields}
    return client.post(f"/p/{project.slug}/import/", data)


def drafted(client: Client, project: Project, content: bytes, *, what="items", **fields) -> LabelImport:
    """The draft of a file that was uploaded on the import page."""
    send(client, project, content, what=what, **fields)
    return LabelImport.objects.latest("pk")


def read_as(client, draft: LabelImport, **changes: str):
    """Send the form of a draft's page, with changes; a name's two underscores stand for a hyphen."""
    fields = {name.replace("__", "-"): value for name, value in changes.items()}
    return client.post(draft.get_absolute_url(), {"layout": "long", "encoding": "auto", **fields})


def confirm(client: Client, draft: LabelImport, *, page=None):
    """Press the button of the draft's page, as it is now or as it was."""
    page = page or client.get(draft.get_absolute_url())
    return client.post(f"{draft.get_absolute_url()}confirm/", {"seen": page.context["seen"]}, follow=True)


def hold(other, project: Project, lock: int) -> None:
    """Let somebody else keep a lock of the project."""
    other.execute("SELECT pg_advisory_lock(%s, %s)", [lock, project.pk])


def load(project: Project, content: bytes, *, by: Any = None, **options: Any) -> LabelImport:
    """Load a file of labels as the command does."""
    return import_now(project, NamedSource("labels.csv", bytes_of(content)), LabelOptions(**options), by=by)


def load_items(project: Project, content: bytes, *, by: Any = None, **options: Any) -> ImportResult:
    return ItemFile(project, bytes_of(content), ItemOptions(**options), ImportContext(by=by)).load()


def load_questions(project: Project, content: bytes, **options: Any) -> ImportResult:
    return QuestionFile(project, bytes_of(content), ReadOptions(**options)).load()


def checked(project: Project, content: bytes, **options: Any) -> LabelFile:
    file = LabelFile(project, bytes_of(content), LabelOptions(**options))
    file.check()
    return file


def n_rows() -> dict[str, int]:
    """How many rows there are of everything that an import might write."""
    tables = (Item, Rater, Question, Category, Round, Label, LabelRevision, LabelImport)
    return {model.__name__: model.objects.count() for model in tables}


def answers(project: Project) -> list[tuple[str, str, str]]:
    """(item, rater, category) of every label."""
    labels = Label.objects.filter(item__project=project)
    return sorted(labels.values_list("item__key", "rater__key", "category__key"))


def csv(*rows: str) -> bytes:
    return (HEADER + "".join(f"{row}\n" for row in rows)).encode()


def run_queued(project: Project) -> None:
    """Do what a worker would."""
    from raters.tasks import load_import

    for run in project.imports.filter(state=LabelImport.State.QUEUED):
        load_import(run.pk)
