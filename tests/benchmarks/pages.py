"""The pages of a report, each beside an empty page in the same run: `python -m tests.benchmarks pages filters`.

40 raters and 10,000 items, all labels by everybody; rounds, second passes and answers of "cannot tell" among them, and
some labels changed between two reports.
"""

import gzip
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F, Sum, Value
from django.db.models.functions import Length
from django.test import Client

from projects.models import Category, Item, Membership, Project, Question, Round
from raters.models import Label, Rater, User
from reports.drawing import vega
from reports.models import LabelBlock, OnDemandFigures, QuestionAgreement, Report
from reports.sources.rows import COLUMNS
from reports.store.requests import request_report
from reports.tasks import compute_on_demand, compute_report
from tests.benchmarks.measuring import Results, measure_in_turn, seconds

N_RATERS, N_ITEMS = 40, 10_000
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
MOST_SECONDS = 0.2
# A filter is to act at once, of five million labels too.
MANY_ITEMS = 125_000
MOST_FILTERED = 1000
# The matrix of all pairs, with as many raters as a page shows.
MANY_RATERS = 200
REPEATS = 7
EMPTY = "/account/inactive/"

LABELS = """
INSERT INTO raters_label (item_id, question_id, rater_id, category_id, is_abstention, pass_number, batch_id,
    labelled_at, seconds, revision)
SELECT item.id, %(question)s, rater.id,
    CASE WHEN hash %% 100 = 0 THEN NULL
        WHEN hash %% 10 < 7 THEN (%(categories)s::bigint[])[1 + item.id %% %(n)s]
        ELSE (%(categories)s::bigint[])[1 + hash / 100 %% %(n)s] END,
    hash %% 100 = 0, 1, (%(rounds)s::bigint[])[1 + item.id %% 2],
    timestamptz '2026-03-02 09:00+00' + make_interval(mins => (item.id %% 25000)::int, secs => hash %% 50),
    1 + hash %% 600 / 10.0, 1
FROM projects_item item
JOIN raters_rater rater ON rater.project_id = item.project_id
CROSS JOIN LATERAL (SELECT abs(hashint8(item.id * 1009 + rater.id))::bigint AS hash) drawn
WHERE item.project_id = %(project)s
ORDER BY item.id, rater.id"""

PLACES = """
INSERT INTO raters_assignment (rater_id, item_id, batch_id, pass_number, position, state, is_on_demand, done_at,
    is_guideline_unclear)
SELECT label.rater_id, label.item_id, label.batch_id, 1, row_number() OVER (), 'done', false, label.labelled_at, false
FROM raters_label label JOIN projects_item item ON item.id = label.item_id WHERE item.project_id = %s"""


@dataclass(frozen=True, slots=True)
class Pages:
    """What is asked for: the signed-in lead, and two reports on one question, of which the first is out of date."""

    client: Client
    before: QuestionAgreement
    after: QuestionAgreement

    def address(self, agreement: QuestionAgreement, rest: str) -> str:
        report = agreement.report
        return f"/p/{report.project.slug}/agreement/{report.pk}/{agreement.question_id}/{rest}"


def run(results: Results) -> None:
    """The first byte of each page, as the program hands it to the server; the best of several, in turn."""
    pages = two_reports()
    calls = {EMPTY: asking(pages.client, EMPTY)}
    for name, address in addresses(pages).items():
        calls[name] = asking(pages.client, address)
    for what, (asked, shown) in on_demand_pages(pages).items():
        calls[f"{what}, waiting"], calls[what] = asking(pages.client, asked), asking(pages.client, shown)
        compute_figures(results, pages, what, shown)
    found = measure_in_turn(calls, repeats=REPEATS)
    empty = found.pop(EMPTY).seconds
    for name, measured in found.items():
        words = f"page: {name}; {measured.seconds / empty:.0f} times an empty page"
        results.at_most(words, 1000 * measured.seconds, goal=1000 * MOST_SECONDS, unit="ms")
    results.notes.append(f"Pages: an empty one took {1000 * empty:.1f} ms.")
    kept = LabelBlock.objects.filter(agreement=pages.after).aggregate(
        n=Sum("n_labels"), size=Sum(sum((Length(F(name)) for name in COLUMNS), Value(0)))
    )
    results.at_most("labels kept with a report", kept["size"] / kept["n"], goal=12, unit="bytes each")
    measure_filters(results, pages, N_RATERS * N_ITEMS)
    measure_matrix(results)
    measure_progress(results)


def run_filters(results: Results) -> None:
    """The pages of one question with five million labels, of which filters leave up to a million."""
    lead = User.objects.create_user("lead", password="only for a benchmark")
    many = computed(new_project(lead, n_raters=N_RATERS, n_items=MANY_ITEMS), lead)
    client = Client(SERVER_NAME="localhost")
    client.force_login(lead)
    measure_filters(results, Pages(client, many, many), N_RATERS * MANY_ITEMS)


def measure_filters(results: Results, pages: Pages, n_labels: int) -> None:
    """The tabs and filters of a question, each beside an empty page."""
    keys = [rater["key"] for rater in pages.after.raters]
    asked = {
        "overview": "",
        "tab of raters": "raters/",
        "tab of categories": "categories/",
        "filter by 3 raters": f"filter/?raters={keys[0]}&raters={keys[5]}&raters={keys[9]}",
        "filter by 16 raters": f"filter/?{'&'.join(f'raters={key}' for key in keys[:16])}",
        "filter by a day": "filter/?since=2026-03-03&until=2026-03-03",
    }
    calls = {EMPTY: asking(pages.client, EMPTY)}
    calls |= {name: asking(pages.client, pages.address(pages.after, rest)) for name, rest in asked.items()}
    found = measure_in_turn(calls, repeats=REPEATS)
    empty = found.pop(EMPTY).seconds
    for name, measured in found.items():
        words = f"{name} of {n_labels:,} labels; {measured.seconds / empty:.0f} times an empty page"
        results.at_most(words, 1000 * measured.seconds, goal=MOST_FILTERED, unit="ms")


def compute_figures(results: Results, pages: Pages, what: str, address: str) -> None:
    """What a worker takes for it, once."""
    got(pages.client, address)
    figures = OnDemandFigures.objects.latest("pk")
    start = time.perf_counter()
    compute_on_demand(figures.pk)
    figures.refresh_from_db()
    assert figures.state == OnDemandFigures.State.DONE, figures.failure
    results.notes.append(f"{what}: computed by the worker in {seconds(time.perf_counter() - start)}, once.")


def measure_matrix(results: Results) -> None:
    """The page of as many raters as a matrix has room for."""
    lead = User.objects.get(username="lead")
    agreement = computed(new_project(lead, n_raters=MANY_RATERS, n_items=300), lead)
    client = Client(SERVER_NAME="localhost", headers={"accept-encoding": "gzip"})
    client.force_login(lead)
    address = f"/p/{agreement.report.project.slug}/agreement/{agreement.report_id}/{agreement.question_id}/"
    sent = got(client, address).content
    megabytes = len(gzip.decompress(sent)) / 1e6
    words = f"page: matrix of {MANY_RATERS} raters, {megabytes:.1f} MB, as it is sent"
    results.at_most(words, len(sent) / 1e6, goal=0.5, unit="MB")


def measure_progress(results: Results) -> None:
    """The page of how far a project has come, of as many raters, all of them through with 500 items."""
    lead = User.objects.get(username="lead")
    project = new_project(lead, n_raters=MANY_RATERS, n_items=500)
    with connection.cursor() as cursor:
        cursor.execute(PLACES, [project.pk])
        cursor.execute("ANALYZE raters_assignment")
    client = Client(SERVER_NAME="localhost")
    client.force_login(lead)
    calls = {EMPTY: asking(client, EMPTY), "progress": asking(client, f"/p/{project.slug}/progress/")}
    measured = measure_in_turn(calls, repeats=REPEATS)["progress"]
    words = f"page: progress of {MANY_RATERS} raters, {MANY_RATERS * 500:,} labels"
    results.at_most(words, 1000 * measured.seconds, goal=300, unit="ms")


def two_reports() -> Pages:
    lead = User.objects.create_user("lead", password="only for a benchmark")
    project = new_project(lead, n_raters=N_RATERS, n_items=N_ITEMS)
    before = computed(project, lead)
    change_labels(before.question)
    client = Client(SERVER_NAME="localhost")
    client.force_login(lead)
    return Pages(client, before, computed(project, lead))


def new_project(lead: User, *, n_raters: int, n_items: int) -> Project:
    name = f"reviews-{n_raters}-{n_items}"
    project = Project.objects.create(name=name, slug=name)
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
    question = Question.objects.create(project=project, key="mood", prompt="How is it?")
    categories = Category.objects.bulk_create(
        Category(question=question, key=key, name=key, position=place) for place, key in enumerate(CATEGORIES)
    )
    Rater.objects.bulk_create(Rater(project=project, key=f"rater-{place:03}") for place in range(n_raters))
    Item.objects.bulk_create(
        (Item(project=project, key=f"item-{place:05}") for place in range(n_items)), batch_size=5_000
    )
    rounds = [
        Round.objects.create(project=project, key=key, position=place) for place, key in enumerate("ab")
    ]
    params: dict[str, Any] = {
        "question": question.pk,
        "project": project.pk,
        "categories": [category.pk for category in categories],
        "rounds": [round_.pk for round_ in rounds],
        "n": len(categories),
    }
    with connection.cursor() as cursor:
        cursor.execute(LABELS, params)
        cursor.execute("ANALYZE")
    return project


def computed(project: Project, lead: User) -> QuestionAgreement:
    report = request_report(project, by=lead)
    compute_report(report.pk)
    report.refresh_from_db()
    assert report.state == Report.State.DONE, report.failure
    return report.questions.select_related("report__project", "question").get()


def change_labels(question: Question) -> None:
    """One label in a hundred says something else."""
    chance = random.Random(1_960)
    labels = Label.objects.filter(question=question, category__isnull=False)
    ids = list(labels.order_by("pk").values_list("pk", flat=True))
    other = question.categories.order_by("position").first()
    Label.objects.filter(pk__in=chance.sample(ids, len(ids) // 100)).update(
        category=other, revision=F("revision") + 1
    )


def addresses(pages: Pages) -> dict[str, str]:
    a, b = (rater["id"] for rater in pages.after.raters[:2])
    key = pages.after.raters[3]["key"]
    found = {}
    for words, agreement in (("", pages.after), (", after changes", pages.before)):
        lists = {
            "items, all": "items/",
            "items, raters differ": "items/?in=dispute",
            "items, page 100": "items/?in=dispute&page=100",
            "items, of a category": "items/?has=mixed&has=none",
            "items, of a rater": f"items/?rater={key}&label=mixed",
            "items, of a round": "items/?round=a&in=compared",
            "items, of a window": "items/?in=compared&from=2026-03-03T00:00:00%2B00:00&to=2026-03-04T00:00:00%2B00:00",
            "items of a pair": f"{a}/{b}/items/",
            "items of a cell": f"{a}/{b}/items/?row=mixed&column=none",
            "one rater": f"raters/{a}/",
            "items of a rater": f"raters/{a}/items/?in=dispute",
        }
        found |= {f"{name}{words}": pages.address(agreement, rest) for name, rest in lists.items()}
    others = {
        "question": "",
        "matrix": "#matrix",
        "categories": "categories/",
        "raters": "raters/",
        "pair": f"{a}/{b}/",
        "network": "network/",
    }
    return found | {name: pages.address(pages.after, rest) for name, rest in others.items()}


def on_demand_pages(pages: Pages) -> dict[str, tuple[str, str]]:
    """Pages whose figures a worker computes: one that still waits for them, and one that has them."""
    before, after = pages.before.report_id, pages.after.report_id
    two = f"/p/{pages.after.report.project.slug}/agreement/compare/"
    return {
        "two reports": (f"{two}?first={after}&second={before}", f"{two}?first={before}&second={after}"),
        "over time": (
            pages.address(pages.after, "time/?by=week"),
            pages.address(pages.after, "time/?by=day"),
        ),
        "two sides": (
            pages.address(pages.after, "compare/?first=round:b&second=round:a"),
            pages.address(pages.after, "compare/?first=round:a&second=round:b"),
        ),
    }


def asking(client: Client, address: str) -> Callable[[], Any]:
    return lambda: got(client, address)


def got(client: Client, address: str) -> Any:
    """As whoever looks first gets it: pictures are drawn, not taken from those drawn before."""
    vega.kept.clear()
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer
