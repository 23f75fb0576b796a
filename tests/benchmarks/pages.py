"""The pages of a report, each beside an empty page in the same run: `python -m tests.benchmarks pages`.

40 raters and 10,000 items, all labels by everybody; rounds, second passes and answers of "cannot tell" among them, and
some labels changed between two reports.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command
from django.db import connection, connections
from django.db.models import F
from django.test import Client

from projects.models import Batch, Category, Item, Membership, Project, Question
from raters.models import Label, Rater, User
from reports.actions import request_report
from reports.models import QuestionAgreement, Report
from reports.tasks import compute_report
from tests.benchmarks.database import _maintain
from tests.benchmarks.measuring import Results, measure_in_turn

N_RATERS, N_ITEMS = 40, 10_000
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
MOST_SECONDS = 0.2
# The matrix of all pairs, with as many raters as a page shows.
MANY_RATERS = 200
REPEATS = 9

LABELS = """
INSERT INTO raters_label (item_id, question_id, rater_id, category_id, is_abstention, pass_number, batch_id,
    labelled_at, seconds, revision)
SELECT item.id, %(question)s, rater.id,
    CASE WHEN hash %% 100 = 0 THEN NULL
        WHEN hash %% 10 < 7 THEN (%(categories)s::bigint[])[1 + item.id %% %(n)s]
        ELSE (%(categories)s::bigint[])[1 + hash / 100 %% %(n)s] END,
    hash %% 100 = 0, 1, (%(batches)s::bigint[])[1 + item.id %% 2],
    timestamptz '2026-03-02 09:00+00' + make_interval(mins => (item.id %% 25000)::int, secs => hash %% 50),
    1 + hash %% 600 / 10.0, 1
FROM projects_item item
JOIN raters_rater rater ON rater.project_id = item.project_id
CROSS JOIN LATERAL (SELECT abs(hashint8(item.id * 1009 + rater.id))::bigint AS hash) drawn
WHERE item.project_id = %(project)s
ORDER BY item.id, rater.id"""


@dataclass(frozen=True, slots=True)
class Pages:
    """What is asked for: the signed-in lead, and two reports on one question, of which the first is out of date."""

    client: Client
    before: QuestionAgreement
    after: QuestionAgreement

    def address(self, agreement: QuestionAgreement, rest: str) -> str:
        report = agreement.report
        return f"/p/{report.project.slug}/agreement/{report.pk}/{agreement.question_id}/{rest}"


@contextmanager
def scratch_database() -> Iterator[None]:
    """An empty database with every constraint, dropped at the end."""
    before = connection.settings_dict["NAME"]
    name = f"{before}_pages"
    _maintain(name, "DROP DATABASE IF EXISTS {} WITH (FORCE)", "CREATE DATABASE {}")
    connections["default"].close()
    connection.settings_dict["NAME"] = name
    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
        _maintain(name, "DROP DATABASE IF EXISTS {} WITH (FORCE)")


def run(results: Results) -> None:
    pages = two_reports()
    calls = {"empty": lambda: got(pages.client, "/account/password/change/")}
    for name, address in addresses(pages).items():
        calls[name] = asking(pages.client, address)
    found = measure_in_turn(calls, repeats=REPEATS)
    empty = found.pop("empty").seconds
    for name, measured in found.items():
        results.at_most(f"{name}, {measured.seconds / empty:.0f}× an empty page", 1000 * measured.seconds,
                        goal=1000 * MOST_SECONDS, unit="ms")  # fmt: skip
    results.notes.append(f"An empty page took {1000 * empty:.1f} ms.")


def two_reports() -> Pages:
    lead = User.objects.create_user("lead", password="only for a benchmark")
    project = new_project(lead, n_raters=N_RATERS, n_items=N_ITEMS)
    before = computed(project, lead)
    change_labels(before.question)
    client = Client(SERVER_NAME="localhost")
    client.force_login(lead)
    return Pages(client, before, computed(project, lead))


def new_project(lead: User, *, n_raters: int, n_items: int) -> Project:
    name = f"reviews-{n_raters}"
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
    batches = [
        Batch.objects.create(project=project, key=key, position=place) for place, key in enumerate("ab")
    ]
    params: dict[str, Any] = {
        "question": question.pk,
        "project": project.pk,
        "categories": [category.pk for category in categories],
        "batches": [batch.pk for batch in batches],
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
            "items, of a rater": f"items/?rater={key}&says=mixed",
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


def asking(client: Client, address: str) -> Callable[[], Any]:
    return lambda: got(client, address)


def got(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer
