"""A report from its labels to its results, in this process; with real workers in tests/faults."""

import psycopg
import pytest
from django.db import connection

from core.runs.lease import RunLost, work_on
from projects.models import Category, Round
from raters.models import Label
from reports.models import Report
from reports.results.kinds import coefficient_of_parts
from reports.store.report import compute
from reports.store.requests import ReportRefused, request_report
from reports.store.verification import verify
from tests import cast
from tests.finished import compute_now, finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question
from tests.sizes import some

TABLES = [
    ([[10, 7], [5, 8]], 0.2),
    ([[22, 9], [7, 13]], 0.353407),
    ([[60, 125], [5, 5000]], 0.470179),
]


@pytest.mark.parametrize(("counts", "kappa"), TABLES)
def test_a_known_table_comes_back_with_its_kappa(lead, counts, kappa):
    project = cast.new_project("Cats and dogs", unique=True)
    question = new_question(project, categories=("cat", "dog"))
    add_labels(question, from_table(counts, ["cat", "dog"]))

    report = finished_report(project, lead)

    agreement = report.questions.get()
    pair = agreement.pairs.get()
    assert report.state == Report.State.DONE
    assert pair.counts == [cell for row in counts for cell in row]
    assert pair.n == agreement.n_items == sum(pair.counts)
    assert pair.kappa == pytest.approx(kappa, abs=5e-7)
    assert agreement.coefficients["mean_pairwise_kappa"]["value"] == pair.kappa


def test_a_report_says_what_it_read(lead):
    project = labeled_project("said")

    report = finished_report(project, lead)

    agreement = report.questions.get()
    labels = Label.objects.filter(question__project=project)
    assert agreement.n_labels == labels.count() == sum(rater["n_labels"] for rater in agreement.raters)
    assert [rater["key"] for rater in agreement.raters] == [f"rater-{n:03}" for n in range(4)]
    assert [category["key"] for category in agreement.categories] == ["good", "fair", "bad"]
    assert report.code_version
    assert len(report.digest) == 64


def test_abstentions_are_counted_apart_from_labels(lead):
    project = labeled_project("abstentions")
    some = Label.objects.filter(question__project=project)[:3].values("pk")
    Label.objects.filter(pk__in=some).update(category=None, is_abstention=True)

    agreement = finished_report(project, lead).questions.get()

    assert agreement.n_abstentions == 3
    assert agreement.n_labels == Label.objects.filter(question__project=project).count() - 3


def test_asking_twice_for_the_same_labels_returns_the_same_report(lead):
    project = labeled_project("twice")
    waiting = request_report(project, by=lead)

    assert request_report(project, by=lead) == waiting
    compute_now(waiting)
    assert request_report(project, by=lead) == waiting


@pytest.mark.parametrize("change", ["label", "withdrawn", "category", "options"])
def test_a_change_makes_a_new_report(lead, change):
    project = labeled_project("changed")
    before = finished_report(project, lead)
    label = Label.objects.filter(question__project=project).order_by("id")[0]
    question = project.questions.get()
    if change == "label":
        other = question.categories.exclude(pk=label.category_id)[0]
        Label.objects.filter(pk=label.pk).update(category=other)
    elif change == "withdrawn":
        label.delete()
    elif change == "category":
        Category.objects.create(question=question, key="worse", position=9)

    after = request_report(project, by=lead, weights="linear" if change == "options" else "unweighted")

    assert after != before
    assert after.state == Report.State.QUEUED


def test_labels_of_another_question_do_not_make_a_new_report(lead):
    project = labeled_project("beside")
    before = finished_report(project, lead, questions=["answer"])

    add_labels(new_question(project, key="other"), [("item-00000", "rater-000", "yes")])

    assert request_report(project, by=lead, questions=["answer"]) == before


def test_a_report_verifies_although_labels_changed_since(lead):
    project = labeled_project("verified")
    report = finished_report(project, lead)

    Label.objects.filter(question__project=project).update(note="seen again")
    Label.objects.filter(question__project=project)[0].delete()

    assert verify(report) == []


def test_verify_notices_a_changed_figure_and_a_changed_history(lead):
    project = labeled_project("tampered")
    report = finished_report(project, lead)
    pair = report.questions.get().pairs.first()

    pair.counts = [pair.counts[0] + 1, *pair.counts[1:]]
    pair.save(update_fields=["counts"])

    assert verify(report) == ["answer: the confusion matrices or the statistics of pairs differ"]


def test_a_report_of_one_round_uses_its_labels_alone(lead):
    project = labeled_project("rounds")
    round_ = Round.objects.create(project=project, key="pilot")
    labels = Label.objects.filter(question__project=project, item__key__lt="item-00010")
    labels.update(round=round_)

    report = finished_report(project, lead, rounds=["pilot"])

    assert report.questions.get().n_items == 10
    assert report.questions.get().n_labels == labels.count()


def test_weights_change_the_kappa_of_the_pairs(lead):
    project = labeled_project("weighted")

    plain, linear = finished_report(project, lead), finished_report(project, lead, weights="linear")

    kappas = [
        report.questions.get().pairs.order_by("id").values_list("kappa", flat=True)
        for report in (plain, linear)
    ]
    assert list(kappas[0]) != list(kappas[1])


def test_a_project_without_labels_gets_a_report_with_reasons(lead):
    project = cast.new_project("Nothing yet", unique=True)
    new_question(project)

    report = finished_report(project, lead)

    agreement = report.questions.get()
    assert report.state == Report.State.DONE
    assert agreement.n_pairs == 0
    assert all(c["value"] is None and c["reason"] for c in agreement.coefficients.values())


@pytest.mark.parametrize(
    ("values", "reason"),
    [([], "no_categories"), ([1, None, 10], "values_missing"), ([1, 2, 2], "equal_values")],
)
def test_a_question_that_cannot_be_computed_does_not_fail_the_others(lead, values, reason):
    project = labeled_project("unfit")
    question = new_question(
        project, key="scale", categories=[f"c{n}" for n in range(len(values))], level="interval"
    )
    for category, value in zip(question.categories.all(), values, strict=True):
        Category.objects.filter(pk=category.pk).update(value=value)

    report = finished_report(project, lead)

    found = {agreement.question.key: agreement for agreement in report.questions.all()}
    assert report.state == Report.State.DONE
    assert found["answer"].reason == ""
    assert found["answer"].n_pairs == 6
    assert (found["scale"].reason, found["scale"].coefficients, found["scale"].n_pairs) == (reason, {}, 0)
    assert verify(report) == []


def test_tables_that_would_fill_the_database_are_refused(lead, monkeypatch):
    monkeypatch.setattr("reports.analysis.kinds.single.MAX_CELLS", 53)
    project = labeled_project("too many")

    report = finished_report(project, lead)

    assert report.questions.get().reason == "too_many_cells"
    assert not report.questions.get().pairs.exists()


def test_declared_values_make_the_distances_of_an_interval_question(lead):
    project = cast.new_project("Values", unique=True)
    question = new_question(project, categories=("1", "2", "10"), level="interval")
    for category in question.categories.all():
        Category.objects.filter(pk=category.pk).update(value=float(category.key))
    add_labels(question, from_table([[5, 1, 1], [1, 5, 0], [0, 1, 5]], ["1", "2", "10"]))

    report = finished_report(project, lead, weights="quadratic")

    # By hand: Do = (2 * 1 + 1 * 81 + 1 * 64) / 19; De from the margins 7, 6, 6 and 6, 7, 6.
    observed = (1 + 1 + 81 + 64) / 19
    expected = ((7 * 7 + 6 * 6) * 1 + (7 * 6 + 6 * 6) * 81 + (6 * 6 + 6 * 7) * 64) / 19**2
    assert report.questions.get().pairs.get().kappa == pytest.approx(1 - observed / expected, abs=1e-12)


def test_a_report_can_be_asked_for_while_an_import_holds_the_project(lead):
    project = labeled_project("importing")
    loading = psycopg.connect(**psycopg_params())
    try:
        loading.execute("SET CONSTRAINTS ALL IMMEDIATE")
        loading.execute(
            "INSERT INTO projects_item (project_id, key, content) VALUES (%s, 'new', '[]')", [project.pk]
        )
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")

        assert request_report(project, by=lead).state == Report.State.QUEUED
    finally:
        loading.close()


def psycopg_params() -> dict:
    params = connection.get_connection_params()
    return {name: value for name, value in params.items() if name not in {"cursor_factory", "context"}}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"questions": ["nope"]}, "This project has no question 'nope'."),
        ({"questions": []}, "Select at least one question."),
        ({"rounds": ["nope"]}, "This project has no round 'nope'."),
        ({"weights": "cubic"}, "weights must be one of"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_words(lead, options, sentence):
    project = labeled_project("refused")

    with pytest.raises(ReportRefused, match=sentence):
        request_report(project, by=lead, **options)


def test_a_report_taken_over_by_another_writes_nothing(lead):
    project = labeled_project("taken over")
    report = request_report(project, by=lead)

    with work_on(Report, report.pk) as lease:
        Report.objects.filter(pk=report.pk).update(attempt=7)
        with pytest.raises(RunLost):
            compute(lease, coefficient_of_parts)

    assert not report.questions.exists()
    assert connection.in_atomic_block is False


def test_writers_at_work_do_not_touch_what_a_report_reads(lead):
    project = labeled_project("snapshot")
    report = request_report(project, by=lead)

    with work_on(Report, report.pk) as lease:
        report_progress, told = lease.report_progress, []

        def change_a_label(stage: str, share: float) -> None:
            # Once, before results are written: the connection of this test is the one that then copies them.
            if not told:
                Label.objects.filter(question__project=project)[0].delete()
            told.append(share)
            report_progress(stage, share)

        lease.report_progress = change_a_label
        compute(lease, coefficient_of_parts)

    assert told
    assert Label.objects.filter(question__project=project).count() < report.questions.get().n_labels
    assert verify(Report.objects.get(pk=report.pk)) == []


ITEMS = [f"i{place:02}" for place in range(12)]
NOTHING_SHARED = [(item, f"r{place % 3}", "yn"[place % 2]) for place, item in enumerate(ITEMS)]
PERFECT = [(item, rater, "yn"[place % 2]) for place, item in enumerate(ITEMS) for rater in ("r1", "r2")]
OPPOSITE = [(item, rater, label) for item in "abcd" for rater, label in (("r1", "y"), ("r2", "n"))]
UNDEFINED = {
    # Labels; kappa of the pair (if there is one) and its reason; alpha and its reason.
    "no overlap": (NOTHING_SHARED, None, "", None, "no_overlap"),
    "one rater": ([("a", "r1", "y"), ("b", "r1", "n")], None, "", None, "no_overlap"),
    "one item": ([("a", "r1", "y"), ("a", "r2", "n")], 0, "n<2", 0, "n<2"),
    "constant": (
        [(i, r, "y") for i in "abc" for r in ("r1", "r2")],
        None,
        "no_variation",
        None,
        "no_variation",
    ),
    # Six items of two categories have an interval of goodness of fit.
    "perfect": (PERFECT, 1, "", 1, "degenerate_se"),
    "opposite": (OPPOSITE, 0, "degenerate_margins", -0.75, "degenerate_margins"),
}


@pytest.mark.parametrize("interval", some(["analytic", "bca", "jackknife"], every=2))
@pytest.mark.parametrize("case", UNDEFINED)
def test_an_undefined_case_is_a_finished_report_with_reasons(lead, case, interval):
    rows, kappa, why, alpha, why_alpha = UNDEFINED[case]
    project = cast.new_project(case, unique=True)
    add_labels(new_question(project, categories=("y", "n")), rows)

    report = finished_report(project, lead, interval=interval)

    assert (report.state, verify(report)) == (Report.State.DONE, [])
    agreement = report.questions.get()
    found = agreement.coefficients["krippendorff_alpha"]
    assert found["value"] == (None if alpha is None else pytest.approx(alpha, abs=1e-12))
    assert found["reason"] == why_alpha
    assert agreement.n_pairs == (bool(why) or kappa is not None)
    for pair in agreement.pairs.all():
        assert (pair.kappa, pair.reason, pair.ci_low is None) == (kappa, why, why != "")
