"""Estimated accuracies that are not to be relied on come with a warning and its reason."""

import pytest
from django.urls import reverse

from reports.analysis.results import LatentClassEstimates, RaterErrors
from reports.results.estimate_doubts import doubts_of
from tests.finished import finished_report
from tests.reports.looking import led_by
from tests.reports.rated import rated


def estimates(
    *, n_raters: int = 4, n_labels: int = 100, accuracy: float = 0.9, n_categories: int = 2
) -> LatentClassEstimates:
    return LatentClassEstimates(
        n_items=n_labels,
        n_raters=n_raters,
        n_labels=n_labels * n_raters,
        prevalence=(1 / n_categories,) * n_categories,
        items=(1,) * n_categories,
        n_unlike_majority=0,
        log_likelihood=-1.0,
        n_iterations=1,
        has_converged=True,
        raters=tuple(
            RaterErrors(rater=str(place), share_right=accuracy, confusion=None) for place in range(n_raters)
        ),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, []),
        ({"n_raters": 2}, ["two_raters"]),
        ({"n_raters": 3}, ["three_raters"]),
        ({"n_raters": 3, "n_categories": 3}, []),
        ({"n_raters": 2, "n_categories": 3}, ["two_raters"]),
        ({"n_labels": 19}, ["few_labels"]),
        ({"n_labels": 20}, []),
        ({"accuracy": 0.9991}, ["at_boundary"]),
        ({"accuracy": 0.999}, []),
        ({"n_raters": 2, "n_labels": 5, "accuracy": 1.0}, ["two_raters", "few_labels", "at_boundary"]),
    ],
)
def test_doubts(given, expected):
    assert doubts_of(estimates(**given)) == expected


def test_the_boundary_counts_only_where_it_is_shown():
    assert doubts_of(estimates(accuracy=1.0), 0.9) == []


def test_pages_and_api_warn(client, lead, own_cats):
    report = finished_report(own_cats, lead)
    agreement = report.questions.get()
    args = [own_cats.slug, report.pk, agreement.question_id]
    rater = agreement.raters[0]["id"]

    everyone = client.get(reverse("report_raters", args=args))
    one = client.get(reverse("report_rater", args=[*args, rater]))
    question = client.get(
        reverse("api_statistics", args=[own_cats.slug, report.pk, agreement.question.key])
    ).json()
    api = client.get(
        reverse("api_report_rater", args=[own_cats.slug, report.pk, agreement.question.key, rater])
    ).json()

    assert b"data-doubts" in everyone.content
    assert b"data-doubts" in one.content
    # 51 labels of two raters, in two categories.
    assert question["statistics"]["consensus"]["dawid_skene"]["doubts"] == ["two_raters"]
    assert api["dawid_skene"]["doubts"] == ["two_raters"]


def test_raters_names_its_family_of_tests(client, lead):
    found = rated()
    led_by(lead, found.project)
    args = [found.project.slug, found.report.pk, found.question.pk]

    page = client.get(reverse("report_raters", args=args))

    n_tests = page.context["n_versus_others_tests"]
    assert n_tests > 1
    assert f'data-family="{n_tests}"' in page.content.decode()
