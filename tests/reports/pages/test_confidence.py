"""Confidence in a report: compared with the reference or the others, kept with the labels, and shown."""

import csv
import io
import json
import zipfile

import pytest
from django.urls import reverse

from projects.models import Category, Item, Question
from raters.models import Label, Rater
from reports.analysis.results.confidence import CONSENSUS, NOT_OF_KIND, NOTHING_KNOWN, REFERENCE
from reports.exports.csv_tables import csv_archive
from reports.exports.label_exports import labels_long
from reports.models import LabelBlock
from reports.results.confidence import confidences_in
from reports.sources.label_columns import read_stated
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import new_question
from tests.reports.looking import led_by, text_of

# Of ten items: what is right, what ann, ben and cy say, and how sure ann and ben are.
RIGHT = "yynnyynnyn"
ANN = "ynnnyyynyy"
ANN_SURE = [0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 1.0, 1.0, 1.0, 1.0]
BEN = "yynnnynnyn"
BEN_SURE = [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, None, None, None]
CY = "yynnyynnnn"


@pytest.fixture
def confidence_project(lead):
    return led_by(lead, cast.new_project("Sure", unique=True))


@pytest.fixture
def confidence_question(confidence_project):
    question = new_question(confidence_project, key="tone", categories=("y", "n"), confidence="optional")
    Item.objects.bulk_create(Item(project=confidence_project, key=f"i{n}") for n in range(10))
    say(question, "ann", ANN, ANN_SURE)
    say(question, "ben", BEN, BEN_SURE)
    say(question, "cy", CY)
    return question


def say(question: Question, key: str, answers: str, sure=None, *, kind: str = "human") -> None:
    rater = Rater.objects.create(project=question.project, key=key, kind=kind)
    categories = dict(Category.objects.filter(question=question).values_list("key", "pk"))
    Label.objects.bulk_create(
        Label(
            item=item, question=question, rater=rater, category_id=categories[answer], confidence=confidence
        )
        for item, answer, confidence in zip(
            question.project.items.order_by("pk"), answers, sure or [None] * len(answers), strict=True
        )
    )


def found_in(report, **more):
    return confidences_in(
        StoredResult.of(report.questions.select_related("report__project", "question").get()), **more
    )


def test_labels_are_compared_with_the_reference(confidence_question, lead):
    """Ann: 1 of 2 at 25%, 4 of 4 at 75%, 2 of 4 at 100%. Ben: 3 of 4 at 50%, 3 of 3 at 100%."""
    say(confidence_question, "gold", RIGHT, kind="reference")

    found = found_in(finished_report(confidence_question.project, lead))

    assert (found.against, found.reference, found.n_stated) == (REFERENCE, "gold", 17)
    assert [(each.rater, each.n_labels, each.n_stated) for each in found.raters] == [
        ("ann", 10, 10),
        ("ben", 10, 7),
    ]
    ann, ben = (each.figures for each in found.raters)
    assert [(step.low, step.n, step.n_right) for step in ann.steps] == [
        (0.25, 2, 1), (0.5, 0, 0), (0.75, 4, 4), (1.0, 4, 2),
    ]  # fmt: skip
    assert [(step.n, step.n_right) for step in ben.steps] == [(0, 0), (4, 3), (0, 0), (3, 3)]
    assert [(step.n, step.n_right) for step in found.overall.steps] == [(2, 1), (4, 3), (4, 4), (7, 5)]
    # (.0625 + .5625 + 4 x .0625 + 2) / 10, and 4 x .25 / 7 of four at one half.
    assert ann.brier == pytest.approx(0.2875)
    assert ben.brier == pytest.approx(1 / 7)
    # (2 x .25 + 4 x .25 + 4 x .5) / 10; 75% sure on average, 70% right.
    assert (ann.error, ann.overconfidence) == (pytest.approx(0.35), pytest.approx(0.75 - 0.7))
    assert ann.steps[1].share is None


def test_without_a_reference_the_others_decide_and_leave_oneself_out(confidence_question, lead):
    """Where ben and cy differ (items 4 and 8), ann's label has nothing to be compared with."""
    found = found_in(finished_report(confidence_question.project, lead))

    assert (found.against, found.reference) == (CONSENSUS, None)
    ann = found.raters[0].figures
    assert (ann.n, ann.n_unknown) == (8, 2)
    assert [(step.n, step.n_right) for step in ann.steps] == [(2, 1), (0, 0), (3, 3), (3, 1)]


def test_any_rater_can_be_taken_as_right(confidence_question, lead):
    found = found_in(finished_report(confidence_question.project, lead), reference="cy")

    assert (found.against, found.reference) == (REFERENCE, "cy")
    assert found.raters[0].figures.n == 10


def test_agreement_among_the_confident_is_that_of_their_labels_alone(confidence_question, lead):
    """Both sure of items 0 to 6; both at least 50% on 2 to 6, of which they agree on 3; at 100% on item 6 alone."""
    found = found_in(finished_report(confidence_question.project, lead))

    rows = {each.at_least: each for each in found.agreement}
    assert list(rows) == [0.25, 0.5, 0.75, 1.0]
    assert (rows[0.25].n_labels, rows[0.25].n_items, rows[0.25].share) == (17, 10, 1.0)
    assert rows[0.25].percent_agreement.value == pytest.approx(4 / 7)
    assert rows[0.5].percent_agreement.value == pytest.approx(3 / 5)
    assert rows[1.0].percent_agreement.value == 0
    assert (rows[1.0].n_labels, rows[1.0].share) == (7, pytest.approx(7 / 17))
    assert found.coefficient == "fleiss_kappa"


def test_two_confident_raters_have_the_interval_of_their_pair(confidence_project, lead):
    question = new_question(confidence_project, key="mood", categories="ab", confidence="optional")
    confidence_project.coefficient = "cohen_kappa"
    confidence_project.save(update_fields=["coefficient"])
    n = 30
    Item.objects.bulk_create(Item(project=confidence_project, key=f"more {at}") for at in range(n))
    answers = ("ab" * n)[:n]
    say(question, "one", answers, [0.5] * n)
    say(question, "two", answers[:-1] + ("a" if answers[-1] == "b" else "b"), [0.5] * n)
    report = finished_report(confidence_project, lead, questions=["mood"])

    found = found_in(report)

    pair = report.questions.get().pairs.get()
    [row] = found.agreement
    assert found.coefficient == "light_kappa"
    figure = row.coefficient
    assert (figure.value, figure.ci_low, figure.ci_high) == pytest.approx(
        (pair.kappa, pair.ci_low, pair.ci_high)
    )


def test_sets_are_right_as_a_whole_and_numbers_have_no_calibration(confidence_project, lead):
    topics = new_question(
        confidence_project, key="topics", categories=("a", "b"), kind="multiple", confidence="optional"
    )
    size = Question.objects.create(
        project=confidence_project, key="size", kind="number", level="interval", position=1
    )
    a, b = topics.categories.order_by("pk").values_list("pk", flat=True)
    raters = [Rater.objects.create(project=confidence_project, key=key) for key in ("ann", "ben", "cy")]
    for n in range(4):
        item = Item.objects.create(project=confidence_project, key=f"i{n}")
        for rater in raters:
            chosen = [a] if rater.key == "ann" and n == 0 else [a, b]
            Label.objects.create(item=item, question=topics, rater=rater, category_set=chosen, confidence=0.5)
            Label.objects.create(
                item=item, question=size, rater=rater, number=n + len(rater.key), confidence=1
            )

    report = finished_report(confidence_project, lead)

    rows = report.questions.select_related("report__project", "question")
    of_sets = confidences_in(StoredResult.of(rows.get(question=topics)))
    of_numbers = confidences_in(StoredResult.of(rows.get(question=size)))
    assert [(each.rater, each.figures.steps[0].n_right) for each in of_sets.raters] == [
        ("ann", 3), ("ben", 3), ("cy", 3),
    ]  # fmt: skip
    assert (of_numbers.overall.reason, of_numbers.raters) == (NOT_OF_KIND, ())
    assert of_numbers.agreement[0].percent_agreement is None
    assert of_numbers.agreement[0].n_labels == 12


def test_labels_that_nobody_else_has_are_not_compared(confidence_project, lead):
    question = new_question(confidence_project, key="tone", categories=("y", "n"))
    Item.objects.bulk_create(Item(project=confidence_project, key=f"i{n}") for n in range(2))
    say(question, "ann", "yn", [0.5, 0.75])
    other = Rater.objects.create(project=confidence_project, key="ben")
    item = Item.objects.create(project=confidence_project, key="alone")
    Label.objects.create(item=item, question=question, rater=other, category=question.categories.first())

    found = found_in(finished_report(confidence_project, lead))

    assert (found.overall.reason, found.overall.n_unknown) == (NOTHING_KNOWN, 2)


def test_the_report_keeps_it_and_is_verified(confidence_question, lead):
    report = finished_report(confidence_question.project, lead)
    agreement = report.questions.get()

    assert agreement.n_confidences == 17
    stated = read_stated(agreement)
    assert int(stated.is_stated.sum()) == 17
    assert verify(report) == []

    # What is labeled later changes nothing of it.
    Label.objects.filter(question=confidence_question, rater__key="ann").update(confidence=1.0)
    assert verify(report) == []
    assert read_stated(agreement).confidences.tolist() == pytest.approx(
        stated.confidences.tolist(), nan_ok=True
    )


def test_a_kept_confidence_that_was_altered_is_found(confidence_question, lead):
    report = finished_report(confidence_question.project, lead)
    other = finished_report(confidence_question.project, lead, interval="jackknife")
    Label.objects.filter(question=confidence_question, rater__key="ann").update(confidence=1.0)
    later = finished_report(confidence_question.project, lead)
    altered = LabelBlock.objects.get(agreement__report=later).confidences

    LabelBlock.objects.filter(agreement__report=report).update(confidences=altered)

    assert verify(report) == ["tone: the labels behind its lists of items differ"]
    assert verify(other) == []


def test_a_report_from_before_there_was_any_is_verified_and_opens(client, confidence_project, lead):
    question = new_question(confidence_project, key="tone", categories=("y", "n"))
    Item.objects.bulk_create(Item(project=confidence_project, key=f"i{n}") for n in range(10))
    say(question, "ann", ANN)
    say(question, "ben", BEN)
    report = finished_report(confidence_project, lead)
    assert bytes(LabelBlock.objects.get(agreement__report=report).confidences) == b""
    client.force_login(lead)

    assert verify(report) == []
    page = client.get(reverse("report_question", args=[confidence_project.slug, report.pk, question.pk]))
    address = reverse("report_confidence", args=[confidence_project.slug, report.pk, question.pk])
    assert address not in page.content.decode()
    assert client.get(address).status_code == 404


def test_the_page_shows_tables_and_the_diagram(client, confidence_question, lead):
    say(confidence_question, "gold", RIGHT, kind="reference")
    report = finished_report(confidence_question.project, lead)
    client.force_login(lead)
    args = [confidence_question.project.slug, report.pk, confidence_question.pk]

    overview = client.get(reverse("report_question", args=args)).content.decode()
    answer = client.get(reverse("report_confidence", args=args))

    assert reverse("report_confidence", args=args) in overview
    assert answer.context["against"] == "correct: the same label as gold"
    assert [(step.name, step.n, step.share) for step in answer.context["steps"]] == [
        ("25%", 2, "50.0%"), ("50%", 4, "75.0%"), ("75%", 4, "100.0%"), ("100%", 7, "71.4%"),
    ]  # fmt: skip
    assert "<svg" in answer.content.decode()
    assert "25% sure, 50% right" in answer.content.decode()
    assert "25% 2 1" in text_of(answer)
    chosen = client.get(reverse("report_confidence", args=args), {"reference": "cy"})
    assert chosen.context["found"].reference == "cy"


@pytest.mark.parametrize("extension", ["svg", "json"])
def test_the_diagram_is_a_file_to_save(client, confidence_question, lead, extension):
    report = finished_report(confidence_question.project, lead)
    client.force_login(lead)
    args = [confidence_question.project.slug, report.pk, confidence_question.pk, f"calibration.{extension}"]

    assert client.get(reverse("report_picture", args=args)).status_code == 200


def test_the_page_takes_as_many_queries_for_more_raters(
    client, confidence_question, lead, django_assert_max_num_queries
):
    client.force_login(lead)
    for n in range(6):
        say(confidence_question, f"more {n}", ANN, ANN_SURE)
    report = finished_report(confidence_question.project, lead)

    with django_assert_max_num_queries(25):
        client.get(
            reverse(
                "report_confidence",
                args=[confidence_question.project.slug, report.pk, confidence_question.pk],
            )
        )


def test_programs_get_the_same(client, confidence_question, lead):
    say(confidence_question, "gold", RIGHT, kind="reference")
    report = finished_report(confidence_question.project, lead)
    client.force_login(lead)
    address = reverse("api_report_confidence", args=[confidence_question.project.slug, report.pk, "tone"])

    found = client.get(address).json()

    assert (found["against"], found["reference"], found["n_stated"]) == ("reference", "gold", 17)
    ann = found["raters"][0]["figures"]
    assert ann["brier"] == pytest.approx(0.2875)
    assert ann["brier"] == pytest.approx(ann["reliability"] - ann["resolution"] + ann["uncertainty"])
    assert ann["steps"][1]["share"] is None
    assert found["overall"]["reason"] is None
    assert [each["at_least"] for each in found["agreement"]] == [0.25, 0.5, 0.75, 1.0]
    assert client.get(address, {"reference": "nobody"}).status_code == 400


def test_the_tables_of_an_export_have_it(confidence_question, lead):
    say(confidence_question, "gold", RIGHT, kind="reference")
    report = finished_report(confidence_question.project, lead)

    with zipfile.ZipFile(io.BytesIO(b"".join(csv_archive(report)))) as archive:
        tables = {
            name: list(csv.DictReader(io.StringIO(archive.read(f"{name}.csv").decode())))
            for name in ("calibration", "calibration_steps", "confident_agreement")
        }

    assert [(row["rater"], row["against"], row["n"]) for row in tables["calibration"]] == [
        ("", "gold", "17"), ("ann", "gold", "10"), ("ben", "gold", "7"),
    ]  # fmt: skip
    assert float(tables["calibration"][1]["brier"]) == pytest.approx(0.2875)
    assert [row["n_right"] for row in tables["calibration_steps"]][:4] == ["1", "3", "4", "5"]
    assert {row["statistic"] for row in tables["confident_agreement"]} == {
        "percent_agreement",
        "fleiss_kappa",
    }


def test_many_different_probabilities_are_put_into_bins(confidence_project, lead):
    question = new_question(confidence_project, key="tone", categories=("y", "n"))
    Item.objects.bulk_create(Item(project=confidence_project, key=f"i{n}") for n in range(20))
    say(question, "gold", "y" * 20, kind="reference")
    say(question, "clf", "y" * 15 + "n" * 5, [n / 20 + 0.01 for n in range(20)], kind="model")

    found = found_in(finished_report(confidence_project, lead)).overall

    assert len(found.steps) == 10
    assert [step.n for step in found.steps] == [2] * 10
    parts = found.reliability - found.resolution + found.uncertainty + found.within
    assert found.brier == pytest.approx(parts)
    assert json.dumps(found.within) != "0.0"


def test_the_labels_of_a_report_have_it_if_any_has(confidence_project, confidence_question, lead):
    stated = b"".join(labels_long(finished_report(confidence_project, lead))).decode()
    Label.objects.filter(question=confidence_question).update(confidence=None)
    plain = b"".join(labels_long(finished_report(confidence_project, lead))).decode()

    rows = list(csv.DictReader(io.StringIO(stated)))
    assert [row["confidence"] for row in rows if row["rater"] == "ann"][:3] == ["0.25", "0.25", "0.75"]
    assert {row["confidence"] for row in rows if row["rater"] == "cy"} == {""}
    assert "confidence" not in plain
