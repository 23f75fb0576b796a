"""The people named in a project file, and the accounts they get on this server."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from django.core.exceptions import ValidationError
from django.db.models.functions import Lower

from core.refusals import Refused
from raters.accounts.forms import USERNAME_VALIDATORS
from raters.models import User

MAX_NAME = 150
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class AccountChoice:
    """The account for a person in a file: an existing one, or a new one that nobody can sign in with."""

    name: str
    is_existing: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a file as offered for import. taken_by: the account here whose name is too similar to theirs."""

    name: str
    offered: str
    taken_by: str = ""


class NameTaken(Refused):
    """The project's slug or names of its people are taken here; the message says which, and what to do.

    people: an available name for each of them. slug: an available slug for the project, or empty.
    """

    code = "name_taken"

    def __init__(self, sentence: str, *, people: Mapping[str, str] | None = None, slug: str = "") -> None:
        super().__init__(sentence)
        self.people, self.slug = dict(people or {}), slug
        self.errors = [
            {"field": f"people.{name}", "code": "name_taken", "detail": f"Try {free}.", "offered": free}
            for name, free in self.people.items()
        ]
        if slug:
            self.errors.append({"field": "slug", "code": "slug_taken", "detail": sentence, "offered": slug})


def offered(names: Sequence[str]) -> list[Person]:
    """Return each person with a name that is free here and that no other person in the file has."""
    here = _known(names)
    used = {*here, *(name.lower() for name in names if _is_plain(name))}
    met: set[str] = set()
    found = []
    for name in names:
        low = name.lower()
        if _is_plain(name) and low not in here and low not in met:
            met.add(low)
            found.append(Person(name, name))
            continue
        free = _free_name(name, used)
        used.add(free.lower())
        found.append(Person(name, free, here.get(low, "")))
    return found


def accounts(names: Sequence[str], chosen: Mapping[str, AccountChoice]) -> dict[str, AccountChoice]:
    """Return each person's account. Raises NameTaken unless new names are free and unique, and existing ones exist."""
    if unknown := sorted(chosen.keys() - set(names)):
        raise NameTaken(f"The file contains nobody called {unknown[0]}.")
    found = {name: chosen.get(name, AccountChoice(name)) for name in names}
    here = _known([account.name for account in found.values()])
    _refuse_same(found)
    clashes = []
    for name, account in found.items():
        known = here.get(account.name.lower())
        if account.is_existing:
            if known != account.name:
                raise NameTaken(f"Account not found: {account.name}. Choose another account for {name}.")
        elif known is not None or not _is_plain(account.name):
            clashes.append(name)
    if clashes:
        raise _taken(clashes, found, names)
    return found


def _refuse_same(found: Mapping[str, AccountChoice]) -> None:
    first: dict[str, str] = {}
    for name, account in found.items():
        other = first.setdefault(account.name.lower(), name)
        if other != name:
            sentence = (
                f"{other} and {name} can’t both use the account name {account.name}, even with different case. "
                f"Choose another name for {name}."
            )
            raise NameTaken(sentence, people={name: _free_name(name, {*first})})


def _taken(clashes: list[str], found: Mapping[str, AccountChoice], names: Sequence[str]) -> NameTaken:
    free = {person.name: person.offered for person in offered(names)}
    people = {name: free[name] for name in clashes}
    wanted = ", ".join(found[name].name for name in clashes)
    sentence = (
        f"These usernames are taken, too similar to existing ones, or contain unsupported characters: {wanted}. "
        "Choose another username or an existing account for each person."
    )
    return NameTaken(sentence, people=people)


def _known(names: Iterable[str]) -> dict[str, str]:
    """Return, by lowercase name, the accounts here whose names match one of these, ignoring case."""
    wanted = {name.lower() for name in names}
    rows = User.objects.annotate(low=Lower("username")).filter(low__in=wanted)
    return {name.lower(): name for name in rows.order_by("-pk").values_list("username", flat=True)}


def _is_plain(name: str) -> bool:
    """Return whether the name would be accepted at sign-up, so that no two names look alike."""
    try:
        for check in USERNAME_VALIDATORS:
            check(name)
    except ValidationError:
        return False
    return len(name) <= MAX_NAME


def _free_name(name: str, used: set[str]) -> str:
    """Return the name followed by the first number that makes it free."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    base = _NOT_PLAIN.sub("-", plain).strip("-._")[: MAX_NAME - 8] or "person"
    for number in count(2):
        tried = f"{base}-{number}"
        if tried.lower() not in used and not _known([tried]):
            return tried
    raise AssertionError
