"""The forms with which an owner imports a project file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField

from projects.actions import MAX_SLUG
from projects.models import slug_of_letters
from raters.archive.people import MAX_NAME, AccountChoice, Person
from raters.archive.uploads import ArchivePreview

NEW, EXISTING = "new", "existing"


class ProjectFileForm(forms.Form):
    file = forms.FileField(
        label="Project file", max_length=None, help_text="A ZIP file created with “Export project”."
    )


@dataclass(frozen=True, slots=True)
class PersonChoiceRow:
    """One person in the file and their two form fields."""

    person: Person
    become: BoundField
    account: BoundField


class ImportProjectForm(forms.Form):
    """The new project's slug, and the account for each person in the file; people are identified by their place."""

    slug = forms.CharField(
        label="Slug",
        max_length=MAX_SLUG,
        validators=[slug_of_letters],
        help_text="Used in the project’s address.",
    )

    def __init__(self, data: Any, *, preview: ArchivePreview) -> None:
        super().__init__(data, initial={"slug": preview.slug})
        self.people = preview.people
        for place, person in enumerate(self.people):
            self.fields[f"become_{place}"] = forms.ChoiceField(
                label=f"Import {person.name} as",
                choices=[(NEW, "New deactivated account"), (EXISTING, "Existing account")],
                initial=NEW,
            )
            self.fields[f"account_{place}"] = forms.CharField(
                label=f"Username for {person.name} on this server",
                max_length=MAX_NAME,
                initial=person.offered,
                widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
            )

    @property
    def rows(self) -> Iterator[PersonChoiceRow]:
        for place, person in enumerate(self.people):
            yield PersonChoiceRow(person, self[f"become_{place}"], self[f"account_{place}"])

    @property
    def accounts(self) -> dict[str, AccountChoice]:
        """Return the accounts chosen in a valid form."""
        given = self.cleaned_data
        return {
            person.name: AccountChoice(given[f"account_{place}"], given[f"become_{place}"] == EXISTING)
            for place, person in enumerate(self.people)
        }

    def refuse(self, sentence: str, *, people: dict[str, str], is_slug: bool) -> None:
        """Show which names are taken next to their fields."""
        places = [place for place, person in enumerate(self.people) if person.name in people]
        for place in places:
            self.add_error(f"account_{place}", f"Not available. Try {people[self.people[place].name]}.")
        if is_slug:
            self.add_error("slug", sentence)
        elif not places:
            self.add_error(None, sentence)
