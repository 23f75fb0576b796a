"""Everything that can be taken away of a report, downloaded from its page; and whether the report can be relied on."""

import io
import subprocess
import sys
import zipfile
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect

from raters.models import Label
from reports.exports.export_list import FILES
from reports.models import Report, ReportLink
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.finished import World, finished_report, new_world
from tests.live import Live, Site
from tests.reports.exports.readers import words_in
from tests.sizes import only_in_full


@cache
def made_once() -> World:
    return new_world("To take away", n_items=30, n_raters=3)


@pytest.fixture
def exportable_world(page: Page) -> World:
    """A world on committed data, made once; `page` comes first, for it opens the database to the test."""
    return made_once()


def open_page_of(page: Page, world: World, name: str) -> None:
    sign_in(page, world.lead)
    page.goto(world.report.get_absolute_url())
    page.locator("#main").get_by_role("link", name=name, exact=True).press("Enter")
    page.wait_for_load_state("load")


# Chromium drops what one page downloads beyond so many files in a second, which a quick machine comes to.
AT_ONCE = 10


def links_of(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("rowheader").get_by_role("link")


def all_downloaded(page: Page, folder: Path) -> dict[str | None, bytes]:
    taken = {}
    for first in range(0, links_of(page).count(), AT_ONCE):
        shown = page.context.new_page()
        shown.goto(page.url)
        for link in links_of(shown).all()[first : first + AT_ONCE]:
            taken[link.get_attribute("href")] = downloaded(shown, link, folder)
    return taken


def downloaded(page: Page, link: Locator, folder: Path) -> bytes:
    """What the link sends, kept in the folder under the name that it stands for in the page."""
    with page.expect_download() as download:
        link.click()
    name = link.get_attribute("href") or ""
    assert download.value.suggested_filename.endswith(f"-{name}")
    download.value.save_as(folder / name)
    return (folder / name).read_bytes()


def test_every_file_comes_from_the_page_and_opens_and_the_script_agrees(
    page: Page, exportable_world: World, tmp_path: Path
):
    open_page_of(page, exportable_world, "Export")

    taken = all_downloaded(page, tmp_path)

    assert list(taken) == list(FILES)
    # Those that hold names and figures, whatever their kind.
    read = {name: words_in(name, content) for name, content in taken.items()}
    assert {name for name, words in read.items() if "answer" not in words} == {
        "sources.bib",
        "labels-wide.csv",
    }
    assert {name for name, words in read.items() if "rater-002" in words} >= {
        "report.pdf", "tables.zip", "tables.xlsx", "results.json", "labels-long.csv", "labels-wide.csv", "recal.zip",
    }  # fmt: skip
    assert "Krippendorff’s alpha" in read["report.pdf"]
    assert "Krippendorff’s alpha" in read["report.docx"]
    with zipfile.ZipFile(io.BytesIO(taken["tables.zip"])) as archive:
        archive.extract("coefficients.csv", tmp_path)
    assert_agrees(tmp_path)


def assert_agrees(folder: Path) -> None:
    """The exported script, in a process of its own, finds the figures of the report."""
    done = subprocess.run(
        [sys.executable, "recompute.py", "labels-long.csv", "coefficients.csv"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "krippendorff_alpha" in done.stdout


@only_in_full
def test_files_come_without_javascript(plain_page: Page, tmp_path: Path):
    world = made_once()
    open_page_of(plain_page, world, "Export")
    link = plain_page.get_by_role("link", name="Labels, long format")

    content = downloaded(plain_page, link, tmp_path)

    assert "rater-002" in words_in("labels-long.csv", content)


def test_verified_shared_read_and_withdrawn_with_the_keyboard(
    page: Page, browser: Browser, site: Site, exportable_world: World
):
    open_page_of(page, exportable_world, "Verify")

    page.get_by_role("button", name="Verify").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Verified: every figure of this report was recomputed")

    page.get_by_label("Recipient").fill("the editor")
    page.get_by_label("Recipient").press("Enter")
    address = page.get_by_label("Copy the link now").input_value()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address
    reader = browser.new_context(base_url=site.url).new_page()
    reader.goto(address)
    expect(reader.get_by_role("heading", name="Agreement on answer")).to_be_visible()
    expect(reader.get_by_role("grid", name="Pairwise Cohen’s κ")).to_be_visible()
    assert "rater-00" not in reader.inner_text("body")
    assert reader.context.cookies() == []

    page.goto(f"{exportable_world.report.get_absolute_url()}provenance/")
    row = page.get_by_role("row", name="the editor")
    expect(row.get_by_role("cell").nth(3)).to_have_text("1")
    row.get_by_role("button", name="Revoke the link").press("Enter")
    expect(page.get_by_text("Link revoked")).to_be_visible()
    reader.reload()
    expect(reader.get_by_role("heading", name="Page not found")).to_be_visible()
    reader.context.close()


@only_in_full
def test_an_expired_link_shows_nothing(page: Page, exportable_world: World):
    open_page_of(page, exportable_world, "Verify")
    page.get_by_label("Expires after (days)").fill("1")
    page.get_by_role("button", name="Create link").click()
    address = page.get_by_label("Copy the link now").input_value()
    exportable_world.report.links.filter(pk=ReportLink.objects.latest("pk").pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )

    page.goto(address)

    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()


@only_in_full
def test_a_new_report_says_what_changed_since_the_one_before(page: Page, worker: Live):
    world = new_world("Changed", n_items=20, n_raters=2)
    Label.objects.filter(question__project=world.project).first().delete()
    second = finished_report(world.project, world.lead)
    sign_in(page, world.lead)

    page.goto(f"{second.get_absolute_url()}provenance/")

    expect(page.get_by_text("answer: labels withdrawn 1.")).to_be_visible()
    page.get_by_role("link", name="Compare answer of both reports").click()
    expect(page.get_by_role("heading", name="Compare reports on answer")).to_be_visible()


@only_in_full
def test_a_computation_is_canceled_and_tried_again(page: Page, worker: Live, exportable_world: World):
    report = Report.objects.create(
        project=exportable_world.project,
        asked_by=exportable_world.lead,
        state=Report.State.RUNNING,
        stage="question answer",
        share_done=0.43,
        scope={"questions": ["answer"], "rounds": None},
        options={"weights": "linear"},
    )
    sign_in(page, exportable_world.lead)
    page.goto(report.get_absolute_url())
    expect(page.get_by_text("Question answer: 43%")).to_be_visible()

    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Canceled")).to_be_visible()
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_role("heading", name="Agreement on answer")).to_be_visible()


def test_no_page_has_a_fault_of_access(page: Page, exportable_world: World):
    open_page_of(page, exportable_world, "Export")
    faults = {"take away": faults_of(page)}
    page.goto(f"{exportable_world.report.get_absolute_url()}provenance/")
    faults["provenance"] = faults_of(page)
    page.get_by_role("button", name="Verify").click()
    page.get_by_role("status").wait_for()
    faults["verified"] = faults_of(page)
    page.get_by_role("button", name="Create link").click()
    address = page.get_by_label("Copy the link now").input_value()
    faults["link"] = faults_of(page)
    page.goto(address)
    faults["shared"] = faults_of(page)

    assert {name: found for name, found in faults.items() if found} == {}
