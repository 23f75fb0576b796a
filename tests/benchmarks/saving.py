"""What a save and the next item cost: `python -m tests.benchmarks saving`.

One rater labels item after item, and asks for a bare page before each: a view that does nothing but one query, through
the same middleware, signed in. Each request is handed to the program as a server does. Counted is the time that the
processor works for it, of the program and of its database process apart, which other programs on the machine hardly
change.
"""

import io
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import include, path

from projects.models import Membership
from raters.models import Label
from tests.benchmarks.measuring import Results
from tests.labeling import new_question
from tests.working import Work, new_work

N_LABELED = 200
# The first ones compile templates and fill caches.
N_WARM = 20
AHEAD = 20
MOST_TIMES = 4
BARE, SAVE, NEXT = "bare view", "save", "next item"
TOKEN = "a" * 32
# About a page.
GUIDELINES = "\n\n".join(
    f"## Rule {n}\n\nLabel what the text says, *not* what you think.\n\n* It **praises**: good.\n* It complains: bad."
    for n in range(1, 16)
)


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(Membership.objects.filter(user=request.user.pk).exists()))


urlpatterns = [path("bare/", bare), path("", include("config.urls"))]


@dataclass(slots=True)
class Cost:
    """Of one kind of request: seconds of the program and of the database for each, and statements of the last."""

    program: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    n_statements: int = 0

    def count(self, call: Callable[[], None]) -> None:
        before, start = database_time(), time.thread_time()
        call()
        self.program.append(time.thread_time() - start)
        self.database.append(database_time() - before)

    @property
    def seconds(self) -> float:
        return statistics.median(self.program) + statistics.median(self.database)

    def __str__(self) -> str:
        program, database = statistics.median(self.program), statistics.median(self.database)
        return f"{1000 * program:.2f} ms + {1000 * database:.2f} ms in PostgreSQL, {self.n_statements} statements"


def run(results: Results) -> None:
    with override_settings(ROOT_URLCONF=__name__):
        for n_questions in (1, 3):
            measure(results, n_questions)


def measure(results: Results, n_questions: int) -> None:
    work = new_work(n_items=N_LABELED + AHEAD, n_raters=2)
    work.project.guidelines = GUIDELINES
    work.project.save()
    for number in range(1, n_questions):
        new_question(work.project, key=f"more-{number}", categories=("good", "bad"), position=number)
    cost = label_all(work)
    assert Label.objects.filter(rater=work.raters[0]).count() == n_questions * N_LABELED
    words = f"{n_questions} question{'s' if n_questions > 1 else ''}"
    for what in (SAVE, NEXT):
        times = cost[what].seconds / cost[BARE].seconds
        results.at_most(f"{what}, {words}: {cost[what]}; times a {BARE}", times, goal=MOST_TIMES, unit="")
    results.notes.append(f"{BARE} next to {words}: {cost[BARE]}.")


def label_all(work: Work) -> dict[str, Cost]:
    """As the page does: fetch the item after those in hand, and save the answer to the one on screen."""
    cost = {name: Cost() for name in (BARE, NEXT, SAVE)}
    ask = asking(work)
    held = list(work.raters[0].assignments.order_by("position").values_list("pk", flat=True))
    answers = [{"question": question.key, "category": "good"} for question in work.project.questions.all()]
    body = {
        "answers": answers,
        "revisions": [],
        "seconds": 3.2,
        "guidelines_version": 0,
        "codebook_version": 1,
    }
    label = f"/p/{work.project.slug}/label/"
    for place in range(N_LABELED):
        save = f"/api/v1/projects/{work.project.slug}/assignments/{held[place]}/answers/"
        ahead = "".join(f"&held={pk}" for pk in held[place : place + AHEAD])
        asked = {
            BARE: lambda: ask("GET", "/bare/"),
            NEXT: lambda ahead=ahead: ask("GET", label, query=f"in_place={ahead}"),
            SAVE: lambda save=save: ask("PUT", save, body=body),
        }
        for name, call in asked.items():
            if place == N_LABELED - 1:
                cost[name].n_statements = n_statements(call)
            else:
                (cost[name] if place >= N_WARM else Cost()).count(call)
    return cost


def asking(work: Work) -> Callable[..., None]:
    """Returns a function that hands a request of the first rater to the program."""
    client = Client()
    client.force_login(work.user())
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    program = WSGIHandler()

    def ask(method: str, address: str, *, query: str = "", body: object = None) -> None:
        sent = b"" if body is None else json.dumps(body).encode()
        answer: Any = program(
            {
                "REQUEST_METHOD": method,
                "PATH_INFO": address,
                "QUERY_STRING": query,
                "SERVER_NAME": "localhost",
                "SERVER_PORT": "80",
                "SERVER_PROTOCOL": "HTTP/1.1",
                "REMOTE_ADDR": "127.0.0.1",
                "HTTP_COOKIE": f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={TOKEN}",
                "HTTP_X_CSRFTOKEN": TOKEN,
                "HTTP_IDEMPOTENCY_KEY": str(uuid4()),
                "CONTENT_TYPE": "application/json",
                "CONTENT_LENGTH": str(len(sent)),
                "wsgi.input": io.BytesIO(sent),
                "wsgi.url_scheme": "http",
            },
            lambda status, headers: None,
        )
        text = b"".join(answer)
        answer.close()
        assert answer.status_code == HTTPStatus.OK, (address, answer.status_code, text[:500])

    return ask


def n_statements(call: Callable[[], None]) -> int:
    with CaptureQueriesContext(connection) as seen:
        call()
    return len(seen)


def database_time() -> float:
    """Seconds that the processor has worked for the database process of our connection; Linux alone tells."""
    connection.ensure_connection()
    assert connection.connection is not None
    running = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(running.read_text().split()[0]) / 1e9 if running.exists() else 0.0
