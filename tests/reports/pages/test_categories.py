"""The page of categories, and the items behind a figure of all raters."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Item, Question
from raters.models import Label
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports import gallery
from tests.reports.gallery import on_show
from tests.reports.looking import led_by, question_page, text_of


def page_of(client, report, name="report_categories", **query):
    agreement = report.questions.first()
    address = reverse(name, args=[report.project.slug, report.pk, agreement.question_id])
    return client.get(address, query)


@pytest.fixture
def fruits(lead):
    """Apple and pear are confused: 20 + 5 of 30 disagreements; B says pear far more often than A."""
    with on_show(gallery.fruits, lead) as report:
        yield report


def test_the_most_confused_categories_are_named_with_their_items(client, fruits):
    shown = text_of(page_of(client, fruits))

    assert "“apple” and “pear” are confused most often: 83.3% of all disagreements." in shown
    assert "apple ↔ pear 83.3% 25 25 0.80" in shown
    assert "See the 25 items with both" in shown


def test_the_category_least_agreed_on_comes_first(client, fruits):
    """Specific agreement of pear: 2 x 30 / (36 + 51)."""
    shown = text_of(page_of(client, fruits))

    assert (
        "“pear” has the lowest agreement: when one rater chooses it, another does so 69% of the time."
        in shown
    )
    assert "pear 0.5" in shown


def test_pairs_that_lean_apart_are_tested(client, fruits, lead):
    even = finished_report(led_by(lead, labeled_project("even")), lead)

    shown = text_of(page_of(client, fruits))

    assert "A chooses “apple” on 16 more of 150 items" in shown
    assert "A × B A chooses" in shown
    assert "No two raters differ significantly in how often they use the categories." in text_of(
        page_of(client, even)
    )


def test_the_distribution_of_each_rater_leads_to_items(client, fruits):
    page = page_of(client, fruits)

    assert "A 41% 62 24% 36 35% 52 150" in text_of(page)
    assert 'href="../items/?rater=A&amp;label=apple"' in page.content.decode()


def test_the_items_of_both_categories_are_as_many_as_the_report_says(client, fruits):
    shown = text_of(page_of(client, fruits, "report_items", has=["apple", "pear"]))

    assert "Items where at least one rater chose “apple” and at least one rater chose “pear”" in shown
    assert "25 items, question answer" in shown


@pytest.mark.parametrize(
    ("query", "n", "words"),
    [
        ({}, 150, "All labeled items"),
        ({"in": "dispute"}, 30, "raters disagree"),
        ({"in": "agreement"}, 120, "all raters agree"),
        ({"rater": "A"}, 150, "A gave a label"),
        ({"rater": "B", "label": "plum"}, 53, "B chose “plum”"),
        ({"in": "compared"}, 150, "at least two raters gave a label"),
        ({"in": "complete"}, 150, "all 2 raters gave a label"),
        ({"in": "alone"}, 0, "only one rater gave a label"),
        ({"in": "abstained"}, 0, "a rater answered “cannot tell”"),
        ({"has": ["plum"], "in": "dispute"}, 5, "at least one rater chose “plum” and raters disagree"),
        ({"has": ["apple", "pear", "plum"]}, 25, "at least one rater chose “pear”"),
        ({"page": "x"}, 150, "All labeled items"),
        ({"page": "-3"}, 150, "All labeled items"),
    ],
)
def test_items_are_chosen_by_the_address(client, fruits, query, n, words):
    shown = text_of(page_of(client, fruits, "report_items", **query))

    assert f"{n} items, question answer" in shown
    assert words in shown


def test_items_with_one_label_and_those_nobody_could_tell_are_found(client, lead):
    project = led_by(lead, cast.new_project("Unsure", unique=True))
    question = new_question(project)
    add_labels(
        question, [("both", "A", "yes"), ("both", "B", "no"), ("one", "A", "yes"), ("other", "B", "no")]
    )
    one, none = project.items.get(key="one"), Item.objects.create(project=project, key="none")
    Label.objects.bulk_create(
        Label(item=item, rater=project.raters.get(key=rater), question=question, is_abstention=True)
        for item, rater in ((one, "B"), (none, "A"))
    )
    report = finished_report(project, lead)

    alone, unsure, together = (
        text_of(page_of(client, report, "report_items", **{"in": name}))
        for name in ("alone", "abstained", "compared")
    )

    assert "2 items, question answer" in alone
    assert "one yes (1), cannot tell (1)" in unsure
    assert "none cannot tell (1)" in unsure
    assert "1 item, question answer" in together


def test_items_are_searched_by_name_and_the_filter_is_kept(client, fruits):
    every, found = (page_of(client, fruits, "report_items", **{"in": "dispute", "q": q}) for q in ("", "3"))

    keys = [row.key for row in every.context["rows"] if "3" in row.key]
    assert keys
    assert [row.key for row in found.context["rows"]] == keys
    assert '<input type="hidden" name="in" value="dispute">' in found.content.decode()
    assert "raters disagree and the item name or text contains “3”" in text_of(found)


def test_numbers_of_the_question_page_lead_to_their_items(client, fruits):
    html = page_of(client, fruits, "report_question").content.decode()
    items = page_of(client, fruits, "report_items").request["PATH_INFO"]

    for query in ("", "?in=dispute", "?in=agreement", "?has=apple", "?has=plum&amp;in=dispute"):
        assert f'href="{items}{query}"' in html


@pytest.mark.parametrize(("number", "rows"), [(1, "1–50 of 150 items"), (3, "101–150 of 150 items")])
def test_a_page_of_items_shows_which_of_them_it_has(client, fruits, number, rows):
    page = page_of(client, fruits, "report_items", page=number)

    assert f"<span data-rows>{rows}</span>" in page.content.decode()


@pytest.mark.parametrize("query", [{"has": "kiwi"}, {"rater": "Z"}, {"rater": "A", "label": "kiwi"}])
def test_what_the_report_does_not_know_is_not_found(client, fruits, query):
    assert page_of(client, fruits, "report_items", **query).status_code == 404


def test_the_most_disputed_items_come_first_page_by_page(client, lead):
    project = led_by(lead, cast.new_project("Split", unique=True))
    rows = [("even", rater, "yes" if rater < "C" else "no") for rater in "ABCD"]
    rows += [("one", rater, "yes" if rater == "A" else "no") for rater in "ABCD"]
    rows += [(f"all-{n:02}", rater, "yes") for n in range(60) for rater in "AB"]
    add_labels(new_question(project), rows)
    report = finished_report(project, lead)

    first, second = (text_of(page_of(client, report, "report_items", page=page)) for page in (1, 2))

    assert (
        first.index("even yes (2), no (2)")
        < first.index("one no (3), yes (1)")
        < first.index("all-00 yes (2)")
    )
    assert "1–50 of 62 items" in first
    assert "all-59 yes (2)" in second
    assert "all-59" not in first


PAGES = ("report_categories", "report_items", "report_network")


def test_more_raters_and_items_take_no_more_queries(client, lead):
    counts = {}
    for n in (4, 9):
        report = finished_report(led_by(lead, labeled_project("many", n_raters=n, n_items=10 * n)), lead)
        for name in PAGES:
            with CaptureQueriesContext(connection) as queries:
                page_of(client, report, name)
            counts.setdefault(name, set()).add(len(queries))

    assert {name: len(found) for name, found in counts.items()} == dict.fromkeys(PAGES, 1)


def test_a_report_from_before_says_to_compute_again(client, fruits):
    agreement = fruits.questions.get()
    for name in ("confusions", "distributions", "checks"):
        del agreement.statistics[name]
    agreement.save()

    shown = text_of(page_of(client, fruits))

    assert "This report predates the count of confusions. Recompute to see them." in shown


def test_a_question_without_categories_to_look_at_has_no_such_page(client, lead, numbers):
    report = finished_report(numbers.project, lead)

    assert numbers.kind == Question.Kind.NUMBER
    assert page_of(client, report).status_code == 404


def test_extremes_are_not_called_findings_and_say_what_the_findings_are(client, lead):
    """Labels at random: nothing is beyond chance, but every table has a largest value."""
    chance = random.Random(5)
    rows = [(f"i{at}", rater, chance.choice("xyz")) for at in range(30) for rater in ("ann", "bob", "eve")]
    rows += [(f"j{at}", "bob", "z") for at in range(8)]
    project = led_by(lead, cast.new_project("Extremes", unique=True))
    add_labels(new_question(project, categories="xyz"), rows)
    report = finished_report(project, lead)

    shown = text_of(page_of(client, report))

    assert 'data-findings="none"' in question_page(client, report).content.decode()
    assert "Extremes of the tables below, whether or not they are beyond chance" in shown
    page = page_of(client, report).context
    assert page["findings_words"] == "no single finding is significant"
    assert page["n_findings_tested"] == report.questions.get().result.findings.n_tested
    assert "least like the others: the distribution of this rater’s labels differs from theirs by" in shown
    assert "a significant difference" not in shown
