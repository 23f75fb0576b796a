"""Lists made of the items behind a figure: frozen, shared, adjudicated, and blind where their readers still label."""

import re

import pytest
from django.test import Client

from projects.items.lists import NoItems, items_of_list, make_list
from projects.models import Item, ItemList, Membership, Project, Round
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.models import Assignment, Rater
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, text_of

# Of 30 items raters differ on the last 12.
ROWS = [
    (f"item-{place:02}", rater, "no" if rater == "ben" and place >= 18 else "yes")
    for place in range(30)
    for rater in ("ana", "ben")
]


@pytest.fixture
def reported(lead):
    project = led_by(lead, cast.new_project("Listed", unique=True))
    add_labels(new_question(project), ROWS)
    return finished_report(project, lead)


def items_page(report, query: str = "?in=dispute") -> str:
    return (
        f"/p/{report.project.slug}/agreement/{report.pk}/{report.questions.get().question_id}/items/{query}"
    )


def made_by(client: Client, report, **sent) -> ItemList:
    page = client.get(items_page(report)).content.decode()
    [action] = re.findall(r'action="([^"]*/items/list/[^"]*)"', page)
    client.post(action.replace("&amp;", "&"), sent)
    return ItemList.objects.get(project=report.project)


def test_the_first_items_of_a_finding_become_a_list(client, lead, reported):
    made = made_by(client, reported, n="5", name="To discuss")

    page = text_of(client.get(f"/p/{reported.project.slug}/lists/{made.pk}/"))
    assert [item.key for item in items_of_list(made)] == [f"item-{place}" for place in range(18, 23)]
    assert "To discuss" in page
    assert "5 items · created" in page
    assert "item-18" in page
    assert made.created_by == lead
    assert "To discuss" in text_of(client.get(f"/p/{reported.project.slug}/lists/"))


def test_a_list_stays_as_it_is_when_labels_change(client, reported):
    made = made_by(client, reported, n="20", name="")
    before = [item.pk for item in items_of_list(made)]

    add_labels(reported.project.questions.get(), [("item-00", "cleo", "no")])

    assert made.name == "answer: 12 items"
    assert [item.pk for item in items_of_list(made)] == before


def test_disputes_of_a_list_alone_are_adjudicated(client, reported):
    made = made_by(client, reported, n="5", name="To discuss")

    found = OpenDisputes(reported.project, DisputeFilter(list=made.pk))

    assert (len(found), len(OpenDisputes(reported.project, DisputeFilter()))) == (5, 12)
    page = text_of(client.get(f"/p/{reported.project.slug}/adjudicate/?list={made.pk}"))
    assert "5 disputes · 0 resolved · 5 open" in page
    next_one = client.get(f"/p/{reported.project.slug}/adjudicate/next/?list={made.pk}")
    assert next_one.url.endswith(f"?list={made.pk}")
    assert client.get(f"/p/{reported.project.slug}/adjudicate/?list=999999").status_code == 404


@pytest.mark.parametrize(
    ("role", "sees", "makes"),
    [
        (Membership.Role.ADJUDICATOR, 200, 302),
        (Membership.Role.AUDITOR, 200, 403),
        (Membership.Role.RATER, 404, 404),
    ],
)
def test_who_sees_labels_reads_a_list_and_who_asks_for_reports_makes_one(reported, lead, role, sees, makes):
    project = reported.project
    made = make_list(project, "To discuss", [project.items.first().pk], by=lead)
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    own = cast.signed_in(cast.member(project, role, username="mia", unique=True))

    read = own.get(f"/p/{project.slug}/lists/{made.pk}/")
    sent = own.post(items_page(reported).replace("items/?", "items/list/?"), {"n": "2"})

    assert (read.status_code, sent.status_code) == (sees, makes)
    if sees == 200:
        assert ("Adjudicate these items" in text_of(read)) == (role == Membership.Role.ADJUDICATOR)
        offered = "data-make-list" in own.get(items_page(reported)).content.decode()
        assert offered == (makes == 302)


def test_items_that_the_reader_still_labels_are_left_out(client, lead, reported):
    project = reported.project
    made = make_list(project, "To discuss", list(project.items.values_list("pk", flat=True)[:4]), by=lead)
    round_ = Round.objects.create(project=project, key="second", position=1)
    rater = Rater.objects.create(project=project, key="lena", user=lead)
    item = project.items.first()
    Assignment.objects.create(rater=rater, item=item, round=round_, position=0)

    page = text_of(client.get(f"/p/{project.slug}/lists/{made.pk}/"))

    assert "1 item of rounds in which you label is not listed" in page
    assert item.key not in page
    assert "3 items · created" in page


def test_a_list_of_another_project_does_not_exist(client, lead, reported):
    other = led_by(lead, cast.new_project("Other", unique=True))
    item = Item.objects.create(project=other, key="theirs")
    made = make_list(other, "Theirs", [item.pk], by=lead)

    assert client.get(f"/p/{reported.project.slug}/lists/{made.pk}/").status_code == 404
    with pytest.raises(NoItems):
        make_list(reported.project, "Stolen", [item.pk], by=lead)
