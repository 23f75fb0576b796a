"""Labels accepted from a suggestion are left out of agreement unless a report includes them."""

import csv
import io

import pytest
from django.urls import reverse

from raters.models import Label, Rater
from reports.models import LabelBlock
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets

N = 20


def project_of(lead):
    """On 8 of 20 items c accepted what a said, and b differs; on the others a and b agree, and c differs."""
    project = led_by(lead, cast.new_project("Suggested", unique=True))
    question = new_question(project, categories="ny")
    differs = {"a": (False, False), "b": (True, False), "c": (False, True)}
    add_labels(
        question,
        [(f"i{i:02}", key, "ny"[differs[key][i >= 8]]) for i in range(N) for key in differs],
    )
    of_c = Label.objects.filter(question=question, rater__key="c", item__key__lt="i08")
    of_c.update(from_suggestion=True)
    return project


def figure(report) -> float:
    return report.questions.get().coefficients["percent_agreement"]["value"]


def test_they_are_left_out_and_counted(client, lead):
    report = finished_report(project_of(lead), lead)
    row = report.questions.get()

    # No pair agrees on the first 8 items, and one of three on the other 12.
    assert figure(report) == pytest.approx((0 + 12 / 3) / N)
    assert (row.n_labels, row.statistics["suggested"]) == (3 * N - 8, 8)
    page = client.get(reverse("report_question", args=[report.project.slug, report.pk, row.question_id]))
    assert "8 labels accepted from a suggestion are left out." in text_of(page)


def test_a_report_can_take_them(client, lead):
    project = project_of(lead)
    without, including = (finished_report(project, lead, suggested=each) for each in (False, True))

    assert without.pk != including.pk
    assert figure(including) == pytest.approx(N / 3 / N)
    assert including.questions.get().n_labels == 3 * N
    row = including.questions.get()
    page = client.get(reverse("report_question", args=[project.slug, including.pk, row.question_id]))
    assert "are included, so agreement may be too high" in text_of(page)
    assert including.options["suggested"] is True
    assert "suggested" not in without.options


def test_the_text_for_a_paper_says_so(client, lead):
    project = project_of(lead)
    texts = []
    for taken in (False, True):
        report = finished_report(project, lead, suggested=taken)
        texts.append(client.get(reverse("report_exports", args=[project.slug, report.pk])).content.decode())

    assert "8 labels that raters had accepted from a suggestion were left out" in texts[0]
    assert "8 labels that raters had accepted from a suggestion were included" in texts[1]


@pytest.mark.parametrize("taken", [False, True])
def test_the_report_is_verified_after_marks_changed(lead, taken):
    project = project_of(lead)
    report = finished_report(project, lead, suggested=taken)
    Label.objects.filter(rater__project=project).update(from_suggestion=False)

    assert verify(report) == []


def test_exports_of_its_labels_leave_them_out(client, lead):
    project = project_of(lead)
    sizes = []
    for taken in (False, True):
        report = finished_report(project, lead, suggested=taken)
        file = client.get(reverse("report_export", args=[project.slug, report.pk, "labels-long.csv"]))
        content = b"".join(file.streaming_content).decode()
        sizes.append(len(list(csv.DictReader(io.StringIO(content)))))

    assert sizes == [3 * N - 8, 3 * N]


@pytest.mark.parametrize("kind", ["number", "multiple"])
def test_numbers_and_sets_too(lead, kind):
    project = led_by(lead, cast.new_project("Kinds", unique=True))
    if kind == "number":
        question = new_question(project, categories=(), kind=kind, level="interval")
        add_numbers(question, [[1, 2, 3], [4, 5, 7], [2, 2, 3]])
    else:
        question = new_question(project, categories="ab", kind=kind)
        add_sets(question, [["a", "ab", "b"], ["b", "b", "a"], ["a", "a", "a"]])
    rater = Rater.objects.filter(project=project).first()
    n = Label.objects.filter(question=question, rater=rater).update(from_suggestion=True)
    everyone = Label.objects.filter(question=question).count()

    row = finished_report(project, lead).questions.get()

    assert (row.statistics["suggested"], row.n_labels) == (n, everyone - n)
    assert sum(LabelBlock.objects.filter(agreement=row).values_list("n_labels", flat=True)) == everyone - n


def test_the_form_offers_it_where_there_are_any(client, lead):
    project = project_of(lead)
    plain = led_by(lead, cast.new_project("Plain", unique=True))
    add_labels(new_question(plain, categories="ny"), [("i1", "a", "n"), ("i1", "b", "n")])

    offered, none = (client.get(reverse("agreement", args=[each.slug])) for each in (project, plain))

    assert "Include labels accepted from a suggestion" in text_of(offered)
    assert "Include labels accepted from a suggestion" not in text_of(none)


def test_the_api_takes_it_and_tells_it(client, lead):
    project = project_of(lead)
    address = reverse("api_reports", args=[project.slug])

    made = client.post(address, {"suggested": True}, content_type="application/json")

    assert made.status_code in {200, 202}
    assert made.json()["options"]["suggested"] is True
