"""What a researcher asks of a report is at most two clicks from its first screen: docs/how-to/read-a-report.md.

The first screen is the one farthest from an answer: that of a report on several questions.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from config.environment import BASE_DIR
from projects.models import Membership, Question, Round
from raters.models import Label, Rater, User
from reports.models import Report
from tests import cast
from tests.browser.people import sign_in
from tests.finished import finished_report
from tests.labeling import add_labels, keyed, new_question

MOST_CLICKS = 2
LEVELS = ("none", "mild", "severe")


@dataclass(slots=True)
class Reader:
    """Whoever reads the report, and how often they have clicked."""

    page: Page
    n_clicks: int = 0

    def click(self, found: Locator) -> None:
        found.click()
        self.n_clicks += 1

    def link(self, name: str, where: str = "") -> None:
        scope = self.page.get_by_role("navigation", name=where) if where else self.page
        self.click(scope.get_by_role("link", name=name, exact=True).first)

    def tab(self, name: str) -> None:
        self.link(name, where="This question")


@pytest.fixture
def study(page: Page) -> tuple[User, Report]:
    """A report on an ordinal question of two rounds, on sets, and on numbers; `page` opens the database."""
    project = cast.new_project("Clicks", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    chance = random.Random(7)
    severity = new_question(
        project, key="severity", categories=LEVELS, level=Question.Level.ORDINAL, position=0
    )
    for place, (key, right) in enumerate((("pilot", 0.4), ("main", 0.9))):
        round_ = Round.objects.create(project=project, key=key, position=place)
        known = set(Label.objects.filter(question=severity).values_list("pk", flat=True))
        add_labels(severity, _ordinal(chance, key, right))
        Label.objects.filter(question=severity).exclude(pk__in=known).update(round=round_)
    _sets(
        new_question(project, key="topics", categories="xyz", kind=Question.Kind.MULTIPLE, position=1), chance
    )
    score = Question.objects.create(
        project=project, key="score", kind=Question.Kind.NUMBER, level=Question.Level.INTERVAL, position=2
    )
    _numbers(score, chance)
    return lead, finished_report(project, lead)


def _ordinal(chance: random.Random, key: str, right: float) -> list[tuple[str, str, str]]:
    """C is right less often than A and B."""
    rows = []
    for number in range(40):
        truth = chance.choice(LEVELS)
        for rater, share in (("A", right), ("B", right), ("C", right / 2)):
            label = truth if chance.random() < share else chance.choice(LEVELS)
            rows.append((f"{key}-{number:02}", rater, label))
    return rows


def _sets(question: Question, chance: random.Random) -> None:
    categories = list(question.categories.values_list("pk", flat=True))
    for item, rater in _pairs(question):
        chosen = [pk for pk in categories if chance.random() < 0.5] or categories[:1]
        Label.objects.create(item=item, rater=rater, question=question, category_set=chosen)


def _numbers(question: Question, chance: random.Random) -> None:
    for item, rater in _pairs(question):
        Label.objects.create(item=item, rater=rater, question=question, number=item.pk % 7 + chance.random())


def _pairs(question: Question) -> list[tuple]:
    items = question.project.items.filter(key__startswith="main")[:25]
    raters = keyed(Rater, question.project, "ABC").values()
    return [(item, rater) for item in items for rater in raters]


def is_it_enough(reader: Reader) -> None:
    expect(reader.page.locator(".criterion-status").first).to_be_visible()


def which_categories_are_confused(reader: Reader) -> None:
    reader.link("severity")
    reader.tab("Categories")
    expect(reader.page.get_by_role("heading", name=re.compile("[Cc]onfus")).first).to_be_visible()


def which_coder_is_off(reader: Reader) -> None:
    reader.link("severity")
    reader.tab("Raters")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("Raters")
    expect(reader.page.get_by_role("row", name=re.compile("^C ")).first).to_be_visible()


def did_training_help(reader: Reader) -> None:
    reader.link("severity")
    reader.tab("Rounds and time")
    expect(reader.page.get_by_text("pilot").first).to_be_visible()
    expect(reader.page.get_by_text("main").first).to_be_visible()


def how_many_items_to_double_code(reader: Reader) -> None:
    reader.link("severity")
    reader.link("How many items to label twice?")
    expect(reader.page.get_by_role("heading", name="How many items", exact=False).first).to_be_visible()


def weighted_kappa(reader: Reader) -> None:
    reader.link("severity")
    reader.tab("All statistics")
    table = reader.page.get_by_role("table", name="All raters", exact=True)
    expect(table.get_by_role("row", name=re.compile("κ.*weighted", re.I)).first).to_be_visible()


def multiple_choice(reader: Reader) -> None:
    reader.link("topics")
    expect(reader.page.get_by_text("MASI").first).to_be_visible()


def icc(reader: Reader) -> None:
    reader.link("score")
    expect(reader.page.get_by_text(re.compile("ICC")).first).to_be_visible()


def the_r_script(reader: Reader) -> None:
    reader.link("Export")
    with reader.page.expect_download() as download:
        reader.link("R script")
    assert download.value.suggested_filename.endswith(".R")


QUESTIONS: dict[str, Callable[[Reader], None]] = {
    "Is α = .68 enough?": is_it_enough,
    "Which categories are confused?": which_categories_are_confused,
    "Which coder is off?": which_coder_is_off,
    "Did training help?": did_training_help,
    "How many items to double code?": how_many_items_to_double_code,
    "What is the weighted kappa?": weighted_kappa,
    "How do I report multiple choice?": multiple_choice,
    "What is the ICC?": icc,
    "Where is the R script?": the_r_script,
}


def documented() -> dict[str, int]:
    """By question, the clicks that the table of the documentation says."""
    text = (BASE_DIR / "docs/how-to/read-a-report.md").read_text(encoding="utf-8")
    table = text.partition("## From question to answer")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+\?) \| [^|]+ \| (\d) \|$", table, flags=re.M)
    return {question: int(n) for question, n in rows}


def test_each_question_is_answered_in_two_clicks(page: Page, study: tuple[User, Report]):
    lead, report = study
    sign_in(page, lead)
    page.set_viewport_size({"width": 1280, "height": 900})
    clicks = {}

    for question, answer in QUESTIONS.items():
        page.goto(report.get_absolute_url())
        reader = Reader(page)
        answer(reader)
        clicks[question] = reader.n_clicks

    assert clicks == documented()
    assert max(clicks.values()) <= MOST_CLICKS
