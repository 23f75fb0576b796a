"""Drafts of codebooks that raters see: edits are tried, collected in a list, and published together.

An edit is an action of this package with its arguments. To try one, it is executed and rolled back, so that a draft
allows exactly what publishing will do; the resulting codebook is stored as rows for the pages.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from django.db import connection, models, transaction
from django.http import Http404

from core.refusals import Refused
from core.shapes import Json
from projects.codebook import categories, copying, questions
from projects.codebook.content import StoredCodebook, stored_codebook
from projects.codebook.guidelines import write_guidelines
from projects.codebook.locking import opened
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shortcut_keys import assign_shortcuts
from projects.codebook.starters import Starter
from projects.codebook.versions import assigned_shortcuts, current_number, one_act, store_version
from projects.events import on_trial, record
from projects.models import Category, CodebookDraft, Event, Project, Question

MOST_EDITS = 500
_HAS_READERS = """
SELECT EXISTS (
    SELECT FROM projects_batch b JOIN raters_assignment a ON a.batch_id = b.id
    WHERE b.project_id = %s AND b.state <> 'draft'
)
"""


class Edit(TypedDict):
    """do: a key of ACTIONS. about: the ID of a question, category, or project. given: the other arguments."""

    do: str
    about: int
    given: Json


class DraftRefused(Refused):
    """An edit no longer fits the codebook, or the draft changed since it was reviewed."""

    code = "draft"


def _question(project: Project, pk: int) -> Question:
    return project.questions.select_related("project").get(pk=pk)


def _category(project: Project, pk: int) -> Category:
    return Category.objects.select_related("question__project").get(question__project=project, pk=pk)


ACTIONS: dict[str, Callable[[Project, Edit, Any], Any]] = {
    "create_question": lambda project, edit, by: questions.create_question(project, by=by, **edit["given"]),
    "change_question": lambda project, edit, by: questions.change_question(
        _question(project, edit["about"]), by=by, **edit["given"]
    ),
    "delete_question": lambda project, edit, by: questions.delete_question(
        _question(project, edit["about"]), by=by
    ),
    "order_questions": lambda project, edit, by: questions.order_questions(project, by=by, **edit["given"]),
    "add_category": lambda project, edit, by: categories.add_category(
        _question(project, edit["about"]), by=by, **edit["given"]
    ),
    "change_category": lambda project, edit, by: categories.change_category(
        _category(project, edit["about"]), by=by, **edit["given"]
    ),
    "delete_category": lambda project, edit, by: categories.delete_category(
        _category(project, edit["about"]), by=by
    ),
    "order_categories": lambda project, edit, by: categories.order_categories(
        _question(project, edit["about"]), by=by, **edit["given"]
    ),
    "write_guidelines": lambda project, edit, by: write_guidelines(project, by=by, **edit["given"]),
}
# A repeated edit of the same object replaces the previous one.
_ABSOLUTE = {"order_questions", "order_categories", "write_guidelines"}
_PARTS = {"change_question", "change_category"}


def needs_draft(project: Project) -> bool:
    """Return whether raters have been assigned items; until then, changes to the codebook take effect at once."""
    with connection.cursor() as cursor:
        cursor.execute(_HAS_READERS, [project.pk])
        return bool(cursor.fetchone()[0])


def draft_of(project: Project) -> CodebookDraft | None:
    return CodebookDraft.objects.filter(project=project).select_related("changed_by").first()


@transaction.atomic
def add_edits(project: Project, edits: Sequence[Edit], *, by: Any) -> CodebookDraft:
    """Add edits to the draft, creating it if needed. If an action raises an error, nothing is stored."""
    project = opened(project.pk)
    draft = CodebookDraft.objects.select_for_update().filter(project=project).first()
    draft = draft or CodebookDraft(project=project, changed_by=by)
    for edit in edits:
        draft.edits = _with(draft.edits, edit)
    if len(draft.edits) > MOST_EDITS:
        raise DraftRefused(f"A draft can have at most {MOST_EDITS} changes. Publish it first.")
    _store(draft, by)
    for edit in edits:
        record(Event.Kind.CODEBOOK_DRAFTED, by=by, project=project, change=edit["do"].replace("_", " "))
    return draft


def _with(edits: list[Edit], edit: Edit) -> list[Edit]:
    last = edits[-1] if edits else None
    if last is None or (last["do"], last["about"]) != (edit["do"], edit["about"]):
        return [*edits, edit]
    if edit["do"] in _ABSOLUTE:
        return [*edits[:-1], edit]
    if edit["do"] in _PARTS:
        return [*edits[:-1], {**edit, "given": last["given"] | edit["given"]}]
    return [*edits, edit]


def _store(draft: CodebookDraft, by: Any) -> None:
    """Try the edits on the current codebook, and store the result."""
    with on_trial(), transaction.atomic():
        _apply(draft, by)
        rows = list(draft.project.questions.prefetch_related("categories"))
        draft.rows = [_row(each) | {"categories": [_row(c) for c in each.categories.all()]} for each in rows]
        draft.content = stored_codebook(rows, assign_shortcuts(rows, assigned_shortcuts(draft.project)))
        draft.guidelines = Project.objects.values_list("guidelines", flat=True).get(pk=draft.project_id)
        transaction.set_rollback(True)
    draft.base = current_number(draft.project)
    draft.changed_by = by
    draft.revision += 1
    draft.save()


def _apply(draft: CodebookDraft, by: Any) -> None:
    with one_act():
        for edit in draft.edits:
            ACTIONS[edit["do"]](draft.project, edit, by)


def _row(thing: models.Model) -> Json:
    return {field.attname: getattr(thing, field.attname) for field in thing._meta.concrete_fields}


def drafted_questions(draft: CodebookDraft) -> list[Question]:
    """Return the questions as changed by the draft, with their categories, for display; they are not saved."""
    found = []
    for row in draft.rows:
        fields = dict(row)
        rows = fields.pop("categories")
        question = Question(**fields)
        question.project = draft.project
        made = Category.objects.none()
        made._result_cache = [Category(**each) for each in rows]
        made._prefetch_done = True  # type: ignore[attr-defined]
        for category in made._result_cache:
            category.question = question
        question._prefetched_objects_cache = {"categories": made}  # type: ignore[attr-defined]
        found.append(question)
    return found


@dataclass(frozen=True, slots=True)
class DraftContext:
    """A draft for display. is_outdated: the codebook was changed otherwise since the draft was tried."""

    draft: CodebookDraft
    questions: list[Question]
    is_outdated: bool

    def question(self, pk: int) -> Question:
        """Return a question of the draft. Raises Http404 if it is not in the draft."""
        return _one(self.questions, pk)

    def category(self, pk: int) -> Category:
        return _one([each for question in self.questions for each in question.categories.all()], pk)


Thing = TypeVar("Thing", bound=models.Model)


def _one(things: Iterable[Thing], pk: int) -> Thing:
    found = next((thing for thing in things if thing.pk == pk), None)
    if found is None:
        raise Http404("No such question or category in the draft.")
    return found


def draft_context(project: Project) -> DraftContext | None:
    draft = draft_of(project)
    if draft is None:
        return None
    draft.project = project
    return DraftContext(draft, drafted_questions(draft), draft.base != current_number(project))


def changed_only(thing: models.Model, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields that were changed, so that concurrent changes to others are kept."""
    return {name: value for name, value in given.items() if getattr(thing, name) != value}


def content_drafted(draft: CodebookDraft) -> StoredCodebook:
    content: StoredCodebook = draft.content
    return content


@transaction.atomic
def update_draft(project: Project, *, by: Any) -> list[str]:
    """Rebase the draft on the current codebook, and return the edits that no longer fit and are left out."""
    project = opened(project.pk)
    draft = _locked(project)
    left_out: list[str] = []
    fitting: list[Edit] = []
    for edit in draft.edits:
        draft.edits = [*fitting, edit]
        try:
            with on_trial(), transaction.atomic():
                _apply(draft, by)
                transaction.set_rollback(True)
        except (Refused, Question.DoesNotExist, Category.DoesNotExist) as refused:
            left_out.append(f"{edit['do'].replace('_', ' ').capitalize()}: {refused}")
        else:
            fitting.append(edit)
    draft.edits = fitting
    if fitting:
        _store(draft, by)
    else:
        draft.delete()
    return left_out


@transaction.atomic
def publish(project: Project, *, by: Any, revision: int) -> int:
    """Apply the draft to the codebook, all or nothing, and return the number of the resulting version.

    revision: the one that the lead reviewed. Raises DraftRefused, CodebookRefused, and ProjectClosed.
    """
    project = opened(project.pk)
    draft = _locked(project)
    if draft.revision != revision:
        raise DraftRefused("The draft was changed since you opened this page. Review it again.")
    try:
        _apply(draft, by)
    except (Question.DoesNotExist, Category.DoesNotExist) as gone:
        raise DraftRefused(
            "The draft changes something that has been deleted since. Update the draft, then review it again."
        ) from gone
    refuse_without_categories(project)
    number = store_version(project)
    record(
        Event.Kind.CODEBOOK_PUBLISHED,
        by=by,
        project=project,
        about=f"version {number}",
        version=number,
        n_changes=len(draft.edits),
    )
    draft.delete()
    return number


def _locked(project: Project) -> CodebookDraft:
    draft = CodebookDraft.objects.select_for_update().filter(project=project).first()
    if draft is None:
        raise DraftRefused("There is no draft. It may have been published or discarded.")
    return draft


def refuse_without_categories(project: Project) -> None:
    """Refuse choice questions without categories, which could not be answered."""
    choices = project.questions.filter(kind__in=(Question.Kind.SINGLE, Question.Kind.MULTIPLE))
    empty = choices.exclude(pk__in=Category.objects.values("question")).first()
    if empty is not None:
        raise CodebookRefused(
            "no_categories",
            f"“{empty.key}” has no categories, so raters can’t answer it. Add some, or delete it.",
        )


def discard(project: Project, *, by: Any) -> None:
    with transaction.atomic():
        n, _ = CodebookDraft.objects.filter(project=project).delete()
        if n:
            record(Event.Kind.CODEBOOK_DRAFTED, by=by, project=project, change="discarded")


class Editor:
    """Changes a codebook for a lead: directly while nobody labels with it, and in its draft afterwards."""

    def __init__(self, project: Project, by: Any) -> None:
        self.project, self.by = project, by
        self.is_draft = needs_draft(project)

    @property
    def saved(self) -> str:
        return "Saved in the draft." if self.is_draft else "Saved."

    def do(self, do: str, about: int = 0, **given: Any) -> None:
        if self.is_draft and do == "add_category":
            given["id"] = _new_ids("projects_category", 1)[0]
        edit: Edit = {"do": do, "about": about, "given": given}
        if self.is_draft:
            add_edits(self.project, [edit], by=self.by)
        else:
            ACTIONS[do](self.project, edit, self.by)

    @transaction.atomic
    def add_categories(self, about: int, rows: Sequence[tuple[int, str, str]]) -> None:
        """Add all or none. rows: the line of each, for refusals, its key, and its name."""
        with one_act():
            for line, key, name in rows:
                try:
                    self.do("add_category", about, key=key, name=name)
                except Refused as refused:
                    raise CodebookRefused("line", f"Line {line}: {refused}", field="lines") from refused
        if not self.is_draft:
            store_version(self.project)

    def create_question(self, **fields: Any) -> int:
        """Create a question and return its ID, which it keeps when published."""
        if not self.is_draft:
            return questions.create_question(self.project, by=self.by, **fields).pk
        [edit] = _new_questions([fields])
        add_edits(self.project, [edit], by=self.by)
        return int(edit["given"]["id"])

    def copy(self, source: Project, *, with_guidelines: bool) -> None:
        if not self.is_draft:
            copying.copy_codebook(source, self.project, by=self.by, with_guidelines=with_guidelines)
            return
        edits = _new_questions(copying.described(source))
        if with_guidelines and source.guidelines:
            edits.append(_text(source.guidelines))
        add_edits(self.project, edits, by=self.by)

    def start_from(self, starter: Starter) -> None:
        if not self.is_draft:
            copying.start_from(starter, self.project, by=self.by)
            return
        edits = _new_questions(starter.questions)
        draft = draft_of(self.project)
        if not (draft.guidelines if draft else self.project.guidelines):
            edits.append(_text(starter.guidelines))
        add_edits(self.project, edits, by=self.by)


def _text(guidelines: str) -> Edit:
    return {"do": "write_guidelines", "about": 0, "given": {"text": guidelines}}


def _new_questions(described: Sequence[Mapping[str, Any]]) -> list[Edit]:
    """Return edits that create questions, with IDs assigned in advance so that pages can refer to them."""
    edits: list[Edit] = []
    for fields, pk in zip(described, _new_ids("projects_question", len(described)), strict=True):
        given = {**fields, "id": pk}
        if "categories" in given:
            ids = _new_ids("projects_category", len(given["categories"]))
            given["categories"] = [
                {**each, "id": each_id} for each, each_id in zip(given["categories"], ids, strict=True)
            ]
        edits.append({"do": "create_question", "about": 0, "given": given})
    return edits


def _new_ids(table: str, n: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, n]
        )
        return [pk for (pk,) in cursor.fetchall()]
