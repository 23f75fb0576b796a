"""Forms and templates of import pages for each kind of file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from projects.imports.read_options import ReadOptions
from projects.items.item_columns import ItemOptions
from raters.imports.draft_form import OptionsForm
from raters.imports.forms import ItemForm, ReadForm
from raters.imports.label_options import LabelOptions
from raters.models import LabelImport

Kind = LabelImport.Kind
WORDS = {
    "item": "items",
    "rater": "raters",
    "question": "questions",
    "round": "rounds",
    "category": "categories",
}


@dataclass(frozen=True, slots=True)
class ImportPages:
    """first_options: of an upload with this encoding and sheet. template, context: those of a draft."""

    first_options: Callable[[str, str], LabelOptions | ReadOptions]
    options_form: Callable[[LabelImport, Any], OptionsForm | ReadForm]
    template: str
    context: Callable[[LabelImport], dict[str, object]]


def _options_of_labels(run: LabelImport, data: Any) -> OptionsForm:
    options = LabelOptions.from_json(run.options)
    return OptionsForm(data, options=options, preview=run.preview, faults=run.faults, file_name=run.file_name)


def _preview_of_labels(run: LabelImport) -> dict[str, object]:
    found = run.preview
    return {
        "found": found,
        "new": [
            (name if names["n"] == 1 else WORDS[name], names)
            for name, names in found.get("new", {}).items()
            if names["n"]
        ],
    }


PAGES: dict[str, ImportPages] = {
    Kind.LABELS: ImportPages(
        first_options=lambda encoding, sheet: LabelOptions(encoding=encoding, sheet=sheet),
        options_form=_options_of_labels,
        template="imports/draft_labels.html",
        context=_preview_of_labels,
    ),
    Kind.ITEMS: ImportPages(
        # The preview says that items are numbered, which a program would not see.
        first_options=lambda encoding, sheet: ItemOptions(encoding=encoding, sheet=sheet, is_numbered=True),
        options_form=lambda run, data: ItemForm(data, initial=run.options, preview=run.preview),
        template="imports/draft.html",
        context=lambda run: {"staged": run.preview},
    ),
    Kind.QUESTIONS: ImportPages(
        first_options=lambda encoding, sheet: ReadOptions(encoding=encoding, sheet=sheet),
        options_form=lambda run, data: ReadForm(data, initial=run.options),
        template="imports/draft.html",
        context=lambda run: {"staged": run.preview},
    ),
}
