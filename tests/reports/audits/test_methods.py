"""What a paper says of an audit, word for word: WRITE_GOLDEN=1 writes the texts that have changed."""

import os
from pathlib import Path

import pytest
from django.conf import settings

from raters.audits.judging import review
from reports.results.audits.audit_results import read_audit
from reports.results.audits.prose import prose_of
from tests.reports.audits.audited import delivery, label, opened

pytestmark = pytest.mark.django_db
HERE = Path(__file__).parent / "golden"
DESIGNS = {
    "simple": {"n": "30"},
    "stratified": {"n": "20", "stratify_by": "given", "allocation": "equal", "double_share": "20"},
    "items": {"n": "10", "unit": "item", "stratify_by": "item:site", "shows_given": "on"},
    "sequential": {
        "aim": "decide",
        "sampling": "sequential",
        "acceptable": "0.02",
        "rejectable": "0.3",
        "n": None,
    },
}


@pytest.mark.parametrize("name", DESIGNS)
def test_methods(name):
    made = delivery()
    audit = opened(made, **DESIGNS[name])
    label(audit)
    if name == "simple":
        row = next(each.row for each in read_audit(audit).labels if each.is_wrong)
        review(audit, row.pk, verdict="wrong", severity="minor", note="", by=made.lead)

    prose = prose_of(read_audit(audit))

    text = "\n".join([prose.methods, *prose.references, ""]).replace(settings.VERSION, "VERSION")
    file = HERE / f"{name}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()
