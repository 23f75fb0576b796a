"""One request to one route, and what each subject is answered; the commonest answers by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.finished import World

# What each subject is answered, in the order of SUBJECTS.
PUBLIC = (200,) * 6
ACCOUNT = (302, *(200,) * 5)
SEE_PROJECT = (302, 404, 200, 200, 200, 200)
SEE_LABELS = (302, 404, 404, 200, 200, 200)
LEAD_ONLY = (302, 404, 403, 403, 403, 200)
# The form lacks what it needs.
LEAD_EMPTY = (302, 404, 403, 403, 403, 400)
LEAD_GOES_ON = (302, 404, 403, 403, 403, 302)
SHARE_GOES_ON = (302, 404, 404, 403, 403, 302)
ASK_GOES_ON = (302, 404, 404, 403, 302, 302)
# Rounds and imports.
SEE_ORIGINS = (302, 404, 404, 200, 403, 200)
API_SEE_ORIGINS = (401, 404, 404, 200, 403, 200)
SEE_LOG = (302, 404, 404, 200, 403, 200)
API_SEE_LOG = (401, 404, 404, 200, 403, 200)
# Owners of the server, whatever their role.
OWNERS_ONLY = (302, *(404,) * 5)
API_ACCOUNT = (401, *(200,) * 5)
API_SEE_PROJECT = (401, 404, 200, 200, 200, 200)
API_SEE_LABELS = (401, 404, 404, 200, 200, 200)
# The figures are left to a worker.
API_LOOK_ON_DEMAND = (401, 404, 404, 202, 202, 202)
API_LEAD_ONLY = (401, 404, 403, 403, 403, 200)
API_SHARE = (401, 404, 404, 403, 403, 200)
# Whoever may label has work of their own, and nobody else's exists.
LABEL = (302, 404, 200, 403, 403, 200)
OWN_PLACE = (302, 404, 200, 403, 403, 404)
API_LABEL = (401, 404, 200, 403, 403, 200)
API_OWN_PLACE = (401, 404, 200, 403, 403, 404)

# An id that nothing has.
HUGE = 10**17


def slug_only(world: World) -> list[Any]:
    return [world.project.slug]


@dataclass(frozen=True, slots=True)
class Row:
    """One request: the route's name, its method, what each subject is answered, and what it takes."""

    name: str
    answers: tuple[int, ...]
    method: str = "get"
    args: Callable[[World], list[Any]] = slug_only
    data: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    wrong_method: str = "delete"
    # False: what it takes is no part of a project.
    is_of_project: bool = True
    # True: it leads everyone on, also who is not signed in.
    leads_on: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    # True: an owner of the server may do it in any project.
    is_owners: bool = False

    @property
    def is_api(self) -> bool:
        return self.name.startswith("api_") and self.name not in {"api_help"}

    def __str__(self) -> str:
        return f"{self.method} {self.name}"


def nothing(world: World) -> list[Any]:
    return []
