"""The fixtures themselves: a worker, a dispatcher, a site and a browser can be had, on rows that are committed."""

from playwright.sync_api import Page, expect

from projects.models import Project
from tests import cast
from tests.live import Live, Site
from tests.sizes import only_in_full


def test_other_processes_see_what_a_committed_test_wrote(committed_db, live: Live):
    project = cast.new_project("Seen elsewhere", unique=True)

    seen = live.run(
        "shell", "-c", f"from projects.models import *; print(Project.objects.get(slug='{project.slug}'))"
    )

    assert project.name in seen.stdout, seen.stderr


def test_ordinary_tests_see_no_committed_rows(db):
    assert not Project.objects.exists()


def test_worker_and_dispatcher_stay_up(worker: Live):
    assert {"worker", "dispatcher"} <= {child.program.name for child in worker.children if child.is_running}


@only_in_full
def test_browser_opens_the_site(page: Page, site: Site):
    answer = page.goto("/healthz")

    assert answer is not None
    assert answer.text() == "ok\n"


@only_in_full
def test_people_of_the_tests_sign_in_at_the_real_site(page: Page, site: Site):
    person = cast.person("sina", unique=True)
    page.goto("/sign-in/")

    page.get_by_label("Username").fill(person.username)
    page.get_by_label("Password").fill(cast.PASSWORD)
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("heading", name="Projects", exact=True)).to_be_visible()
