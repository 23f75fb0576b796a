"""I45: the same file at once, and files that bring the same names at once."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from raters.imports.import_refusals import FileKnown
from raters.imports.undoing import ImportNotUndoable, undo_import
from raters.models import LabelImport
from tests import cast, files
from tests.files import load_items

pytestmark = pytest.mark.faults
AT_ONCE = 6


def at_once(work: Callable[[int], object]) -> list[str]:
    """How each of several threads ended that begin at the same moment."""
    ready = threading.Barrier(AT_ONCE)
    ends = [""] * AT_ONCE

    def begin(place: int) -> None:
        ready.wait()
        try:
            work(place)
            ends[place] = "done"
        except Exception as error:
            ends[place] = type(error).__name__
        finally:
            connection.close()

    threads = [threading.Thread(target=begin, args=(place,)) for place in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(ends)


def test_the_same_file_at_once_is_one_import(committed_db):
    project = cast.new_project("At once", unique=True)

    ends = at_once(lambda _: files.load(project, files.GOOD))

    assert ends == [FileKnown.__name__] * (AT_ONCE - 1) + ["done"]
    assert LabelImport.objects.filter(project=project).count() == 1
    assert len(files.answers(project)) == 2


def test_files_with_the_same_new_names_at_once_are_all_loaded(committed_db):
    project = cast.new_project("At once", unique=True)

    ends = at_once(
        lambda place: files.load(project, f"item,rater,label\na,r{place},yes\nb,r{place},no\n".encode())
    )

    assert ends == ["done"] * AT_ONCE
    assert project.items.count() == 2
    assert len(files.answers(project)) == 2 * AT_ONCE


def test_labels_and_items_that_bring_the_same_items_at_once_are_all_loaded(committed_db):
    project = cast.new_project("At once", unique=True)
    keys = [f"item-{n}" for n in range(500)]

    def bring(place: int) -> None:
        if place % 2:
            load_items(project, "\n".join(["item", *keys]).encode())
            return
        rows = "\n".join(f"{key},r{place},yes" for key in keys)
        files.load(project, f"{files.HEADER}{rows}\n".encode())

    ends = at_once(bring)

    assert ends == ["done"] * AT_ONCE
    assert project.items.count() == len(keys)


def test_an_import_is_undone_once_however_many_ask(committed_db):
    project = cast.new_project("At once", unique=True)
    done = files.load(project, files.GOOD)

    ends = at_once(lambda _: undo_import(LabelImport.objects.get(pk=done.pk), by=None))

    assert ends == [ImportNotUndoable.__name__] * (AT_ONCE - 1) + ["done"]
    assert files.answers(project) == []


def test_imports_and_an_undo_at_once_leave_what_the_imports_brought(committed_db):
    """They take turns: an import that names what the undo deletes finds it, or creates it anew."""
    project = cast.new_project("At once", unique=True)
    done = files.load(project, files.GOOD)

    def work(place: int) -> None:
        if place == 0:
            undo_import(LabelImport.objects.get(pk=done.pk), by=None)
        else:
            files.load(project, f"item,rater,label\na,r{place},yes\nb,r{place},no\n".encode())

    ends = at_once(work)

    assert ends == ["done"] * AT_ONCE
    assert len(files.answers(project)) == 2 * (AT_ONCE - 1)
    assert set(project.items.values_list("key", flat=True)) == {"a", "b"}
