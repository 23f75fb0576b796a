"""P9: no one sees a project they are not in; a right too many is noticed."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from pytest_django import DjangoDbBlocker

from projects.roles import RIGHTS, Right
from tests import live as living
from tests.config.access_table import SUBJECTS
from tests.config.test_routes import ROWS
from tests.faults.arena import FULL
from tests.faults.matrix import (
    LIKE,
    TOKENS,
    Case,
    Outcome,
    Two,
    all_subjects,
    beside_the_table,
    by_subjects,
    new_two,
    smuggled,
)

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600 if FULL else 240)]


@dataclass(slots=True)
class Matrix:
    """outcomes: of the program as it is, as far as they were asked for."""

    two: Two
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def outcome(self, case: Case) -> Outcome:
        if str(case) not in self.outcomes:
            self.outcomes[str(case)] = case.run()
        return self.outcomes[str(case)]


@pytest.fixture(scope="module")
def matrix(live_database: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Matrix]:
    with django_db_blocker.unblock(), living.use_database(live_database):
        yield Matrix(new_two())


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    # Nearly everything here is refused: writing each refusal with its trace would take most of the time.
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def test_nobody_outside_is_answered_otherwise_than_a_stranger(matrix):
    wrong = []
    for number, row in enumerate(ROWS):
        answers = dict(zip(SUBJECTS, row.answers, strict=True))
        for case in by_subjects(matrix.two, number, all_subjects(row) if FULL else beside_the_table(row)):
            outcome = matrix.outcome(case)
            like = LIKE.get(case.name, "lead" if case.name == "good token" else case.name)
            # A page that asks for nothing answers all the same; one that is shown a bad token may say so.
            wanted = {row.answers[0], 401} if case.name in TOKENS else {answers[like]}
            if not outcome.is_harmless or outcome.status not in wanted:
                wrong.append(f"{case}: {outcome}, not {wanted}")

    assert wrong == []


def test_ids_of_theirs_are_answered_like_ids_of_nothing_and_change_nothing(matrix):
    wrong = []
    for number in range(len(ROWS)):
        for case in smuggled(matrix.two, number, subjects=["lead", "rater"] if FULL else ["lead"]):
            outcome = matrix.outcome(case)
            # 403: who may not ask at all is told so, whatever the id. 302: two raters in the other order.
            if not outcome.is_harmless or outcome.status not in {404, 403, 302}:
                wrong.append(f"{case}: {outcome}")

    assert wrong == []


@contextmanager
def granted(role: str, right: Right) -> Iterator[None]:
    before = RIGHTS[role]
    RIGHTS[role] = before | {right}
    try:
        yield
    finally:
        RIGHTS[role] = before


GRANTS = [(role, right) for role, rights in RIGHTS.items() for right in Right if right not in rights]


def test_a_right_too_many_is_noticed(matrix):
    rows = list(range(len(ROWS)))
    tried = GRANTS if FULL else GRANTS[:1]
    missed = []
    for role, right in tried:
        cases = [case for number in rows for case in by_subjects(matrix.two, number, [role])]
        for case in cases:
            matrix.outcome(case)
        with granted(role, right):
            if not any(case.run() != matrix.outcome(case) for case in cases):
                missed.append((role, right))

    assert missed == []
