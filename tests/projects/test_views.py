"""The pages on which a project is made, changed and joined."""

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from core.web.markdown import rendered
from projects.members import actions as members
from projects.models import Membership, Project
from tests.working import new_work


def told(response) -> str:
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def test_make_a_project(client, lead):
    response = client.post(reverse("project_new"), {"name": "Film reviews", "guidelines": "Read *twice*."})

    project = Project.objects.get(name="Film reviews")
    assert response.headers["Location"] == "/p/film-reviews/"
    assert (project.guidelines, project.memberships.get().user) == ("Read *twice*.", lead)


@pytest.mark.parametrize("data", [{}, {"name": ""}, {"name": "x" * 201}, {"name": "a\x00b"}])
def test_a_project_needs_a_plain_name(client, data):
    before = Project.objects.count()

    response = client.post(reverse("project_new"), data)

    assert response.status_code == 400
    assert Project.objects.count() == before


def settings_of(project) -> dict:
    """What the form sends when nothing is changed."""
    names = [
        "name",
        "guidelines",
        "state",
        "coefficient",
        "reading_scale",
        "thresholds_for",
        "one_key_saving",
    ]
    return {name: getattr(project, name) for name in names} | {"thresholds": ""}


def test_change_a_project(client, project):
    data = settings_of(project) | {"name": "New name", "state": "closed", "is_codebook_closed": "on"}

    client.post(reverse("project_edit", args=[project.slug]), data)

    project.refresh_from_db()
    assert (project.name, project.state, project.is_codebook_closed) == ("New name", "closed", True)
    assert project.slug == "reviews"


def test_a_refused_change_shows_the_name_that_still_holds(client, project):
    response = client.post(reverse("project_edit", args=[project.slug]), {"name": "", "state": "open"})

    assert response.status_code == 400
    assert ">Reviews</a>" in response.content.decode()


def test_thresholds_are_typed_a_line_for_each(client, project):
    lines = "0.7 usable\n\n 0,85  good enough to publish \r\n"
    data = settings_of(project) | {"reading_scale": "own", "thresholds_for": "alpha", "thresholds": lines}

    client.post(reverse("project_edit", args=[project.slug]), data)

    project.refresh_from_db()
    assert (project.reading_scale, project.thresholds_for) == ("own", "alpha")
    assert project.thresholds == [
        {"from": 0.7, "name": "usable"},
        {"from": 0.85, "name": "good enough to publish"},
    ]
    page = client.get(reverse("project_edit", args=[project.slug])).content.decode()
    assert "0.7 usable\n0.85 good enough to publish</textarea>" in page


@pytest.mark.parametrize(
    ("scale", "lines", "sentence"),
    [
        ("own", "", "Enter at least one threshold, or choose another scale."),
        ("own", "good", "Line 1 must start with a number"),
        ("fleiss", "0.8 good\n0.7 better", "0.7 comes after 0.8"),
        ("own", "0.8", "needs a name"),
        ("own", "nan good", "must be a list of objects"),
        ("own", "1.5 good", "from -1 to 1, got 1.5"),
        ("emperor", "0.8 good", "not one of the available choices"),
    ],
)
def test_invalid_thresholds_are_refused_at_the_form(client, project, scale, lines, sentence):
    data = settings_of(project) | {"reading_scale": scale, "thresholds": lines}

    response = client.post(reverse("project_edit", args=[project.slug]), data)

    project.refresh_from_db()
    assert response.status_code == 400
    assert sentence in response.content.decode()
    assert (project.reading_scale, project.thresholds) == ("landis_koch", [])


def member_pk(project, user) -> int:
    return project.memberships.get(user=user).pk


def test_change_a_role(client, project, auditor):
    client.post(
        reverse("member_change", args=[project.slug, member_pk(project, auditor)]), {"role": "adjudicator"}
    )

    assert project.memberships.get(user=auditor).role == "adjudicator"


def test_what_another_role_changes_is_where_it_is_chosen(client, project, auditor):
    page = client.get(reverse("members", args=[project.slug])).content.decode()

    assert page.count('aria-describedby="role-change"') == page.count('<select name="role" id="role-') == 2
    assert page.count('id="role-change"') == 1


def test_remove_a_member(client, project, auditor):
    client.post(reverse("member_remove", args=[project.slug, member_pk(project, auditor)]))

    assert not project.memberships.filter(user=auditor).exists()


def test_removing_a_member_is_asked_first_and_says_what_happens(client, project, auditor):
    work = new_work(project=project)
    user = work.user()
    address = reverse("member_remove", args=[project.slug, member_pk(project, user)])

    members = client.get(reverse("members", args=[project.slug])).content.decode()
    asked = client.get(address).content.decode()
    none = client.get(
        reverse("member_remove", args=[project.slug, member_pk(project, auditor)])
    ).content.decode()

    assert f'href="{address}"' in members
    assert f'action="{address}"' not in members
    assert "3 open assignments in open rounds will stay pending: nobody else gets them" in asked
    assert "There are no open assignments." in none
    assert project.memberships.filter(user=user).exists()


# S22
def test_the_last_lead_stays_a_lead(client, project, lead, auditor):
    address = reverse("member_change", args=[project.slug, member_pk(project, lead)])

    response = client.post(address, {"role": "auditor"})

    assert response.status_code == 409
    assert "A project needs at least one lead." in response.content.decode()
    assert project.memberships.get(user=lead).role == "lead"


# S22
def test_the_last_lead_cannot_leave(client, project, lead, auditor):
    address = reverse("project_leave", args=[project.slug])

    asked, sent = client.get(address), client.post(address)

    assert (asked.status_code, sent.status_code) == (200, 409)
    for response in (asked, sent):
        assert "data-last-lead" in response.content.decode()
        assert 'class="button danger"' not in response.content.decode()
    assert project.memberships.get(user=lead).role == "lead"


def test_removing_oneself_is_leaving(client, project, lead, auditor):
    address = reverse("member_remove", args=[project.slug, member_pk(project, lead)])

    leave = reverse("project_leave", args=[project.slug])

    assert client.get(address).headers["Location"] == client.post(address).headers["Location"] == leave
    assert f'href="{leave}"' in client.get(reverse("members", args=[project.slug])).content.decode()
    assert project.memberships.filter(user=lead).exists()


def test_a_lead_may_leave_if_there_is_another(client, project, lead, auditor):
    project.memberships.filter(user=auditor).update(role=Membership.Role.LEAD)

    response = client.post(reverse("project_leave", args=[project.slug]))

    assert response.headers["Location"] == "/"
    assert client.get(project.get_absolute_url()).status_code == 404


def test_a_lead_who_steps_back_is_led_to_the_project(client, project, lead, auditor):
    project.memberships.filter(user=auditor).update(role=Membership.Role.LEAD)

    response = client.post(
        reverse("member_change", args=[project.slug, member_pk(project, lead)]), {"role": "auditor"}
    )

    assert response.headers["Location"] == project.get_absolute_url()
    assert told(response) == "Changed the role of lena to auditor."


def test_a_member_of_another_project_is_not_found(client, project, lead):
    other = Project.objects.create(name="Other", slug="other")
    member = Membership.objects.create(project=other, user=lead, role="auditor")

    response = client.post(reverse("member_change", args=[project.slug, member.pk]), {"role": "lead"})

    assert response.status_code == 404
    member.refresh_from_db()
    assert member.role == "auditor"


def test_a_member_who_is_removed_meanwhile_is_not_found(client, project, auditor, monkeypatch):
    change_role = members.change_role

    def too_late(member, **change):
        Membership.objects.filter(pk=member.pk).delete()
        change_role(member, **change)

    monkeypatch.setattr(members, "change_role", too_late)

    response = client.post(
        reverse("member_change", args=[project.slug, member_pk(project, auditor)]), {"role": "adjudicator"}
    )

    assert response.status_code == 404


def test_a_rater_sees_the_guidelines_and_nothing_of_others(project, lead, rita):
    Project.objects.update(guidelines="# Look twice")
    client = Client()
    client.force_login(rita)

    html = client.get(project.get_absolute_url()).content.decode()

    assert "<h2>Look twice</h2>" in html
    assert "lena" not in html
    assert "Members" not in html
    assert "Agreement" not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "<svg onload=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,x)",
        "![x](http://elsewhere/x.png)",
        "<style>*{display:none}</style>",
    ],
)
def test_markdown_can_do_no_harm(text):
    html = str(rendered(text)).lower()

    for sign in ("<script", "<img", "<svg", "<style", 'href="javascript', 'href="data'):
        assert sign not in html


def test_markdown_is_rendered():
    html = str(rendered("**Bold** and [a link](https://example.org)\n\n| a | b |\n|---|---|\n| 1 | 2 |"))

    assert "<strong>Bold</strong>" in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert "<td>1</td>" in html


def test_headings_stand_below_that_of_the_page():
    assert "<h2>A</h2>\n<h3>B</h3>\n<h6>C</h6>" in str(rendered("# A\n\n## B\n\n###### C"))


@pytest.mark.parametrize(
    "path",
    ["/nothing/", "/p/nothing/", "/p/%00/", "/p/reviews/items/0/", "/p/reviews/agreement/" + "9" * 30 + "/"],
)
def test_a_page_that_is_not_there_says_so_in_our_own_words(client, project, path):
    response = client.get(path)

    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


def test_a_failure_is_a_page_with_a_number_that_is_in_the_log(client, monkeypatch, caplog):
    def fail(*args):
        raise RuntimeError("a secret")

    monkeypatch.setattr("reports.results.queries.project_rows", fail)
    client.raise_request_exception = False

    response = client.get("/")

    html = response.content.decode()
    assert response.status_code == 500
    assert "secret" not in html
    assert html.split("<code>")[1].split("</code>")[0] in caplog.text


def test_a_form_without_its_token_is_refused_in_our_own_words(lead, project):
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)

    response = client.post(reverse("project_new"), {"name": "x"})

    assert response.status_code == 403
    assert "Reload the page" in response.content.decode()


def test_no_page_takes_anything_from_another_host(client, project):
    response = client.get("/")

    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
