"""How long a rater waits, in a browser on a slow line, and how a server bears many raters at once.

`python -m tests.benchmarks labeling`: keys for an item, and milliseconds from the last key until the next one is drawn,
at four latencies; then 30 and 200 raters who label without pause, each saving beside an empty page in the same run.
"""

import http.client
import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from projects.models import Category, Project
from raters.models import Label, User
from tests import chromium
from tests import live as living
from tests.benchmarks.measuring import Results
from tests.labeling import new_question
from tests.together import at_once
from tests.working import Work, new_work

LATENCIES = (0, 100, 300, 1000)
N_PRESSED = 12
AHEAD = 20
MOST_MILLISECONDS = 100
RATERS = (30, 200)
# For each rater; with 200 of them, a thousand savings.
N_ITEMS = 5
EMPTY = "/account/inactive/"
ANSWERS = ("good", "fair", "bad")

# From the key until the frame in which the next item is drawn.
WATCH = """() => {
  window.waits = [];
  let pressed = null, shown = document.getElementById("item-key").textContent;
  addEventListener("keydown", () => { pressed = performance.now(); }, { capture: true });
  new MutationObserver(() => {
    const now = document.getElementById("item-key")?.textContent;
    if (!now || now === shown) return;
    shown = now;
    const since = pressed;
    requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - since)));
  }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
}"""


def run(results: Results) -> None:
    # Playwright runs an event loop in this thread, where Django would refuse its own database.
    os.environ[living.ASYNC] = "1"
    with running() as address:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
            for what, make in {"two questions": two_questions, "one question of two": one_of_two}.items():
                for latency in LATENCIES:
                    measure_waits(results, browser, address, what, make(), latency)
            browser.close()
        for n in RATERS:
            measure_raters(results, address, n)


@contextmanager
def running() -> Iterator[str]:
    """The program as gunicorn serves it, on the database that Django is at."""
    name = living.connection.settings_dict["NAME"]
    with (
        living.open_live(living.live_url(name), broker_url=os.environ["BROKER_URL"]) as live,
        living.open_site(live) as site,
    ):
        yield site.url


def two_questions() -> Work:
    work = new_work(n_items=N_PRESSED + AHEAD, n_raters=1)
    new_question(work.project, key="sure", categories=("guess", "sure"), position=1)
    return work


def one_of_two() -> Work:
    work = new_work(n_items=N_PRESSED + AHEAD, n_raters=1)
    Category.objects.filter(question=work.question, key="bad").delete()
    return work


def signed_in(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def measure_waits(
    results: Results, browser: Browser, address: str, what: str, work: Work, latency: int
) -> None:
    context = browser.new_context(base_url=address)
    context.set_default_timeout(120_000)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": signed_in(work.user()), "url": address}]
    )
    page = context.new_page()
    slow_down(context.new_cdp_session(page), latency)
    last = f"&held={work.assignment(AHEAD - 1).pk}"
    with page.expect_event("requestfinished", lambda request: request.url.endswith(last)):
        page.goto(f"/p/{work.project.slug}/label/")
    page.evaluate(WATCH)
    keys = keys_of(page)
    for number in range(1, N_PRESSED + 1):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_function("n => window.waits.length === n", arg=number)
    waits = page.evaluate("window.waits")
    words = f"{what}: {len(keys)} keys for an item" if len(keys) > 1 else f"{what}: 1 key for an item"
    median, most = statistics.median(waits), max(waits)
    results.at_most(
        f"{words}; next item at {latency:,} ms of latency, median (at most {most:.0f} ms)",
        median,
        goal=MOST_MILLISECONDS,
        unit="ms",
    )
    page.locator("[data-saved]").get_by_text("saved").wait_for()
    living.wait_until(lambda: Label.objects.filter(rater=work.raters[0]).count() >= N_PRESSED)
    context.close()


def slow_down(session: CDPSession, latency: int) -> None:
    session.send("Network.enable")
    asked = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", asked)


def keys_of(page: Page) -> list[str]:
    """What has to be pressed: the answers, and Enter unless the one answer is saved as it is chosen."""
    if page.locator("#answers[data-at-once=on]").count():
        return ["1"]
    return ["1", *(["q"] if page.locator("fieldset[data-question]").count() > 1 else []), "Enter"]


@dataclass(slots=True)
class AtWork:
    """One rater: what was answered, by item, and how long each kind of request took."""

    saved: dict[str, str] = field(default_factory=dict)
    waits: dict[str, list[float]] = field(default_factory=lambda: {"empty": [], "save": [], "next": []})


def measure_raters(results: Results, address: str, n: int) -> None:
    work = new_work(n_items=N_ITEMS, n_raters=n)
    cookies = [signed_in(work.user(number)) for number in range(n)]
    held = [[work.assignment(place, number).pk for place in range(N_ITEMS)] for number in range(n)]
    done = at_once(n, lambda number: label_all(address, work.project, cookies[number], held[number], number))
    wrong = 0
    for number, rater in enumerate(work.raters):
        stored = dict(Label.objects.filter(rater=rater).values_list("item__key", "category__key"))
        wrong += len(set(stored.items()) ^ set(done[number].saved.items()))
    results.at_most(f"{n} raters at once: labels lost or wrong of {n * N_ITEMS:,}", wrong, goal=0, unit="")
    empty = quantiles(done, "empty")
    for what in ("save", "next"):
        found = quantiles(done, what)
        for name, ours, of_empty in zip(("p50", "p95"), found, empty, strict=True):
            words = f"{n} raters at once: {what}, {name} {ours * 1000:,.0f} ms, times an empty page"
            results.at_most(words, ours / of_empty, goal=10, unit="")


def quantiles(done: list[AtWork], what: str) -> tuple[float, float]:
    cuts = statistics.quantiles([wait for one in done for wait in one.waits[what]], n=20)
    return cuts[9], cuts[18]


class Ask(Protocol):
    def __call__(self, what: str, method: str, path: str, body: object = None) -> bytes: ...


@contextmanager
def asking(address: str, cookie: str, found: AtWork) -> Iterator[Ask]:
    """A rater's connection, and how long each kind of request took."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    token = "a" * 32
    headers = {
        "Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}; {settings.CSRF_COOKIE_NAME}={token}",
        "X-CSRFToken": token,
        "Content-Type": "application/json",
    }

    def ask(what: str, method: str, path: str, body: object = None) -> bytes:
        more = {"Idempotency-Key": str(uuid4())} if body else {}
        start = time.perf_counter()
        connection.request(method, path, json.dumps(body) if body else None, headers | more)
        answer = connection.getresponse()
        text = answer.read()
        found.waits[what].append(time.perf_counter() - start)
        assert answer.status == 200, (answer.status, text[:500])
        return text

    yield ask
    connection.close()


def label_all(address: str, project: Project, cookie: str, held: list[int], number: int) -> AtWork:
    found = AtWork()
    with asking(address, cookie, found) as ask:
        for place, pk in enumerate(held):
            label(ask, project, found, pk, place=place, number=number)
    return found


def label(ask: Ask, project: Project, found: AtWork, pk: int, *, place: int, number: int) -> None:
    """As the page does: the next item beforehand, then the answer to the present one; and an empty page."""
    ask("empty", "GET", EMPTY)
    ask("next", "GET", f"/p/{project.slug}/label/?in_place=&held={pk}")
    category = ANSWERS[(number + place) % len(ANSWERS)]
    body = {"answers": [{"question": "tone", "category": category}], "revisions": []}
    ask("save", "PUT", f"/api/v1/projects/{project.slug}/assignments/{pk}/answers/", body)
    found.saved[f"item-{place + 1}"] = category
