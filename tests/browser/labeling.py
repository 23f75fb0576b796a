"""Labeling in a browser: where a test begins, and what it looks at."""

import re
import time

from playwright.sync_api import Locator, Page, expect

from projects.codebook.versions import store_version
from raters.models import Label, LabelRevision
from tests.browser.people import sign_in
from tests.labeling import new_question
from tests.live import wait_until
from tests.working import Work, new_work


def two_questions(*, n_items: int = 30, n_raters: int = 1) -> Work:
    """Tone by the keys 1, 2 and 3; how sure, by q and w."""
    work = new_work(n_items=n_items, n_raters=n_raters)
    new_question(work.project, key="How sure are you?", categories=("guess", "sure"), position=1)
    work.project.guidelines = "**Good** means that it is good."
    work.project.save()
    store_version(work.project)
    return work


def read_changes(page: Page) -> None:
    """What changed since one began is read; until then no key counts."""
    page.get_by_role("button", name="Continue labeling").click()


def begin(page: Page, work: Work, number: int = 1) -> None:
    sign_in(page, work.user())
    page.goto(home(work))
    expect(item(page, number)).to_be_visible()


def begin_with_items_ahead(page: Page, work: Work, n: int = 20) -> None:
    """So many items lie in the browser, and it asks for no more; with twenty, the last one is item 21."""
    # Asked for beside those that are there.
    last = f"&held={work.assignment(n - 1).pk}"
    with page.expect_event("requestfinished", lambda request: request.url.endswith(last)):
        begin(page, work)


def home(work: Work) -> str:
    return f"/p/{work.project.slug}/label/"


def item(page: Page, number: int) -> Locator:
    return page.get_by_role("heading", name=re.compile(rf"^item-{number} · "))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


IS_ALL_SENT = "() => !Object.keys(localStorage).some(name => name.includes(':send:'))"


def all_sent(page: Page) -> None:
    """The next item is shown before an answer is saved; here the server has had its say about all of them."""
    wait_until(lambda: page.evaluate(IS_ALL_SENT))


def saved_labels(work: Work, rater: int = 0) -> list[tuple[str, str]]:
    """Item and answer of a rater, in the order of items; of the first question alone."""
    labels = Label.objects.filter(rater=work.raters[rater], question=work.question).order_by("item")
    return list(labels.values_list("item__key", "category__key"))


def expect_saved(work: Work, expected: list[tuple[str, str]]) -> None:
    """Saving goes on behind the page: what was said is stored within the time that a slow machine needs."""
    until = time.monotonic() + 60
    while saved_labels(work) != expected and time.monotonic() < until:
        time.sleep(0.05)
    assert saved_labels(work) == expected


def n_revisions(work: Work) -> int:
    return LabelRevision.objects.filter(rater_id=work.raters[0].pk).count()
