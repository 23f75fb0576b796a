"""P8 for members who see labels: whoever labels in a round that is not closed is blind in every way out.

Two worlds differ in what others said of the items that a lead, an auditor and an adjudicator still label. Every row of
the table of routes is asked by each of them in both: the answers are the same. Then the round is closed.
"""

import re
from dataclasses import dataclass, replace
from difflib import unified_diff
from uuid import UUID

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from projects.models import Event, Item, Round
from raters.actions import rater_of
from raters.models import Assignment, Label, Rater, User
from reports.exports.export_list import FILES
from reports.label_access_routes import LABEL_ACCESS
from reports.models import OnDemandFigures, QuestionAgreement, Report
from reports.store import links
from tests import cast
from tests.config.access_table import SUBJECTS
from tests.config.routes import ROWS
from tests.config.routes.arguments import question_args, report_args
from tests.config.routes.row import Row
from tests.faults.blind_world import ask_why, undone
from tests.faults.matrix import send
from tests.faults.walking import masked
from tests.finished import World, finished_report, new_world
from tests.live import as_superuser
from tests.sizes import FULL, only_in_full

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1200), pytest.mark.usefixtures("quiet")]


BLIND = ("lead", "auditor", "adjudicator")
# Not a multiple of 3: those who ask take turns.
EVERY = 1 if FULL else 14
# What differs from request to request: the clock of the database, tokens, and digests of these.
UNTOLD = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+\d\d:\d\d)?|\b\d\d:\d\d\b|/join/[\w-]{43}/|whsec_[\w+/]{43}=|\?by=[0-9a-f]{8}"
)
# The length of a page depends on the digits of its random seed; the page itself is compared.
UNLIKE = {"Expires", "Content-Length"}


@dataclass(frozen=True, slots=True)
class Blind:
    """hidden: the items that the members still label; their labels differ. free: a report of other items alone."""

    world: World
    round: Round
    hidden: list[Item]
    free: Report
    sessions: dict[str, str]


@pytest.fixture
def blind(committed_db, monkeypatch) -> Blind:
    world = new_world("blind", n_items=6, n_raters=3)
    project = world.project
    items = list(project.items.order_by("pk"))
    over = Round.objects.create(project=project, key="over", state=Round.State.CLOSED, position=1)
    Label.objects.filter(item__in=items[3:]).update(round=over)
    _say_more(world, items)
    ask_why(world, items[:3])
    round_ = Round.objects.create(project=project, key="mine", state=Round.State.OPEN, position=2)
    for name in BLIND:
        rater = rater_of(project, world.people[name])
        for item in items[:3]:
            Assignment.objects.create(rater=rater, item=item, round=round_)
    _recompute(world)
    free = finished_report(project, world.people["stranger"], rounds=["over"])
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    sessions = {name: _session(world.people[name]) for name in BLIND}
    return Blind(world, round_, items[:3], free, sessions)


def _session(user: User) -> str:
    client = Client()
    cast.sign_in(client, user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _say_more(world: World, items: list[Item]) -> None:
    """A reference, a decision and repeats, of hidden and other items alike."""
    question = world.agreement.question
    first = question.categories.first()
    for kind in (Rater.Kind.REFERENCE, Rater.Kind.CONSENSUS):
        rater = Rater.objects.create(project=world.project, key=str(kind), kind=kind)
        for item in (items[0], items[3]):
            Label.objects.create(item=item, question=question, rater=rater, category=first)


def _recompute(world: World) -> None:
    """The report is as if it had always been of the labels as they are."""
    new = finished_report(world.project, world.people["stranger"], smoothing=0.25, pooled=True)
    QuestionAgreement.objects.filter(report=world.report).delete()
    QuestionAgreement.objects.filter(report=new).update(report=world.report)
    found = Report.objects.values("codebook", "snapshot", "digest").get(pk=new.pk)
    Report.objects.filter(pk=world.report.pk).update(**found)
    new.delete()


def differ(blind: Blind) -> None:
    """All that others said of the hidden items becomes something else, and they cannot tell of some."""
    last = Report.objects.latest("pk").pk
    categories = list(blind.world.agreement.question.categories.all())
    rows = Label.objects.filter(item__in=blind.hidden).order_by("pk")
    for number, label in enumerate(rows):
        place = (categories.index(label.category) + 1 + number % 2) % len(categories)
        new = {"category": categories[place], "note": f"Note {number}"}
        if number % 4 == 3:
            new = {"category": None, "is_abstention": True, "reason": "Blurred"}
        Label.objects.filter(pk=label.pk).update(**new)
    _recompute(blind.world)
    # A hidden report with a leading round keeps figures of its own, and somebody compared it with another.
    with transaction.atomic():
        for number in range(3):
            OnDemandFigures.objects.create(
                agreement=blind.world.report.questions.get(question=blind.world.agreement.question),
                what=OnDemandFigures.What.OVER_TIME,
                asked={"number": number},
                code_version="",
                state=OnDemandFigures.State.DONE,
                result={},
            )
    # The next report has the same id in both worlds.
    with as_superuser() as superuser:
        superuser.execute("SELECT setval('reports_report_id_seq', %s)", [last])


def answer(blind: Blind, row: Row, subject: str) -> tuple[int, str]:
    """What this one is answered: the status, and everything else."""
    world = replace(
        blind.world,
        agreement=blind.world.report.questions.select_related("report", "question").get(
            question=blind.world.agreement.question
        ),
    )
    with undone():
        address = reverse(row.name, args=row.args(world)) + row.query
        client = Client(raise_request_exception=False)
        client.cookies[settings.SESSION_COOKIE_NAME] = blind.sessions[subject]
        found = send(client, row, address)
        headers = "\n".join(
            f"{name}: {value}" for name, value in sorted(found.headers.items()) if name not in UNLIKE
        )
        text = masked(f"{headers}\n{found.content.decode(errors='replace')}")
        return found.status_code, UNTOLD.sub("<untold>", text)
    raise AssertionError("not reached")


def rows_asked() -> list[tuple[Row, str]]:
    """In `make test` one row in so many, as one of those who may."""
    return [
        (row, subject)
        for number, row in list(enumerate(ROWS))[::EVERY]
        for subject in (BLIND if FULL else [_one_who_may(row, number)])
    ]


def _one_who_may(row: Row, number: int) -> str:
    subject = BLIND[number % 3]
    return subject if allowed(row, subject) else "lead"


def allowed(row: Row, subject: str) -> bool:
    return row.answers[SUBJECTS.index(subject)] in {200, 201, 202, 204, 302}


def test_two_worlds_look_the_same_to_members_who_still_label(blind):
    asked = rows_asked()
    before = [answer(blind, *each) for each in asked]
    differ(blind)
    after = [answer(blind, *each) for each in asked]

    told = {
        f"{subject}: {row}": "\n".join(unified_diff(first[1].splitlines(), second[1].splitlines(), n=0))
        for (row, subject), first, second in zip(asked, before, after, strict=True)
        if first != second
    }
    assert told == {}, "\n".join(f"{name}\n{lines[:600]}" for name, lines in told.items())


def test_what_shows_labels_is_refused_until_the_round_is_closed(blind):
    looks = [each for each in rows_asked() if each[0].name in LABEL_ACCESS and allowed(*each)]
    while_open = {f"{subject}: {row}": answer(blind, row, subject)[0] for row, subject in looks}
    blind.round.assignments.update(state=Assignment.State.DONE, done_at=timezone.now())
    once_done = {f"{subject}: {row}": answer(blind, row, subject)[0] for row, subject in looks}
    Round.objects.filter(pk=blind.round.pk).update(state=Round.State.CLOSED)
    once_closed = [answer(blind, row, subject)[0] for row, subject in looks]

    # A file of items shows no labels, some of the links lead to nothing, and only drawing an audit shows any; items are
    # refused only for a round that was chosen by labels.
    not_looked = {name for name, status in while_open.items() if status != 403}
    assert {name.split()[-1] for name in not_looked} <= {
        "import",
        "import_confirm",
        "api_category",
        "api_items",
        "api_audits",
        "two_reports",
    }
    assert len(looks) > (60 if FULL else 4)
    assert once_done == while_open
    assert once_closed == [row.answers[SUBJECTS.index(subject)] for row, subject in looks]


def client_of(blind: Blind, subject: str) -> Client:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = blind.sessions[subject]
    return client


def test_no_file_of_a_report_is_sent_by_page_or_api(blind):
    slug, keys = blind.world.project.slug, {item.key for item in blind.hidden}
    for subject in BLIND:
        client = client_of(blind, subject)
        for route in ("report_export", "api_export"):
            for name in FILES:
                refused = client.get(reverse(route, args=[slug, blind.world.report.pk, name]))
                assert refused.status_code == 403, (subject, route, name)
            allowed = client.get(reverse(route, args=[slug, blind.free.pk, "labels-long.csv"]))
            text = allowed.getvalue().decode()
            assert allowed.status_code == 200
            assert "item-00004" in text
            assert not [key for key in keys if key in text]
    told = Event.objects.filter(kind=Event.Kind.LOOK_REFUSED, project_id=blind.world.project.pk)
    assert told.count() == len(BLIND) * 2 * len(FILES)
    assert {row.detail["rounds"][0] for row in told} == {"mine"}


def test_a_token_is_as_blind_as_its_owner(blind):
    _, token = AuthToken.objects.create(user=blind.world.lead)
    address = reverse("api_export", args=[blind.world.project.slug, blind.world.report.pk, "labels-long.csv"])

    answer = Client().get(address, headers={"Authorization": f"Token {token}"})

    assert (answer.status_code, answer.json()["error"]) == (403, "permission_denied")


def test_a_report_of_other_items_is_shown_unless_compared_with_a_hidden_one(blind):
    slug, hidden, free = blind.world.project.slug, blind.world.report.pk, blind.free.pk
    question = blind.world.agreement.question
    client = client_of(blind, "lead")
    page = reverse("report_question", args=[slug, free, question.pk])
    items = reverse("report_items", args=[slug, free, question.pk])
    compare = reverse("report_compare", args=[slug, free, question.pk])
    two = reverse("two_reports", args=[slug])
    matrix = reverse("api_matrix", args=[slug, free, question.key])

    assert [client.get(address).status_code for address in (page, items, matrix)] == [200] * 3
    assert [
        client.get(address).status_code
        for address in (
            f"{items}?also=report:{hidden}",
            f"{items}?without=report:{hidden}",
            f"{compare}?first=all&second=report:{hidden}",
            f"{two}?first={free}&second={hidden}",
            f"{two}?first={hidden}&second={free}",
            f"{reverse('api_two_reports', args=[slug])}?first={free}&second={hidden}",
        )
    ] == [403] * 6


def test_figures_on_demand_have_no_number_and_no_stage(blind):
    project, free = blind.world.project, blind.free
    key = blind.world.agreement.question.key
    address = reverse("api_report_time", args=[project.slug, free.pk, key])
    Report.objects.filter(pk=blind.world.report.pk).update(stage="Comparing rounds of answer")
    answers = {}
    for place, subject in enumerate((*BLIND, "rater", "stranger")):
        client = Client()
        cast.sign_in(client, blind.world.people[subject])
        found = client.get(f"{address}?by=number&windows={place + 2}")
        answers[subject] = found.json()
        if subject in BLIND:
            listed = client.get(reverse("api_reports", args=[project.slug])).json()["results"]
            assert {each["id"]: each["stage"] for each in listed}[blind.world.report.pk] == ""

    told = [UUID(answers[subject]["id"]) for subject in BLIND]
    assert len({*told}) == len(BLIND)
    assert {each.version for each in told} == {4}
    assert {each["error"] for each in (answers["rater"], answers["stranger"])} == {"not_found"}
    for what in ("cancel", "recompute"):
        numbered = f"/p/{project.slug}/agreement/on-demand/1/{what}/"
        assert client_of(blind, "lead").post(numbered).status_code == 404


@only_in_full
def test_no_headline_and_no_result_of_hidden_labels_is_shown(blind):
    project, client = blind.world.project, client_of(blind, "lead")
    Report.objects.filter(pk=blind.free.pk).update(state=Report.State.CANCELLED)

    pages = [client.get(reverse(name, args=[project.slug])) for name in ("project", "agreement")]
    listed = client.get(reverse("api_reports", args=[project.slug])).json()["results"]

    assert [page.context["overview"].headline for page in pages[:1]] == [None]
    assert pages[1].context["headline"] is None
    assert {row["id"]: row["results"] for row in listed}[blind.world.report.pk] == []
    Round.objects.filter(pk=blind.round.pk).update(state=Round.State.CLOSED)
    assert (
        client.get(reverse("agreement", args=[project.slug])).context["headline"].report == blind.world.report
    )


@only_in_full
def test_a_link_is_not_opened_by_one_who_still_labels(blind):
    world = blind.world
    rater, left = world.people["rater"], cast.person("left", unique=True)
    for user in (rater, left):
        Assignment.objects.create(
            rater=rater_of(world.project, user), item=blind.hidden[0], round=blind.round
        )
    link, token = links.share(world.report, by=world.people["stranger"])
    clients = {name: client_of(blind, name) for name in BLIND}
    for name, user in (("rater", rater), ("left", left), ("stranger", world.people["stranger"])):
        clients[name] = Client()
        clients[name].force_login(user)
    clients["anonymous"] = Client()

    answers = {
        name: client.get(reverse("shared_report", args=[token])).status_code
        for name, client in clients.items()
    }

    assert answers == dict.fromkeys((*BLIND, "rater", "left"), 403) | {"stranger": 200, "anonymous": 200}
    link.refresh_from_db()
    assert link.n_opened == 2
    told = Event.objects.filter(kind=Event.Kind.LOOK_REFUSED, about="report opened by a link")
    assert told.filter(project_id=world.project.pk).count() == 5


def test_no_page_of_a_shared_report_is_opened_by_one_who_still_labels(blind):
    report = blind.world.report
    choices = links.LinkChoices(opens="report", names=True, shows_items=True)
    _, token = links.share(report, by=blind.world.people["stranger"], choices=choices)
    path = reverse("report_raters", args=[report.project.slug, report.pk, blind.world.agreement.question_id])

    page = reverse("shared_page", args=[token, path.lstrip("/")])
    answers = {name: client_of(blind, name).get(page).status_code for name in BLIND}

    assert answers == dict.fromkeys(BLIND, 403)
    assert Client().get(page).status_code == 200


def test_a_link_is_not_made_by_one_who_still_labels(blind):
    args, client = report_args(blind.world), client_of(blind, "lead")

    page = client.post(reverse("report_share", args=args), {"days": 3})
    api = client.post(reverse("api_report_links", args=args), {"days": 3}, content_type="application/json")

    assert (page.status_code, api.status_code) == (403, 403)
    assert not blind.world.report.links.exists()


def test_a_file_of_labels_is_not_held_against_hidden_ones(blind):
    project, client = blind.world.project, client_of(blind, "lead")
    address, api = reverse("imports", args=[project.slug]), reverse("api_imports", args=[project.slug])
    labels = b"item,rater,label\nitem-00000,rater-000,good\n"

    page = client.post(address, {"what": "labels", "file": SimpleUploadedFile("labels.csv", labels)})
    over_api = client.post(f"{api}?dry_run=true", labels, content_type="text/csv")
    table = SimpleUploadedFile("items.csv", b"item,text\nnew,Text\n")
    form = {"what": "items", "file": table, "encoding": "utf-8"}
    items = client.post(address, form)
    items_over_api = client.post(f"{api}?kind=items", b"item,text\nnewer,Text\n", content_type="text/csv")

    assert (page.status_code, over_api.status_code, items_over_api.status_code) == (403, 403, 201)
    assert client.get(api).status_code == 403
    assert [run.kind for run in project.imports.all()] == ["items", "items"]
    assert client.get(items["Location"]).status_code == 200


def test_a_route_that_says_nothing_of_itself_counts_as_one_that_shows_all_labels(blind, monkeypatch):
    monkeypatch.delitem(LABEL_ACCESS, "report_question")
    address = reverse("report_question", args=question_args(replace(blind.world, report=blind.free)))

    assert client_of(blind, "lead").get(address).status_code == 403
