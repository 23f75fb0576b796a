"""The Python client against the program as it runs: a web server, a worker, a database."""

import io
import json
import math
import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from interrater_client import APIError, Interrater, RunFailed
from interrater_client.schemas import NewLabel
from knox.models import AuthToken
from sklearn.metrics import cohen_kappa_score

from raters.models import User
from tests import cast
from tests.clients import typed_dicts
from tests.live import Live, Site
from tests.sizes import only_in_full

NOTEBOOK = typed_dicts.ROOT / "clients" / "python" / "examples" / "kappa.ipynb"
LABELS = b"item,rater,label\na,anna,x\nb,anna,y\na,ben,x\nb,ben,x\n"


@pytest.fixture
def api_token(committed_db: None) -> str:
    user = cast.person("client", unique=True)
    return str(AuthToken.objects.create(user=user)[1])


@pytest.fixture
def server(site: Site, api_token: str) -> Iterator[Interrater]:
    with Interrater(site.url, api_token) as opened:
        yield opened


def answering(*answers: httpx.Response | Exception) -> tuple[Interrater, list[httpx.Request]]:
    """A client whose requests get these answers, and the requests that it sent."""
    sent: list[httpx.Request] = []
    left = iter(answers)

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Interrater("https://example.org", "secret", transport=httpx.MockTransport(handler)), sent


def test_types_are_those_of_the_api():
    assert typed_dicts.SCHEMAS.read_text() == typed_dicts.written()


@only_in_full
def test_notebook(site: Site, worker: Live, api_token: str, monkeypatch):
    monkeypatch.setenv("INTERRATER_URL", site.url)
    monkeypatch.setenv("INTERRATER_TOKEN", api_token)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    found: dict[str, Any] = {}

    for cell in cells:
        exec("".join(cell["source"]), found)

    labels, kappas = found["labels"], found["kappas"]
    both = labels.dropna(subset=["ben"])
    assert kappas.loc["anna", "ben"] == pytest.approx(cohen_kappa_score(both["anna"], both["ben"]))
    assert kappas.loc["anna", "carla"] == pytest.approx(cohen_kappa_score(labels["anna"], labels["carla"]))
    assert found["preview"]["n_labels"] == 35
    assert "krippendorff_alpha" in found["coefficients"]
    assert all(cell["outputs"] == [] for cell in cells)


def test_from_a_file_to_every_result(server: Interrater, worker: Live, tmp_path):
    (tmp_path / "tone.csv").write_bytes(LABELS)
    project = server.create_project("Client", slug=f"client-{os.urandom(4).hex()}")

    done = project.import_file(str(tmp_path / "tone.csv"), question="tone").wait()
    report = project.request_report(weights="linear").wait()
    written = io.BytesIO()
    report.export("labels-long.csv", written)
    [pair] = report.pairs("tone")

    assert (done.data["n_created"], done.data["file_name"]) == (4, "tone.csv")
    assert report.matrix("tone").n == [[0, 2], [2, 0]]
    assert math.isnan(report.matrix("tone").values[0][0])
    assert (pair["counts"], pair["kappa"]) == ([[1, 0], [1, 0]], 0)
    assert report.pair("tone", pair["rater_a_id"], pair["rater_b_id"])["kappa"] == 0
    assert report.statistics("tone")["categories"] == ["x", "y"]
    assert written.getvalue().count(b"\n") == 5
    assert {rater["key"] for rater in project.raters()} == {"anna", "ben"}
    assert [item["key"] for item in project.items()] == ["a", "b"]
    assert [question["key"] for question in project.questions()] == ["tone"]
    assert project.progress()["labels"]
    assert project.slug in {shown["slug"] for shown in server.projects()}
    assert [shown["id"] for shown in project.reports()] == [report.id]
    assert server.project(project.slug).report(report.id).state == "done"

    assert done.undo().data["undone_at"]
    assert project.preview(LABELS, question="tone")["n_created"] == 4


def test_items_and_labels_without_a_file(server: Interrater):
    project = server.create_project("Bulk", slug=f"bulk-{os.urandom(4).hex()}")
    first: NewLabel = {"item": "x", "rater": "anna", "question": "tone", "category": "good", "source_id": "1"}
    second: NewLabel = {"item": "y", "rater": "anna", "question": "tone", "category": "bad"}

    project.add_items([{"key": "x", "content": [{"name": "text", "kind": "text", "value": "Hello"}]}])
    created = project.add_labels([first, second])
    again = project.add_labels([first, second])
    labels = project.labels()
    keys = [(label["item"], label["category"]) for label in labels]
    project.add_labels([{**second, "category": "good"}], replace=True)
    changed = project.labels(changed_since=labels.next)

    assert (created["n_created"], again["n_unchanged"]) == (2, 2)
    assert sorted(keys) == [("x", "good"), ("y", "bad")]
    assert [(label["item"], label["category"]) for label in changed] == [("y", "good")]
    assert list(project.labels(changed_since=changed.next)) == []
    assert [item["key"] for item in project.items(key_prefix="x")] == ["x"]


def test_labels_that_broke_off_go_on_where_they_were():
    def page(keys: str, after: str, *, has_more: bool) -> httpx.Response:
        rows = [{"item": key} for key in keys]
        return httpx.Response(200, json={"results": rows, "next": after, "has_more": has_more})

    pages = [page("ab", "5-0", has_more=True), page("c", "9-0", has_more=False)]
    client, sent = answering(httpx.Response(200, json={"slug": "a"}), *pages)
    labels = client.project("a").labels()

    before = [next(labels)["item"], labels.next]
    rest = [label["item"] for label in labels]

    assert before == ["a", None]
    assert (rest, labels.next) == (["b", "c"], "9-0")
    assert [request.url.params.get("changed_since") for request in sent[1:]] == [None, "5-0"]


def test_a_refused_file_says_which_line(server: Interrater):
    project = server.create_project("Refused", slug=f"refused-{os.urandom(4).hex()}")

    with pytest.raises(APIError) as refused:
        project.import_file(b"item,rater,label\na,anna,x\n,anna,y\n", question="tone")

    assert (refused.value.status, refused.value.errors[0]["line"]) == (400, 3)
    assert refused.value.request_id
    assert [*project.imports()] == []


def test_a_project_that_is_not_there(server: Interrater):
    with pytest.raises(APIError) as refused:
        server.project("no-such-project")

    assert (refused.value.status, refused.value.code) == (404, "not_found")


def test_a_wrong_token(site: Site):
    with Interrater(site.url, "wrong") as stranger, pytest.raises(APIError) as refused:
        next(stranger.projects())

    assert refused.value.status == 401


def test_a_busy_server_is_asked_again_after_the_time_that_it_names(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    busy = httpx.Response(503, headers={"Retry-After": "7"}, json={"error": "x", "detail": "Starting."})
    client, sent = answering(busy, httpx.Response(201, json={"slug": "a"}))

    client.create_project("A")

    assert (waits, [request.method for request in sent]) == ([7], ["POST", "POST"])


def test_a_post_whose_connection_broke_is_not_sent_twice():
    client, sent = answering(httpx.ReadError("broken"))

    with pytest.raises(httpx.ReadError):
        client.create_project("A")

    assert len(sent) == 1


def test_a_get_whose_connection_broke_is_sent_again(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    page = httpx.Response(200, json={"count": 1, "page": 1, "page_size": 1000, "results": [{"slug": "a"}]})
    client, sent = answering(httpx.ConnectError("down"), page)

    assert [project["slug"] for project in client.projects()] == ["a"]
    assert len(sent) == 2


def test_a_token_does_not_follow_a_redirect():
    client, sent = answering(httpx.Response(302, headers={"Location": "https://elsewhere.example/"}))

    with pytest.raises(APIError):
        next(client.projects())

    assert len(sent) == 1


def test_every_page_of_a_list():
    def page(number: int) -> httpx.Response:
        return httpx.Response(
            200,
            json={"count": 3, "page": number, "page_size": 2, "results": [{"slug": "a"}] * (3 - number)},
        )

    client, sent = answering(page(1), page(2))

    assert [project["slug"] for project in client.projects()] == ["a", "a", "a"]
    assert [request.url.params["page"] for request in sent] == ["1", "2"]


def test_a_run_that_failed_says_why():
    project = {"slug": "a"}
    run = {"id": 1, "state": "failed", "failure": "Out of memory."}
    client, _ = answering(httpx.Response(200, json=project), httpx.Response(202, json=run))

    with pytest.raises(RunFailed, match="Out of memory"):
        client.project("a").request_report().wait()


def test_waiting_ends(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    run = {"id": 1, "state": "running", "failure": None}
    client, _ = answering(httpx.Response(200, json={"slug": "a"}), *[httpx.Response(200, json=run)] * 5)

    with pytest.raises(TimeoutError):
        client.project("a").report(1).wait(timeout=0)


def test_progress_that_is_being_counted_is_asked_for_again(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    counting = httpx.Response(202, headers={"Retry-After": "2"}, json={"state": "queued"})
    client, _ = answering(
        httpx.Response(200, json={"slug": "a"}), counting, httpx.Response(200, json={"n_unclear": 3})
    )

    assert (client.project("a").progress()["n_unclear"], waits) == (3, [2])

    client, _ = answering(httpx.Response(200, json={"slug": "a"}), counting)
    with pytest.raises(TimeoutError):
        client.project("a").progress(timeout=-1)


def test_no_error_contains_the_token(server: Interrater, api_token: str):
    assert User.objects.filter(username__startswith="client").exists()
    with pytest.raises(APIError) as refused:
        server.project("none")

    assert api_token not in repr(refused.value) + str(refused.value)
