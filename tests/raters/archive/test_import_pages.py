"""Owners import a project file by page and API, after a preview; nobody else does."""

import io
import json
import re
import secrets

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from projects.models import Membership, Project
from raters.archive.project_export import project_file
from raters.models import ProjectUpload, ProjectUploadPiece, User
from tests import cast
from tests.labeling import labeled_project
from tests.raters.archive.forging import forged

pytestmark = pytest.mark.signed_in(None)

API = "/api/v1/project-files/"


@pytest.fixture
def signed_in_owner(committed_db, client):
    owner = cast.person("olga", unique=True, is_superuser=True)
    client.force_login(owner)
    return owner


@pytest.fixture
def traveler(petra):
    project = labeled_project("Traveler", n_items=5, n_raters=2)
    project.raters.filter(key="rater-000").update(user=petra)
    return project


@pytest.fixture
def travelers_file(traveler):
    return b"".join(project_file(traveler))


def sent(content, name="project.zip"):
    return SimpleUploadedFile(name, content, content_type="application/zip")


def uploaded(client, content):
    response = client.post(reverse("project_import"), {"file": sent(content)})
    assert response.status_code == 302
    return response["Location"]


def test_an_owner_sees_what_a_file_holds_and_imports_it(
    client, signed_in_owner, traveler, petra, travelers_file
):
    address = uploaded(client, travelers_file)

    page = client.get(address).content.decode()
    done = client.post(
        address, {"slug": f"{traveler.slug}-2", "become_0": "new", "account_0": f"{petra.username}-2"}
    )

    assert re.search(rf'<input[^>]*value="{petra.username}-2"', page)
    assert re.search(rf'<input[^>]*value="{traveler.slug}-2"', page)
    made = Project.objects.get(slug=f"{traveler.slug}-2")
    assert done["Location"] == made.get_absolute_url()
    assert Membership.objects.get(project=made).user == signed_in_owner
    assert made.raters.get(key="rater-000").user.username == f"{petra.username}-2"
    assert not ProjectUpload.objects.filter(made_by=signed_in_owner).exists()
    assert not ProjectUploadPiece.objects.exists()


def test_the_work_of_a_person_goes_to_an_existing_account(
    client, signed_in_owner, traveler, petra, travelers_file
):
    address = uploaded(client, travelers_file)

    client.post(address, {"slug": f"{traveler.slug}-2", "become_0": "existing", "account_0": petra.username})

    assert Project.objects.get(slug=f"{traveler.slug}-2").raters.get(key="rater-000").user == petra


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": ""}, "slug"),
        ({"slug": "../../x y"}, "slug"),
        ({"slug": None}, "slug"),
        ({"account_0": None}, "account_0"),
        ({"account_0": "not plain"}, "account_0"),
        ({"become_0": "root"}, "become_0"),
    ],
)
def test_names_that_cannot_be_had_are_refused_beside_their_fields(
    client, signed_in_owner, traveler, petra, travelers_file, changes, field
):
    """None: the name that is taken."""
    taken = {"slug": traveler.slug, "account_0": petra.username.upper()}
    right = {"slug": f"{traveler.slug}-2", "become_0": "new", "account_0": f"{petra.username}-2"}
    given = {name: taken[name] if value is None else value for name, value in changes.items()}
    address = uploaded(client, travelers_file)

    response = client.post(address, right | given)

    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    assert client.post(address, right).status_code == 302


def test_a_file_that_is_wrong_is_refused_at_once_with_its_problems(client, signed_in_owner, travelers_file):
    bad = forged(travelers_file, "item.jsonl", lambda rows: [row.update(content=5) for row in rows] and None)

    response = client.post(reverse("project_import"), {"file": sent(bad)})

    assert response.status_code == 400
    assert response.context["problems"][0].column == "content"
    assert response.content.decode().count("item.jsonl, line") >= 5
    assert not ProjectUpload.objects.filter(made_by=signed_in_owner).exists()


def test_cancelling_forgets_the_file(client, signed_in_owner, travelers_file):
    address = uploaded(client, travelers_file)

    client.post(f"{address}cancel/")

    assert not ProjectUpload.objects.filter(made_by=signed_in_owner).exists()
    assert client.get(address).status_code == 404


def test_an_upload_is_of_the_owner_who_made_it(client, signed_in_owner, travelers_file):
    address = uploaded(client, travelers_file)
    client.force_login(cast.person("otto", unique=True, is_superuser=True))

    assert client.get(address).status_code == 404
    assert client.post(f"{address}cancel/").status_code == 404


def test_old_uploads_are_forgotten_at_the_next_one(client, signed_in_owner, travelers_file):
    uploaded(client, travelers_file)
    ProjectUpload.objects.filter(made_by=signed_in_owner).update(made_at="2020-01-01T00:00:00Z")

    uploaded(client, travelers_file)

    assert ProjectUpload.objects.filter(made_by=signed_in_owner).count() == 1


@pytest.mark.parametrize("way", ["page", "api"])
def test_a_larger_file_is_refused_while_it_is_read(client, signed_in_owner, travelers_file, settings, way):
    settings.PROJECT_FILE_MAX_BYTES = 100

    response = client.post(
        reverse("project_import") if way == "page" else API, {"file": sent(travelers_file)}
    )

    assert response.status_code == 413
    assert not ProjectUpload.objects.filter(made_by=signed_in_owner).exists()


def test_the_list_of_projects_leads_owners_alone_to_the_import(client, signed_in_owner):
    link = f'href="{reverse("project_import")}"'

    assert link in client.get(reverse("projects")).content.decode()
    client.force_login(cast.person("stella", unique=True))
    assert link not in client.get(reverse("projects")).content.decode()


def test_the_api_previews_and_imports(client, signed_in_owner, traveler, petra, travelers_file):
    letters = secrets.token_hex(4)

    preview = client.post(API, {"file": sent(travelers_file), "dry_run": "true"})
    refused = client.post(API, {"file": sent(travelers_file), "slug": f"by-api-{letters}"})
    people = {petra.username: {"name": f"{petra.username}-2"}}
    made = client.post(
        API, {"file": sent(travelers_file), "slug": f"by-api-{letters}", "people": json.dumps(people)}
    )

    assert preview.status_code == 200
    assert preview.json()["people"] == [
        {"name": petra.username, "offered": f"{petra.username}-2", "taken_by": petra.username}
    ]
    assert (preview.json()["slug"], preview.json()["counts"]["item"]) == (f"{traveler.slug}-2", 5)
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["offered"] == f"{petra.username}-2"
    assert made.status_code == 201
    assert made.json()["slug"] == f"by-api-{letters}"
    assert not User.objects.get(username=f"{petra.username}-2").is_active


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"slug": "../../x y"}, "invalid"),
        ({"slug": "x" * 81}, "invalid"),
        ({"dry_run": "perhaps"}, "invalid"),
        ({"people": "[]"}, "invalid"),
        ({"people": "{"}, "json"),
        ({"people": '{"a": {"name": 5}}'}, "invalid"),
        ({"people": '{"a": {"name": "b", "is_superuser": true}}'}, "invalid"),
        ({"people": '{"nobody": {"name": "b"}}'}, "name_taken"),
        ({"owner": "me"}, "unknown_field"),
    ],
)
def test_the_api_refuses_what_it_does_not_know(client, signed_in_owner, travelers_file, given, code):
    response = client.post(API, {"file": sent(travelers_file), **given})

    assert response.status_code in {400, 409}
    assert response.json()["error"] == code


def test_the_api_says_where_a_file_is_wrong(client, signed_in_owner, travelers_file):
    bad = forged(travelers_file, "project.jsonl", lambda rows: rows[0].update(slug="../../x y"))

    response = client.post(API, {"file": sent(bad)})

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["file"], error["line"], error["column"]) == ("project.jsonl", 1, "slug")
    assert client.post(API, {"file": sent(b"hello")}).json()["error"] == "bad_project_file"
    assert client.post(API, {}).json()["error"] == "no_file"


def test_leads_and_strangers_import_nothing(client, signed_in_owner, traveler, travelers_file):
    address = uploaded(client, travelers_file)
    n = Project.objects.count()
    for user in (
        cast.member(traveler, Membership.Role.LEAD, username="lena", unique=True),
        cast.person("stella", unique=True),
    ):
        client.force_login(user)
        assert client.get(reverse("project_import")).status_code == 404
        assert client.post(reverse("project_import"), {"file": sent(travelers_file)}).status_code == 404
        assert client.post(address, {"slug": "x"}).status_code == 404
        assert client.post(API, {"file": sent(travelers_file)}).status_code == 404

    assert Project.objects.count() == n


def test_the_page_checks_the_token_of_the_form(signed_in_owner, travelers_file):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(signed_in_owner)

    assert strict.post(reverse("project_import"), {"file": io.BytesIO(travelers_file)}).status_code == 403
