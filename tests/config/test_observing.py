"""The alerts and the dashboard ask for metrics and labels that the program shows."""

import json
import re
from collections.abc import Iterator
from functools import cache

import promql_parser
import pytest
from django.http import HttpResponse
from django.urls import get_resolver
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config.environment import BASE_DIR
from config.metrics.database import ENDED, DatabaseMetrics, kind_of
from config.metrics.request_metrics import METHODS, REGISTRY, RequestMetricsMiddleware
from core.runs.ledger import run_models
from tests.config.test_routes import route_names
from tests.sizes import some
from tests.written_yaml import read_yaml

ALERTS = read_yaml((BASE_DIR / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8"))
SCRAPING = read_yaml((BASE_DIR / "deploy/prometheus/prometheus.yml").read_text(encoding="utf-8"))
DASHBOARD = json.loads((BASE_DIR / "deploy/grafana/interrater.json").read_text(encoding="utf-8"))
SCALING = read_yaml((BASE_DIR / "deploy/kubernetes/scaling.yaml").read_text(encoding="utf-8"))
OPERATIONS = (BASE_DIR / "docs/operations.md").read_text(encoding="utf-8")
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [
    *((rule["alert"], rule["expr"]) for rule in RULES),
    *((panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]),
    *(("scaling", trigger["metadata"]["query"]) for trigger in SCALING["spec"]["triggers"]),
]
# Prometheus' own.
ADDED = {"up": {"job"}}


@pytest.fixture
def shown(db, settings) -> dict[str, set[str]]:
    """The names of what the program shows, with the labels of each."""
    settings.METRICS_BIND = "127.0.0.1:9100"
    RequestMetricsMiddleware(lambda request: HttpResponse())(
        type("Request", (), {"method": "GET", "path": "/", "resolver_match": None})
    )
    found = dict(ADDED)
    database = CollectorRegistry()
    database.register(DatabaseMetrics())
    for registry in (REGISTRY, database):
        for family in text_string_to_metric_families(generate_latest(registry).decode()):
            for sample in family.samples:
                found.setdefault(sample.name, set()).update(sample.labels)
    # Not from several processes, as the server shows them.
    return {name: labels for name, labels in found.items() if not name.endswith("_created")}


def selectors(expression: promql_parser.Expr) -> list[promql_parser.VectorSelector]:
    found = []

    def note(part: promql_parser.Expr) -> None:
        if isinstance(part, promql_parser.VectorSelector):
            found.append(part)

    promql_parser.walk(expression, note)
    return found


def grouped(expression: promql_parser.Expr) -> set[str]:
    found: set[str] = set()

    def note(part: promql_parser.Expr) -> None:
        if isinstance(part, promql_parser.AggregateExpr) and part.modifier:
            found.update(part.modifier.labels)

    promql_parser.walk(expression, note)
    return found


@pytest.mark.parametrize(("name", "query"), some(QUERIES, every=4))
def test_each_query_asks_for_what_is_shown(shown, name, query):
    expression = promql_parser.parse(query)

    asked = selectors(expression)
    assert asked
    for selector in asked:
        labels = shown.get(selector.name)
        assert labels is not None, f"{name} asks for {selector.name}, which is not shown"
        for matcher in selector.matchers.matchers:
            assert matcher.name in labels, f"{selector.name} has no label {matcher.name}"
            assert matches(matcher.name, matcher.value), f"no {matcher.name} is {matcher.value}"
    assert grouped(expression) <= set().union(*(shown[selector.name] for selector in asked))


@cache
def values(label: str) -> frozenset[str]:
    """All that a label can be."""
    return frozenset(
        {
            "job": lambda: {job["job_name"] for job in SCRAPING["scrape_configs"]},
            "kind": lambda: {kind_of(model) for model in run_models()},
            "state": lambda: {state.value for state in ENDED},
            "method": lambda: METHODS,
            "route": lambda: route_names(get_resolver().url_patterns),
            "status": lambda: {str(status) for status in range(200, 600)},
        }[label]()
    )


def matches(label: str, pattern: str) -> bool:
    """Whether each alternative of a pattern is something that this label can be."""
    return all(any(re.fullmatch(part, value) for value in values(label)) for part in pattern.split("|"))


def test_every_metric_is_described(shown):
    """Those of the program, as their families are called, stand in the table of docs/operations.md."""
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown.keys() - ADDED.keys()}

    described = set(re.findall(r"^\| `(interrater_\w+)", OPERATIONS, re.MULTILINE))

    assert described == ours


def test_every_alert_is_described():
    assert set(re.findall(r"^\| `(Interrater\w+)`", OPERATIONS, re.MULTILINE)) == {
        rule["alert"] for rule in RULES
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_is_wrong_and_how_bad_it_is(rule):
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"]["summary"].endswith(".")
    for label in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]):
        assert label in grouped(promql_parser.parse(rule["expr"]))


def test_panels_have_titles_of_their_own_and_places_that_do_not_overlap():
    titles, ids = [panel["title"] for panel in PANELS], [panel["id"] for panel in DASHBOARD["panels"]]
    cells = [cell for panel in DASHBOARD["panels"] for cell in cells_of(panel["gridPos"])]

    assert len(titles) == len(set(titles))
    assert len(ids) == len(set(ids))
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def cells_of(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    for x in range(place["x"], place["x"] + place["w"]):
        yield from ((x, y) for y in range(place["y"], place["y"] + place["h"]))


def test_prometheus_asks_the_web_servers_at_the_port_that_the_documents_name():
    [job] = SCRAPING["scrape_configs"]
    [found] = job["dns_sd_configs"]
    compose = read_yaml((BASE_DIR / "docker-compose.yml").read_text(encoding="utf-8"))

    assert set(found["names"]) <= compose["services"].keys()
    assert f"METRICS_BIND=0.0.0.0:{found['port']}" in OPERATIONS
    assert SCRAPING["rule_files"] == ["alerts.yml"]
