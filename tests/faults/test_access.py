"""P9: no one sees a project they are not in, and without any one of its checks the program is caught."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.core.exceptions import MultipleObjectsReturned, ObjectDoesNotExist
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from config.environment import BASE_DIR
from core.refusals import Refused
from projects.roles import PERMISSIONS, Permission
from tests import live as living
from tests import services
from tests.config.access_table import SUBJECTS
from tests.config.routes import ROWS
from tests.config.routes.row import HUGE, nothing, slug_only
from tests.faults import mutated, mutating, named_fields
from tests.faults.blinding import blinding
from tests.faults.erasing import erasing
from tests.faults.joining import joining
from tests.faults.matrix import (
    LIKE,
    RATES_TOO,
    TOKENS,
    Case,
    Outcome,
    Two,
    all_subjects,
    beside_the_table,
    by_subjects,
    new_two,
    outsiders,
    send,
    smuggled,
    undone,
)
from tests.faults.mutating import Mutant
from tests.faults.smuggling import SENT, Sent, Tried, tried
from tests.faults.survivors import NO_MATTER, NOTICED_BY
from tests.sizes import FULL, only_in_full, some

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(3600 if FULL else 600),
    pytest.mark.usefixtures("quiet"),
]
# `make test` tries one in so many rows of the table of routes, another one for each kind of subject.
SOME = 1 if FULL else 25

Key = tuple[str, str, int]


@dataclass(slots=True)
class Matrix:
    """outcomes: of the program as it is, as far as they were asked for."""

    two: Two
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    _answers: dict[int, Tried] = field(default_factory=dict)
    _touched: dict[Key, set[int]] = field(default_factory=dict)
    _touched_by_names: dict[Key, list[Sent]] = field(default_factory=dict)

    def outcome(self, case: Case) -> Outcome:
        if str(case) not in self.outcomes:
            self.outcomes[str(case)] = case.run()
        return self.outcomes[str(case)]

    def answered(self, sent: Sent) -> Tried:
        place = SENT.index(sent)
        if place not in self._answers:
            self._answers[place] = tried(self.two, sent)
        return self._answers[place]

    def rows_through(self, function: Key) -> list[int]:
        """The rows whose requests run through this function."""
        if not self._touched:
            self._touched = self._found_by_running()
        return sorted(self._touched.get(function, ()))

    def _found_by_running(self) -> dict[Key, set[int]]:
        found: dict[Key, set[int]] = {}
        for number in range(len(ROWS)):
            for case in [*by_subjects(self.two, number, ["lead", "rater"]), *self._special(number)]:
                for key in run_through(case.run):
                    found.setdefault(key, set()).add(number)
        return found

    def sent_through(self, function: Key) -> list[Sent]:
        """The requests with names in them that run through this function."""
        if not self._touched_by_names:
            for sent in SENT:
                for key in run_through(lambda sent=sent: tried(self.two, sent)):
                    self._touched_by_names.setdefault(key, []).append(sent)
        return self._touched_by_names.get(function, [])

    def cases(self, number: int) -> list[Case]:
        """Those first that notice most."""
        subjects = ["stranger", "rater", RATES_TOO, *all_subjects(ROWS[number])]
        special = [*smuggled(self.two, number), *self._special(number)]
        return [*special, *by_subjects(self.two, number, dict.fromkeys(subjects))]

    def _special(self, number: int) -> list[Case]:
        return [each for make in (joining, erasing, blinding) for each in make(self.two, number)]


def run_through(run: Callable[[], object]) -> set[Key]:
    codes = set()

    def watch(frame, event, arg):
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return {mutating.key_of(code) for code in codes}


@pytest.fixture(scope="module")
def matrix(live_database: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Matrix]:
    with django_db_blocker.unblock(), living.use_database(live_database):
        yield Matrix(new_two())


def test_nobody_outside_is_answered_otherwise_than_a_stranger(matrix):
    wrong = []
    for number, row in list(enumerate(ROWS))[::SOME]:
        answers = dict(zip(SUBJECTS, row.answers, strict=True))
        for case in by_subjects(matrix.two, number, outsiders(row) if FULL else beside_the_table(row)):
            outcome = matrix.outcome(case)
            # A page that asks for nothing answers all the same; one that is shown a bad token may say so.
            useless = {row.answers[0], 401, *({400} if "query" in case.name else ())}
            wanted = useless if case.name in TOKENS else {answers[LIKE.get(case.name, case.name)]}
            if not outcome.is_harmless or outcome.status not in wanted:
                wrong.append(f"{case}: {outcome}, not {wanted}")

    assert wrong == []


def test_ids_of_theirs_are_answered_like_ids_of_nothing_and_change_nothing(matrix):
    wrong = []
    # That ids of theirs are not found, tests/config/test_routes.py asks of all routes.
    for number in range(0, len(ROWS), SOME):
        for case in smuggled(matrix.two, number, subjects=["lead", "rater"] if FULL else ["lead"]):
            outcome = matrix.outcome(case)
            # 403: who may not ask at all is told so, whatever the id. 302: two raters in the other order.
            if not outcome.is_harmless or outcome.status not in {404, 403, 302}:
                wrong.append(f"{case}: {outcome}")

    assert wrong == []


# A18. As they stand in an address.
STRANGE = [
    "0",
    "-1",
    "1e9",
    "%00",
    "..%2F",
    "%2E%2E",
    "x" * 10_000,
    "9" * 30,
    "123e4567-e89b-12d3-a456-42661417400",
]


def test_a18_a_strange_id_is_not_found_on_any_route(matrix):
    client, wrong = matrix.two.client("lead"), []
    for number, row in some(enumerate(ROWS), every=4):
        if row.args in (nothing, slug_only) or not row.is_of_project:
            continue
        with undone():
            slug, *ids = row.args(matrix.two.mine)
        address = reverse(row.name, args=[slug, *(HUGE if isinstance(each, int) else each for each in ids)])
        for strange in STRANGE if FULL else STRANGE[number % len(STRANGE) :][:1]:
            answer = send(client, row, address.replace(str(HUGE), strange))
            if str(HUGE) in address and answer.status_code != 404:
                wrong.append(f"{row} {strange[:20]}: {answer.status_code}")

    assert wrong == []


@pytest.mark.parametrize("sent", some(SENT, every=12), ids=str)
def test_names_of_theirs_in_a_body_or_query_are_as_good_as_none(matrix, sent):
    found = matrix.answered(sent)

    assert found.theirs == found.nothing
    assert not found.is_changed
    if sent.has_control:
        assert found.mine != found.nothing


@only_in_full
def test_every_field_that_could_name_something_was_asked_about():
    assert named_fields.unasked_of_api() == []
    assert named_fields.unasked_of_pages() == []


@only_in_full
def test_every_check_and_scope_is_known_to_the_program_that_runs():
    assert [str(mutant) for mutant in mutating.mutants() if not mutating.functions_of(mutant.key)] == []


@only_in_full
def test_without_any_one_check_or_scope_the_matrix_fails(matrix):
    mutants = [mutant for mutant in mutating.served() if str(mutant) not in NO_MATTER | NOTICED_BY]
    assert len(mutants) >= 10

    survivors = [str(mutant) for mutant in mutants if not is_noticed(matrix, mutant)]

    # All of them: a run takes minutes.
    assert not survivors, "\n".join(survivors)


@only_in_full
def test_what_the_matrix_does_not_notice_another_test_does(tmp_path):
    """In a process of its own, with services of its own."""
    survivors = tmp_path / "survivors"
    tests = sorted({test.partition("[")[0] for test in NOTICED_BY.values()})
    command = [sys.executable, "-m", "tests", "-n", "1", "-p", "tests.faults.mutated", *tests]

    subprocess.run(
        command,
        check=True,
        cwd=BASE_DIR,
        env={**services.of_a_run_of_its_own(), mutated.FILE: str(survivors)},
    )

    assert survivors.read_text().splitlines() == []


@only_in_full
def test_the_survivors_are_named_as_the_program_has_them():
    known = {str(mutant) for mutant in mutating.mutants()}

    assert {*NO_MATTER, *NOTICED_BY} - known == set()


def is_noticed(matrix: Matrix, mutant: Mutant) -> bool:
    for number in matrix.rows_through(mutant.key):
        for case in matrix.cases(number):
            before = matrix.outcome(case)
            with mutating.instead(mutant):
                if is_other(case.run, before):
                    return True
    for sent in matrix.sent_through(mutant.key):
        answered = matrix.answered(sent)
        with mutating.instead(mutant):
            if is_other(lambda sent=sent: tried(matrix.two, sent), answered):
                return True
    return False


def is_other(run: Callable[[], object], before: object) -> bool:
    try:
        return run() != before
    except (MultipleObjectsReturned, ObjectDoesNotExist, Refused):
        # What made the request ran the mutant too.
        return True


@contextmanager
def granted(role: str, permission: Permission) -> Iterator[None]:
    before = PERMISSIONS[role]
    PERMISSIONS[role] = before | {permission}
    try:
        yield
    finally:
        PERMISSIONS[role] = before


# Who had nothing of it before notices most.
_REFUSED = {403, 404}
GRANTS = [
    (role, permission)
    for role, permissions in PERMISSIONS.items()
    for permission in Permission
    if permission not in permissions
]


@only_in_full
def test_a_right_too_many_is_noticed(matrix):
    missed = [grant for grant in GRANTS if not is_grant_noticed(matrix, *grant)]

    assert missed == []


def is_grant_noticed(matrix: Matrix, role: str, permission: Permission) -> bool:
    for number in by_right(permission):
        if ROWS[number].answers[SUBJECTS.index(role)] not in _REFUSED:
            continue
        for case in by_subjects(matrix.two, number, [role]):
            before = matrix.outcome(case)
            with granted(role, permission):
                if case.run() != before:
                    return True
    return False


def by_right(permission: Permission) -> list[int]:
    """The rows, those first that are closed to the very roles that lack this right."""

    def n_others(number: int) -> int:
        answers = dict(zip(SUBJECTS, ROWS[number].answers, strict=True))
        return sum(
            (permission in permissions) == (answers[role] in _REFUSED)
            for role, permissions in PERMISSIONS.items()
        )

    return sorted(range(len(ROWS)), key=n_others)
