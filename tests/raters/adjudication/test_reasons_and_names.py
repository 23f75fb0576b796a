"""The project's settings for adjudication: the list of reasons, and whether names are shown."""

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Project
from tests.raters.adjudication.test_pages import address, text

pytestmark = pytest.mark.signed_in("adjudicator")


def test_a_lead_extends_the_list_of_reasons(disputed, disputed_tone, project, lead):
    client = Client()
    client.force_login(lead)
    edited = client.post(
        reverse("project_edit", args=[project.slug]),
        {
            "name": project.name,
            "state": "open",
            "coefficient": project.coefficient,
            "reading_scale": project.reading_scale,
            "thresholds_for": project.thresholds_for,
            "one_key_saving": project.one_key_saving,
            "thresholds": "",
            "adjudication_reasons": "Rater slip\r\n\r\n Bad scan \r\n",
        },
    )

    assert edited.status_code == 302
    assert Project.objects.get(pk=project.pk).adjudication_reasons == ["Rater slip", "Bad scan"]
    assert "Bad scan" in text(client.get(address(disputed[2], disputed_tone)))


@pytest.mark.parametrize("reasons", [["a", "a"], [" "], ["x" * 201], [f"{n}" for n in range(101)], "a", [1]])
def test_invalid_reasons_are_refused(project, lead, reasons):
    client = Client()
    client.force_login(lead)

    answered = client.patch(
        f"/api/v1/projects/{project.slug}/",
        {"adjudication_reasons": reasons},
        content_type="application/json",
    )

    assert answered.status_code == 400


def test_reasons_and_names_are_set_over_the_api(project, lead):
    client = Client()
    client.force_login(lead)

    answered = client.patch(
        f"/api/v1/projects/{project.slug}/",
        {"adjudication_reasons": ["Bad scan"], "adjudicators_see_names": True},
        content_type="application/json",
    ).json()

    assert (answered["adjudication_reasons"], answered["adjudicators_see_names"]) == (["Bad scan"], True)
