"""The verdict: sentences made from the figures of the report, and a state against thresholds of the lead alone."""

import re

import pytest

from projects.models import Project
from reports.agreement.reading.scales import SCALES
from reports.pages.question.verdict import claim_of, value_sentence
from reports.results.readings import reading_of
from tests import cast
from tests.finished import finished_report
from tests.labelling import add_labels, from_table, new_question
from tests.reports.looking import led_by, question_page, text_of
from tests.reports.other_kinds import add_numbers, add_sets


def told(project, **chosen) -> None:
    Project.objects.filter(pk=project.pk).update(**chosen)


def of_table(lead, counts, categories=("cat", "dog")):
    project = led_by(lead, cast.new_project("Judged", unique=True))
    add_labels(new_question(project, categories=categories), from_table(counts, categories))
    return project


def test_a_verdict_has_class_certainty_value_interval_and_scale(client, lead, cats):
    shown = text_of(question_page(client, finished_report(cats, lead)))

    assert "Agreement is “fair”; “slight” or better is more than 99 % certain (one-sided)." in shown
    assert "Fleiss’ κ is 0.35, 95 % interval" in shown
    assert (
        "“fair” is from 0.20 to 0.40 on the scale of Landis &amp; Koch 1977, which is a convention" in shown
    )
    assert "chance alone, with categories used as often as here, would give 52 %" in shown


def test_a_common_category_explains_what_chance_gives(client, lead):
    project = of_table(lead, [[170, 12], [10, 8]])

    shown = text_of(question_page(client, finished_report(project, lead)))

    assert "agree 89 % of the time, on average over items; but 90 % of the labels are “cat”" in shown
    assert (
        "so chance alone would give 83 %. Gwet’s AC1, which takes less of that for chance, is 0.87." in shown
    )


def test_the_coefficient_is_the_one_of_the_project(client, lead, cats):
    report = finished_report(cats, lead)
    told(cats, coefficient="krippendorff_alpha", reading_scale="krippendorff")

    shown = text_of(question_page(client, report))

    assert "Agreement is “discard”. Krippendorff’s α is 0.36" in shown


@pytest.mark.parametrize(
    ("value", "se", "claim", "reach"),
    [
        (
            0.62,
            0.01,
            "Agreement is “substantial”, at least that with 98 % certainty (one-sided).",
            "interval is in it",
        ),
        (
            0.618,
            0.01,
            "“substantial”, at least that with 96 % certainty",
            "two-sided interval reaches from “moderate” to",
        ),
        (
            0.7,
            0.01,
            "“substantial”, at least that with more than 99 % certainty",
            "the whole interval is in it",
        ),
        (
            0.62,
            0.1,
            "“moderate” or better is 99 % certain",
            "the interval reaches from “moderate” to “almost",
        ),
        (
            0.1,
            0.2,
            "Agreement is “slight”, at least that with only 69 % certainty (one-sided)",
            "from “poor”",
        ),
        (-0.1, 0.2, "Agreement is “poor”, the lowest class of the scale.", "from “poor” to"),
    ],
)
def test_a_certainty_is_of_one_side_and_says_of_what(value, se, claim, reach):
    found = {"value": value, "se": se, "ci_low": value - 1.96 * se, "ci_high": value + 1.96 * se}
    reading = reading_of("fleiss_kappa", found, SCALES["landis_koch"])

    assert claim in " ".join(claim_of("fleiss_kappa", found, reading).split())
    assert reach in value_sentence("fleiss_kappa", found, reading, "95")


def test_without_words_the_verdict_is_the_figure(client, lead, cats):
    report = finished_report(cats, lead)
    told(cats, coefficient="gwet_ac1", reading_scale="none")

    shown = text_of(question_page(client, report))

    assert "Gwet’s AC1 is 0.39." in shown
    assert "Agreement is “" not in shown


def test_with_weights_the_weighted_form_is_judged(client, lead):
    project = of_table(lead, [[20, 5, 1], [4, 15, 6], [0, 3, 22]], ("low", "middle", "high"))
    told(project, coefficient="brennan_prediger", reading_scale="none")

    shown = text_of(question_page(client, finished_report(project, lead, weights="quadratic")))

    assert "Brennan–Prediger, weighted is 0." in shown


def test_an_undefined_coefficient_says_why(client, lead):
    project = of_table(lead, [[12, 0], [0, 0]])

    shown = text_of(question_page(client, finished_report(project, lead)))

    assert "Fleiss’ κ is undefined. All labels are the same" in shown


@pytest.mark.parametrize(
    ("steps", "state", "words"),
    [
        ([(0.6, "good")], "missed", "Below “good” (0.60)"),
        ([(0.1, "usable"), (0.6, "good")], "between", "“usable” reached, “good” (0.60) not"),
        ([(0.3, "usable")], "between", "“usable” (0.30) reached, but not by the whole interval"),
        ([(-0.5, "usable")], "reached", "“usable” (−0.50) reached by the whole interval"),
    ],
)
def test_a_state_stands_against_the_thresholds_of_the_lead(client, lead, cats, steps, state, words):
    report = finished_report(cats, lead)
    thresholds = [{"from": start, "name": name} for start, name in steps]
    told(cats, reading_scale="own", thresholds=thresholds)

    page = question_page(client, report)

    assert f'class="standing {state}"' in page.content.decode()
    assert words in text_of(page)


def test_a_published_scale_gives_no_state(client, lead, cats):
    page = question_page(client, finished_report(cats, lead))

    assert 'class="standing' not in page.content.decode()


def test_a_codebook_has_a_verdict_on_each_question(client, lead, own_cats):
    other = new_question(own_cats, key="other", categories=("a", "b"))
    add_labels(other, from_table([[5, 0], [0, 5]], ["a", "b"]))
    number = new_question(own_cats, key="number", categories=(), kind="number", level="interval")
    add_numbers(number, [(1, 2), (2, 2), (5, 4), (9, 6)])
    sets = new_question(own_cats, key="sets", categories=("a", "b"), kind="multiple")
    add_sets(sets, [("a", "ab"), ("b", "b"), ("a", "a"), ("ab", "b")])

    shown = text_of(client.get(finished_report(own_cats, lead).get_absolute_url()))

    assert "Agreement is “fair”; “slight” or better is more than 99 % certain (one-sided)." in shown
    assert "Agreement is “almost perfect”." in shown
    assert re.search(r"ICC\(A,1\) is 0\.\d\d, 95 % interval [−\d]", shown)
    assert re.search(r"Krippendorff’s α is 0\.\d\d, 95 % interval [−\d]", shown)
