"""Projects, questions and items over the API: what works, and what every refusal looks like."""

import json

import pytest
from django.test import Client
from knox.models import AuthToken

from projects.models import Project
from tests.labeling import add_labels, new_question

URL = "/api/v1/projects/"


def send(client, method, address, body, **headers):
    raw = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.generic(method, address, raw, content_type="application/json", **headers)


def assert_refused(response, status, code):
    body = response.json()
    assert (response.status_code, body["error"]) == (status, code)
    assert set(body) == {"error", "detail", "errors", "request_id"}
    assert body["detail"]
    assert body["request_id"]


def test_create_a_project(api, lead):
    response = send(api, "POST", URL, {"name": " Café ", "slug": "cafe", "guidelines": "# Look"})

    project = Project.objects.get(slug="cafe")
    assert response.status_code == 201
    assert response.json()["role"] == "lead"
    assert (project.name, project.guidelines) == (" Café ", "# Look")
    assert project.memberships.get().user == lead


def test_a_slug_is_made_of_the_name_and_is_never_taken_twice(api):
    first = send(api, "POST", URL, {"name": "Reviews of May"}).json()["slug"]
    second = send(api, "POST", URL, {"name": "Reviews of May"}).json()["slug"]

    assert (first, second) == ("reviews-of-may", "reviews-of-may-2")


def test_a_name_without_letters_gets_a_slug_too(api):
    assert send(api, "POST", URL, {"name": "研究"}).json()["slug"] == "project"


def test_a_slug_that_is_taken_is_a_conflict(api, project):
    assert_refused(send(api, "POST", URL, {"name": "x", "slug": project.slug}), 409, "slug_taken")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"nmae": "x", "name": "x"}, "unknown_field"),
        ({"name": "x", "created_at": "2020-01-01"}, "unknown_field"),
        ({"name": "x", "is_superuser": True}, "unknown_field"),
        ({}, "required"),
        ({"name": ""}, "blank"),
        ({"name": "   "}, "blank"),
        ({"name": 5}, "invalid"),
        ({"name": True}, "invalid"),
        ({"name": None}, "null"),
        ({"name": []}, "invalid"),
        ({"name": "x" * 201}, "max_length"),
        ({"name": "x\ny"}, "control"),
        ({"name": "x\x7f"}, "control"),
        ({"name": "x", "slug": "Not a slug"}, "invalid"),
        ({"name": "x", "slug": "a\n"}, "invalid"),
        ([], "not_an_object"),
        ("x", "json"),
        ("null", "not_an_object"),
        ('"x"', "not_an_object"),
        ("", "empty_body"),
        (rb'{"name": "\u0000"}', "nul"),
        ('{"name": "a", "name": "b"}', "duplicate_key"),
    ],
)
def test_a_bad_body_is_refused_and_nothing_is_made(api, body, code):
    before = Project.objects.count()

    assert_refused(send(api, "POST", URL, body), 400, code)

    assert Project.objects.count() == before


def test_every_wrong_field_is_named(api):
    body = send(api, "POST", URL, {"name": 5, "slug": "A"}).json()

    assert body["error"] == "invalid"
    assert {entry["field"] for entry in body["errors"]} == {"name", "slug"}


def test_a_large_body_is_refused(api, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    assert_refused(send(api, "POST", URL, {"name": "x" * 1000}), 413, "too_large")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_only_json_is_taken(api, content_type):
    assert_refused(api.generic("POST", URL, "{}", content_type=content_type), 415, "unsupported_media_type")


def test_a_packed_body_is_refused(api):
    assert_refused(send(api, "POST", URL, b"\x1f\x8b", HTTP_CONTENT_ENCODING="gzip"), 415, "content_encoding")


def test_a_body_of_unknown_length_is_refused(api):
    response = send(api, "POST", URL, {"name": "x"}, HTTP_TRANSFER_ENCODING="chunked")

    assert_refused(response, 411, "length_required")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?ordering=rater__password", "unknown_parameter"),
        ("?x__y=1", "unknown_parameter"),
        ("?page_size=1000000", "invalid_parameter"),
        ("?page_size=-1", "invalid_parameter"),
        ("?page_size=abc", "invalid_parameter"),
        ("?page_size=%D9%A1%D9%A2", "invalid_parameter"),
        ("?page=0", "invalid_parameter"),
        ("?page=1&page=2", "repeated_parameter"),
        ("?page=%00", "control_character"),
    ],
)
def test_a_bad_parameter_is_refused(api, query, code):
    assert_refused(api.get(URL + query), 400, code)


def test_head_takes_the_parameters_of_get(api):
    assert api.head(f"{URL}?page=1").status_code == 200
    assert api.head(f"{URL}?nonsense=1").status_code == 400


def test_a_page_too_far_is_not_found(api):
    assert_refused(api.get(f"{URL}?page=7"), 404, "no_such_page")


@pytest.mark.parametrize(
    "path", ["nothing/", "projects/%00/", "projects/../", "projects/nothing/", "x" * 3000]
)
def test_what_is_not_there_is_not_found_in_json(api, path):
    assert_refused(api.get(f"/api/v1/{path}"), 404, "not_found")


@pytest.mark.parametrize("pk", ["0", "-1", "1e9", "9" * 30, "%00", "1.0"])
def test_a_strange_id_is_not_found(api, project, pk):
    assert_refused(api.get(f"{URL}{project.slug}/items/{pk}/"), 404, "not_found")


def test_a_wrong_method_names_the_right_ones(api):
    response = api.delete(URL)

    assert_refused(response, 405, "method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD"


def test_a_failure_is_json_without_its_cause(api, monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise RuntimeError("a secret")

    monkeypatch.setattr("projects.api.views.projects_of", fail)
    api.raise_request_exception = False

    response = api.get(URL)

    assert_refused(response, 500, "server_error")
    assert response.json()["request_id"] in caplog.text
    assert b"secret" not in response.content


def test_without_sign_in_the_api_asks_for_it(db):
    response = Client().get(URL)

    assert_refused(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Token"


def test_a_token_works_until_it_is_revoked(project, lead):
    token, words = AuthToken.objects.create(user=lead)
    client = Client(headers={"Authorization": f"Token {words}"})

    before = client.get(URL).status_code
    token.delete()

    assert (before, client.get(URL).status_code) == (200, 401)


def test_a_token_in_the_address_is_nothing(project, lead):
    _, words = AuthToken.objects.create(user=lead)

    assert Client().get(f"{URL}?token={words}").status_code == 401


def test_writing_by_session_needs_the_csrf_token(lead):
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)

    assert_refused(send(client, "POST", URL, {"name": "x"}), 403, "permission_denied")


def test_change_a_project(api, project):
    address = f"{URL}{project.slug}/"

    response = send(api, "PATCH", address, {"state": "closed", "is_codebook_closed": True})

    project.refresh_from_db()
    assert response.json()["state"] == project.state == "closed"
    assert project.is_codebook_closed is True


@pytest.mark.parametrize("value", ["open ", "OPEN", 1, True, None, ["open"]])
def test_a_state_is_one_of_the_declared(api, project, value):
    response = send(api, "PATCH", f"{URL}{project.slug}/", {"state": value})

    assert response.status_code == 400


@pytest.mark.parametrize("value", ["true", 1, 0, None])
def test_yes_or_no_is_a_boolean(api, project, value):
    response = send(api, "PATCH", f"{URL}{project.slug}/", {"is_codebook_closed": value})

    assert response.status_code == 400


def test_make_a_question_with_its_scale(api, project):
    body = {
        "key": "tone",
        "prompt": "How does it sound?",
        "level": "ordinal",
        "categories": [{"key": "bad", "value": -1}, {"key": "good", "value": 1.5}],
    }

    response = send(api, "POST", f"{URL}{project.slug}/questions/", body)

    question = project.questions.get()
    assert response.status_code == 201
    made = [(c["key"], c["name"], c["definition"], c["value"]) for c in response.json()["categories"]]
    assert made == [("bad", "", "", -1.0), ("good", "", "", 1.5)]
    assert [(c.position, c.key) for c in question.categories.all()] == [(0, "bad"), (1, "good")]


@pytest.mark.parametrize(
    "body",
    [
        {"key": "tone", "categories": [{"key": "a"}, {"key": "a"}]},
        {"key": "tone", "categories": [{"key": "a", "value": "1"}]},
        {"key": "tone", "categories": [{"key": "a", "value": True}]},
        {"key": "tone", "categories": [{"key": "a", "positon": 1}]},
        {"key": "tone", "kind": "number", "categories": [{"key": "a"}]},
        {"key": "tone", "kind": "essay"},
        {"key": "tone\n"},
        {"key": "tone", "categories": [{"key": "a\tb"}]},
        {"key": "tone", "categories": [{"key": "a", "name": "a\rb"}]},
        {"key": "tone", "categories": [{"key": "a", "value": 1.1e100}]},
        {"key": "tone", "categories": [{"key": "a", "value": -1.1e100}]},
        {
            "key": "tone",
            "level": "ratio",
            "categories": [{"key": "a", "value": 1}, {"key": "b", "value": 1.0}],
        },
        {"key": "tone", "level": "interval", "categories": [{"key": "1"}, {"key": "1.0"}]},
    ],
)
def test_a_bad_question_is_refused_and_nothing_is_made(api, project, body):
    response = send(api, "POST", f"{URL}{project.slug}/questions/", body)

    assert response.status_code == 400
    assert not project.questions.exists()


@pytest.mark.parametrize(
    ("level", "categories", "values"),
    [
        ("interval", [{"key": "-1"}, {"key": "0.5"}], [-1.0, 0.5]),
        ("ratio", [{"key": "1"}, {"key": "2", "value": None}, {"key": "many"}], [1.0, 2.0, None]),
        ("interval", [{"key": "1", "value": 10}, {"key": "2"}], [10.0, None]),
        ("ordinal", [{"key": "1"}, {"key": "2"}], [None, None]),
    ],
)
def test_keys_that_are_numbers_are_the_values_of_a_scale_with_distances(
    api, project, level, categories, values
):
    body = {"key": "tone", "level": level, "categories": categories}

    response = send(api, "POST", f"{URL}{project.slug}/questions/", body)

    assert [category["value"] for category in response.json()["categories"]] == values


def test_definitions_and_guidelines_have_lines(api):
    assert send(api, "POST", URL, {"name": "x", "guidelines": "a\n\tb"}).status_code == 201


def test_a_closed_codebook_takes_no_question(api, project):
    Project.objects.update(is_codebook_closed=True)

    assert_refused(send(api, "POST", f"{URL}{project.slug}/questions/", {"key": "tone"}), 409, "closed")


def test_a_question_key_is_unique_in_its_project(api, project):
    new_question(project, key="tone")

    assert_refused(send(api, "POST", f"{URL}{project.slug}/questions/", {"key": "tone"}), 409, "key_taken")


def test_items_and_raters_are_listed_in_pages(api, project):
    add_labels(new_question(project), [(f"i{n}", f"r{n % 2}", "yes") for n in range(5)])

    page = api.get(f"{URL}{project.slug}/items/?page=2&page_size=2").json()
    raters = api.get(f"{URL}{project.slug}/raters/").json()

    assert (page["count"], page["page"], page["page_size"]) == (5, 2, 2)
    assert [item["key"] for item in page["results"]] == ["i2", "i3"]
    assert [rater["key"] for rater in raters["results"]] == ["r0", "r1"]


def test_an_item_is_found_by_its_key(api, project):
    add_labels(new_question(project), [("a b", "r", "yes"), ("ab", "r", "yes")])

    found = api.get(f"{URL}{project.slug}/items/", {"key": "a b"}).json()

    assert [item["key"] for item in found["results"]] == ["a b"]


def test_a_token_cannot_make_a_token(lead):
    _, words = AuthToken.objects.create(user=lead)
    client = Client(headers={"Authorization": f"Token {words}"})

    assert_refused(client.post("/api/v1/tokens/"), 403, "session_required")


def test_a_session_makes_lists_and_revokes_tokens(api):
    made = send(api, "POST", "/api/v1/tokens/", {"name": "script", "scope": "read"}).json()
    listed = api.get("/api/v1/tokens/").json()

    assert made["token"].startswith(made["token_key"])
    assert [token["token_key"] for token in listed] == [made["token_key"]]
    assert "token" not in listed[0]
    assert api.delete(f"/api/v1/tokens/{made['token_key']}/").status_code == 204
    assert api.get("/api/v1/tokens/").json() == []


def test_choose_a_scale_and_thresholds(api, project):
    body = {
        "reading_scale": "own",
        "thresholds_for": "ac",
        "thresholds": [{"from": -0.5, "name": "low"}, {"from": 1, "name": "all"}],
    }

    response = send(api, "PATCH", f"{URL}{project.slug}/", body)

    assert response.status_code == 200
    assert body.items() <= response.json().items()
    project.refresh_from_db()
    assert (project.reading_scale, project.thresholds) == ("own", body["thresholds"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"reading_scale": "own"}, "no_thresholds"),
        ({"reading_scale": "emperor"}, "invalid_choice"),
        ({"thresholds": "0.8 good"}, "not_a_list"),
        ({"thresholds": [{"from": "0.8", "name": "good"}]}, "invalid"),
        ({"thresholds": [{"from": 1.2, "name": "good"}]}, "max_value"),
        ({"thresholds": [{"from": 0.8}]}, "shape"),
        ({"thresholds": [{"from": 0.8, "name": "good", "to": 1}]}, "unknown_field"),
        ({"thresholds": [{"from": 0.8, "name": "a"}, {"from": 0.7, "name": "b"}]}, "order"),
    ],
)
def test_bad_scales_are_refused_and_nothing_changes(api, project, body, code):
    assert_refused(send(api, "PATCH", f"{URL}{project.slug}/", body), 400, code)

    project.refresh_from_db()
    assert (project.reading_scale, project.thresholds) == ("landis_koch", [])


def test_an_item_is_withdrawn_and_put_back(api, project):
    item = project.items.create(key="i-1")
    address = f"{URL}{project.slug}/items/{item.pk}/"

    first, again = (send(api, "PUT", f"{address}withdrawal/", "") for _ in range(2))
    back = send(api, "DELETE", f"{address}withdrawal/", "")

    assert first.status_code == 200
    assert first.json()["withdrawn_at"] is not None
    assert again.json() == first.json()
    assert (
        back.json()
        == api.get(address).json()
        == {"id": item.pk, "key": "i-1", "content": [], "attributes": {}, "withdrawn_at": None}
    )
