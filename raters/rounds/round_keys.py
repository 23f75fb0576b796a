"""Names of rounds, which must not be confusable: files of the project name rounds, and imports refuse such names."""

from collections.abc import Iterable

from core.keys import look_alike
from projects.models import Project
from projects.refusals import KeyTaken


def refuse_taken_key(key: str, others: Iterable[str]) -> None:
    """Raise KeyTaken for the name of another round, or one that differs from it only by case or Unicode form."""
    other = look_alike(key, others)
    if other is not None:
        raise KeyTaken.by(f"A round called {other!r}", key, other, ask="Choose another name.")


def free_key(project: Project, wanted: str) -> str:
    taken = list(project.rounds.values_list("key", flat=True))
    keys = (wanted if number == 1 else f"{wanted} {number}" for number in range(1, len(taken) + 2))
    return next(key for key in keys if look_alike(key, taken) is None)
