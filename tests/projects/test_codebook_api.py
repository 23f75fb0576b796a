"""The codebook over the API: each change, and what every refusal looks like."""

import pytest

from projects.codebook.guidelines import write_guidelines
from projects.models import Project
from projects.queries import current_guidelines_version
from tests import cast
from tests.labeling import add_labels, new_question
from tests.projects.test_api import assert_refused, send


def url(project, *parts) -> str:
    return "/".join(["/api/v1/projects", project.slug, "codebook", *(str(part) for part in parts), ""])


def test_read_the_codebook(api, project, labeled_tone, lead):
    write_guidelines(project, "Look.", by=lead)

    found = api.get(url(project)).json()

    assert [question["key"] for question in found["questions"]] == ["tone"]
    assert found["questions"][0]["allows_abstention"] is True
    assert set(found["questions"][0]["categories"][0]) == {
        "id", "key", "name", "definition", "examples", "value", "shortcut", "color", "treated_as_missing",
    }  # fmt: skip
    assert (found["guidelines_version"], found["is_closed"]) == (1, False)


def test_change_and_delete_a_question(api, project, labeled_tone):
    spare = new_question(project, key="spare")

    changed = send(
        api, "PATCH", url(project, "questions", labeled_tone.pk), {"prompt": "How?", "level": "ordinal"}
    )
    deleted = api.delete(url(project, "questions", spare.pk))

    assert (changed.status_code, changed.json()["prompt"], changed.json()["level"]) == (
        200,
        "How?",
        "ordinal",
    )
    assert (deleted.status_code, list(project.questions.all())) == (204, [labeled_tone])


def test_what_labels_forbid_is_a_conflict_with_its_reason(api, project, labeled_tone):
    kind = send(api, "PATCH", url(project, "questions", labeled_tone.pk), {"kind": "multiple"})
    good = labeled_tone.categories.first()

    assert_refused(kind, 409, "question_has_labels")
    assert kind.json()["errors"][0]["field"] == "kind"
    assert_refused(api.delete(url(project, "questions", labeled_tone.pk)), 409, "question_has_labels")
    refused = api.delete(url(project, "questions", labeled_tone.pk, "categories", good.pk))
    assert_refused(refused, 409, "category_has_labels")
    assert "merge it" in refused.json()["detail"]
    assert refused.json()["errors"] == []


def test_add_change_order_and_delete_categories(api, project, labeled_tone):
    here = ("questions", labeled_tone.pk, "categories")
    body = {"key": "fair", "shortcut": "3", "color": "sky", "examples": "so\nso"}

    made = send(api, "POST", url(project, *here), body).json()
    changed = send(api, "PATCH", url(project, *here, made["id"]), {"name": "Fair", "shortcut": ""}).json()
    good, bad, fair = labeled_tone.categories.all()
    ordered = send(
        api,
        "PUT",
        url(project, "questions", labeled_tone.pk, "order"),
        {"ids": [fair.pk, good.pk, bad.pk]},
    )
    deleted = api.delete(url(project, *here, bad.pk))

    assert (made["color"], made["examples"]) == ("sky", "so\nso")
    assert (changed["name"], changed["shortcut"]) == ("Fair", "")
    assert [category["key"] for category in ordered.json()["categories"]] == ["fair", "good", "bad"]
    assert (deleted.status_code, labeled_tone.categories.count()) == (204, 2)


def test_merge_categories(api, project, labeled_tone):
    add_labels(labeled_tone, [("j", "r", "good")])
    good, bad = labeled_tone.categories.all()
    merge = url(project, "questions", labeled_tone.pk, "categories", good.pk, "merge")

    assert_refused(send(api, "POST", merge, {"into": good.pk}), 409, "into")
    assert_refused(send(api, "POST", merge, {"into": 10**16}), 409, "into")
    done = send(api, "POST", merge, {"into": bad.pk})

    assert done.json() == {"id": good.pk, "n_labels": 2, "merged_into": bad.pk}
    assert_refused(send(api, "POST", merge, {"into": bad.pk}), 404, "not_found")


def test_order_questions(api, project, labeled_tone):
    other = new_question(project, key="other", position=1)

    done = send(api, "PUT", url(project, "order"), {"ids": [other.pk, labeled_tone.pk]})

    assert [question["key"] for question in done.json()["questions"]] == ["other", "tone"]
    assert_refused(send(api, "PUT", url(project, "order"), {"ids": [other.pk]}), 409, "order")


@pytest.mark.parametrize(
    ("method", "address", "body", "code"),
    [
        ("PATCH", "questions/{q}", {"key": "new"}, "unknown_field"),
        ("PATCH", "questions/{q}", {"is_required": "yes"}, "invalid"),
        ("PATCH", "questions/{q}", {"kind": "essay"}, "invalid_choice"),
        ("PATCH", "questions/{q}/categories/{c}", {"key": "new"}, "unknown_field"),
        ("PATCH", "questions/{q}/categories/{c}", {"name": "a\tb"}, "control"),
        ("PATCH", "questions/{q}/categories/{c}", {"value": "1"}, "invalid"),
        ("PATCH", "questions/{q}/categories/{c}", {"shortcut": "ab"}, "max_length"),
        ("PATCH", "questions/{q}/categories/{c}", {"color": "beige"}, "invalid_choice"),
        ("PATCH", "questions/{q}/categories/{c}", {"merged_into": 1}, "unknown_field"),
        ("POST", "questions/{q}/categories", {"key": "a\nb"}, "control"),
        ("POST", "questions/{q}/categories", {}, "required"),
        ("PUT", "questions/{q}/order", {"ids": ["1"]}, "invalid"),
        ("PUT", "questions/{q}/order", {"ids": [10**17 + 1]}, "max_value"),
        ("PUT", "order", {"ids": [0]}, "min_value"),
        ("POST", "questions/{q}/categories/{c}/merge", {}, "required"),
        ("POST", "questions/{q}/categories/{c}/merge", {"into": True}, "invalid"),
        ("POST", "copy", {}, "one_source"),
        ("POST", "copy", {"starter": "sentiment", "project": "x"}, "one_source"),
        ("POST", "copy", {"starter": "none"}, "invalid_choice"),
        ("POST", "copy", {"starter": "sentiment", "with_guidelines": True}, "invalid"),
        ("POST", "copy", {"project": "no-such"}, "no_such_project"),
        ("POST", "guidelines", {}, "required"),
        ("POST", "guidelines", {"text": 1}, "invalid"),
        ("POST", "guidelines", {"text": ""}, "nothing_written"),
        ("POST", "guidelines", {"text": "x", "seen": -1}, "min_value"),
    ],
)
def test_a_bad_body_is_refused_and_changes_nothing(api, project, labeled_tone, method, address, body, code):
    good = labeled_tone.categories.first()
    path = address.format(q=labeled_tone.pk, c=good.pk)

    response = send(api, method, url(project, path), body)

    assert_refused(response, 400, code)
    labeled_tone.refresh_from_db()
    assert (project.questions.count(), labeled_tone.categories.count(), labeled_tone.prompt) == (
        1,
        2,
        "",
    )
    assert current_guidelines_version(project) == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"key": "GOOD"}, "key_taken"),
        ({"key": "x", "shortcut": "Ä"}, "shortcut"),
        ({"key": "x", "shortcut": "1"}, "shortcut_taken"),
    ],
)
def test_a_category_that_does_not_fit_is_a_conflict(api, project, labeled_tone, body, code):
    labeled_tone.categories.filter(key="bad").update(shortcut="1")

    assert_refused(
        send(api, "POST", url(project, "questions", labeled_tone.pk, "categories"), body), 409, code
    )


def test_keys_that_differ_only_by_case_are_refused(api, project, labeled_tone):
    new = f"/api/v1/projects/{project.slug}/questions/"
    for address, body in (
        (new, {"key": "TONE"}),
        (url(project, "questions", labeled_tone.pk, "categories"), {"key": "Good"}),
    ):
        response = send(api, "POST", address, body)
        assert_refused(response, 409, "key_taken")
        assert [each["field"] for each in response.json()["errors"]] == ["key"]
        assert "differs only by case or Unicode form" in response.json()["detail"]
    both = {"key": "new", "categories": [{"key": "yes"}, {"key": "Yes"}]}
    response = send(api, "POST", new, both)
    assert_refused(response, 400, "duplicate_key")
    assert [each["field"] for each in response.json()["errors"]] == ["categories"]


def test_a_closed_codebook_is_a_conflict(api, project, labeled_tone):
    Project.objects.update(is_codebook_closed=True)

    assert_refused(
        send(api, "PATCH", url(project, "questions", labeled_tone.pk), {"prompt": "x"}), 409, "closed"
    )
    assert api.get(url(project)).json()["is_closed"] is True


def test_copy_from_a_project_of_mine(api, project, lead):
    source = cast.new_project("Source")
    source.memberships.create(user=lead, role="auditor")
    new_question(source, key="tone")
    write_guidelines(source, "Look.", by=lead)

    done = send(api, "POST", url(project, "copy"), {"project": "source", "with_guidelines": True})

    assert (done.status_code, done.json()["guidelines_version"]) == (201, 1)
    assert [question["key"] for question in done.json()["questions"]] == ["tone"]
    assert_refused(send(api, "POST", url(project, "copy"), {"project": "source"}), 409, "key_taken")


def test_a_project_that_is_not_mine_looks_like_none(api, project):
    foreign = cast.new_project("Foreign")
    new_question(foreign, key="secret")

    theirs = send(api, "POST", url(project, "copy"), {"project": "foreign"}).json()
    none = send(api, "POST", url(project, "copy"), {"project": "nothing"}).json()

    assert {**theirs, "request_id": ""} == {**none, "request_id": ""}


def test_start_from_a_codebook_of_ours(api, project):
    listed = api.get("/api/v1/codebook-starters/").json()

    done = send(api, "POST", url(project, "copy"), {"starter": listed[0]["key"]})

    assert [question["key"] for question in done.json()["questions"]] == listed[0]["questions"]


def test_write_and_read_guidelines(api, project, lead):
    first = send(api, "POST", url(project, "guidelines"), {"text": "One."})
    second = send(api, "POST", url(project, "guidelines"), {"text": "Two.", "seen": 1})
    stale = send(api, "POST", url(project, "guidelines"), {"text": "Three.", "seen": 1})
    same = send(api, "POST", url(project, "guidelines"), {"text": "Two."})

    assert [r.json().get("number") for r in (first, second, same)] == [1, 2, 2]
    assert_refused(stale, 409, "guidelines_changed")
    listed = api.get(url(project, "guidelines")).json()
    assert [(version["number"], version["made_by"]) for version in listed] == [(2, "lena"), (1, "lena")]
    assert "text" not in listed[0]
    assert api.get(url(project, "guidelines", 1)).json()["text"] == "One."
    assert_refused(api.get(url(project, "guidelines", 10**12)), 404, "not_found")
