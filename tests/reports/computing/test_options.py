"""The options of a report: asked for by the form and the API, refused in words, and named on the pages."""

import json

import pytest
from django.urls import reverse

from tests.finished import finished_report
from tests.reports.looking import pair_page, question_page, text_of


def test_the_pages_say_how_the_figures_were_asked_for(client, lead, own_cats):
    report = finished_report(
        own_cats, lead, weights="radical", interval="bca", seed=5, confidence=0.9, reference="B"
    )
    summary = "CIs: BCa bootstrap, 2,000 replicates, seed 5 · 90% confidence level · reference: B"

    for page in (question_page(client, report), pair_page(client, report)):
        assert summary in text_of(page)
        assert "90% CI" in text_of(page)
        assert "95% CI" not in text_of(page)


def test_the_api_tells_what_was_asked_for(client, lead, cats):
    matrix = [[1, 0.25], [0.25, 1]]
    body = {
        "weights": "custom", "matrices": {"answer": matrix}, "interval": "bca", "replicates": 1000, "seed": 9,
        "confidence": 0.9, "reference": "A", "smoothing": 0.5, "suggested": False,
        "counted": ["human", "reference"],
    }  # fmt: skip

    response = client.post(
        f"/api/v1/projects/{cats.slug}/reports/", json.dumps(body), content_type="application/json"
    )

    assert response.status_code == 202
    assert response.json()["options"] == body


def test_the_form_asks_with_every_option(client, lead, cats):
    asked = {
        "weights": "custom", "matrix": "1 0.5\n0.5, 1", "interval": "percentile", "replicates": "1500",
        "seed": "4", "confidence": "99.9", "reference": "B", "smoothing": "1",
        "counted": ["human", "model", "reference"],
    }  # fmt: skip

    response = client.post(reverse("agreement", args=[cats.slug]), asked)

    report = cats.reports.get()
    assert response.headers["Location"] == report.get_absolute_url()
    assert report.options == {
        "weights": "custom", "interval": "percentile", "confidence": 0.999, "reference": "B", "replicates": 1500,
        "seed": 4, "smoothing": 1.0, "counted": ["human", "model", "reference"],
        "matrices": {"answer": {"categories": ["cat", "dog"], "rows": [[1.0, 0.5], [0.5, 1.0]]}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"weights": "custom", "matrix": "1 x\nx 1"}, "Enter numbers separated by spaces or commas"),
        ({"weights": "custom", "matrix": "1 0"}, "answer: weights must be 2 rows of 2"),
        ({"weights": "custom"}, "Custom weights require a matrix for answer"),
        ({"weights": "linear", "replicates": "10"}, "greater than or equal to 1000"),
        ({"weights": "linear", "confidence": "10"}, "greater than or equal to 80"),
        ({"weights": "linear", "reference": "nobody"}, "Select a valid choice"),
        ({"weights": "linear", "interval": "wald"}, "Select a valid choice"),
    ],
)
def test_a_bad_option_of_the_form_is_refused_with_a_sentence(client, cats, wish, sentence):
    response = client.post(reverse("agreement", args=[cats.slug]), wish)

    assert (response.status_code, sentence in text_of(response)) == (400, True)
    assert not cats.reports.exists()
