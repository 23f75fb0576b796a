"""The committed OpenAPI document is the one that the code describes."""

from io import StringIO

from django.core.management import call_command

from config.environment import BASE_DIR

COMMITTED = BASE_DIR / "docs" / "openapi.yaml"


def test_the_committed_document_is_current():
    out = StringIO()

    call_command("spectacular", validate=True, fail_on_warn=True, stdout=out)

    assert out.getvalue() == COMMITTED.read_text(encoding="utf-8"), (
        "Run: manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml"
    )
