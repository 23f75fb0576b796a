"""What the lead has a question judged by: set on its page and over the API, logged, dropped where it fits no more."""

import pytest
from django.urls import reverse

from projects.codebook.questions import change_question
from projects.codebook.refusals import CodebookRefused
from projects.models import Event
from tests import cast
from tests.labeling import new_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def measured_lead():
    return cast.person("mona", unique=True)


@pytest.fixture
def ranked(measured_lead):
    project = cast.new_project("Ranked", unique=True)
    project.memberships.create(user=measured_lead, role="lead")
    return new_question(project, categories=("low", "middle", "high"), level="ordinal")


def page_of(question) -> str:
    return reverse("codebook_question", args=[question.project.slug, question.pk])


def test_the_page_offers_what_fits_and_saves_it(client, measured_lead, ranked):
    client.force_login(measured_lead)
    sent = {
        "kind": "single",
        "level": "ordinal",
        "coefficient": "gwet_ac1",
        "weights": "linear",
        "criterion": "0.7",
    }

    form = client.get(page_of(ranked)).context["form"]
    client.post(page_of(ranked), sent)

    assert "ratio" not in dict(form.fields["weights"].choices)
    assert "icc_a_1" not in dict(form.fields["coefficient"].choices)
    ranked.refresh_from_db()
    assert (ranked.coefficient, ranked.weights, ranked.criterion) == ("gwet_ac1", "linear", 0.7)
    event = Event.objects.filter(kind=Event.Kind.CODEBOOK_CHANGED, project_id=ranked.project_id).first()
    assert {"coefficient", "weights", "criterion"} <= event.detail["changed"].keys()


def test_the_api_sets_it_too(client, measured_lead, ranked):
    client.force_login(measured_lead)
    address = reverse("api_question", args=[ranked.project.slug, ranked.pk])

    shown = client.patch(
        address, {"criterion": 0.8, "weights": "linear"}, content_type="application/json"
    ).json()
    refused = client.patch(address, {"weights": "ratio"}, content_type="application/json")

    assert (shown["criterion"], shown["weights"], shown["coefficient"]) == (0.8, "linear", "")
    assert (refused.status_code, refused.json()["error"]) == (409, "misfit")


def test_what_no_longer_fits_the_scale_is_dropped(measured_lead, ranked):
    change_question(ranked, by=measured_lead, weights="ordinal", criterion=0.7)

    changed = change_question(ranked, by=measured_lead, level="nominal")

    assert (changed.weights, changed.criterion) == ("", 0.7)


def test_a_coefficient_of_numbers_is_refused_for_categories(measured_lead, ranked):
    with pytest.raises(CodebookRefused, match="icc a 1"):
        change_question(ranked, by=measured_lead, coefficient="icc_a_1")
