"""Reports on questions of numbers and of sets: from labels in the database to results, and verified again."""

import pytest

from projects.models import Question, Round
from raters.models import Label
from reports.models import PairAgreement, Report
from reports.results.kinds import main_coefficient
from reports.results.prose import Style, prose_of
from reports.store.requests import ReportRefused, request_report
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.agreement.numbers.published import PEFR, SHROUT_FLEISS
from tests.reports.agreement.sets.samples import NINE_ITEMS
from tests.reports.numbers_and_sets import add_numbers, add_sets


def test_numbers_come_back_with_their_published_correlations(lead, numbers):
    """Shrout & Fleiss 1979, table 4."""
    add_numbers(numbers, SHROUT_FLEISS.tolist())

    agreement = finished_report(numbers.project, lead).questions.get()

    found = agreement.coefficients
    names = ["icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k"]
    assert [round(found[name]["value"], 2) for name in names] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert found["kendall_w"]["value"] == pytest.approx(0.887037037037037)
    assert found["krippendorff_alpha"]["method"] == "interval"
    assert agreement.statistics["tests"]["kendall_w_zero"]["statistic"] == pytest.approx(17.7407407407407)
    assert (agreement.n_items, agreement.n_raters, agreement.n_labels, agreement.n_pairs) == (6, 4, 24, 6)


def test_pairs_of_numbers_keep_concordance_and_limits(lead, numbers):
    """Bland & Altman 1986: bias -2.1 l/min, standard deviation 38.8 l/min."""
    add_numbers(numbers, PEFR.tolist())

    pair = finished_report(numbers.project, lead).questions.get().pairs.get()

    assert (pair.n, pair.counts, pair.kappa, pair.reason) == (17, [], None, "")
    assert round(pair.figures["bland_altman_bias"]["value"], 1) == -2.1
    assert round(pair.figures["bland_altman_sd"]["value"], 1) == 38.8
    assert pair.figures["lin_concordance"]["value"] == pytest.approx(0.942742431427484)
    assert pair.figures["lin_concordance"]["ci_low"] == pytest.approx(0.85049187316856)


def test_sets_come_back_with_alpha_and_kappa_of_each_category(lead, sets):
    """The nine items of DKPro Statistics, with the MASI distance of Passonneau 2006."""
    add_sets(sets, NINE_ITEMS)

    agreement = finished_report(sets.project, lead).questions.get()

    found = agreement.coefficients
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.2730806608357629)
    assert found["krippendorff_alpha_jaccard"]["value"] == pytest.approx(0.3156199677938808)
    assert found["percent_agreement"]["value"] == pytest.approx(3 / 9)
    figures = agreement.pairs.get().figures
    assert figures["masi"]["value"] == pytest.approx((3 + 1 + 1 / 9) / 9)
    assert [round(each["value"], 4) for each in figures["cohen_kappa"]] == [0.0, 0.1818, 0.7692]
    assert [each["n"] for each in agreement.statistics["categories"]["fleiss_kappa"]] == [9, 9, 9]


def test_the_confidence_of_the_report_is_that_of_its_intervals(lead, numbers):
    add_numbers(numbers, PEFR.tolist())

    wide = finished_report(numbers.project, lead, confidence=0.99).questions.get()
    narrow = finished_report(numbers.project, lead, confidence=0.8).questions.get()

    assert wide.coefficients["icc_a_1"]["ci_low"] < narrow.coefficients["icc_a_1"]["ci_low"]
    low = [each.pairs.get().figures["bland_altman_bias"]["ci_low"] for each in (wide, narrow)]
    assert low[0] < low[1]


def test_abstentions_first_passes_and_rounds(lead, numbers):
    rounds = [Round.objects.create(project=numbers.project, key=key) for key in ("one", "two")]
    add_numbers(numbers, [[1, 2], [3, 3], [5, 4]], round=rounds[0])
    add_numbers(numbers, [[9, 9], [9, 9], [9, 9]], round=rounds[1], pass_number=2)
    some = Label.objects.filter(question=numbers, round=rounds[0], item__key="i000", rater__key="r0")
    some.update(number=None, is_abstention=True)

    everything = finished_report(numbers.project, lead, pooled=True).questions.get()
    second = finished_report(numbers.project, lead, rounds=["two"]).questions.get()

    assert (everything.n_labels, everything.n_abstentions) == (5, 1)
    assert everything.pairs.get().figures["mean_a"]["value"] == 4
    assert second.pairs.get().figures["mean_a"]["value"] == 9
    assert second.coefficients["icc_1_1"]["reason"] == "no_variation"


def test_a_report_on_all_kinds_is_verified_from_the_history(lead, numbers):
    project = numbers.project
    add_numbers(numbers, SHROUT_FLEISS.tolist())
    topics = new_question(project, key="topics", categories="ABC", kind=Question.Kind.MULTIPLE)
    add_sets(topics, NINE_ITEMS)
    add_labels(new_question(project, categories=("cat", "dog")), from_table([[5, 2], [1, 4]], ["cat", "dog"]))
    report = finished_report(project, lead)

    Label.objects.filter(question=numbers).update(number=1)
    Label.objects.filter(question=topics).update(category_set=[])
    assert report.questions.count() == 3
    assert verify(report) == []


def test_numbers_of_any_size_are_stored_and_verified(lead, numbers):
    add_numbers(numbers, [[1e99, 2e99, -1e100], [-3e99, 1.5e99, 1e-30], [0.1, -0.0, 5e22]])
    report = finished_report(numbers.project, lead)

    assert report.state == Report.State.DONE
    assert report.questions.get().coefficients["icc_a_1"]["value"] is not None
    assert verify(report) == []


def test_a_changed_figure_is_found(lead, numbers, sets):
    add_numbers(numbers, SHROUT_FLEISS.tolist())
    report = finished_report(numbers.project, lead)
    agreement = report.questions.get()
    pair = agreement.pairs.first()

    pair.figures["lin_concordance"]["value"] += 1e-6
    PairAgreement.objects.filter(pk=pair.pk).update(figures=pair.figures)
    agreement.coefficients["icc_a_1"]["value"] = 0.5
    agreement.save()

    found = verify(report)
    assert len(found) == 2
    assert "icc_a_1" in found[0]
    assert "pairs" in found[1]


def test_a_withdrawn_label_is_read_as_it_was(lead, sets):
    add_sets(sets, NINE_ITEMS)
    report = finished_report(sets.project, lead)

    Label.objects.filter(question=sets, item__key="i003").delete()

    assert verify(report) == []
    assert finished_report(sets.project, lead).pk != report.pk


def test_no_labels_are_no_fault(lead, numbers, sets):
    for question, name in ((numbers, "icc_1_1"), (sets, "krippendorff_alpha")):
        report = finished_report(question.project, lead)

        agreement = report.questions.get()
        assert report.state == Report.State.DONE
        assert (agreement.n_pairs, agreement.coefficients[name]["reason"]) == (0, "no_items")
        assert verify(report) == []


def test_a_set_question_without_categories_says_so(lead, committed_db):
    project = cast.new_project("Empty", unique=True)
    new_question(project, key="topics", categories=(), kind=Question.Kind.MULTIPLE)

    assert finished_report(project, lead).questions.get().reason == "no_categories"


def test_weights_of_ones_own_are_not_for_numbers(lead, numbers):
    with pytest.raises(ReportRefused, match="single-choice"):
        request_report(numbers.project, by=lead, weights="custom", matrices={"score": [[1]]})


def test_another_set_is_another_digest(lead, sets):
    add_sets(sets, NINE_ITEMS)
    before = finished_report(sets.project, lead).questions.get().digest

    label = Label.objects.filter(question=sets, item__key="i000").first()
    label.category_set = [sets.categories.first().pk]
    label.save()

    assert finished_report(sets.project, lead).questions.get().digest != before


# Each of five items by three of four raters, in turn.
ROTATION = [
    [9, 8, 9, None],
    [None, 5, 6, 5],
    [3, None, 2, 2],
    [7, 8, None, 7],
    [4, 4, 6, None],
]


def test_an_incomplete_crossing_is_judged_by_reml(lead, numbers):
    add_numbers(numbers, ROTATION)

    report = finished_report(numbers.project, lead)

    agreement = report.questions.get()
    found = agreement.coefficients["icc_a_1_reml"]
    assert main_coefficient(agreement) == "icc_a_1_reml"
    assert found["method"] == "two-way random effects by REML"
    assert found["interval_method"] == "generalized"
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert (found["n_items"], found["n_raters"], found["n_labels"]) == (5, 4, 15)
    assert agreement.coefficients["icc_a_k_reml"]["method"] == "two-way random effects by REML, k = 3"
    assert verify(report) == []


def test_groups_of_raters_who_share_no_item_are_judged_by_one_way_analysis(lead, numbers):
    add_numbers(numbers, [[9, 8, None, None], [3, 4, None, None], [None, None, 5, 6], [None, None, 2, 2]])

    agreement = finished_report(numbers.project, lead).questions.get()

    assert agreement.coefficients["icc_a_1_reml"]["reason"] == "not_connected"
    assert main_coefficient(agreement) == "icc_1_1"


def test_a_complete_crossing_needs_no_reml(lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())

    agreement = finished_report(numbers.project, lead).questions.get()

    assert not [name for name in agreement.coefficients if name.endswith("_reml")]


def test_a_report_before_reml_is_judged_as_it_was(lead, numbers):
    add_numbers(numbers, ROTATION)
    report = finished_report(numbers.project, lead)
    agreement = report.questions.get()
    for name in [name for name in agreement.coefficients if name.endswith("_reml")]:
        del agreement.coefficients[name]
    agreement.save()
    report.code_version = "0.2.0"
    report.save()

    assert main_coefficient(agreement) == "icc_1_1"
    assert verify(report) == []


def test_the_methods_text_names_the_mixed_model(lead, numbers):
    add_numbers(numbers, ROTATION)
    report = finished_report(numbers.project, lead)

    apa, plain = (prose_of(report, style) for style in (Style.APA, Style.PLAIN))

    assert (
        "two-way model, absolute agreement, single rating, variance components estimated by restricted"
        in " ".join(apa.methods)
    )
    assert "ICC(A,1)" in " ".join([*plain.methods, *plain.results])
    assert "ICC(A,1) was undefined" not in " ".join(apa.results)
    assert "ten Hove, Jorgensen & van der Ark 2024" in apa.works
