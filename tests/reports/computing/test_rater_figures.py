"""What a report says of one rater: against counts by hand, and the same after labels have changed."""

from collections import Counter
from statistics import median

import numpy as np
import pytest
from django.db.models import F

from projects.models import Project, Round
from raters.models import Label
from reports.access import RaterAccess, rater_access
from reports.agreement.results import Reason
from reports.analysis.drift import pace_of
from reports.analysis.label_arrays import AnswerColumns
from reports.analysis.results import to_json
from reports.results.rater_figures import rater_figures
from reports.results.rater_wording import HIDDEN
from reports.store.agreements import scope_of
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.rated import N_ITEMS, WORDS, Rated, label_of

OTHERS = ("bob", "cy", "dee", "model")


def access(world: Rated, who: str = "lead", rater: str = "ann") -> RaterAccess:
    return rater_access(
        world.users[who],
        world.project.slug,
        world.report.pk,
        world.raters[rater].pk,
        question=world.question.pk,
    )


def figures(world: Rated, who: str = "lead", rater: str = "ann"):
    seen = access(world, who, rater)
    return to_json(rater_figures(scope_of(seen.agreement), seen))


def majority(place: int) -> int | None:
    (first, n), *more = Counter(label_of(name, place) for name in OTHERS).most_common()
    return None if more and more[0][1] == n else first


def test_the_consensus_is_that_of_the_others_without_the_reference(rated_round):
    consensus = figures(rated_round)["consensus"]

    known = [place for place in range(N_ITEMS) if majority(place) is not None]
    alike = sum(label_of("ann", place) == majority(place) for place in known)
    assert (consensus["n_items"], consensus["n"], consensus["n_same"]) == (N_ITEMS, len(known), alike)
    assert consensus["n_tied"] == N_ITEMS - len(known)
    assert consensus["values"]["percent_agreement"]["value"] == pytest.approx(alike / len(known))
    counts = Counter((label_of("ann", place), majority(place)) for place in known)
    assert consensus["counts"] == [[counts[a, b] for b in range(3)] for a in range(3)]


def test_each_other_rater_is_shown_with_the_kappa_of_the_report(rated_round):
    peers = {peer["rater"]: peer for peer in figures(rated_round)["peers"]}

    pairs = rated_round.agreement.pairs.filter(rater_a=rated_round.ann)
    assert {peer["rater_id"]: peer["value"] for peer in peers.values()} == dict(
        pairs.exclude(rater_b=rated_round.raters["gold"]).values_list("rater_b", "kappa")
    )
    assert list(peers) == ["bob", "cy", "dee", "model"]
    alike = sum(label_of("ann", place) == label_of("bob", place) for place in range(N_ITEMS))
    assert peers["bob"]["observed"] == pytest.approx(alike / N_ITEMS)


def test_the_category_that_is_used_too_often_is_found(rated_round):
    rows = {row["category"]: row for row in figures(rated_round)["bias"]["categories"]}

    n = Counter(WORDS[label_of("ann", place)] for place in range(N_ITEMS))
    assert {key: row["n"] for key, row in rows.items()} == n
    others = sum(label_of(name, place) == 0 for name in OTHERS for place in range(N_ITEMS)) / 4 / N_ITEMS
    assert rows["good"]["value"] == pytest.approx(n["good"] / N_ITEMS - others)
    assert rows["good"]["p_value"] < 0.05
    assert rows["bad"]["p_value"] > 0.05
    everybody = sum(label_of(name, place) == 0 for name in {*OTHERS, "ann"} for place in range(N_ITEMS))
    assert rows["good"]["everybody"] == pytest.approx(everybody / 5 / N_ITEMS)


def test_agreement_falls_from_window_to_window(rated_round):
    drift = figures(rated_round)["drift"]

    assert sum(window["n"] for window in drift["windows"]) == figures(rated_round)["consensus"]["n"]
    assert drift["windows"][0]["value"] > drift["windows"][-1]["value"]
    assert drift["windows"][0]["from"] < drift["windows"][0]["to"] < drift["windows"][1]["from"]
    assert drift["trend"]["p_value"] < 0.05
    assert figures(rated_round, rater="bob")["drift"]["trend"]["p_value"] > 0.05


def test_the_pace_is_that_of_labels_whose_time_is_known(rated_round):
    pace = figures(rated_round)["pace"]

    seconds = [5.0 + place % 4 for place in range(N_ITEMS)]
    assert (pace["n"], pace["median"]) == (N_ITEMS, median(seconds))
    assert pace["per_hour"] == pytest.approx(3600 * N_ITEMS / sum(seconds))
    assert figures(rated_round, rater="bob")["pace"]["reason"] == "no_seconds"
    assert (pace["n_others"], pace["median_of_others"]) == (0, None)


@pytest.mark.parametrize(("people", "n", "median_of_others"), [([1, 2, 3], 3, 4.0), ([1, 2, 4], 2, None)])
def test_the_pace_of_others_is_shown_for_three_or_more_people(people, n, median_of_others):
    raters = np.array([1, 2, 3, 1, 2, 4, 5])
    others = AnswerColumns(
        items=np.arange(7),
        raters=raters,
        values=np.zeros(7, dtype=np.int64),
        members=np.zeros((0, 2), dtype=bool),
        seconds=np.array([2, 30, 4, 4, np.nan, np.nan, 1]),
    )

    pace = pace_of(np.array([5.0]), others, people)

    assert (pace.median, pace.n_others, pace.median_of_others) == (5, n, median_of_others)


def test_repeats_are_compared_with_the_first_labels(rated_round):
    repeats = figures(rated_round)["repeats"]

    assert repeats["n"] == 10
    assert repeats["values"]["percent_agreement"]["value"] == pytest.approx(0.7)
    assert sum(repeats["counts"][k][k] for k in range(3)) == 7
    assert figures(rated_round, rater="bob")["repeats"]["reason"] == "no_repeats"


def test_the_reference_tells_how_often_the_rater_is_right(rated_round):
    reference = figures(rated_round)["reference"]

    right = sum(label_of("ann", place) == place % 3 for place in range(N_ITEMS))
    assert (reference["reference"], reference["n"]) == ("gold", N_ITEMS)
    assert reference["values"]["accuracy"]["value"] == pytest.approx(right / N_ITEMS)
    assert reference["categories"]["recall"][0]["value"] == 1.0
    assert figures(rated_round, rater="gold")["reference"]["reason"] == "is_reference"


def test_the_estimated_errors_are_those_of_the_report(rated_round):
    errors = figures(rated_round)["dawid_skene"]

    stored = rated_round.agreement.statistics["consensus"]["dawid_skene"]
    assert errors["confusion"] == next(r["confusion"] for r in stored["raters"] if r["rater"] == "ann")


def test_a_report_says_the_same_after_labels_have_changed(rated_round):
    before = {rater: figures(rated_round, rater=rater) for rater in ("ann", "bob")}

    labels = Label.objects.filter(question=rated_round.question)
    good = rated_round.question.categories.get(key="good")
    labels.filter(rater=rated_round.ann).update(category=good, seconds=99, labelled_at="2027-01-01T00:00Z")
    labels.filter(rater=rated_round.raters["cy"]).delete()
    labels.filter(rater=rated_round.raters["dee"]).update(
        category=None, is_abstention=True, revision=F("revision") + 1
    )

    assert {rater: figures(rated_round, rater=rater) for rater in ("ann", "bob")} == before


def test_the_own_page_says_the_same_of_the_labels_that_are_revealed(rated_round):
    Project.objects.filter(pk=rated_round.project.pk).update(shows_own_figures=True)

    mine, theirs = figures(rated_round, "ann"), figures(rated_round)

    for part in ("consensus", "drift", "pace", "repeats"):
        assert mine[part] == theirs[part]
    kappas = {peer["rater"]: peer["value"] for peer in theirs["peers"] if peer["rater"] != "gold"}
    assert sorted(peer["value"] for peer in mine["peers"]) == pytest.approx(sorted(kappas.values()))
    assert {peer["rater"] for peer in mine["peers"]} == {"Rater A", "Rater B", "Rater C", "Rater D"}
    assert {peer["rater_id"] for peer in mine["peers"]} == {None}
    assert (mine["reference"]["reason"], mine["dawid_skene"]["reason"]) == (HIDDEN, HIDDEN)
    assert {row["everybody"] for row in mine["bias"]["categories"]} == {None}


def test_a_rater_who_labeled_alone_is_compared_with_nobody(lead):
    project = led_by(lead, cast.new_project("Alone", unique=True))
    add_labels(new_question(project, categories=("yes", "no")), [("i1", "A", "yes"), ("i2", "A", "no")])
    report = finished_report(project, lead)
    agreement = report.questions.get()

    seen = rater_access(
        lead, project.slug, report.pk, agreement.raters[0]["id"], question=agreement.question_id
    )
    found = to_json(rater_figures(scope_of(seen.agreement), seen))

    assert (found["consensus"]["reason"], found["consensus"]["n_alone"]) == (Reason.NO_OVERLAP, 2)
    assert found["drift"]["reason"] == Reason.TOO_FEW_ITEMS
    assert (found["peers"], found["bias"]["categories"][0]["value"]) == ([], None)


def figures_of(report, lead, key: str):
    """Of the first question of a report of a project that the lead is in."""
    agreement = report.questions.get()
    [rater] = [each["id"] for each in agreement.raters if each["key"] == key]
    seen = rater_access(lead, report.project.slug, report.pk, rater, question=agreement.question_id)
    return to_json(rater_figures(scope_of(seen.agreement), seen))


def test_few_items_among_many_are_looked_up(lead):
    project = led_by(lead, cast.new_project("Sparse", unique=True))
    everywhere = [(f"i{n:02}", rater, "yes" if n % 2 else "no") for n in range(60) for rater in "BC"]
    few = [("i00", "A", "no"), ("i31", "A", "no"), ("i59", "A", "yes")]
    add_labels(new_question(project, categories=("yes", "no")), everywhere + few)
    report = finished_report(project, lead)

    found = figures_of(report, lead, "A")["consensus"]

    assert (found["n_items"], found["n"], found["n_same"]) == (3, 3, 2)
    assert found["counts"] == [[1, 0], [1, 1]]


def test_only_labels_of_the_rounds_of_the_report_count(lead):
    project = led_by(lead, cast.new_project("Rounds", unique=True))
    question = new_question(project, categories=("yes", "no"))
    add_labels(question, [(f"i{n}", rater, "yes") for n in range(9) for rater in "AB"])
    pilot = Round.objects.create(project=project, key="pilot")
    Label.objects.filter(item__key__in=["i0", "i1"]).filter(question=question).update(round=pilot)
    Label.objects.filter(item__key="i2", rater__key="A", question=question).update(round=pilot)
    report = finished_report(project, lead, rounds=["pilot"])

    found = figures_of(report, lead, "A")["consensus"]

    assert (found["n_items"], found["n"], found["n_alone"]) == (3, 2, 1)


@pytest.mark.parametrize("kind", ["numbers", "sets"])
def test_numbers_and_sets_are_the_same_after_labels_have_changed(request, lead, kind):
    question = request.getfixturevalue(kind)
    if kind == "numbers":
        add_numbers(question, [(1, 2, 4), (2, 2, 3), (5, 4, 5), (9, None, 7)])
    else:
        add_sets(question, [("A", "AB", "B"), ("", "C", "C"), ("AC", None, "A")])
    report = finished_report(question.project, lead)
    before = figures_of(report, lead, "r0")

    labels = Label.objects.filter(question=question)
    labels.filter(item__key="i000").update(is_abstention=True, number=None, category_set=None, revision=2)
    labels.filter(item__key="i001").delete()

    assert figures_of(report, lead, "r0") == before
    assert before["consensus"]["n"] == labels.filter(rater__key="r0").count() + 1
