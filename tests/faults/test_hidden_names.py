"""Where adjudicators are not to know who the raters are, no page and no answer that they may open says it."""

import io
import re
import zipfile
from copy import deepcopy
from functools import cache
from html import unescape

import pytest
from django.db import transaction
from django.test import Client
from django.urls import resolve, reverse

from projects.models import Project
from raters.items.item_letters import hidden_letters
from raters.labeling.saving import set_history_context
from raters.models import Label, LabelImport, Rater, User
from reports.access import OF_LABELS
from reports.hidden_names import LETTERED, WITHHELD, is_withheld
from reports.models import Report
from tests import cast
from tests.config.routes import ROWS
from tests.config.routes.row import Row
from tests.faults.blind_world import undone
from tests.faults.matrix import send
from tests.finished import World, finished_report, look_ahead, new_world
from tests.sizes import some

pytestmark = pytest.mark.faults
# Raters of the world, and the account of one.
NAMES = re.compile(r"\brater-(?:\d{3}|[0-9a-f]{8})\b")
LOOKED_AT = [row for row in ROWS if row.method == "get" and row.answers[4] == 200]
# What names a rater in an address.
OF_RATER = {"a", "b", "rater"}


@pytest.fixture
def nameless_world(committed_db) -> World:
    """Made once; what a test does to it is undone."""
    return deepcopy(_made_once())


@cache
def _made_once() -> World:
    made = new_world("nameless", n_items=6, n_raters=3)
    Project.objects.filter(pk=made.project.pk).update(adjudicators_see_names=False)
    made.project.refresh_from_db()
    _import_of_a_rater(made)
    return made


def _import_of_a_rater(world: World) -> None:
    """A label is changed by a file that is named after its rater."""
    rater = world.pair.rater_a
    run = LabelImport.objects.create(
        project=world.project,
        asked_by=world.lead,
        state=LabelImport.State.DONE,
        file_name=f"{rater.key}.csv",
        sha256="1" * 64,
        n_bytes=1,
    )
    with transaction.atomic():
        set_history_context(world.lead, run.origin)
        Label.objects.filter(rater=rater, item=world.item).update(note="Imported.")


def lettered_address(world: World, row: Row) -> str:
    """The address as a page under letters writes it."""
    address = reverse(row.name, args=row.args(world))
    match = resolve(address)
    letters = hidden_letters(world.people["adjudicator"], world.project)
    if letters is None or row.name not in LETTERED:
        return address
    kwargs = {
        name: letters.visible_id(value) if name in OF_RATER else value for name, value in match.kwargs.items()
    }
    if "b" in kwargs:
        # Of two raters, the one whose letter is first.
        kwargs["a"], kwargs["b"] = sorted((kwargs["a"], kwargs["b"]))
    return reverse(row.name, kwargs=kwargs)


def lettered_query(world: World, row: Row) -> str:
    """What the address asks for, as a page under letters writes it."""
    letters = hidden_letters(world.people["adjudicator"], world.project)
    if letters is None or row.name not in LETTERED:
        return row.query
    return NAMES.sub(lambda found: letters.visible_key(found[0]), row.query)


def text_of(response) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content[:2] != b"PK":
        return content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(archive.read(name).decode(errors="replace") for name in archive.namelist())


@pytest.mark.parametrize("row", some(LOOKED_AT, every=3), ids=str)
def test_no_name_is_shown(nameless_world, row: Row) -> None:
    with undone():
        address = lettered_address(nameless_world, row)
        client = Client()
        cast.sign_in(client, nameless_world.people["adjudicator"])
        response = send(client, row, address + lettered_query(nameless_world, row))
        assert response.status_code == (403 if is_withheld(resolve(address)) else 200)
        # The name that was asked for is in the address of the page itself.
        assert NAMES.findall(text_of(response)) == []


@pytest.mark.parametrize(
    "row", some((row for row in LOOKED_AT if row.name in LETTERED | WITHHELD), every=3), ids=str
)
def test_the_auditor_sees_all_of_it(nameless_world, row: Row) -> None:
    """Names are hidden from adjudicators alone."""
    with undone():
        client = Client()
        cast.sign_in(client, nameless_world.people["auditor"])
        address = reverse(row.name, args=row.args(nameless_world)) + row.query
        assert send(client, row, address).status_code == 200


@pytest.mark.parametrize("row", some((row for row in LOOKED_AT if not row.is_api), every=3), ids=str)
def test_no_page_leads_to_what_is_withheld(nameless_world, row: Row) -> None:
    with undone():
        client = Client()
        cast.sign_in(client, nameless_world.people["adjudicator"])
        address = lettered_address(nameless_world, row) + lettered_query(nameless_world, row)
        if is_withheld(resolve(address.partition("?")[0])):
            return
        page = send(client, row, address)
        if not page.get("Content-Type", "").startswith("text/html"):
            return
        _, _, main = page.content.decode().partition("<main")
        leads_to = {unescape(found).partition("?")[0] for found in re.findall(r'href="(/p/[^"#]*)', main)}
        assert [each for each in sorted(leads_to) if is_withheld(resolve(each))] == []


def test_letters_stay_the_same_and_say_nothing(nameless_world) -> None:
    adjudicator = nameless_world.people["adjudicator"]
    letters = hidden_letters(adjudicator, nameless_world.project)

    assert letters == hidden_letters(adjudicator, nameless_world.project)
    assert sorted(letters.names.values()) == ["A", "B", "C"]
    assert sorted(letters.keys) == ["rater-000", "rater-001", "rater-002"]
    assert hidden_letters(nameless_world.lead, nameless_world.project) is None


def test_figures_are_those_of_the_rater_behind_the_letter(nameless_world) -> None:
    """The pair of two letters has the kappa of the two raters that they stand for."""
    world, pair = nameless_world, nameless_world.pair
    letters = hidden_letters(world.people["adjudicator"], world.project)
    question = f"/api/v1/projects/{world.project.slug}/reports/{world.report.pk}/questions/answer"
    with undone():
        of_lead, of_adjudicator = Client(), Client()
        cast.sign_in(of_lead, world.lead)
        cast.sign_in(of_adjudicator, world.people["adjudicator"])

        def kappas(client):
            rows = client.get(f"{question}/pairs/").json()["results"]
            assert all(row["rater_a_id"] < row["rater_b_id"] for row in rows)
            return {frozenset((row["rater_a"], row["rater_b"])): row["kappa"] for row in rows}

        real, shown = kappas(of_lead), kappas(of_adjudicator)

    both = frozenset((pair.rater_a.key, pair.rater_b.key))
    assert shown[frozenset(letters.visible_key(key) for key in both)] == real[both]
    assert len(shown) == len(real) == 3


def test_what_adjudicators_send_names_nobody_by_letter(nameless_world) -> None:
    """Nothing is written under letters: notes and filters would be about others."""
    world = nameless_world
    with undone():
        client = Client()
        cast.sign_in(client, world.people["adjudicator"])
        args = [world.project.slug, world.report.pk, world.agreement.question_id]
        for name in ("report_filter", "report_finding_note"):
            assert client.post(reverse(name, args=args)).status_code == 403
        page = client.get(reverse("report_question", args=args)).content.decode()
        main = page[page.index("<main") : page.index("</main>")]
        assert 'method="post"' not in main
        assert "report-name" not in main
        assert 'class="rename' not in main
        # Whoever reads it can still sign out.
        assert 'method="post"' in page
        assert reverse("report_finding_note", args=args) not in main
        # Of the same rater, the reference is chosen by nobody.
        form = client.get(reverse("agreement", args=args[:1])).context["form"]
        assert [value for value, _ in form.fields["reference"].choices] == [""]
    assert Rater.objects.filter(project=world.project).count() == 3


def test_pages_say_which_letters_they_show(nameless_world, both_clients) -> None:
    """The letters of reports are not those of items, which differ from item to item."""
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    slug, question = world.project.slug, world.agreement.question_id
    pages = {
        reverse("report_question", args=[slug, world.report.pk, question]): "report",
        reverse("report_raters", args=[slug, world.report.pk, question]): "report",
        reverse("item", args=[slug, world.item.pk]): "item",
        reverse("adjudicate_item", args=[slug, world.item.pk, question]): "item",
        reverse("adjudicate_whole", args=[slug, world.item.pk]): "item",
    }
    with undone():
        for address, which in pages.items():
            assert re.findall(r'data-letters="(\w+)"', main_of(of_adjudicator, address)) == [which]
        assert "data-letters" not in main_of(of_lead, reverse("item", args=[slug, world.item.pk]))
        assert "data-letters" not in main_of(of_lead, next(iter(pages)))


def test_exports_that_name_raters_are_not_listed(nameless_world, both_clients) -> None:
    world, (_, of_adjudicator) = nameless_world, both_clients
    args = [world.project.slug, world.report.pk]
    with undone():
        listed = []
        for client in both_clients:
            page = client.get(reverse("report_exports", args=args))
            names = {row.file.name for _, rows in page.context["groups"] for row in rows}
            assert {row["name"] for row in client.get(reverse("api_exports", args=args)).json()} == names
            assert ('id="labels-hidden"' in page.content.decode()) == (client is of_adjudicator)
            listed.append(names)
        assert listed[0] - listed[1] == OF_LABELS
        for name in listed[1]:
            assert of_adjudicator.get(reverse("report_export", args=[*args, name])).status_code == 200


def main_of(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    html = page.content.decode()
    return html[html.index("<main") : html.index("</main>")]


def later_report(world: World) -> Report:
    """A second report, after a label was changed."""
    label = Label.objects.filter(rater=world.pair.rater_a).select_related("question").first()
    other = label.question.categories.exclude(pk=label.category_id).first()
    Label.objects.filter(pk=label.pk).update(category=other)
    return finished_report(world.project, world.lead)


@pytest.fixture
def both_clients(nameless_world) -> tuple[Client, Client]:
    of_lead, of_adjudicator = Client(), Client()
    cast.sign_in(of_lead, nameless_world.lead)
    cast.sign_in(of_adjudicator, nameless_world.people["adjudicator"])
    return of_lead, of_adjudicator


def test_a_list_is_made_of_the_items_behind_a_letter(nameless_world, both_clients) -> None:
    """The items that one of two raters labeled alone, sent by letters, are those of the two raters."""
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    letters = hidden_letters(world.people["adjudicator"], world.project)
    args = [world.project.slug, world.report.pk, world.agreement.question_id]
    rater = world.pair.rater_a
    with undone():
        make, listed = reverse("report_items_list", args=args), reverse("report_items", args=args)
        rows = {}
        for client, named in ((of_lead, rater.key), (of_adjudicator, letters.visible_key(rater.key))):
            query = f"?rater={named}"
            main = main_of(client, listed + query)
            assert f'action="{make}{query}"' in main
            made = client.post(make + query, {"name": f"of {named}", "n": "50"})
            assert made.status_code == 302
            found = world.project.item_lists.get(name=f"of {named}")
            rows[named] = list(found.entries.order_by("item").values_list("item", flat=True))
            assert (
                NAMES.findall(main_of(of_adjudicator, made["Location"]).replace(f"of {rater.key}", "")) == []
            )

        assert rows[rater.key] == rows[letters.visible_key(rater.key)] != []
        # Whoever sends a key instead of a letter finds nobody.
        assert of_adjudicator.post(f"{make}?rater={rater.key}", {"name": "x", "n": "5"}).status_code == 404


def test_a_report_is_filtered_by_letters(nameless_world, both_clients) -> None:
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    letters = hidden_letters(world.people["adjudicator"], world.project)
    address = reverse(
        "report_filter", args=[world.project.slug, world.report.pk, world.agreement.question_id]
    )
    keys = [world.pair.rater_a.key, world.pair.rater_b.key]
    Rater.objects.filter(pk=world.pair.rater_a_id).update(attributes={"site": "north"})
    with undone():
        real, shown = (
            client.get(address, {"raters": named})
            for client, named in (
                (of_lead, keys), (of_adjudicator, [letters.visible_key(key) for key in keys])
            )
        )  # fmt: skip

        assert NAMES.findall(shown.content.decode()) == []
        assert real.context["left"].n_labels == shown.context["left"].n_labels > 0
        assert [raters for raters, _ in shown.context["raters"]] == ["A", "B", "C"]
        # What is known of raters would tell who they are.
        assert shown.context["rater_attributes"] == []
        assert of_adjudicator.get(address, {"rater_attribute": "site=north"}).status_code == 404
        # A report that is limited to letters is limited to nobody.
        assert of_adjudicator.post(f"{address}?raters=A").status_code == 403


def test_two_reports_are_compared_under_letters(nameless_world, both_clients, monkeypatch) -> None:
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    letters = hidden_letters(world.people["adjudicator"], world.project)
    second = later_report(world)
    ids = f"?first={world.report.pk}&second={second.pk}"
    page = reverse("two_reports", args=[world.project.slug]) + ids
    api = reverse("api_two_reports", args=[world.project.slug]) + ids
    look_ahead(world.lead, page)
    with undone():
        shown = main_of(of_adjudicator, page)
        real, told = of_lead.get(api).json(), of_adjudicator.get(api)

        assert NAMES.findall(shown) == []
        assert NAMES.findall(told.content.decode()) == []
        both = sorted(letters.visible_key(real["pairs"][0][name]) for name in ("rater_a", "rater_b"))
        assert " × ".join(both) in shown

        def values(found, name_of):
            return {
                frozenset(map(name_of, (each["rater_a"], each["rater_b"]))): each["difference"]["first"]
                for each in found["pairs"]
            }

        assert values(real, letters.visible_key) == values(told.json(), str)
        # Each pair leads to its page, where it is the same one.
        assert (
            of_adjudicator.get(
                reverse("pair", args=[world.project.slug, second.pk, world.agreement.question_id, 1, 2])
            ).status_code
            == 200
        )
    # The control: without letters, the page would name raters.
    monkeypatch.setattr("reports.hidden_names.letters_for", lambda request: None)
    with undone():
        assert NAMES.findall(of_adjudicator.get(page).content.decode()) != []


def test_no_time_says_who_was_at_work(nameless_world, both_clients) -> None:
    """Times of labels by letter could be matched with the times at which raters were seen."""
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    project = f"/api/v1/projects/{world.project.slug}"

    def times(client):
        history = client.get(f"{project}/items/{world.item.pk}/history/").json()["results"]
        progress = client.get(f"{project}/progress/").json()["raters"]
        pages = [
            client.get(reverse("item", args=[world.project.slug, world.item.pk])).content.decode(),
            client.get(reverse("progress", args=[world.project.slug])).content.decode(),
        ]
        assert history
        assert progress
        return (
            [change["at"] for change in history if change["rater_kind"] != "consensus"],
            [rater["last_seen"] for rater in progress],
            ["data-at" in pages[0], "data-last-seen" in pages[1]],
        )

    with undone():
        Rater.objects.filter(pk=world.pair.rater_a.pk).update(
            user=User.objects.create(username="with-account")
        )
        known, hidden = times(of_lead), times(of_adjudicator)

    at, seen, shown = known
    assert len(at) > 1
    assert all(at)
    assert any(seen)
    assert shown == [True, True]
    at, seen, shown = hidden
    assert not any(at)
    assert not any(seen)
    assert shown == [False, False]


def test_no_order_says_who_labeled_first(nameless_world, both_clients) -> None:
    """The history of an item is in the order of letters, also if raters label in turns and after a decision."""
    world, (of_lead, of_adjudicator) = nameless_world, both_clients
    address = f"/api/v1/projects/{world.project.slug}/items/{world.item.pk}/history/"
    page = reverse("item", args=[world.project.slug, world.item.pk])
    labels = Label.objects.filter(item=world.item).order_by("rater")

    def orders(client):
        of_api = [change["rater"] for change in client.get(address).json()["results"]]
        return of_api, [change.rater for change in client.get(page).context["changes"]]

    with undone():
        for note in ("once", "twice"):
            for label in labels:
                Label.objects.filter(pk=label.pk).update(note=note)
        known, hidden = orders(of_lead), orders(of_adjudicator)

    assert known[0] == known[1] != sorted(known[0])
    assert hidden[0] == hidden[1] == sorted(hidden[0])
    assert len(set(hidden[0])) > 1
