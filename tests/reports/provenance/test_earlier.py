"""What a report says of the one before it on the same questions and rounds."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from projects.models import Category
from raters.models import Label, Rater
from reports.models import Report
from reports.results.report_changes import changes_between, changes_since, report_before
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels_in_round, new_question
from tests.reports.looking import led_by, text_of


@pytest.fixture
def first(lead, own_cats):
    return finished_report(own_cats, lead)


def changed(project):
    """One label new, one changed, one withdrawn."""
    one, two, three, *_ = Label.objects.filter(question__project=project).order_by("pk")
    other = one.question.categories.get(key="dog" if one.category.key == "cat" else "cat")
    rater = Rater.objects.create(project=project, key="C")
    Label.objects.create(item=one.item, question=one.question, rater=rater, category=other)
    two.category = two.question.categories.get(key="dog")
    two.save(update_fields=["category"])
    three.delete()


def test_a_first_report_has_none_before_it(client, first):
    page = client.get(reverse("provenance", args=[first.project.slug, first.pk]))

    assert report_before(first) is None
    assert "Since the report before" not in text_of(page)


def test_labels_between_two_reports_are_counted_and_later_ones_are_not(lead, own_cats, first):
    changed(own_cats)
    second = finished_report(own_cats, lead)
    Label.objects.filter(question__project=own_cats).first().delete()

    assert report_before(second) == first
    assert changes_between(first, second).labels == ["answer: labels added 1, changed 1, withdrawn 1."]
    assert changes_since(second).labels == ["answer: labels withdrawn 1."]


def test_codebook_options_and_version_between_two_reports_are_listed(settings, lead, own_cats, first):
    Category.objects.filter(question__project=own_cats, key="cat").update(name="Cat")
    settings.VERSION = "9.9"

    second = finished_report(own_cats, lead, interval="jackknife")

    assert changes_between(first, second).all == [
        "answer: name of category cat changed.",
        f"Software version: {first.code_version} → 9.9.",
        "Options: defaults → CIs: jackknife.",
    ]


def test_a_report_of_other_questions_is_not_the_one_before(lead, own_cats, first):
    new_question(own_cats, key="another")

    assert report_before(finished_report(own_cats, lead)) is None


def test_an_unfinished_report_is_not_the_one_before(lead, own_cats, first):
    Report.objects.filter(pk=first.pk).update(state=Report.State.CANCELLED)
    changed(own_cats)

    assert report_before(finished_report(own_cats, lead)) is None


def test_what_adjudicators_decided_changes_nothing(own_cats, first):
    label = Label.objects.filter(question__project=own_cats).first()
    decider = Rater.objects.create(project=own_cats, key="consensus", kind=Rater.Kind.CONSENSUS)
    Label.objects.create(item=label.item, question=label.question, rater=decider, category=label.category)

    assert changes_since(first).all == []


def test_the_page_and_the_api_tell_it(client, lead, own_cats, first):
    changed(own_cats)
    second = finished_report(own_cats, lead)

    page = client.get(reverse("provenance", args=[own_cats.slug, second.pk]))
    api = client.get(reverse("api_report_changes", args=[own_cats.slug, second.pk])).json()

    assert "answer: labels added 1, changed 1, withdrawn 1." in text_of(page)
    [row] = page.context["earlier"].figures
    then, now = (report.questions.get().coefficients for report in (first, second))
    # Of the three raters of the later report.
    name = "fleiss_kappa"
    assert (row.then, row.now) == (then[name]["value"], now[name]["value"])
    compare = (
        f"{reverse('two_reports', args=[own_cats.slug])}?first={first.pk}&second={second.pk}&question=answer"
    )
    assert f'href="{escape(compare)}"' in page.content.decode()
    assert client.get(compare).status_code == 200
    assert api["since_before"] == {
        "report": first.pk,
        "labels": ["answer: labels added 1, changed 1, withdrawn 1."],
        "items": [],
        "codebook": [],
        "program": [],
        "options": [],
    }


@pytest.fixture
def in_rounds(lead):
    """A project whose pilot is complete."""
    project = led_by(lead, cast.new_project("Rounds between", unique=True))
    question = new_question(project, categories="xy")
    add_labels_in_round(question, "pilot", {"a": "xyxy" * 6, "b": "xyyy" * 6})
    return project


def test_labels_of_a_round_that_the_figures_do_not_use_are_not_called_added(client, lead, in_rounds):
    question = in_rounds.questions.get()
    first = finished_report(in_rounds, lead)
    add_labels_in_round(question, "main", {"a": "xyxyxy", "b": "xyxyxx"})
    second = finished_report(in_rounds, lead)
    add_labels_in_round(question, "last", {"a": "xyxyxy", "b": "xyxyxx"})
    third = finished_report(in_rounds, lead)

    assert first.digest == second.digest == third.digest
    assert changes_between(first, second).all == changes_between(second, third).all == []
    page = text_of(client.get(reverse("provenance", args=[in_rounds.slug, third.pk])))
    assert "Both use the same labels, codebook, and options." in page
    assert changes_since(second).labels == [
        # Labels are created, and then moved into their round.
        f"{question.key}: labels added 12, changed 12 in other rounds; the figures use “pilot”."
    ]


def test_another_leading_round_is_named_in_place_of_counts(lead, in_rounds):
    question = in_rounds.questions.get()
    add_labels_in_round(question, "main", {"a": "xyxyxy", "b": "xyxyxx"})
    first = finished_report(in_rounds, lead)
    add_labels_in_round(question, "next", {"a": "xyxy" * 5, "b": "yyxy" * 5})
    second = finished_report(in_rounds, lead)

    assert changes_between(first, second).labels == [
        f"{question.key}: now uses round “next” instead of round “pilot”."
    ]


def test_changes_in_the_round_that_both_use_are_counted(lead, in_rounds):
    question = in_rounds.questions.get()
    add_labels_in_round(question, "main", {"a": "xyxyxy", "b": "xyxyxx"})
    first = finished_report(in_rounds, lead)
    Label.objects.filter(question=question, round__key="pilot").first().delete()
    add_labels_in_round(question, "main", {"c": "xyxyxy"})
    second = finished_report(in_rounds, lead)

    assert changes_between(first, second).labels == [f"{question.key}: labels withdrawn 1."]
