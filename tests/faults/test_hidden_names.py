"""Where adjudicators are not to know who the raters are, no page and no answer that they may open says it."""

import io
import re
import zipfile
from copy import deepcopy
from functools import cache

import pytest
from django.test import Client
from django.urls import resolve, reverse

from projects.models import Project
from raters.items.hidden_names import hidden_letters
from raters.models import Rater
from reports.hidden_names import LETTERED, WITHHELD, is_withheld
from tests.config.routes import ROWS
from tests.config.routes.row import Row
from tests.faults.blind_world import undone
from tests.faults.matrix import send
from tests.finished import World, new_world

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
    return made


def lettered_address(world: World, row: Row) -> str:
    """The address as a page under letters writes it."""
    address = reverse(row.name, args=row.args(world))
    match = resolve(address)
    letters = hidden_letters(world.people["adjudicator"], world.project)
    if letters is None or row.name not in LETTERED:
        return address
    kwargs = {
        name: letters.shown_id(value) if name in OF_RATER else value for name, value in match.kwargs.items()
    }
    if "b" in kwargs:
        # Of two raters, the one whose letter is first.
        kwargs["a"], kwargs["b"] = sorted((kwargs["a"], kwargs["b"]))
    return reverse(row.name, kwargs=kwargs)


def text_of(response) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content[:2] != b"PK":
        return content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(archive.read(name).decode(errors="replace") for name in archive.namelist())


@pytest.mark.parametrize("row", LOOKED_AT, ids=str)
def test_no_name_is_shown(nameless_world, row: Row) -> None:
    with undone():
        address = lettered_address(nameless_world, row)
        client = Client()
        client.force_login(nameless_world.people["adjudicator"])
        response = send(client, row, address + row.query)
        assert response.status_code == (403 if is_withheld(resolve(address)) else 200)
        # The name that was asked for is in the address of the page itself.
        assert NAMES.findall(text_of(response)) == []


@pytest.mark.parametrize("row", [row for row in LOOKED_AT if row.name in LETTERED | WITHHELD], ids=str)
def test_the_auditor_sees_all_of_it(nameless_world, row: Row) -> None:
    """Names are hidden from adjudicators alone."""
    with undone():
        client = Client()
        client.force_login(nameless_world.people["auditor"])
        address = reverse(row.name, args=row.args(nameless_world)) + row.query
        assert send(client, row, address).status_code == 200


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
        of_lead.force_login(world.lead)
        of_adjudicator.force_login(world.people["adjudicator"])

        def kappas(client):
            rows = client.get(f"{question}/pairs/").json()["results"]
            assert all(row["rater_a_id"] < row["rater_b_id"] for row in rows)
            return {frozenset((row["rater_a"], row["rater_b"])): row["kappa"] for row in rows}

        real, shown = kappas(of_lead), kappas(of_adjudicator)

    both = frozenset((pair.rater_a.key, pair.rater_b.key))
    assert shown[frozenset(letters.shown_key(key) for key in both)] == real[both]
    assert len(shown) == len(real) == 3


def test_what_adjudicators_send_names_nobody_by_letter(nameless_world) -> None:
    """Nothing is written under letters: notes and filters would be about others."""
    world = nameless_world
    with undone():
        client = Client()
        client.force_login(world.people["adjudicator"])
        args = [world.project.slug, world.report.pk, world.agreement.question_id]
        for name in ("report_filter", "report_finding_note", "report_items_list"):
            assert client.post(reverse(name, args=args)).status_code == 403
        page = client.get(reverse("report_question", args=args)).content.decode()
        main = page[page.index("<main") : page.index("</main>")]
        assert 'method="post"' not in main
        assert "report-name" not in main
        assert 'class="rename' not in main
        # Whoever reads it can still sign out.
        assert 'method="post"' in page
        assert reverse("report_filter", args=args) not in main
        # Of the same rater, the reference is chosen by nobody.
        form = client.get(reverse("agreement", args=args[:1])).context["form"]
        assert [value for value, _ in form.fields["reference"].choices] == [""]
    assert Rater.objects.filter(project=world.project).count() == 3
