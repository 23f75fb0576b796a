"""Forms and templates of import pages for each kind of file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from raters.imports.draft_form import OptionsForm
from raters.imports.forms import ReadForm
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
    """template, context: those of a draft."""

    options_form: Callable[[LabelImport, Any], OptionsForm | ReadForm]
    template: str
    context: Callable[[LabelImport], dict[str, object]]


def _options_of_labels(run: LabelImport, data: Any) -> OptionsForm:
    return OptionsForm(data, options=LabelOptions.from_json(run.options), preview=run.preview)


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


_OF_FEW = ImportPages(
    options_form=lambda run, data: ReadForm(data, initial=run.options),
    template="imports/draft.html",
    context=lambda run: {"staged": run.preview},
)


PAGES: dict[str, ImportPages] = {
    Kind.LABELS: ImportPages(_options_of_labels, "imports/draft_labels.html", _preview_of_labels),
    Kind.ITEMS: _OF_FEW,
    Kind.QUESTIONS: _OF_FEW,
}
