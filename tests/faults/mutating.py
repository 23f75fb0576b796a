"""Permission checks and scopes taken out of the program, one at a time, wherever its source has one.

They are found in the syntax of the source, so that a new one is found too. A mutant replaces the code of a function in
place: every route, decorator and import that holds the function then runs the mutant.
"""

import ast
import gc
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from django.conf import settings
from django.db.models import Model
from django.urls import get_resolver
from django.utils.module_loading import import_string

from config.environment import BASE_DIR
from projects.models import Category, Invitation, Project, Question, Round
from raters.models import Assignment, Rater, User
from reports.models import QuestionAgreement, Report

# Programs for the command line and for workers, and what knows no database, answer no request.
NOT_SERVED = (
    "migrations",
    "management",
    "agreement",
    "demo",
    "files",
    "templatetags",
    "published",
    "tasks.py",
    "working.py",
    "saving_answers.py",
)
# What narrows rows down to those of one project, or one person.
SCOPES = {
    "project",
    "project__slug",
    "project_id",
    "user",
    "rater",
    "memberships__user",
    "memberships__project",
    "question__project",
    "item__project",
    "round__project",
    "rater__project",
    "report__project",
    "rater__user",
    "round",
    "question",
    "report",
}
NARROWING = {"filter", "get"}
# What a request may name a row by.
BY_WORD = {
    "pk",
    "id",
    "key",
    "number",
    "slug",
    "username",
    "name",
    "project__slug",
    "user",
    "rater",
    "report",
}
# Variables that hold one row, whose rows of other tables are its own.
OWNERS: dict[str, type[Model]] = {
    "project": Project,
    "rater": Rater,
    "round": Round,
    "question": Question,
    "category": Category,
    "report": Report,
    "agreement": QuestionAgreement,
    "invitation": Invitation,
    "assignment": Assignment,
    "user": User,
}
# Calls that refuse, or say what is to be hidden, and what they are without effect.
HARMLESS = {
    "refuse_blind": "(lambda *a, **k: None)",
    "refuse_while_labeling": "(lambda *a, **k: None)",
    "refuse_blind_to": "(lambda *a, **k: None)",
    "rounds_to_be_blind_in": "(lambda *a, **k: [])",
    "projects_of": "(lambda *a, **k: __import__('projects.models', fromlist=['x']).Project.objects.all())",
    "who_may_label": "(lambda *a, **k: __import__('raters.models', fromlist=['x']).User.objects.all())",
}

# The qualified name and the first line of a function, decorators included.
Name = tuple[str, int]
Change = Callable[[ast.AST], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change at one place of a file. `place` counts its syntax tree's nodes as ast.walk gives them."""

    path: Path
    function: Name
    line: int
    place: int
    what: str
    change: Change

    def __str__(self) -> str:
        return f"{self.path.relative_to(BASE_DIR)} {self.function[0]}: {self.what}"

    @property
    def key(self) -> tuple[str, str, int]:
        return str(self.path), *self.function


@lru_cache(maxsize=2)
def changed(mutant: Mutant) -> CodeType:
    """The function with the change in it."""
    tree = _tree(mutant.path)
    mutant.change(next(node for number, node in enumerate(ast.walk(tree)) if number == mutant.place))
    # What is cut out leaves its place empty; nothing else moves.
    return _codes(compile(ast.fix_missing_locations(tree), str(mutant.path), "exec"))[mutant.function]


def mutants() -> list[Mutant]:
    folders = (BASE_DIR / name for name in ("projects", "raters", "reports"))
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    served = [path for path in paths if not set(path.relative_to(BASE_DIR).parts) & set(NOT_SERVED)]
    return [mutant for path in served for mutant in _of_file(path)]


def _of_file(path: Path) -> Iterator[Mutant]:
    tree = _tree(path)
    place_of = {id(node): place for place, node in enumerate(ast.walk(tree))}
    for function, node in _functions(tree):
        for inner in ast.walk(node):
            for what, change in _changes(inner):
                yield Mutant(path, function, inner.lineno, place_of[id(inner)], what, change)  # type: ignore[attr-defined]


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _tree(path: Path) -> ast.Module:
    return deepcopy(_parsed(path))


def _functions(tree: ast.AST, before: str = "") -> Iterator[tuple[Name, ast.AST]]:
    """The functions of a module and of its classes; what is inside a function is a part of it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{before}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield (f"{before}{node.name}", first), node


def _codes(code: CodeType) -> dict[Name, CodeType]:
    found: dict[Name, CodeType] = {}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            is_class = const.co_flags & inspect.CO_NEWLOCALS == 0
            found |= _codes(const) if is_class else {(const.co_qualname, const.co_firstlineno): const}
    return found


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("Permission."):
        yield f"always {ast.unparse(node)}", _always
    if isinstance(node, ast.Call):
        yield from _changes_of_call(node)


def _changes_of_call(node: ast.Call) -> Iterator[tuple[str, Change]]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    words = ast.unparse(node)[:120]
    if name in HARMLESS:
        yield f"without {words}", _harmless(HARMLESS[name])
    if name == "project_to" and len(node.args) == 3:
        if ast.unparse(node.args[2]) != "Permission.SEE_PROJECT":
            yield f"any member in {words}", _any_member
        yield f"anybody in {words}", _anybody
    if name == "get_object_or_404" and _has_manager(node.args[0]):
        yield f"all rows in {words}", _all_rows
    # Narrowing a list that nobody chose an id for is no check.
    if name == "get_object_or_404" or (
        name in NARROWING and BY_WORD & {str(word.arg) for word in node.keywords}
    ):
        for keyword in node.keywords:
            if keyword.arg in SCOPES:
                yield f"without {keyword.arg} in {words}", _without(keyword.arg)


def _has_manager(node: ast.expr) -> bool:
    return any(_is_manager(inner) for inner in ast.walk(node))


def _is_manager(node: ast.AST) -> bool:
    """Whether this is the rows of another table that one row knows, such as `project.items`."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return False
    owner = OWNERS.get(node.value.id)
    return owner is not None and node.attr in _related(owner)


@cache
def _related(model: type[Model]) -> frozenset[str]:
    """The names under which a row knows its rows of other tables."""
    return frozenset(str(related.get_accessor_name()) for related in model._meta.related_objects)


def _all_rows(node: ast.AST) -> None:
    """project.items becomes project.items.model._default_manager."""
    assert isinstance(node, ast.Call)
    [inner] = [inner for inner in ast.walk(node.args[0]) if _is_manager(inner)]
    assert isinstance(inner, ast.Attribute)
    manager = ast.Attribute(inner.value, inner.attr, ast.Load())
    inner.value, inner.attr = ast.Attribute(manager, "model", ast.Load()), "_default_manager"


def _always(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.left, node.ops, node.comparators = ast.Constant(1), [ast.Eq()], [ast.Constant(1)]


def _harmless(instead: str) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.func = ast.parse(instead, mode="eval").body

    return change


def _any_member(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    node.args[2] = ast.parse(f"type({ast.unparse(node.args[2])}).SEE_PROJECT", mode="eval").body


def _anybody(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    finds = "(lambda slug: __import__('tests.faults.mutating', fromlist=['x']).project_without_asking(slug))"
    node.func, node.args = ast.parse(finds, mode="eval").body, [node.args[1]]


def project_without_asking(slug: str) -> Project:
    return Project.objects.get(slug=slug)


def _without(name: str) -> Change:
    def cut(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != name]

    return cut


@contextmanager
def instead(mutant: Mutant) -> Iterator[None]:
    """Let the mutant run in the place of its function."""
    functions = functions_of(mutant.key)
    assert functions, f"{mutant} is in no function that was imported"
    before = [function.__code__ for function in functions]
    code = changed(mutant)
    for function in functions:
        function.__code__ = code
    try:
        yield
    finally:
        for function, own in zip(functions, before, strict=True):
            function.__code__ = own


def functions_of(key: tuple[str, str, int]) -> list[FunctionType]:
    return _imported().get(key, [])


@cache
def _imported() -> dict[tuple[str, str, int], list[FunctionType]]:
    # Only then are all views imported, and what they use, and what every request goes through.
    assert get_resolver().url_patterns
    assert all(map(import_string, settings.MIDDLEWARE))
    # What was imported when the tests were collected is out of the garbage collector's sight (tests/conftest.py).
    gc.unfreeze()
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        # Asking a lazy object for its class would make it come to life.
        if type(thing) is FunctionType:
            found.setdefault(key_of(thing.__code__), []).append(thing)
    return found


def key_of(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def served() -> list[Mutant]:
    """Those in functions that the program has imported to answer requests."""
    return [mutant for mutant in mutants() if functions_of(mutant.key)]
