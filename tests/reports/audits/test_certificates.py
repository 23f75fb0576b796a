"""What certificates of audits say, whether they are current, and their script."""

import hashlib
import json
import subprocess
import sys

import pytest

from raters.models import AuditCertificate
from reports.results.audits.audit_results import read_audit
from reports.results.audits.certificates import CertificateCheck, certificate_rows, content_of, digest_of
from tests import cast
from tests.reports.audits.audited import delivery, label, opened
from tests.reports.audits.test_audit_pages import page_of

pytestmark = pytest.mark.django_db


def test_certificate_and_page_say_how_many_differences_nobody_reviewed():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    lead = cast.signed_in(made.lead)
    wrong = [each.row for each in read_audit(audit).labels if each.is_wrong]
    lead.post(page_of(audit, "review", str(wrong[0].pk)), {"verdict": "right"})
    lead.post(page_of(audit, "certify"))
    certificate = audit.certificates.get()

    result = lead.get(page_of(audit))
    shown = lead.get(page_of(audit, "certificates", str(certificate.pk)))
    data = lead.get(f"/api/v1/projects/{audit.project.slug}/audit/").json()

    left = len(wrong) - 1
    assert result.context["differences"].n_unreviewed == left
    assert certificate.content["review"] == data["review"]
    assert data["review"] == {
        "n_different": len(wrong),
        "n_reviewed": 1,
        "n_found_right": 1,
        "n_unreviewed": left,
    }
    assert f"{left} not reviewed" in dict(shown.context["rows"])["Differences"]
    # Those issued before have no such entry; their labels say the same.
    older = {name: value for name, value in certificate.content.items() if name != "review"}
    assert certificate_rows(older) == certificate_rows(certificate.content)


def test_a_certificate_of_the_first_format_stays_current():
    """Its numbers of given and audited labels were computed in another way."""
    made = delivery()
    audit = opened(made, n="20")
    label(audit)
    content = json.loads(json.dumps(content_of(read_audit(audit))))
    content["format"] = 1
    content["result"]["confusion"] = [[64.0, 0.0], [16.0, 0.0]]
    AuditCertificate.objects.create(audit=audit, content=content)
    content["format"] = 2
    AuditCertificate.objects.create(audit=audit, content=content)

    checks = [CertificateCheck(each) for each in audit.certificates.order_by("pk")]
    assert [check.is_current for check in checks] == [True, False]


@pytest.mark.parametrize(
    "fields",
    [
        {"n": "25"},
        {"n": "30", "stratify_by": "given", "allocation": "equal"},
        {"n": "12", "unit": "item", "stratify_by": "item:site"},
        {"n": "15", "unit": "item"},
        {"aim": "decide", "sampling": "sequential", "acceptable": "0.02", "rejectable": "0.3", "n": None},
    ],
    ids=["simple", "stratified", "stratified items", "items", "sequential"],
)
def test_a_certificate_is_recomputed_by_its_script(fields, tmp_path):
    made = delivery()
    audit = opened(made, **fields)
    label(audit)
    lead = cast.signed_in(made.lead)

    lead.post(page_of(audit, "certify"))

    certificate = AuditCertificate.objects.get(audit=audit)
    files = page_of(audit, "certificates", str(certificate.pk))
    for name in ("audit.json", "check_audit.py"):
        (tmp_path / name).write_bytes(lead.get(files + name).content)
    done = subprocess.run(
        [sys.executable, "-I", "check_audit.py", "audit.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"SHA-256 {certificate.digest}" in done.stdout
    assert lead.get(files + "certificate.pdf").content.startswith(b"%PDF")
    assert lead.get(files + "none.txt").status_code == 404


def test_a_certificate_stays_as_issued_and_says_whether_it_is_current():
    made = delivery()
    audit = opened(made, n="20")
    label(audit)
    lead = cast.signed_in(made.lead)
    lead.post(page_of(audit, "certify"))
    certificate = audit.certificates.get()
    address = page_of(audit, "certificates", str(certificate.pk))

    current = lead.get(address).context["check"]
    row = next(each.row for each in read_audit(audit).labels if each.is_wrong)
    lead.post(page_of(audit, "review", str(row.pk)), {"verdict": "right"})
    later = lead.get(address)

    assert (current.is_unaltered, current.is_current) == (True, True)
    assert (later.context["check"].is_unaltered, later.context["check"].is_current) == (True, False)
    text = json.dumps(later.context["content"], sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == certificate.digest == digest_of(certificate.content)

    AuditCertificate.objects.update(content={**certificate.content, "verdict": "All is well."})
    assert not lead.get(address).context["check"].is_unaltered
