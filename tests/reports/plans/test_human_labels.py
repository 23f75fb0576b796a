"""How many labels of people an estimate takes beside those of a model: on the page of plans."""

import pytest
from django.urls import reverse

from reports.plans.human_labels import HumanLabelsForm


def asked(**more: str) -> HumanLabelsForm:
    return HumanLabelsForm({f"human-{name}": value for name, value in more.items()})


def test_a_model_saves_labels_of_people():
    found = asked(items="10000", sd="0.5", correlation="0.9", half_width="0.03").answer()

    # (1.96 × .5 / .03)² = 1,067.07 labels of people alone; n (n + N) / (n + (1 - r²) N) reaches it at 222.
    assert (found.with_model, found.without) == (222, 1068)
    assert "222 of 10,000 items" in found.sentence


def test_more_than_all_items_are_not_enough():
    found = asked(items="500", half_width="0.01").answer()

    assert found.without is None
    assert "takes more than these 500 items" in found.sentence


@pytest.mark.parametrize(
    "wrong",
    [
        {"correlation": "2"},
        {"sd": "0"},
        {"sd": "1e200"},
        {"half_width": "x"},
        {"half_width": "1e200"},
        {"items": "1"},
    ],
    ids=str,
)
def test_what_cannot_be_has_an_error(wrong):
    form = asked(**wrong)

    assert form.answer() is None
    assert set(form.errors) == set(wrong)


def test_the_page_has_both_plans(client, lead):
    client.force_login(lead)
    plain = client.get(reverse("plan_items"))
    given = client.get(reverse("plan_items"), {"human-correlation": "0.9"})
    wrong = client.get(reverse("plan_items"), {"human-correlation": "9"})

    assert plain.context["people"].without == 1068
    assert given.context["people"].with_model == 222
    assert (wrong.status_code, plain.status_code) == (400, 200)
    assert wrong.context["found"] is not None
