"""Bad requests around a file, of the cases I29 to I48: too large, cut, packed, forbidden, twice."""

import gzip
import socket
from io import BytesIO

import pytest
from django.test import RequestFactory
from django.test.client import ClientHandler

from projects.models import Project
from raters.models import Label, LabelImport, User
from tests import files
from tests.cast import signed_in
from tests.files import GOOD, csv, post_file, run_queued


class CountedInput(BytesIO):
    """The body of a request that tells how much of it was read."""

    n_read = 0

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(size)
        self.n_read += len(block)
        return block


def send_raw(user: User, project: Project, content: bytes, content_type: str, **environ: str):
    """The answer to a body that is counted while it is read, and how much of it was."""
    body = CountedInput(content)
    cookie = f"session={signed_in(user).cookies['session'].value}"
    path = f"/api/v1/projects/{project.slug}/imports/"
    request = RequestFactory().post(path, content_type=content_type, HTTP_COOKIE=cookie)
    answer = ClientHandler(enforce_csrf_checks=False)({**request.META, **environ, "wsgi.input": body})
    return answer, body.n_read


FORM = "multipart/form-data; boundary=edge"
PART = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="labels.csv"\r\n\r\n'


@pytest.mark.parametrize("is_sized", [True, False], ids=["with Content-Length", "without"])
@pytest.mark.parametrize("kind", [FORM, "text/csv"], ids=["form", "body"])
def test_i29_a_file_above_the_limit_is_not_read_to_its_end(kind, is_sized, project, lead, settings):
    settings.IMPORT_MAX_BYTES = 200_000
    content = b"item,rater,label\n" + b"a,b,c\n" * 1_000_000
    if kind == FORM:
        content = PART + content + b"\r\n--edge--\r\n"
    size = {"CONTENT_LENGTH": str(len(content))}
    length = size if is_sized else {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

    answer, n_read = send_raw(lead, project, content, kind, **length)

    assert (answer.status_code, answer.data["error"]) == (413, "too_large")
    assert n_read <= 200_000 + 256 * 1024
    assert not LabelImport.objects.exists()


def test_i29_a_file_of_undeclared_length_within_the_limit_is_taken(project, lead):
    content = PART + GOOD + b"\r\n--edge--\r\n"
    length = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

    answer, _ = send_raw(lead, project, content, FORM, **length)

    assert (answer.status_code, answer.data["n_labels"]) == (201, 2)


@pytest.mark.parametrize("name", ["../../x.csv", "x" * 300 + ".csv", "<img src=x onerror=alert(1)>.csv"])
def test_i37_a_name_is_only_text(name, project, lead):
    answer = post_file(signed_in(lead), project, GOOD, name=name)

    page = signed_in(lead).get(f"/p/{project.slug}/import/")
    assert answer.status_code == 201
    assert len(LabelImport.objects.get().file_name) <= 300
    assert b"<img src=x" not in page.content


def test_i37_a_name_with_nul(project, lead):
    url = f"/api/v1/projects/{project.slug}/imports/?file_name=a%00b.csv"

    answer = signed_in(lead).post(url, GOOD, content_type="text/csv")

    assert answer.status_code == 400
    assert not LabelImport.objects.exists()


def test_i40_a_closed_codebook_takes_no_new_categories_or_raters(project, lead):
    files.load(project, GOOD)
    project.is_codebook_closed = True
    project.save()

    answer = post_file(signed_in(lead), project, csv("b,ann,maybe", "b,cleo,yes", "c,ben,no"))

    found = [(fault["code"], fault["line"], fault["value"]) for fault in answer.json()["errors"]]
    assert found == [("unknown_category", 2, "maybe"), ("unknown_rater", 3, "cleo")]


def test_i44_a_packed_body(project, lead):
    answer = signed_in(lead).post(
        f"/api/v1/projects/{project.slug}/imports/",
        gzip.compress(GOOD),
        content_type="text/csv",
        HTTP_CONTENT_ENCODING="gzip",
    )

    assert answer.status_code == 415


def test_i45_the_same_file_twice(project, lead):
    client = signed_in(lead)
    first = post_file(client, project, GOOD)
    run_queued(project)
    before = files.n_rows()

    second = post_file(client, project, GOOD, name="other name.csv")

    assert (first.status_code, second.status_code) == (201, 409)
    assert second.json()["error"] == "same_file"
    assert second.json()["errors"] == [{"import": first.json()["id"], "code": "same_file"}]
    assert f"import {first.json()['id']} " in second.json()["detail"]
    assert files.n_rows() == before


def test_i45_the_same_file_while_the_first_waits(project, lead):
    client = signed_in(lead)

    answers = [post_file(client, project, GOOD).status_code for _ in range(2)]

    assert answers == [201, 409]
    assert LabelImport.objects.count() == 1


def test_i46_a_connection_cut_half_way(project, lead):
    content = PART + GOOD * 1_000 + b"\r\n--edge--\r\n"

    answer, _ = send_raw(lead, project, content[: len(content) // 2], FORM, CONTENT_LENGTH=str(len(content)))

    assert answer.status_code == 400
    assert not LabelImport.objects.exists()


def test_i47_by_those_who_may_not(project, lead, rita, auditor, adjudicator, stranger):
    statuses = {
        user.username: post_file(signed_in(user), project, GOOD).status_code
        for user in (rita, auditor, adjudicator, stranger)
    }

    assert statuses == {"rita": 403, "otto": 403, "ada": 403, "stella": 404}
    assert not LabelImport.objects.exists()


def test_i47_into_a_closed_project(project, lead):
    project.state = Project.State.CLOSED
    project.save()

    answer = post_file(signed_in(lead), project, GOOD)

    assert (answer.status_code, answer.json()["error"]) == (409, "closed")
    assert not Label.objects.exists()


@pytest.mark.parametrize("is_form", [True, False])
def test_i48_an_address_in_place_of_a_file(is_form, project, lead, monkeypatch):
    client = signed_in(lead)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection was opened"))
    url = f"/api/v1/projects/{project.slug}/imports/"
    body = {"file": "http://169.254.169.254/"}

    answer = client.post(url, body) if is_form else client.post(url, body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (400, "not_a_file")
