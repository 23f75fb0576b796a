"""The verdict: sentences made from the figures of the report, and a state against thresholds of the lead alone."""

import random
import re

import pytest

from projects.models import Project
from reports.agreement.interpretation.scales import SCALES
from reports.analysis.results import Figure
from reports.pages.question.verdict import reading_sentence, value_of
from reports.results.primary import primary_of
from reports.results.scale_readings import reading_of
from reports.store.stored_result import StoredResult
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.looking import led_by, question_page, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets


def told(project, **chosen) -> None:
    Project.objects.filter(pk=project.pk).update(**chosen)


def of_table(lead, counts, categories=("cat", "dog")):
    project = led_by(lead, cast.new_project("Judged", unique=True))
    add_labels(new_question(project, categories=categories), from_table(counts, categories))
    return project


def test_a_verdict_has_class_certainty_value_interval_and_scale(client, lead, cats):
    shown = text_of(question_page(client, finished_report(cats, lead)))

    # The matrix has the same interval: 0.3534 ± 1.96 × 0.1323 (Fleiss, Cohen & Everitt 1969).
    assert re.search(r"criterion: Cohen’s κ = 0\.35, 95% CI \[0\.\d\d, 0\.\d\d\]", shown)
    assert "Fair agreement" not in shown
    assert "On the Landis &amp; Koch 1977 scale (a convention), 0.20 to 0.40 is fair; the CI spans" in shown
    assert "At least fair with only 88% probability." in shown
    # [22 9; 7 13]: (31 × 29 + 20 × 22) / 51² = .515.
    assert "51% agreement is expected by chance." in shown


def test_agreement_by_chance_is_that_of_the_coefficient_shown(client, lead):
    project = of_table(lead, [[10, 25], [0, 5]])

    cohen = text_of(question_page(client, finished_report(project, lead)))
    project.questions.update(coefficient="fleiss_kappa")
    fleiss = text_of(question_page(client, finished_report(project, lead)))

    # Of 40 items: Cohen's (35 × 10 + 5 × 30) / 40² = .3125; Fleiss', from 45 and 35 of 80 labels, .508.
    assert "Cohen’s κ = " in cohen
    assert "31% agreement is expected by chance." in cohen
    assert "Fleiss’ κ = " in fleiss
    assert "51% agreement is expected by chance." in fleiss


def test_a_common_category_explains_what_chance_gives(client, lead):
    project = of_table(lead, [[170, 12], [10, 8]])

    shown = text_of(question_page(client, finished_report(project, lead)))

    assert "agree on an item 89% of the time (averaged over items), but 90% of the labels are “cat”" in shown
    assert "83% agreement is expected by chance. Gwet’s AC1, which corrects less for that, is 0.87." in shown


def test_the_coefficient_is_the_one_of_the_project(client, lead, cats):
    report = finished_report(cats, lead)
    told(cats, coefficient="krippendorff_alpha", reading_scale="krippendorff")

    shown = text_of(question_page(client, report))

    assert "Krippendorff’s α = 0.36, 95% CI [" in shown


@pytest.mark.parametrize(
    ("value", "se", "word", "reach", "sure"),
    [
        (
            0.62,
            0.01,
            "Substantial",
            "the whole CI lies in this range",
            "Very likely at least substantial (98%).",
        ),
        (0.618, 0.01, "Substantial", "the two-sided CI spans moderate to", "at least substantial (96%)."),
        (0.7, 0.01, "Substantial", "the whole CI lies in this range", "at least substantial (> 99%)."),
        (0.62, 0.1, "Substantial", "the CI spans moderate to almost", "Very likely at least moderate (99%)."),
        (0.1, 0.2, "Slight", "spans poor to", "."),
        (-0.1, 0.2, "Poor", "below 0.00 is poor; the CI spans poor to", "."),
    ],
)
def test_a_certainty_is_of_one_side_and_says_of_what(value, se, word, reach, sure):
    found = Figure(value=value, se=se, ci_low=value - 1.96 * se, ci_high=value + 1.96 * se)
    reading = reading_of("fleiss_kappa", found, SCALES["landis_koch"])

    assert value_of("fleiss_kappa", found, "95").startswith("Fleiss’ κ = ")
    sentence = reading_sentence(found, reading)
    assert f"is {word.lower()}" in sentence
    assert reach in sentence
    assert sentence.endswith(sure)


@pytest.mark.parametrize(
    ("criterion", "lead_in", "state", "words"),
    [
        (
            0.0,
            "Agreement meets the criterion: ",
            "reached",
            "Criterion 0.00: met. The whole 95% CI lies at or above it.",
        ),
        (
            0.9,
            "Agreement is below the criterion: ",
            "missed",
            "Criterion 0.90: not met. The whole 95% CI lies below it.",
        ),
        # [22 9; 7 13]: kappa .353407 [.078, .580]. 51 (.275 / .153407)^2 = 164 items.
        (
            0.2,
            "Undecided whether agreement meets the criterion: ",
            "between",
            "With about 110 more items and the same value, it would be met.",
        ),
        # 51 (.275 / .053407)^2 = 1,352 items.
        (
            0.3,
            "Undecided whether agreement meets the criterion: ",
            "between",
            "The estimate is so close to the criterion",
        ),
        # 51 (.227 / .146593)^2 = 122.
        (
            0.5,
            "Undecided whether agreement meets the criterion: ",
            "between",
            "With about 71 more items and the same value, it would not be met.",
        ),
    ],
)
def test_the_interval_is_compared_with_the_criterion(
    client, lead, own_cats, criterion, lead_in, state, words
):
    own_cats.questions.update(criterion=criterion)

    page = question_page(client, finished_report(own_cats, lead))

    assert f"{lead_in}Cohen’s κ = 0.35, 95% CI [0.08, 0.58]" in text_of(page)
    assert f'class="criterion-status {state}"' in page.content.decode()
    assert words in text_of(page)


@pytest.mark.parametrize("criterion", [-1.0, 1.0])
def test_few_items_decide_nothing(client, lead, criterion):
    project = of_table(lead, [[2, 0], [1, 1]])
    project.questions.update(criterion=criterion)
    report = finished_report(project, lead)

    verdict = question_page(client, report).context["verdict"]
    primary = primary_of(StoredResult.of(report.questions.get())).as_json()

    assert verdict.position.state == "between"
    assert "16 more" in verdict.position.words
    assert (primary["outcome"], primary["has_few_items"], primary["n_more_items"]) == ("undecided", True, 16)


def test_few_items_meet_no_threshold(client, lead):
    project = of_table(lead, [[2, 0], [1, 1]])
    told(project, reading_scale="own", thresholds=[{"from": -1.0, "name": "usable"}])

    position = question_page(client, finished_report(project, lead)).context["verdict"].position

    assert position.state == "between"
    assert "16 more" in position.words


def test_the_certainty_of_a_class_takes_enough_items():
    found = Figure(value=0.7, se=0.01, ci_low=0.68, ci_high=0.72, n_items=4)
    reading = reading_of("fleiss_kappa", found, SCALES["landis_koch"])

    assert reading_sentence(found, reading).endswith("is substantial.")


def test_a_report_keeps_the_criterion_that_it_read(client, lead, own_cats):
    own_cats.questions.update(criterion=0.9)
    report = finished_report(own_cats, lead)
    own_cats.questions.update(criterion=0.1, coefficient="gwet_ac1")

    shown = text_of(question_page(client, report))

    assert "below the criterion: Cohen’s κ = 0.35" in shown


def test_the_scale_is_a_convention_and_never_the_verdict(client, lead, cats):
    report = finished_report(cats, lead)
    told(cats, coefficient="krippendorff_alpha", reading_scale="krippendorff")

    [claim] = re.findall(r'<p class="claim">([^<]*)</p>', question_page(client, report).content.decode())

    assert claim.startswith("Agreement is below the criterion: Krippendorff’s α = 0.36")


def test_without_words_the_verdict_is_the_figure(client, lead, cats):
    report = finished_report(cats, lead)
    told(cats, coefficient="gwet_ac1", reading_scale="none")

    shown = text_of(question_page(client, report))

    assert "Gwet’s AC1 = 0.39, 95% CI [" in shown
    assert "agreement (" not in shown


def test_with_weights_the_weighted_form_is_judged(client, lead):
    project = of_table(lead, [[20, 5, 1], [4, 15, 6], [0, 3, 22]], ("low", "middle", "high"))
    told(project, coefficient="brennan_prediger", reading_scale="none")

    shown = text_of(question_page(client, finished_report(project, lead, weights="quadratic")))

    assert "Brennan–Prediger, weighted = 0." in shown


def test_an_undefined_coefficient_says_why(client, lead):
    project = of_table(lead, [[12, 0], [0, 0]])

    shown = text_of(question_page(client, finished_report(project, lead)))

    assert "Cohen’s κ is undefined. All labels are the same" in shown


@pytest.mark.parametrize(
    ("steps", "state", "words"),
    [
        ([(0.6, "good")], "missed", "Below “good” (0.60)"),
        ([(0.1, "usable"), (0.6, "good")], "between", "Meets “usable”, but not “good” (0.60)"),
        ([(0.3, "usable")], "between", "Meets “usable” (0.30), but not with the whole CI"),
        ([(-0.5, "usable")], "reached", "Meets “usable” (−0.50) with the whole CI"),
    ],
)
def test_the_state_is_judged_by_the_leads_thresholds(client, lead, cats, steps, state, words):
    report = finished_report(cats, lead)
    thresholds = [{"from": start, "name": name} for start, name in steps]
    told(cats, reading_scale="own", thresholds=thresholds)

    page = question_page(client, report)

    assert f'class="criterion-status {state}"' in page.content.decode()
    assert words in text_of(page)


def test_a_codebook_has_a_verdict_on_each_question(client, lead, own_cats):
    other = new_question(own_cats, key="other", categories=("a", "b"))
    add_labels(other, from_table([[5, 0], [0, 5]], ["a", "b"]))
    number = new_question(own_cats, key="number", categories=(), kind="number", level="interval")
    add_numbers(number, [(1, 2), (2, 2), (5, 4), (9, 6)])
    sets = new_question(own_cats, key="sets", categories=("a", "b"), kind="multiple")
    add_sets(sets, [("a", "ab"), ("b", "b"), ("a", "a"), ("ab", "b")])

    shown = text_of(client.get(finished_report(own_cats, lead).get_absolute_url()))

    assert "Agreement is below the criterion: Cohen’s κ = 0.35" in shown
    assert "Cohen’s κ = 1.00" in shown
    assert re.search(r"ICC\(A,1\) = 0\.\d\d, 95% CI \[[−\d]", shown)
    assert re.search(r"Krippendorff’s α = 0\.\d\d, 95% CI \[[−\d]", shown)


def test_an_ordinal_question_has_its_weights_in_every_tile_that_has_some(client, lead):
    project = led_by(lead, cast.new_project("Ordinal", unique=True))
    question = new_question(project, categories=("low", "mid", "high"), level="ordinal")
    chance = random.Random(5)
    rows = [
        (f"i{item}", rater, chance.choice(("low", "mid", "high")[item % 2 : item % 2 + 2]))
        for item in range(40)
        for rater in "ABC"
    ]
    add_labels(question, rows)

    page = question_page(client, finished_report(project, lead))

    assert [tile.name for tile in page.context["tiles"]] == [
        "Krippendorff’s α",
        "Fleiss’ κ, weighted",
        "Gwet’s AC2",
        "Percent agreement",
    ]
    assert [tile.method for tile in page.context["tiles"]][:3] == ["ordinal", "quadratic", "quadratic"]
