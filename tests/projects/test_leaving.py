"""Members who leave a project themselves: what they are asked, what stays, and what is logged."""

import pytest
from django.urls import reverse

from projects.members import actions
from projects.models import Event, Membership
from projects.templatetags.event_words import event_words
from raters.models import Assignment, Label
from tests.cast import member, signed_in
from tests.working import answer as label
from tests.working import new_work


@pytest.fixture
def leaving_work(project):
    return new_work(project=project)


@pytest.mark.parametrize("way", ["page", "api"])
def test_a_rater_leaves_and_their_labels_stay(project, leaving_work, way):
    user = leaving_work.user()
    label(leaving_work, "good")
    client, before = signed_in(user), Label.objects.count()

    if way == "page":
        answer = client.post(reverse("project_leave", args=[project.slug]))
        assert answer.headers["Location"] == reverse("projects")
    else:
        assert client.delete(reverse("api_own_membership", args=[project.slug])).status_code == 204

    event = Event.objects.get(project_id=project.pk, kind="member_removed")
    assert event_words(event) == "Left the project as a rater"
    assert (event.user_name, event.about, event.detail["role"]) == (user.username, user.username, "rater")
    assert Label.objects.count() == before > 0
    assert client.get(project.get_absolute_url()).status_code == 404
    assert client.post(reverse("project_leave", args=[project.slug])).status_code == 404


def test_leaving_is_asked_first_and_says_what_stays_open(project, leaving_work):
    client = signed_in(leaving_work.user())
    address = reverse("project_leave", args=[project.slug])

    asked = client.get(address).content.decode()
    Assignment.objects.update(state=Assignment.State.DONE)
    none = client.get(address).content.decode()

    assert "data-open-assignments" in asked
    assert "data-open-assignments" not in none
    assert "data-links" not in asked
    assert project.memberships.filter(user=leaving_work.user()).exists()


def test_members_find_the_way_out(project, leaving_work):
    client = signed_in(leaving_work.user())
    link = f'href="{reverse("project_leave", args=[project.slug])}"'

    assert link in client.get(project.get_absolute_url()).content.decode()
    assert link in client.get(reverse("own_work", args=[project.slug])).content.decode()


def test_the_only_lead_is_refused_over_the_api(project):
    lead = member(project, Membership.Role.LEAD, username="sole")
    project.memberships.exclude(user=lead).filter(role=Membership.Role.LEAD).delete()

    answer = signed_in(lead).delete(reverse("api_own_membership", args=[project.slug]))

    assert (answer.status_code, answer.json()["error"]) == (409, "last_lead")
    assert project.memberships.filter(user=lead).exists()


def test_two_removals_at_the_same_moment_are_logged_once(project, rita):
    one, other = (project.memberships.get(user=rita) for _ in range(2))

    actions.remove_member(one, by=None)
    with pytest.raises(Membership.DoesNotExist):
        actions.remove_member(other, by=None)

    assert Event.objects.filter(project_id=project.pk, kind="member_removed").count() == 1


@pytest.mark.parametrize("way", ["page", "api"])
def test_a_member_who_left_meanwhile_is_not_found(project, rita, monkeypatch, way):
    def gone(*args, **more):
        raise Membership.DoesNotExist

    monkeypatch.setattr("projects.members.actions.remove_member", gone)
    client = signed_in(rita)

    answer = (
        client.post(reverse("project_leave", args=[project.slug]))
        if way == "page"
        else client.delete(reverse("api_own_membership", args=[project.slug]))
    )

    assert answer.status_code == 404
