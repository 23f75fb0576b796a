"""Items sent by a program: many at once, checked and written like those of a file, all or nothing."""

from collections.abc import Iterator, Sequence
from typing import Any, NotRequired, TypedDict

from django.db import transaction

from core.refusals import FieldError, RefusedWithCode
from core.shapes import Json
from core.tables.cells import Cells, InvalidCell
from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from projects.imports.protocol import ImportContext, ImportResult
from projects.imports.recording import record_import
from projects.items.imports import ItemFile, copy_row
from projects.items.item_columns import KEY, ItemOptions
from projects.models import Item, Project

MOST_ITEMS = 5_000
# Named in the log instead of a file.
OVER_THE_API = "API"
CONFLICT = "item_exists"
RULES = {
    CONFLICT: "already exists with different content or attributes; to replace them, send on_conflict=replace",
    "duplicate_item": "appears twice in the array",
}


class ValidatedItem(TypedDict):
    """A validated `NewItem`. Without content or attributes, an existing item keeps its own."""

    key: str
    content: NotRequired[list[Any]]
    attributes: NotRequired[Json]


class SubmittedItems(ItemFile):
    """Items in place of a file of them."""

    def __init__(self, project: Project, items: Sequence[ValidatedItem], *, replace: bool, by: Any) -> None:
        super().__init__(project, bytes_of(b""), ItemOptions(replace=replace), ImportContext(by=by))
        self.items = items

    def _blocks(self, faults: Faults) -> Iterator[str]:
        keys, rows = Cells(), []
        for line, item in enumerate(self.items, start=1):
            try:
                rows.append(
                    copy_row(line, keys[item["key"]], item.get("content", []), item.get("attributes", {}))
                )
            except InvalidCell as bad:
                faults.add(line, KEY, item["key"], bad.code, bad.rule)
        yield "".join(rows)


@transaction.atomic
def save_items(project: Project, items: Sequence[ValidatedItem], *, replace: bool, by: Any) -> ImportResult:
    """Create new items, and leave identical ones as they are; raises RefusedWithCode with every fault.

    replace: overwrite different content and attributes; otherwise they are a conflict.
    """
    try:
        done = SubmittedItems(project, items, replace=replace, by=by).load()
    except FileRefused as refused:
        raise _refusal(refused.faults) from None
    if done.n_created or done.n_changed:
        record_import(project, done, by=by, file_name=OVER_THE_API, what="items")
    return done


def ids_of(project: Project, items: Sequence[ValidatedItem]) -> list[Json]:
    keys = [item["key"] for item in items]
    found = dict(Item.objects.filter(project=project, key__in=keys).values_list("key", "pk"))
    return [{"id": found[key], "key": key} for key in keys]


def _refusal(faults: Faults) -> RefusedWithCode:
    codes = {fault.code for fault in faults.listed}
    errors: list[FieldError] = [
        {"field": f"{fault.line - 1}.key", "code": fault.code, "detail": RULES.get(fault.code, fault.rule)}
        for fault in faults.listed
    ]
    is_conflict = codes == {CONFLICT}
    s = "" if faults.n == 1 else "s"
    detail = (
        f"{faults.n:,} item{s} can’t be saved, so nothing was. {errors[0]['field']}: {errors[0]['detail']}."
    )
    return RefusedWithCode(
        CONFLICT if is_conflict else errors[0]["code"],
        detail,
        status_code=409 if is_conflict else 400,
        errors=errors,
    )
