"""Findings on the page of a question: in words, with the items behind them, or that there are none."""

import random
import re

from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, question_page, text_of


def report_of(lead, **raters: list[str]):
    project = led_by(lead, cast.new_project("Found", unique=True))
    rows = [
        (f"item-{place:03}", rater, label)
        for rater, labels in raters.items()
        for place, label in enumerate(labels)
    ]
    add_labels(new_question(project, categories=("yes", "no")), rows)
    return finished_report(project, lead)


def test_a_rater_who_differs_is_told_with_effect_and_items(client, lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)

    page = question_page(client, report)

    shown = text_of(page)
    assert "dora labels differently from the others" in shown
    assert "“yes” on 100% of items, the others on 50% of the same items (+50 points" in shown
    # Observed .75, chance 34/64, as worked out in `test_findings`.
    assert "Without dora, Fleiss’ κ would be 1.00 instead of 0.47 (+0.53" in shown
    [address] = re.findall(
        r'href="([^"]*/items/\?in=dispute)"[^>]*>Items on which dora', page.content.decode()
    )
    assert "30 items" in text_of(client.get(address))


def test_chance_is_said_to_be_chance(client, lead):
    chance = random.Random(5)
    report = report_of(
        lead, **{name: [chance.choice(["yes", "no"]) for _ in range(40)] for name in ("ana", "ben", "cleo")}
    )

    assert "Nothing here is beyond chance: none of" in text_of(question_page(client, report))


def test_the_items_on_which_all_differ_are_listed(client, lead):
    project = led_by(lead, cast.new_project("Scattered", unique=True))
    every = ("yes", "no", "maybe")
    rows = [
        (f"item-{place:03}", rater, every[(place + (column if place < 20 else 0)) % 3])
        for column, rater in enumerate(("ana", "ben", "cleo"))
        for place in range(100)
    ]
    add_labels(new_question(project, categories=every), rows)
    report = finished_report(project, lead)

    page = question_page(client, report)

    assert "No two raters agree on 20 items" in text_of(page)
    [address] = re.findall(r'href="([^"]*\?in=scattered)"', page.content.decode())
    assert "20 items" in text_of(client.get(address))
