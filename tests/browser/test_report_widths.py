"""The tables of a report fit a window of 1280 pixels; in a narrower one, a shade shows that they go on."""

import random

import pytest
from playwright.sync_api import Page

from projects.models import Membership, Round
from raters.models import Label, Rater, User
from reports.models import Report
from tests import cast
from tests.browser.people import sign_in
from tests.finished import finished_report
from tests.labeling import add_labels, new_question

WIDER = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"
QUESTIONS = {"Overall sentiment of the message": "nominal", "helpfulness": "ordinal", "topic_main": "nominal"}


@pytest.fixture
def wide_report(page: Page) -> Report:
    """Three questions in two rounds, the second only begun, with five people, a model, and a reference."""
    project = cast.new_project("Customer messages", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    chance = random.Random(7)
    answers = ["Negative", "Mixed", "Positive"]
    for key, level in QUESTIONS.items():
        question = new_question(
            project, key=key, categories=answers, level=level, weights="linear" if level == "ordinal" else ""
        )
        for name, n in (("Pilot Round", 60), ("Second round", 6)):
            round_, _ = Round.objects.get_or_create(
                project=project, key=name, defaults={"position": project.rounds.count()}
            )
            rows = []
            for item in range(n):
                truth = chance.choice(answers)
                rows += [
                    (f"{name} {item:03}", rater, truth if chance.random() < 0.75 else chance.choice(answers))
                    for rater in ("alice.smith", "bob", "carla", "dimitri", "eve", "gpt-4.1-mini", "gold")
                ]
            before = set(Label.objects.filter(question=question).values_list("pk", flat=True))
            add_labels(question, rows)
            Label.objects.filter(question=question).exclude(pk__in=before).update(round=round_)
    Rater.objects.filter(project=project, key="gold").update(kind="reference")
    Rater.objects.filter(project=project, key="gpt-4.1-mini").update(kind="model")
    return finished_report(project, lead, reference="gold", name="After the pilot")


def addresses_of(wide_report: Report) -> dict[str, str]:
    first, lead = wide_report.get_absolute_url(), wide_report.asked_by
    assert isinstance(lead, User)
    question = (
        f"{first}{wide_report.questions.order_by('question__position', 'question_id').first().question_id}/"
    )
    return {
        "first": first,
        "question": question,
        "raters": f"{question}raters/",
        "list": f"{wide_report.project.get_absolute_url()}agreement/",
    }


def test_main_tables_fit_a_window_of_1280_pixels(page: Page, wide_report: Report):
    sign_in(page, wide_report.asked_by)
    page.set_viewport_size({"width": 1280, "height": 900})

    wider = {}
    for name, address in addresses_of(wide_report).items():
        page.goto(address)
        wider[name] = page.evaluate(WIDER)

    assert wider == {name: [] for name in wider}


def test_a_narrow_window_shows_that_a_table_goes_on(page: Page, wide_report: Report):
    sign_in(page, wide_report.asked_by)
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(addresses_of(wide_report)["raters"])

    assert page.evaluate(WIDER)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shades = page.evaluate(
        "[...document.querySelectorAll('.scroll')].map(e => getComputedStyle(e).backgroundImage.includes('gradient'))"
    )
    assert all(shades)
