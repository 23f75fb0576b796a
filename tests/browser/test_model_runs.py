"""A model in a real browser, with a real worker: from the preview to the page on models of a report."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from projects.models import Membership
from raters.models import Assignment, Label, ModelRun, User
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.live import Live, Site, open_live, open_site, wait_until
from tests.raters.model_runs.endpoint import Endpoint, answering, error
from tests.sizes import only_in_full
from tests.working import Work, new_work

# Where pictures of the pages go, if somebody wants to look at them.
LOOKED_AT = os.environ.get("PICTURES")
N_ITEMS = 40


@pytest.fixture
def model_endpoint() -> Iterator[Endpoint]:
    with answering() as opened:
        yield opened


@pytest.fixture
def with_models(live: Live, model_endpoint: Endpoint) -> Iterator[Site]:
    """A site of its own whose operator has set an endpoint, with a worker and a dispatcher."""
    turned_on = {
        "MODEL_ENDPOINT": model_endpoint.url,
        "MODEL_KEY": "sk-secret",
        "MODEL_NAMES": "tiny=0.15/0.60, a-model-with-a-very-long-name-of-its-own",
    }
    with open_live(live.database_url, broker_url=live.broker_url) as own:
        own.start_worker(**turned_on)
        own.start_dispatcher(**turned_on)
        with open_site(own, **turned_on) as opened:
            yield opened


@pytest.fixture
def labeled_work(committed_db: None) -> Work:
    """Items that three people have labeled, not always alike."""
    work = new_work(n_items=N_ITEMS, n_raters=3)
    categories = list(work.question.categories.all())
    Label.objects.bulk_create(
        Label(
            item=item,
            rater=rater,
            question=work.question,
            round=work.round,
            category=categories[(number + (place == 0 and number % 7 == 0)) % 3],
        )
        for place, rater in enumerate(work.raters)
        for number, item in enumerate(work.items)
    )
    Assignment.objects.filter(round=work.round).update(state=Assignment.State.DONE)
    return work


@pytest.fixture
def sending_lead(labeled_work: Work) -> User:
    return cast.member(labeled_work.project, Membership.Role.LEAD, username="lena", unique=True)


def look(page: Page, name: str) -> None:
    if LOOKED_AT:
        page.screenshot(path=Path(LOOKED_AT) / f"{name}.png", full_page=True)


def is_in_order(page: Page, name: str) -> None:
    """No fault of access, and nothing scrolls sideways on a phone."""
    look(page, name)
    assert faults_of(page) == []
    page.emulate_media(color_scheme="dark")
    look(page, f"{name}-dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 844})
    look(page, f"{name}-phone")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 800})


@only_in_full
def test_from_the_preview_to_the_models_of_a_report(
    page: Page, with_models: Site, model_endpoint: Endpoint, labeled_work: Work, sending_lead: User
):
    project, categories = labeled_work.project, ["good", "fair", "bad"]
    model_endpoint.answer = lambda text: (
        "I can’t say."
        if text == "Text 9"
        else {"tone": categories[(int(text.split()[1]) - 1 + (text == "Text 2")) % 3]}
    )
    model_endpoint.faults = {"Text 5": [error(429, "slow down", **{"Retry-After": "0"}), error(500)]}
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in(page, sending_lead)
    page.goto(f"{with_models.url}{project.get_absolute_url()}codebook/")
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_role("link", name="Label with a model", exact=True).click()
    is_in_order(page, "new")
    page.get_by_label("Model", exact=True).select_option("tiny")
    page.get_by_label("Further instructions").fill("Irony counts as bad.")

    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_label("Exact request")).to_contain_text("Irony counts as bad.")
    is_in_order(page, "preview")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_label("Exact request")).to_contain_text("Text 2")
    assert model_endpoint.received == []
    page.get_by_role("button", name=f"Send {N_ITEMS} items").click()
    expect(page.get_by_text(f"39 of {N_ITEMS}")).to_be_visible()
    expect(page.get_by_role("heading", name="Items without labels")).to_be_visible()
    page.get_by_text("Show").click()
    expect(page.get_by_label("Answer for item-9")).to_have_text("I can’t say.")
    is_in_order(page, "run")
    assert "sk-secret" not in page.content()

    page.goto(f"{with_models.url}{project.get_absolute_url()}agreement/")
    page.get_by_role("button", name="Compute").click()
    page.get_by_role("link", name="Models", exact=True).last.click()
    expect(page.get_by_text("Alternative-annotator test").first).to_be_visible()
    run = project.model_runs.get()
    expect(page.get_by_text(run.rater_name).first).to_be_visible()
    look(page, "report")
    page.goto(f"{with_models.url}{project.get_absolute_url()}models/")
    is_in_order(page, "list")
    assert model_endpoint.texts["Text 5"] == 3
    assert model_endpoint.texts["Text 9"] == 2
    assert {n for text, n in model_endpoint.texts.items() if text not in {"Text 5", "Text 9"}} == {1}


@only_in_full
def test_without_javascript(
    plain_page: Page, with_models: Site, model_endpoint: Endpoint, labeled_work: Work, sending_lead: User
):
    page, project = plain_page, labeled_work.project
    sign_in(page, sending_lead)
    page.goto(f"{with_models.url}{project.get_absolute_url()}models/new/")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name=f"Send {N_ITEMS} items").click()
    run = project.model_runs.get()

    wait_until(lambda: ModelRun.objects.get(pk=run.pk).is_final, seconds=120)
    page.reload()

    expect(page.get_by_text(f"{N_ITEMS} of {N_ITEMS}")).to_be_visible()
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
