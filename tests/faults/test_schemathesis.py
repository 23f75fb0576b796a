"""The API does what docs/openapi.yaml says, to each subject and over chains of requests (P21).

Schemathesis makes requests out of the document: valid ones, ones that break each rule, unexpected methods, and
sequences in which later requests take their ids from earlier answers. A real server answers them. FAULTS=full sends
more than 10,000.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import schemathesis
from knox.models import AuthToken
from pytest_django import DjangoDbBlocker
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.engine.recorder import ScenarioRecorder

from config.environment import BASE_DIR
from config.openapi import ANY_TEXT
from tests.faults.schema_world import SchemaWorld, new_schema_world
from tests.live import use_database
from tests.sizes import FULL
from tests.written_yaml import read_yaml

# The owner last, who takes things away.
SUBJECTS = ["anonymous", "stranger", "rater", "owner"] if FULL else ["owner"]
TOKEN = "/api/v1/tokens/{token_key}/"
# What the document cannot say of a valid request, so that it may be refused all the same.
REFUSED_THOUGH_VALID = {
    "POST /api/v1/projects/{slug}/adjudication/bulk/": "the rater must have labels",
    "POST /api/v1/projects/{slug}/audits/": "question and auditors must be there, and the plan possible",
    "POST /api/v1/projects/{slug}/item-lists/": "the items must be there",
    "POST /api/v1/projects/{slug}/imports/": "the file and its columns must fit together",
    "POST /api/v1/projects/{slug}/items/": "keys must differ, and fields and attributes have values",
    "POST /api/v1/projects/{slug}/labels/": "each label must fit its question",
    "POST /api/v1/projects/{slug}/model-runs/": "at most one choice of items, and a round that is there",
    "POST /api/v1/projects/{slug}/webhooks/": "the address must be one of the public web",
    "PATCH /api/v1/projects/{slug}/webhooks/{id}/": "the address must be one of the public web",
    "POST /api/v1/projects/{slug}/codebook/questions/{id}/kind/": "the labels must fit the new kind",
    "POST /api/v1/projects/{slug}/media/": "only files of known kinds are taken",
    "GET /api/v1/projects/{slug}/final-labels/": "fields must name parts of an item",
    "GET /api/v1/projects/{slug}/items/": "an attribute has a name and a value",
    "GET /api/v1/projects/{slug}/label-history/": "`before` must be from an earlier answer, and no filter be empty",
    "GET /api/v1/projects/{slug}/label-history/file/": "no filter may be empty",
    "GET /api/v1/projects/{slug}/labels/": "`changed_since` must be from an earlier answer",
    "GET /api/v1/statistics/audit/": "which parameters are needed depends on the aim",
    "GET /api/v1/statistics/items/": "which parameters are needed depends on the statistic",
    "GET /api/v1/projects/{slug}/reports/comparison/": "the two reports must exist, differ and be finished",
    "GET /api/v1/projects/{slug}/reports/{id}/questions/{key}/comparison/": "both sides must exist and differ",
    "GET /api/v1/projects/{slug}/reports/{id}/questions/{key}/statistics/": "the reference must be a rater",
    "GET /api/v1/projects/{slug}/reports/{id}/questions/{key}/effect/": "an import, or a part of the history",
    "POST /api/v1/projects/{slug}/reports/{id}/questions/{key}/findings/notes/": "the finding must be of the report",
    "GET /api/v1/projects/{slug}/reports/{id}/questions/{key}/time/": "the coefficient must be of the report",
    "POST /api/v1/people/{id}/erase/": "the user name must be that of the person",
    "POST /api/v1/project-files/": "the file must be a project file",
    "POST /api/v1/projects/{slug}/deletion/": "the name must be that of the project",
    "POST /api/v1/projects/{slug}/history/verify/": "the head must be a position and a digest",
    "PATCH /api/v1/projects/{slug}/": "thresholds must rise, reasons must differ",
    "PATCH /api/v1/projects/{slug}/raters/{id}/": "the person must be a member",
    "POST /api/v1/projects/{slug}/codebook/copy/": "exactly one source",
    "POST /api/v1/projects/{slug}/codebook/guidelines/": "an empty first text is nothing",
    "POST /api/v1/projects/{slug}/invitations/": "needs a mail server, and one use with an address",
    "POST /api/v1/projects/{slug}/questions/": "categories must differ, and fit the kind of question",
    "POST /api/v1/projects/{slug}/reports/{id}/links/": "names, items, and files are only for the whole report",
    "POST /api/v1/projects/{slug}/reports/": "questions, rounds, matrices and the reference must exist and fit",
    "POST /api/v1/projects/{slug}/rounds/": "the design must fit the items and raters that there are",
    "POST /api/v1/projects/{slug}/rounds/preview/": "the design must fit the items and raters that there are",
    "PUT /api/v1/projects/{slug}/rounds/{id}/raters/": "the raters must be members",
    "PATCH /api/v1/projects/{slug}/rounds/{id}/": "gates must be rounds of the project",
    "PUT /api/v1/projects/{slug}/rounds/{id}/adaptive/": "raters must be members, and questions be there",
    "PUT /api/v1/projects/{slug}/quality/rules/{kind}/": "some limit must keep to the false-alarm rate",
    "PUT /api/v1/projects/{slug}/adjudication/{item}/{question}/": "one answer, of the kind of the question",
    "PUT /api/v1/projects/{slug}/assignments/{id}/answers/": "one answer for each question, of its kind",
}


@dataclass(slots=True)
class Outcome:
    """What came of all requests of one subject.

    n_followed: requests that took a value from an earlier answer; n_found: of these, what was answered with 2xx.
    """

    n_cases: int = 0
    n_followed: int = 0
    n_found: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    succeeded: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, recorder: ScenarioRecorder) -> None:
        for pk, node in recorder.cases.items():
            sent = recorder.interactions.get(pk)
            status = sent.response.status_code if sent and sent.response else 0
            self.n_cases += 1
            self.statuses[status] += 1
            self.succeeded[node.value.operation.label] += 200 <= status < 300
            if node.transition is not None:
                self.n_followed += 1
                self.n_found += 200 <= status < 300
        for pk, checks in recorder.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    sent = recorder.interactions.get(pk)
                    answer = sent.response.content[:500] if sent and sent.response else b""
                    told = f"{check.failure_info.failure}\n{check.failure_info.code_sample}\n{answer!r}"
                    self.failures.setdefault((recorder.cases[pk].value.operation.label, check.name), told)

    def __str__(self) -> str:
        lines = [
            f"{self.n_cases} cases, {self.n_followed} followed links, {self.n_found} of them found something"
        ]
        lines += [
            f"{operation}: {check}\n{told[:2500]}" for (operation, check), told in self.failures.items()
        ]
        return "\n\n".join(lines)


def requests_of(subject: str, url: str, world: SchemaWorld) -> Outcome:
    outcome = Outcome()
    for document, phases in runs():
        token = AuthToken.objects.create(user=world.people[subject])[1] if subject in world.people else ""
        settings = SchemathesisConfig.from_dict(config(url, world, token, phases))
        schema = schemathesis.openapi.from_dict(document, config=settings)
        for event in from_schema(schema).execute():
            match event:
                case events.ScenarioFinished():
                    outcome.add(event.recorder)
                case events.NonFatalError():
                    raise AssertionError(event.label) from event.value
                case events.FatalError():
                    raise event.exception
    return outcome


def runs() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Of one subject, each with the document that it goes by and its phases.

    Chains come first, for requests that are made at random soon close the project. Last comes what could end the
    token of all the others.
    """
    document = read_yaml((BASE_DIR / "docs" / "openapi.yaml").read_text(encoding="utf-8"))
    _forget_patterns(document)
    paths = document.pop("paths")
    last = {TOKEN: paths.pop(TOKEN)}
    single = {
        "coverage": {"enabled": FULL},
        "fuzzing": {"generation": {"max-examples": 12 if FULL else 1}},
    }
    chained = {
        "max-steps": 8,
        # The document's own links carry every id; guessed ones know the project alone.
        "inference": {"algorithms": []},
        "generation": {"mode": "positive", "max-examples": 150 if FULL else 3},
    }
    yield {**document, "paths": paths}, only(stateful=chained)
    yield {**document, "paths": paths}, only(**single)
    yield {**document, "paths": last}, only(**single)


def only(**phases: dict[str, Any]) -> dict[str, Any]:
    off = {name: {"enabled": False} for name in ("examples", "coverage", "fuzzing", "stateful")}
    return off | phases


def _forget_patterns(schema: Any) -> None:
    """Texts of 100,000 characters by a pattern take seconds to make; "allow-x00" says the same of all texts."""
    if isinstance(schema, dict) and schema.get("pattern") == ANY_TEXT:
        del schema["pattern"]
    for inner in schema if isinstance(schema, list) else schema.values() if isinstance(schema, dict) else ():
        _forget_patterns(inner)


def config(url: str, world: SchemaWorld, token: str, phases: dict[str, Any]) -> dict[str, Any]:
    return {
        "base-url": url,
        "seed": 11,
        "continue-on-failure": True,
        "headers": {"Authorization": f"Token {token}"} if token else {},
        # All in one project: of any other name there is nothing.
        "parameters": {"slug": world.project.slug},
        "generation": {"deterministic": True, "database": "none", "no-shrink": True, "allow-x00": False},
        "phases": phases,
        # Chains send what is right alone, and a followed link at times takes such a request for a wrong one.
        "checks": {"negative_data_rejection": {"enabled": not phases["stateful"].get("generation")}},
        "operations": [
            {"include-name": name, "checks": {"positive_data_acceptance": {"enabled": False}}}
            for name in REFUSED_THOUGH_VALID
        ],
    }


@pytest.fixture(scope="module")
def made_schema_world(live_database: str, django_db_blocker: DjangoDbBlocker) -> SchemaWorld:
    with django_db_blocker.unblock(), use_database(live_database):
        return new_schema_world()


@pytest.fixture
def schema_world(made_schema_world: SchemaWorld, committed_db: None) -> SchemaWorld:
    return made_schema_world


@pytest.mark.faults
@pytest.mark.timeout(3600 if FULL else 600)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_answer_is_as_the_document_says(site, schema_world, subject):
    outcome = requests_of(subject, site.url, schema_world)
    print(subject, outcome.n_cases, outcome.n_followed, outcome.n_found, dict(outcome.statuses))

    assert not outcome.failures, str(outcome)
    assert not [status for status in outcome.statuses if status >= 500]
    if subject == "owner":
        # How many links lead somewhere in the small size is left to chance.
        assert outcome.n_found > (10 if FULL else 0)
    if FULL:
        assert outcome.n_cases > 2500
