"""The list of reports: the primary figure of each, and how it went from report to report."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Item, Membership, Round
from raters.models import Assignment, Label, Rater
from reports.pages.report_list import EDGE, HEIGHT
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports.looking import led_by


def page_of(client, project):
    return client.get(reverse("agreement", args=[project.slug]))


def test_each_report_tells_its_primary_figure_with_its_interval(client, lead):
    project = led_by(lead, labeled_project("Listed"))
    report = finished_report(project, lead)
    found = report.questions.get().coefficients["fleiss_kappa"]

    [listed] = page_of(client, project).context["listed"]

    [figure] = listed.figures
    assert (figure.value, figure.low, figure.high) == (found["value"], found["ci_low"], found["ci_high"])
    assert figure.address == reverse(
        "report_question", args=[project.slug, report.pk, report.questions.get().question_id]
    )


def test_the_interval_of_two_raters_is_that_of_their_pair(client, lead):
    project = led_by(lead, labeled_project("Listed pair", n_raters=2))
    reference = Rater.objects.create(project=project, key="gold", kind="reference")
    question = project.questions.get()
    Label.objects.bulk_create(
        Label(item=item, question=question, rater=reference, category=question.categories.first())
        for item in project.items.all()
    )
    report = finished_report(project, lead)
    people = project.raters.filter(kind="human")
    pair = report.questions.get().pairs.get(rater_a__in=people, rater_b__in=people)

    [listed] = page_of(client, project).context["listed"]

    [figure] = listed.figures
    assert (figure.value, figure.low, figure.high) == (pair.kappa, pair.ci_low, pair.ci_high)
    # Light's kappa has the same value, but another interval.
    assert figure.low != report.questions.get().coefficients["light_kappa"]["ci_low"]


def test_two_reports_make_a_course(client, lead):
    project = led_by(lead, labeled_project("Course"))
    first = finished_report(project, lead)
    labels, categories = Label.objects.filter(question__project=project), project.questions.get().categories
    labels.update(category=categories.get(key="good"))
    labels.filter(item__key="item-00001").update(category=categories.get(key="bad"))
    second = finished_report(project, lead)

    page = page_of(client, project)

    [course] = page.context["courses"]
    values = [each.questions.get().coefficients["fleiss_kappa"]["value"] for each in (first, second)]
    low = float(course.lowest.replace("−", "-"))
    heights = [EDGE + (HEIGHT - 2 * EDGE) * (1 - (value - low) / (1 - low)) for value in values]
    assert [float(point.split(",")[1]) for point in course.line.split()] == pytest.approx(heights, abs=0.05)
    assert course.description in page.content.decode()
    assert course.scope == "all labels"


def by_round(project, key: str, of_a: str, of_b: str) -> None:
    """Two raters on four items of a round."""
    round_ = Round.objects.create(project=project, key=key, position=project.rounds.count())
    question = project.questions.get()
    labels = {"a": of_a, "b": of_b}
    rows = [(f"{key}{at}", rater, one) for rater in labels for at, one in enumerate(labels[rater])]
    before = set(Label.objects.filter(question=question).values_list("pk", flat=True))
    add_labels(question, rows)
    Label.objects.filter(question=question).exclude(pk__in=before).update(round=round_)


def test_reports_on_other_rounds_or_questions_make_no_course(client, lead):
    project = led_by(lead, cast.new_project("Apart", unique=True))
    new_question(project, categories="xy")
    by_round(project, "pilot", "xyxy", "yxyx")
    by_round(project, "main", "xxyy", "xxyy")
    finished_report(project, lead, rounds=["pilot"])
    finished_report(project, lead, rounds=["main"])
    finished_report(project, lead, pooled=True)

    assert page_of(client, project).context["courses"] == []


def test_values_below_0_lie_below_a_zero_line(client, lead):
    project = led_by(lead, cast.new_project("Below", unique=True))
    new_question(project, categories="xy")
    # By hand: a and b differ on all of xyxy, so kappa is -1.
    by_round(project, "pilot", "xyxy", "yxyx")
    finished_report(project, lead, rounds=["pilot"])
    finished_report(project, lead, rounds=["pilot"], smoothing=1)

    page = page_of(client, project)

    [course] = page.context["courses"]
    heights = [float(point.split(",")[1]) for point in course.line.split()]
    assert course.zero == HEIGHT / 2
    assert heights == [HEIGHT - EDGE] * 2
    assert "round “pilot”" in course.description
    assert course.description in page.content.decode()
    assert 'class="zero"' in page.content.decode()


def test_a_report_on_hidden_labels_tells_no_figure(client, lead):
    project = led_by(lead, labeled_project("Hidden"))
    finished_report(project, lead)
    round_ = Round.objects.create(project=project, key="open", state=Round.State.OPEN)
    rater = Rater.objects.create(project=project, key="lead", user=lead)
    item = Item.objects.filter(project=project).first()
    Assignment.objects.create(round=round_, item=item, rater=rater)

    [listed] = page_of(client, project).context["listed"]

    assert listed.figures == []


def test_more_reports_and_questions_take_no_more_queries(client, lead):
    project = led_by(lead, labeled_project("Many"))
    counts = []
    for key in ("c", "d"):
        add_labels(
            new_question(project, key=key), [("i1", "A", "yes"), ("i1", "B", "no"), ("i2", "A", "yes")]
        )
        finished_report(project, lead)
        page_of(client, project)
        with CaptureQueriesContext(connection) as queries:
            assert page_of(client, project).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_an_auditor_sees_them_too(client, lead):
    project = led_by(lead, labeled_project("Audited"))
    finished_report(project, lead)
    client.force_login(cast.member(project, Membership.Role.AUDITOR, username="aude", unique=True))

    assert page_of(client, project).context["listed"][0].figures
