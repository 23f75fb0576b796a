"""Agreement in windows of time: pages and API."""

import re
from datetime import timedelta

import pytest

from projects.models import GuidelinesVersion
from raters.models import Label
from reports.models import Report
from reports.store import over_time
from tests import cast
from tests.finished import finished_report
from tests.labeling import labeled_project, new_question
from tests.reports.looking import led_by, text_of
from tests.reports.pages.test_over_time import MONDAY, add_round, found_of, improved, improved_report, page_of

__all__ = ["improved"]


def test_guidelines_are_marked_where_they_were_written(client, lead):
    improved = improved_report(lead)
    for number, text in enumerate(("Look.", "Look twice."), start=1):
        # Written before the report.
        GuidelinesVersion.objects.create(
            project=improved.project,
            number=number,
            text=text,
            made_by=lead,
            made_at=MONDAY + timedelta(days=7),
        )

    page = page_of(client, improved, by="week")

    assert page.content.decode().count('stroke-dasharray="2,3"') == 2
    assert "guidelines 1" in text_of(page)
    assert "Version 2 , in force from 9 Mar 2026, 09:00" in text_of(page)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2 Mar 2026", "16 Mar 2026"]),
        ("week", ["week of 2 Mar 2026", "week of 16 Mar 2026"]),
        ("number", [f"window {n}" for n in range(1, 9)]),
    ],
)
def test_windows_of_time(client, improved, by, names):
    found = found_of(client, improved, by=by)

    assert [window["name"] for window in found["windows"]] == names
    assert sum(window["n_labels"] for window in found["windows"]) == 320
    # From each to the next, and of three or more first to last.
    assert len(found["differences"]) == (len(names) if len(names) > 2 else 1)


def test_what_was_changed_since_stays_as_the_report_saw_it(client, lead):
    improved = improved_report(lead)
    before = found_of(client, improved, by="day", coefficient="krippendorff_alpha")
    Label.objects.filter(question__project=improved.project, round__key="main").update(
        labelled_at=MONDAY + timedelta(days=30), category=improved.project.questions.get().categories.first()
    )
    # Another version of the address, so that nothing is taken from what was kept.
    after = found_of(client, improved, by="week", coefficient="krippendorff_alpha")

    assert [window["figure"] for window in after["windows"]] == [
        window["figure"] for window in before["windows"]
    ]
    assert [window["start"] for window in after["windows"]] == [
        window["start"] for window in before["windows"]
    ]


def test_one_window_says_why_there_is_nothing_to_compare(client, lead):
    report = finished_report(led_by(lead, labeled_project("Plain")), lead)

    shown = text_of(page_of(client, report))

    assert "All items were completed at the same time" in shown
    assert "Changes later" not in shown


def test_of_many_windows_the_last_are_shown(client, improved, monkeypatch):
    monkeypatch.setattr(over_time, "MAX_WINDOWS", 1)

    found = found_of(client, improved, by="day", coefficient="gwet_ac1")

    assert [window["name"] for window in found["windows"]] == ["16 Mar 2026"]
    assert found["n_left_out"] == 1


def one_round(lead, n: int) -> Report:
    """A project with one round, in which two raters labeled this many items."""
    project = led_by(lead, cast.new_project("One round", unique=True))
    question = new_question(project)
    add_round(question, "only", [[n - 4, 2], [1, 1]], at=MONDAY)
    return finished_report(project, lead)


def test_windows_have_enough_items_unless_their_number_is_chosen(client, lead):
    report = one_round(lead, 70)

    page = page_of(client, report)

    assert [row.n_items for row in page.context["rows"]] == [24, 23, 23]
    assert list(page.context["numbers"]) == ["3", "4", "8", "16"]
    assert len(page_of(client, report, by="number", windows="8").context["rows"]) == 8


def test_few_items_are_not_split(client, lead):
    report = one_round(lead, 12)

    page = text_of(page_of(client, report))
    anyway = page_of(client, report, by="number", windows="4")

    assert "12 items are too few to split into windows: with fewer than 20 items in each" in page
    assert "Significant" not in page
    assert len(anyway.context["rows"]) == 4


def test_reasons_have_a_column_of_their_own(client, lead):
    page = page_of(client, one_round(lead, 12), by="number", windows="4")

    assert "Why not tested" in text_of(page)
    assert re.search(r"<td>not tested</td>", page.content.decode())
    assert not re.search(r"<td>(yes|no)</td>", page.content.decode())
