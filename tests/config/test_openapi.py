"""The committed OpenAPI document is the one that the code describes."""

import json
from io import StringIO

from django.core.management import call_command
from django.urls import reverse

from config.environment import BASE_DIR
from tests.written_yaml import read_yaml

MEDIA_TYPES = ("application/vnd.oai.openapi", "application/vnd.oai.openapi+json")
COMMITTED = BASE_DIR / "docs" / "openapi.yaml"


def test_the_committed_document_is_current():
    out = StringIO()

    call_command("spectacular", validate=True, fail_on_warn=True, stdout=out)

    assert out.getvalue() == COMMITTED.read_text(encoding="utf-8"), (
        "Run: manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml"
    )


def test_the_server_has_the_same_document_as_yaml_and_json(client):
    as_yaml, as_json = (client.get(reverse("api_schema"), headers={"accept": each}) for each in MEDIA_TYPES)

    assert as_yaml.content == COMMITTED.read_bytes()
    assert json.loads(as_json.content) == read_yaml(COMMITTED.read_text(encoding="utf-8"))
    assert tuple(each["Content-Type"] for each in (as_yaml, as_json)) == MEDIA_TYPES


def test_whatever_may_wait_in_the_queue_may_be_refused_by_it():
    document = read_yaml(COMMITTED.read_text(encoding="utf-8"))
    operations = [each for path in document["paths"].values() for each in path.values()]
    queued = [each for each in operations if "202" in each["responses"]]

    assert queued
    assert [each["operationId"] for each in queued if "429" not in each["responses"]] == []
