"""Reports over the API: ask, follow, read; and the whole path by a program with a token."""

import json
from urllib.request import Request, urlopen

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from knox.models import AuthToken

from reports.models import Report
from tests import cast
from tests.finished import finished_report, new_world
from tests.labeling import add_labels, from_table, new_question
from tests.live import wait_until
from tests.reports import gallery
from tests.reports.gallery import on_show
from tests.reports.looking import led_by
from tests.sizes import only_in_full


@pytest.fixture
def odd_cats(lead):
    """[22 9; 7 13]: kappa 0.353407."""
    with on_show(gallery.cats_of_an_odd_key, lead) as project:
        yield project


@pytest.fixture
def own_odd_cats(lead):
    """The same for this test alone, whose labels it may change."""
    return led_by(lead, gallery.cats_of_an_odd_key(lead))


def address(project, tail: str = "") -> str:
    return f"/api/v1/projects/{project.slug}/reports/{tail}"


def post(api, where, body):
    return api.post(where, json.dumps(body), content_type="application/json")


def test_asking_twice_gives_one_report_and_asking_when_done_gives_it_at_once(api, lead, odd_cats):
    first, second = post(api, address(odd_cats), {}), post(api, address(odd_cats), {})
    report = finished_report(odd_cats, lead)
    third = post(api, address(odd_cats), {})

    assert (first.status_code, second.status_code, third.status_code) == (202, 202, 200)
    assert {first.json()["id"], second.json()["id"], third.json()["id"]} == {report.pk}
    assert (first.json()["state"], third.json()["state"]) == ("queued", "done")


def test_a_report_without_weights_has_those_of_each_question(api, lead, odd_cats):
    asked = post(api, address(odd_cats), {}).json()
    by_name = post(api, address(odd_cats), {"weights": "by_question"}).json()
    plain = post(api, address(odd_cats), {"weights": "unweighted"}).json()

    assert (asked["weights"], asked["options"]["weights"]) == ("by_question", "by_question")
    assert (by_name["id"], by_name["weights"]) == (asked["id"], "by_question")
    assert (plain["weights"], plain["options"]["weights"]) == ("unweighted", "unweighted")
    assert plain["id"] != asked["id"]
    # As it was stored before.
    assert Report.objects.get(pk=asked["id"]).options["weights"] == "unweighted"


def test_a_waiting_report_has_its_progress_and_no_results(api, odd_cats):
    pk = post(api, address(odd_cats), {"weights": "linear"}).json()["id"]
    Report.objects.filter(pk=pk).update(state="running", stage="question a/b", share_done=0.5)

    report = api.get(address(odd_cats, f"{pk}/")).json()

    assert (report["state"], report["stage"], report["share_done"]) == ("running", "question a/b", 0.5)
    assert (report["weights"], report["results"], report["failure"]) == ("linear", [], None)


@pytest.mark.parametrize(
    "body",
    [
        {"weights": "cubic"},
        {"weights": 1},
        {"questions": "a/b"},
        {"questions": []},
        {"questions": ["nothing"]},
        {"questions": [1]},
        {"rounds": ["nothing"]},
        {"seeds": 1},
        {"seed": -1},
        {"seed": 1.5},
        {"replicates": 999},
        {"confidence": 0.5},
        {"interval": "wald"},
        {"reference": "nobody"},
        {"weights": "custom"},
        {"weights": "custom", "matrices": {"nothing": [[1, 0], [0, 1]]}},
        {"weights": "custom", "matrices": {"a/b": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
        {"weights": "custom", "matrices": {"a/b": [[1, 0.5], [0.4, 1]]}},
        {"weights": "custom", "matrices": {"a/b": [[1, "0.5"], [0.5, 1]]}},
        {"weights": "linear", "matrices": {"a/b": [[1, 0], [0, 1]]}},
        {"state": "done"},
    ],
)
def test_an_invalid_request_is_refused_and_nothing_is_drawn(api, odd_cats, body):
    response = post(api, address(odd_cats), body)

    assert response.status_code == 400
    assert not odd_cats.reports.exists()


def test_a_finished_report_has_its_figures_unrounded(api, lead, odd_cats):
    report = api.get(address(odd_cats, f"{finished_report(odd_cats, lead).pk}/")).json()

    result = report["results"][0]
    assert (result["key"], result["categories"]) == ("a/b", ["cat", "dog"])
    assert (result["n_items"], result["n_raters"], result["n_labels"], result["n_pairs"]) == (51, 2, 102, 1)
    assert result["coefficients"]["fleiss_kappa"]["value"] == pytest.approx(0.352381, abs=5e-7)
    assert result["coefficients"]["fleiss_kappa"]["reason"] is None


def test_a_question_that_cannot_be_computed_has_its_reason(api, lead, own_odd_cats):
    new_question(own_odd_cats, key="bare", categories=())
    pk = finished_report(own_odd_cats, lead).pk

    results = api.get(address(own_odd_cats, f"{pk}/")).json()["results"]
    matrix = api.get(address(own_odd_cats, f"{pk}/questions/bare/matrix/?weights=linear"))
    pairs = api.get(address(own_odd_cats, f"{pk}/questions/bare/pairs/?weights=linear"))

    assert {found["key"]: found["reason"] for found in results} == {"a/b": None, "bare": "no_categories"}
    assert (matrix.status_code, matrix.json()["kappa"]) == (200, [])
    assert (pairs.status_code, pairs.json()["results"]) == (200, [])


def test_the_matrix_is_square_and_symmetric(api, lead, odd_cats):
    pk = finished_report(odd_cats, lead).pk

    matrix = api.get(address(odd_cats, f"{pk}/questions/a/b/matrix/")).json()

    kappa = matrix["kappa"][0][1]
    assert [rater["key"] for rater in matrix["raters"]] == ["A", "B"]
    assert kappa == pytest.approx(0.353407, abs=5e-7)
    assert matrix["kappa"] == [[None, kappa], [kappa, None]]
    assert matrix["n"] == [[0, 51], [51, 0]]
    assert matrix["reasons"] == [[None, None], [None, None]]


def test_a_pair_that_shares_no_item_is_null_with_its_reason(api, lead):
    project = cast.new_project("Apart", unique=True)
    project.memberships.create(user=lead, role="lead")
    add_labels(new_question(project), [("i1", "A", "yes"), ("i1", "B", "no"), ("i2", "C", "no")])

    matrix = api.get(address(project, f"{finished_report(project, lead).pk}/questions/answer/matrix/")).json()

    assert matrix["kappa"][0][2] is None
    assert matrix["reasons"][0][2] == "no_overlap"
    assert matrix["n"][0][2] == 0


def test_a_pair_has_its_table_and_all_figures(api, lead, odd_cats):
    pk = finished_report(odd_cats, lead).pk

    pair = api.get(address(odd_cats, f"{pk}/questions/a/b/pairs/")).json()["results"][0]

    assert (pair["rater_a"], pair["rater_b"], pair["categories"]) == ("A", "B", ["cat", "dog"])
    assert pair["counts"] == [[22, 9], [7, 13]]
    figures = {
        "observed": 0.686275,
        "kappa": 0.353407,
        "se": 0.132276,
        # Of goodness of fit: one category has 49 labels.
        "ci_low": 0.079047,
        "ci_high": 0.580054,
    }
    assert {name: pair[name] for name in figures} == pytest.approx(figures, abs=5e-7)
    assert pair["kappa_max"] == pytest.approx(0.919176, abs=5e-7)
    assert (pair["n"], pair["reason"]) == (51, None)


def test_a_pair_is_found_in_either_order(api, lead, odd_cats):
    pk = finished_report(odd_cats, lead).pk
    pairs = address(odd_cats, f"{pk}/questions/a/b/pairs/")
    pair = api.get(pairs).json()["results"][0]
    a, b = pair["rater_a_id"], pair["rater_b_id"]

    found = api.get(f"{pairs}{a}/{b}/").json()

    assert found == api.get(f"{pairs}{b}/{a}/").json()
    assert found.pop("statistics")["values"]["cohen_kappa"]["value"] == pair["kappa"]
    curve = found.pop("at_other_prevalence")
    assert (curve["category"], curve["share"], len(curve["points"])) == ("cat", 60 / 102, 99)
    assert found.pop("readings")["cohen_kappa"]["word"] == "fair"
    assert found == pair
    assert api.get(f"{pairs}{a}/{a}/").status_code == 404


def test_other_weights_are_those_of_a_report_of_their_own(api):
    world = new_world("weights")
    api.force_login(world.lead)
    linear = finished_report(world.project, world.lead, weights="linear")

    def pairs(pk, query=""):
        return api.get(address(world.project, f"{pk}/questions/answer/pairs/{query}")).json()["results"]

    assert pairs(world.report.pk, "?weights=linear") == pairs(linear.pk)
    assert pairs(world.report.pk) != pairs(linear.pk)


def test_a_page_of_pairs_has_a_limited_number_of_counts(api, monkeypatch):
    monkeypatch.setattr("reports.api.report_views.MAX_COUNTS", 20)
    world = new_world("counts")
    api.force_login(world.lead)
    pairs = address(world.project, f"{world.report.pk}/questions/answer/pairs/")

    first, last = api.get(f"{pairs}?page_size=100").json(), api.get(f"{pairs}?page=3").json()

    assert (first["count"], first["page_size"], len(first["results"]), len(last["results"])) == (6, 2, 2, 2)
    assert first["results"][0]["rater_a"] == "rater-000"
    assert last["results"][-1]["rater_b"] == "rater-003"


def test_other_weights_of_one_pair_are_never_too_many(api, monkeypatch):
    monkeypatch.setattr("reports.store.pair_counts.MAX_CELLS", 1)
    world = new_world("one")
    api.force_login(world.lead)
    where = f"questions/answer/pairs/{world.pair.rater_a_id}/{world.pair.rater_b_id}/?weights=linear"

    pair = api.get(address(world.project, f"{world.report.pk}/{where}")).json()

    assert pair["weights"] == "linear"
    assert pair["kappa"] != world.pair.kappa


@pytest.mark.parametrize("tail", ["", "{pk}/"])
def test_more_questions_take_no_more_queries(api, lead, own_odd_cats, tail):
    counts = []
    for key in ("c", "d"):
        add_labels(new_question(own_odd_cats, key=key), from_table([[5, 1], [2, 5]], ["yes", "no"]))
        where = address(own_odd_cats, tail.format(pk=finished_report(own_odd_cats, lead).pk))
        with CaptureQueriesContext(connection) as queries:
            assert api.get(where).json()
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert not any('"raters"' in query["sql"] for query in queries)


def test_pairs_of_one_rater(api):
    world = new_world("one rater", n_raters=5)
    api.force_login(world.lead)

    page = api.get(
        address(world.project, f"{world.report.pk}/questions/answer/pairs/?rater=rater-002")
    ).json()

    assert page["count"] == 4
    assert all("rater-002" in (pair["rater_a"], pair["rater_b"]) for pair in page["results"])


@pytest.mark.parametrize("query", ["?weights=cubic", "?rater=a&rater=b", "?kappa__lt=0", "?page_size=1001"])
def test_a_bad_parameter_is_refused(api, lead, odd_cats, query):
    pk = finished_report(odd_cats, lead).pk

    assert api.get(address(odd_cats, f"{pk}/questions/a/b/pairs/{query}")).status_code == 400


def test_cancel_and_retry(api, odd_cats):
    pk = post(api, address(odd_cats), {}).json()["id"]

    cancelled = api.post(address(odd_cats, f"{pk}/cancel/"))
    again = api.post(address(odd_cats, f"{pk}/cancel/"))
    retried = api.post(address(odd_cats, f"{pk}/retry/"))

    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert (again.status_code, again.json()["error"]) == (409, "ended")
    assert (retried.status_code, retried.json()["state"]) == (202, "queued")


class Program:
    """A program with a token, over real HTTP."""

    def __init__(self, site, token: str) -> None:
        self.base = f"{site.url}/api/v1/"
        self.token = token

    def send(self, path: str, body=None, *, content_type: str = "application/json"):
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {self.token}", "Content-Type": content_type}
        with urlopen(Request(self.base + path, data=raw, headers=headers), timeout=60) as answer:
            return json.load(answer)

    def until(self, path: str, state: str):
        """Follow a run to its end."""
        ended = {"done", "failed", "cancelled"}
        wait_until(lambda: self.send(path)["state"] in ended)
        run = self.send(path)
        assert run["state"] == state, run
        return run


@only_in_full
def test_a_program_goes_the_whole_way_with_a_token(committed_db, site, worker):
    _, token = AuthToken.objects.create(user=cast.person("program", unique=True))
    program = Program(site, token)
    rows = from_table([[60, 125], [5, 5000]], ["cat", "dog"])
    csv = "item,rater,label\n" + "".join(f"{item},{rater},{label}\n" for item, rater, label in rows)

    slug = program.send("projects/", {"name": "Cats"})["slug"]
    run = program.send(
        f"projects/{slug}/imports/?file_name=cats.csv&question=pet", csv.encode(), content_type="text/csv"
    )
    program.until(f"projects/{slug}/imports/{run['id']}/", "done")
    report = program.send(f"projects/{slug}/reports/", {})
    report = program.until(f"projects/{slug}/reports/{report['id']}/", "done")
    question = f"projects/{slug}/reports/{report['id']}/questions/pet/"
    matrix, pairs = program.send(f"{question}matrix/"), program.send(f"{question}pairs/")

    assert report["results"][0]["n_labels"] == 10_380
    assert matrix["kappa"][0][1] == pytest.approx(0.470179, abs=5e-7)
    assert pairs["results"][0]["counts"] == [[60, 125], [5, 5000]]
