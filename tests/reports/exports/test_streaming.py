"""Files are sent while they are made: when the first block goes out, most rows have not been read."""

import tracemalloc
from itertools import chain

import pytest

from raters.archive import project_export
from raters.archive.project_export import project_file
from reports.exports import label_exports as labels
from reports.exports.export_list import FILES
from reports.store import pairs_in_order
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.looking import led_by
from tests.sizes import only_in_full, some


def counted(monkeypatch, place, name):
    """A list that grows by one with each call of a function."""
    made, calls = getattr(place, name), []

    def counting(*args):
        calls.append(name)
        return made(*args)

    monkeypatch.setattr(place, name, counting)
    return calls


def test_labels_are_read_as_they_are_sent(monkeypatch, lead):
    report = finished_report(led_by(lead, labeled_project("Long", n_items=600, n_raters=4)), lead)
    monkeypatch.setattr(labels, "BLOCK", 200)
    rows = counted(monkeypatch, labels, "long_row")

    pieces = FILES["labels-long.csv"].pieces(report)
    first = next(pieces)
    n_at_first = len(rows)
    size = sum(map(len, chain([first], pieces)))

    assert len(rows) == report.questions.get().n_labels
    assert n_at_first < len(rows) / 2
    assert len(first) < size / 2


def test_a_project_is_read_as_it_is_sent(monkeypatch, lead):
    project = led_by(lead, labeled_project("Long", n_items=600, n_raters=4))
    monkeypatch.setattr("core.tables.zipped.BLOCK", 1000)
    lines = counted(monkeypatch, project_export, "_line")

    pieces = project_file(project)
    next(pieces)
    n_at_first = len(lines)
    sum(map(len, pieces))

    assert n_at_first < len(lines) / 2


@pytest.mark.parametrize("name", ["tables.xlsx", "results.json", "tables.zip"])
def test_pairs_are_read_as_they_are_sent(monkeypatch, lead, name):
    report = finished_report(led_by(lead, labeled_project("Many", n_items=4, n_raters=40)), lead)
    small_blocks(monkeypatch)
    read = counted(monkeypatch, pairs_in_order, "lower_first")

    pieces = FILES[name].pieces(report)
    size = len(next(pieces))
    n_at_first = len(read)
    size += sum(map(len, pieces))

    assert n_at_first < len(read) / 2
    assert len(read) >= report.questions.get().n_pairs
    assert size > 10_000


@only_in_full
@pytest.mark.parametrize("name", some(["results.json", "tables.xlsx", "tables.zip"], every=3))
def test_four_times_as_many_pairs_take_no_more_memory(monkeypatch, lead, name):
    small_blocks(monkeypatch)
    few, many = (
        finished_report(led_by(lead, labeled_project(f"Of {n}", n_items=4, n_raters=n)), lead)
        for n in (30, 60)
    )
    pieces = FILES[name].pieces
    # What is read once, such as the titles of statistics, is there before.
    most_memory(pieces(few))

    of_few, of_many = most_memory(pieces(few)), most_memory(pieces(many))

    assert of_many < 1.5 * of_few


def small_blocks(monkeypatch):
    monkeypatch.setattr(pairs_in_order, "BLOCK", 25)
    monkeypatch.setattr("reports.exports.pair_tables.BLOCK", 25)
    monkeypatch.setattr("core.tables.zipped.BLOCK", 1000)
    monkeypatch.setattr("core.tables.streamed_workbook._BLOCK", 1000)


def most_memory(pieces):
    """The most bytes that Python's objects held while the file was read to its end and thrown away."""
    tracemalloc.start()
    try:
        for _ in pieces:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
