"""What the pages of imports show of each kind of file."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from raters.imports.forms import LabelsForm, OptionsForm, ReadForm, ReplaceForm, UploadForm
from raters.imports.options import LabelOptions
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
    """template, context: of a draft."""

    upload_form: Callable[[Any, Any], UploadForm]
    options_form: Callable[[LabelImport, Any], OptionsForm | ReadForm]
    template: str
    context: Callable[[LabelImport], dict[str, Any]]


def _options_of_labels(run: LabelImport, data: Any) -> OptionsForm:
    staged, options = run.preview["staged"], LabelOptions.from_json(run.options)
    return OptionsForm(data, options=options, columns=staged["columns"], places=staged["places"])


def _preview_of_labels(run: LabelImport) -> dict[str, Any]:
    new = run.preview["new"]
    return {
        "staged": run.preview["staged"],
        "new": [
            (name if names["n"] == 1 else WORDS[name], names) for name, names in new.items() if names["n"]
        ],
        "has_new_categories": new.get("category", {}).get("n", 0) > 0,
    }


def _of_few(kind: str) -> ImportPages:
    """Items or questions."""
    return ImportPages(
        upload_form=partial(ReplaceForm, prefix=kind),
        options_form=lambda run, data: ReadForm(data, initial=run.options),
        template="imports/draft_at_once.html",
        context=lambda run: {"staged": run.preview},
    )


PAGES: dict[str, ImportPages] = {
    "labels": ImportPages(LabelsForm, _options_of_labels, "imports/draft.html", _preview_of_labels),
    "items": _of_few("items"),
    "questions": _of_few("questions"),
}
