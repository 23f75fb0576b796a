"""Which rater is which member: linking and unlinking, on pages and over the API."""

import json

import pytest
from django.urls import reverse

from projects.models import Event, Membership
from raters.linking import actions as linking
from raters.linking.actions import CannotChangeKind, CannotLink
from raters.models import Label, Rater
from tests import cast
from tests.labeling import add_labels, new_question
from tests.together import at_once


@pytest.fixture
def imported(project) -> Rater:
    """A rater of an imported file, with two labels."""
    add_labels(new_question(project), [("i1", "R. Ita", "yes"), ("i2", "R. Ita", "no")])
    return Rater.objects.get(project=project)


def test_a_linked_rater_is_the_member(project, lead, rita, imported):
    linking.link(imported, by=lead, user=rita)

    imported.refresh_from_db()
    assert imported.user == rita
    assert Label.objects.filter(rater__user=rita).count() == 2
    told = Event.objects.get(kind="rater_linked")
    assert (told.user_name, told.about, told.detail) == (
        "lena",
        "R. Ita",
        {"user": rita.pk, "rater": imported.pk},
    )


def test_linking_again_changes_nothing(project, lead, rita, imported):
    for _ in range(2):
        linking.link(imported, by=lead, user=rita)

    assert Event.objects.filter(kind="rater_linked").count() == 1


def test_a_member_is_one_rater_at_most(project, lead, rita, imported):
    other = Rater.objects.create(project=project, key="rita", user=rita)

    with pytest.raises(CannotLink, match="already linked to another rater"):
        linking.link(imported, by=lead, user=rita)

    imported.refresh_from_db()
    assert imported.user is None
    assert other.user == rita


def test_a_rater_is_one_member_at_most(project, lead, rita, auditor, imported):
    linking.link(imported, by=lead, user=rita)

    with pytest.raises(CannotLink, match="Unlink the rater first"):
        linking.link(imported, by=lead, user=auditor)


def test_a_stranger_is_no_rater_whatever_their_other_roles(lead, stranger, imported):
    elsewhere = cast.new_project("Elsewhere", unique=True)
    Membership.objects.create(project=elsewhere, user=stranger, role=Membership.Role.RATER)

    with pytest.raises(CannotLink, match="not a member of this project"):
        linking.link(imported, by=lead, user=stranger)


@pytest.mark.parametrize("kind", ["model", "reference", "consensus"])
def test_what_is_no_person_is_no_member(lead, rita, imported, kind):
    Rater.objects.filter(pk=imported.pk).update(kind=kind)

    with pytest.raises(CannotLink, match="be linked to a member"):
        linking.link(imported, by=lead, user=rita)


def test_unlinked_labels_stay(project, lead, rita, imported):
    linking.link(imported, by=lead, user=rita)

    for _ in range(2):
        linking.unlink(imported, by=lead)

    imported.refresh_from_db()
    assert imported.user is None
    assert imported.labels.count() == 2
    assert Event.objects.filter(kind="rater_unlinked").count() == 1


def test_of_many_links_at_once_one_holds(committed_db):
    project = cast.new_project("Links", unique=True)
    lead = cast.member(project, Membership.Role.LEAD, username="lead", unique=True)
    rita = cast.member(project, Membership.Role.RATER, username="rita", unique=True)
    raters = [Rater.objects.create(project=project, key=f"r{number}") for number in range(10)]

    def link(number: int) -> bool:
        try:
            return bool(linking.link(raters[number], by=lead, user=rita))
        except CannotLink:
            return False

    assert sum(at_once(10, link)) == 1
    assert Rater.objects.filter(project=project, user=rita).count() == 1


def page(client, project) -> str:
    return client.get(reverse("raters", args=[project.slug])).content.decode()


def test_the_page_lists_raters_with_their_labels(client, project, imported):
    shown = page(client, project)

    assert "R. Ita" in shown
    assert '<td class="number">2</td>' in shown


def test_the_page_of_no_raters_says_how_they_come(client, project):
    assert "No raters yet" in page(client, project)


def link(client, rater, name):
    address = reverse("rater_link", args=[rater.project.slug, rater.pk])
    return client.post(address, {"username": name})


def test_link_and_unlink_by_the_page(client, project, rita, imported):
    assert '<option value="rita">' in page(client, project)

    assert link(client, imported, "rita").status_code == 302

    imported.refresh_from_db()
    assert imported.user == rita
    assert '<option value="rita">' not in page(client, project)
    client.post(reverse("rater_unlink", args=[project.slug, imported.pk]))
    imported.refresh_from_db()
    assert imported.user is None


@pytest.mark.parametrize("name", ["", "stella", "nobody"])
def test_only_a_member_can_be_chosen(client, stranger, imported, name):
    assert link(client, imported, name).status_code == 400

    imported.refresh_from_db()
    assert imported.user is None


def test_a_refusal_is_shown_with_the_way_round(client, rita, auditor, imported, lead):
    linking.link(imported, by=lead, user=auditor)

    answer = link(client, imported, "rita")

    assert answer.status_code == 409
    assert "Unlink the rater first." in answer.content.decode()


def test_who_is_removed_is_named_as_such(client, project, rita, imported, lead):
    linking.link(imported, by=lead, user=rita)
    project.memberships.filter(user=rita).delete()

    assert "no longer a member" in page(client, project)


def test_the_page_asks_the_database_as_often_for_many_as_for_few(
    client, project, imported, django_assert_num_queries, rita
):
    def queries() -> int:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as seen:
            page(client, project)
        return len(seen)

    few = queries()
    for number in range(20):
        user = cast.member(project, Membership.Role.RATER, username=f"p{number}")
        Rater.objects.create(project=project, key=f"r{number}", user=user)

    assert queries() == few


def patch(client, rater, body):
    address = reverse("api_rater", args=[rater.project.slug, rater.pk])
    return client.patch(address, json.dumps(body), content_type="application/json")


def test_link_and_unlink_over_the_api(client, rita, imported):
    linked, unlinked = patch(client, imported, {"user": "rita"}), patch(client, imported, {"user": None})

    row = {"id": imported.pk, "key": "R. Ita", "kind": "human", "attributes": {}}
    assert (linked.status_code, linked.json()) == (200, row | {"user": "rita"})
    assert (unlinked.status_code, unlinked.json()) == (200, row | {"user": None})


def test_attributes_of_a_rater_are_set_and_logged_once(client, imported, project):
    for _ in range(2):
        answer = patch(client, imported, {"attributes": {"years": 7, "site": "Bern"}})

    wrong = patch(client, imported, {"attributes": {"years": None}})

    assert (answer.status_code, answer.json()["attributes"]) == (200, {"years": 7, "site": "Bern"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "attributes")
    [event] = Event.objects.filter(project_id=project.pk, kind=Event.Kind.PROJECT_CHANGED)
    assert event.detail["changed"] == {"attributes": {"old": {}, "new": {"years": 7, "site": "Bern"}}}


def test_raters_are_found_by_key_and_kind(client, imported, project):
    Rater.objects.create(project=project, key="gpt", kind=Rater.Kind.MODEL)
    url = f"/api/v1/projects/{project.slug}/raters/"

    def keys(query):
        return [rater["key"] for rater in client.get(url + query).json()["results"]]

    assert (keys("?kind=model"), keys("?key=R. Ita"), keys("?key=x")) == (["gpt"], ["R. Ita"], [])
    assert client.get(f"{url}?kind=robot").status_code == 400


def test_refusals_over_the_api(client, rita, stranger, imported, project):
    assert patch(client, imported, {"user": "stella"}).json()["error"] == "no_such_member"
    Rater.objects.create(project=project, key="rita", user=rita)
    refused = patch(client, imported, {"user": "rita"})
    assert (refused.status_code, refused.json()["error"]) == (409, "cannot_link")
    assert patch(client, imported, {}).status_code == 400


def change_kind(client, rater, kind):
    address = reverse("rater_kind", args=[rater.project.slug, rater.pk])
    return client.post(address, {"kind": kind})


def test_a_rater_becomes_a_reference_by_the_page(client, project, imported):
    assert change_kind(client, imported, "reference").status_code == 302

    imported.refresh_from_db()
    assert imported.kind == Rater.Kind.REFERENCE
    event = Event.objects.get(kind="project_changed")
    assert event.detail["changed"] == {"kind": {"old": "human", "new": "reference"}}


def test_a_rater_becomes_a_model_and_a_person_again_over_the_api(api, project, imported):
    address = f"/api/v1/projects/{project.slug}/raters/{imported.pk}/"

    kinds = [
        api.patch(address, {"kind": kind}, content_type="application/json").json()["kind"]
        for kind in ("model", "model", "human")
    ]

    assert kinds == ["model", "model", "human"]
    assert Event.objects.filter(kind="project_changed").count() == 2


@pytest.mark.parametrize("kind", ["", "consensus", "person"])
def test_there_are_three_types_to_choose_from(client, api, project, imported, kind):
    address = f"/api/v1/projects/{project.slug}/raters/{imported.pk}/"

    assert change_kind(client, imported, kind).status_code == 400
    assert api.patch(address, {"kind": kind}, content_type="application/json").status_code == 400
    imported.refresh_from_db()
    assert imported.kind == Rater.Kind.HUMAN


def test_who_has_an_account_is_a_person(client, project, lead, rita, imported):
    linking.link(imported, by=lead, user=rita)

    assert change_kind(client, imported, "model").status_code == 409
    imported.refresh_from_db()
    assert imported.kind == Rater.Kind.HUMAN


def test_who_has_assignments_is_a_person(lead, work):
    rater = work.assignment(0).rater
    Rater.objects.filter(pk=rater.pk).update(user=None)

    with pytest.raises(CannotChangeKind, match="assignments"):
        linking.change_kind(rater, "model", by=lead)


def test_the_consensus_stays_what_it_is(lead, project):
    consensus = Rater.objects.create(project=project, key="consensus", kind=Rater.Kind.CONSENSUS)

    with pytest.raises(CannotChangeKind, match="adjudication"):
        linking.change_kind(consensus, "human", by=lead)
