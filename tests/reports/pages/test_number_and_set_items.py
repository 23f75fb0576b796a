"""The items behind figures of all raters, of questions that are answered by numbers or sets."""

import re

import pytest
from django.urls import reverse

from raters.models import Label
from tests.finished import finished_report
from tests.reports.looking import question_page, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets

NUMBERS = [[1.0, 1.0, 1.0], [2.0, 9.5, 4.0], [3.0, 3.0, None], [5.0, None, None], [-10.0, 10.0, 0.0]]
SETS = [[("A",), ("A",), ("A",)], [("A", "B"), ("B",), ()], [("C",), ("C",), None]]


def items_of(client, report, **query) -> str:
    agreement = report.questions.first()
    address = reverse("report_items", args=[report.project.slug, report.pk, agreement.question_id])
    return text_of(client.get(address, query))


@pytest.fixture
def of_numbers(lead, numbers):
    add_numbers(numbers, NUMBERS)
    item = numbers.project.items.get(key="i003")
    rater = numbers.project.raters.get(key="r1")
    Label.objects.create(item=item, rater=rater, question=numbers, is_abstention=True)
    return finished_report(numbers.project, lead)


@pytest.fixture
def of_sets(lead, sets):
    add_sets(sets, SETS)
    return finished_report(sets.project, lead)


def test_numbers_are_as_disputed_as_they_lie_apart(client, of_numbers):
    shown = items_of(client, of_numbers)

    assert "5 items, question score" in shown
    assert shown.index("i004 −10 (1), 0 (1), 10 (1)") < shown.index("i001 2 (1), 4 (1), 9.5 (1)")
    assert shown.index("i001 2 (1)") < shown.index("i000 1 (3)")
    assert "i003 5 (1), cannot tell (1)" in shown


def test_the_list_leads_back_to_its_question_and_says_how_it_is_ordered(client, of_numbers):
    agreement = of_numbers.questions.get()
    args = [of_numbers.project.slug, of_numbers.pk, agreement.question_id]
    page = client.get(reverse("report_items", args=args)).content.decode()
    path = page[page.index('<p class="path">') :].split("</p>")[0]

    assert re.findall(r'href="([^"]+)"', path) == [
        reverse("agreement", args=args[:1]),
        reverse("report_question", args=args),
    ]
    assert "data-order" in page


@pytest.mark.parametrize(
    ("query", "n"),
    [
        ({"in": "dispute"}, 2),
        ({"in": "agreement"}, 2),
        ({"in": "compared"}, 4),
        ({"in": "alone"}, 1),
        ({"in": "complete"}, 3),
        ({"in": "abstained"}, 1),
        ({"rater": "r2"}, 3),
    ],
)
def test_items_of_numbers_are_chosen_by_the_address(client, of_numbers, query, n):
    assert f"{n} item{'' if n == 1 else 's'}, question score" in items_of(client, of_numbers, **query)


def test_numbers_of_the_page_of_numbers_lead_to_their_items(client, of_numbers):
    html = question_page(client, of_numbers).content.decode()

    for query in ("", "?in=dispute", "?in=complete", "?in=compared", "?in=abstained"):
        assert f'items/{query}"' in html


def test_sets_are_as_disputed_as_they_differ(client, of_sets):
    shown = items_of(client, of_sets)

    assert shown.index("i001 “none” (1), “A + B” (1), “B” (1)") < shown.index("i000 “A” (3)")
    assert "i002 “C” (2)" in shown


@pytest.mark.parametrize(
    ("query", "n"),
    [
        ({"has": "A"}, 2),
        ({"has": ["A", "B"]}, 1),
        ({"rater": "r1", "label": "B"}, 1),
        ({"has": "C", "in": "dispute"}, 0),
    ],
)
def test_items_of_sets_are_chosen_by_the_address(client, of_sets, query, n):
    assert f"{n} item{'' if n == 1 else 's'}, question topics" in items_of(client, of_sets, **query)
