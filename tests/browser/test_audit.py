"""An audit from the draw to its certificate, by its lead and two auditors; the certificate is recomputed elsewhere."""

import json
import random
import subprocess
import sys

from playwright.sync_api import Page, expect

from core.tables.sources import bytes_of
from projects.models import Membership, Project
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.models import Audit
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in

N_RATERS, N_ITEMS = 39, 108


def delivered() -> Project:
    """As many imported labels as a published crowd gave, each wrong with a probability of its rater's own."""
    project = cast.new_project("Birds", unique=True)
    chance = random.Random(4)
    truth = {f"image-{n:03}": chance.choice(("yes", "no")) for n in range(N_ITEMS)}
    rows = []
    for rater in range(N_RATERS):
        error = chance.uniform(0.02, 0.3)
        for item, true in truth.items():
            other = "no" if true == "yes" else "yes"
            answer = other if chance.random() < error else true
            rows.append(f"{item},worker-{rater:02},bird,{answer}\n")
    content = "item,rater,question,label\n" + "".join(rows)
    owner = cast.person("olga", unique=True)
    import_now(project, NamedSource("birds.csv", bytes_of(content.encode())), LabelOptions(), by=owner)
    return project


def test_an_audit_ends_with_a_certificate_that_anyone_can_recompute(page: Page, tmp_path):
    project = delivered()
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    auditor = cast.member(project, Membership.Role.RATER, username="otto", unique=True)
    sign_in(page, lead)
    page.goto(f"/p/{project.slug}/audits/")
    page.get_by_role("link", name="New audit").click()

    page.get_by_label("Name").fill("Audit of birds")
    page.get_by_label("Goal").select_option("decide")
    page.get_by_label("Acceptable error rate").fill("0.05")
    page.get_by_label("Rejectable error rate").fill("0.4")
    page.get_by_role("checkbox", name=auditor.username).check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("4,212")
    assert faults_of(page) == []
    page.get_by_role("button", name="Draw and assign").click()
    expect(page.locator("#planned")).to_be_visible()
    page.locator("#planned").get_by_role("button").click()
    expect(page.locator("#planned")).to_have_count(0)

    audit = Audit.objects.get(source=project)
    sign_in(page, auditor)
    page.goto(f"/p/{audit.project.slug}/label/")
    for left in range(audit.project.items.count(), 0, -1):
        expect(page.get_by_role("radio").first).to_be_visible()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        if left > 1:
            expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.get_by_role("heading", name="All done").wait_for()

    sign_in(page, lead)
    page.goto(f"/p/{audit.project.slug}/audit/")
    expect(page.locator("[data-verdict]")).to_contain_text("Reject")
    assert faults_of(page) == []
    page.get_by_role("link", name="Review differences").click()
    first = page.locator("section[id^=label-]").first
    severity = first.get_by_label("Severity of the error")
    first.get_by_role("radio", name="The given label is right").check()
    expect(severity).to_be_disabled()
    first.get_by_role("radio", name="The given label is wrong").check()
    expect(severity).to_be_enabled()
    severity.select_option("major")
    first.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Reviewed").click()
    expect(page.locator("section[id^=label-]")).to_have_count(1)
    assert faults_of(page) == []

    page.goto(f"/p/{audit.project.slug}/audit/")
    page.get_by_role("button", name="Issue certificate").click()
    expect(page.locator("#certificate")).to_contain_text(audit.certificates.get().digest)
    assert faults_of(page) == []
    for name in ("Data (JSON)", "Script that recomputes it", "PDF"):
        with page.expect_download() as found:
            page.get_by_role("link", name=name).click()
        found.value.save_as(tmp_path / found.value.suggested_filename)
    assert (tmp_path / "certificate.pdf").read_bytes().startswith(b"%PDF")
    command = [sys.executable, "-I", "check_audit.py", "audit.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert audit.certificates.get().digest in done.stdout

    content = json.loads((tmp_path / "audit.json").read_text())
    content["result"]["n_wrong"] -= 1
    (tmp_path / "audit.json").write_text(json.dumps(content))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1
