"""Files are sent while they are made: when the first block goes out, most rows have not been read."""

from itertools import chain

from raters.archive import writing
from raters.archive.writing import project_file
from reports.exports import label_exports as labels
from reports.exports.export_list import FILES
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.looking import led_by


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
    lines = counted(monkeypatch, writing, "_line")

    pieces = project_file(project)
    next(pieces)
    n_at_first = len(lines)
    sum(map(len, pieces))

    assert n_at_first < len(lines) / 2
