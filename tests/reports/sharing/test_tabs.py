"""Time, subgroups, comparisons, and filters by a link: computed for a guest, under letters, and within the link."""

import pytest
from django.test import Client
from django.urls import reverse

from reports.models import OnDemandFigures
from tests.finished import finished_report
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.test_pages import newer_report, question_of, status, within
from tests.reports.sharing.worlds import NAMES

TABS = ("report_time", "report_subgroups", "report_compare", "report_filter")


def tab(address, name, report, query=""):
    return Client().get(within(address, name, report, question_of(report)) + query)


@pytest.mark.parametrize("name", TABS)
def test_each_tab_opens_and_writes_nothing(report_of_kind, name):
    before = OnDemandFigures.objects.count()
    _, address = shared(report_of_kind)

    answer = tab(address, name, report_of_kind)

    assert answer.status_code == 200
    assert 'aria-current="page"' in answer.content.decode()
    assert not [each for each in NAMES if each in answer.content.decode()]
    assert OnDemandFigures.objects.count() == before


@pytest.mark.parametrize("names", [True, False])
def test_attributes_of_raters_are_shown_with_names_only(single_report, names):
    _, address = shared(single_report, names=names)
    by_group, by_length = (
        tab(address, "report_subgroups", single_report, f"?attribute={of}")
        for of in ("rater:group", "item:length")
    )

    assert by_group.status_code == (200 if names else 400)
    assert ("rater:group" in by_length.content.decode()) is names
    assert [row.name for row in by_length.context["rows"]] == ["long", "short"]
    choices = tab(address, "report_filter", single_report).context["rater_attributes"]
    assert bool(choices) is names


def test_figures_over_time_are_those_of_members(single_report, client):
    question = question_of(single_report)
    _, address = shared(single_report)
    args = [single_report.project.slug, single_report.pk, question]

    of_member = client.get(reverse("report_time", args=args), {"by": "number", "windows": 4})
    of_guest = tab(address, "report_time", single_report, "?by=number&windows=4")

    assert [row.value for row in of_guest.context["rows"]] == [row.value for row in of_member.context["rows"]]
    assert of_guest.context["rows"]


def letters_by_name(link):
    keys = dict(link.report.project.raters.values_list("pk", "key"))
    return {keys[pk]: ("ABCD"[place], place + 1) for place, pk in enumerate(link.letters)}


def test_pairs_compared_by_letters_are_those_compared_by_names(single_report, client):
    link, address = shared(single_report)
    ids = dict(single_report.project.raters.values_list("key", "pk"))
    shown = letters_by_name(link)
    four = ("Quillfeather", "Zuckermann", "Quillfeather", "Montezuma")

    def query(of):
        return "?" + "&".join(f"{name}={of(key)}" for name, key in zip("abcd", four, strict=True))

    args = [single_report.project.slug, single_report.pk, question_of(single_report)]
    of_member = client.get(reverse("report_compare", args=args) + query(ids.get))
    of_guest = tab(address, "report_compare", single_report, query(lambda key: shown[key][1]))

    rows, expected = of_guest.context["rows"], of_member.context["rows"]
    assert rows
    assert [(row.first, row.second, row.value) for row in rows] == [
        (row.first, row.second, row.value) for row in expected
    ]
    letters = [shown[key][0] for key in four]
    assert of_guest.context["found"].first == f"{letters[0]} × {letters[1]}"


def test_a_filter_by_letter_is_that_by_name(single_report, client):
    link, address = shared(single_report)
    shown = letters_by_name(link)
    two = ("Quillfeather", "Zuckermann")
    args = [single_report.project.slug, single_report.pk, question_of(single_report)]

    of_member = client.get(reverse("report_filter", args=args), {"raters": two})
    of_guest = tab(
        address, "report_filter", single_report, "?" + "&".join(f"raters={shown[key][0]}" for key in two)
    )

    assert of_guest.context["left"].n_labels == of_member.context["left"].n_labels
    assert not [name for name in NAMES if name in of_guest.content.decode()]


@pytest.mark.parametrize("shows_items", [True, False])
def test_words_of_items_are_searched_only_where_items_are_shown(single_report, shows_items):
    _, address = shared(single_report, shows_items=shows_items)

    page = tab(address, "report_filter", single_report, "?words=wordsof003")

    assert bool(page.context["asked"].words) is shows_items
    assert ('name="words"' in page.content.decode()) is shows_items
    assert (page.context["left"].n_items == 1) is shows_items


def test_a_filter_is_not_saved_by_a_link(single_report):
    _, address = shared(single_report, shows_items=True)
    page = within(address, "report_filter", single_report, question_of(single_report)) + "?since=2020-01-01"

    assert Client().post(page).status_code == 405
    assert "Save as a report" not in Client().get(page).content.decode()


def test_only_reports_of_the_link_are_compared(single_report):
    _, follows = shared(single_report, follows=True)
    _, stays = shared(single_report)
    newer = newer_report(single_report)
    other = finished_report(single_report.project, single_report.asked_by, confidence=0.9)

    def compared(address, second):
        return tab(address, "report_compare", single_report, f"?first=all&second=report:{second.pk}")

    assert [compared(follows, each).status_code for each in (newer, other)] == [200, 400]
    assert [compared(stays, each).status_code for each in (newer, other)] == [400, 400]
    assert f"report:{newer.pk}" in compared(follows, newer).content.decode()
    assert f"report:{other.pk}" not in compared(follows, newer).content.decode()


def test_two_reports_side_by_side_where_the_link_opens_both(single_report):
    _, follows = shared(single_report, follows=True)
    _, stays = shared(single_report)
    newer = newer_report(single_report)
    other = finished_report(single_report.project, single_report.asked_by, confidence=0.9)
    page = reverse("two_reports", args=[single_report.project.slug]).lstrip("/")

    def query(second):
        return f"{page}?first={single_report.pk}&second={second.pk}"

    assert [status(follows + query(each)) for each in (newer, other)] == [200, 400]
    assert status(stays + query(newer)) == 404
    text = Client().get(follows + query(newer)).content.decode()
    assert not [name for name in (*NAMES, "Newcomer", single_report.asked_by.username) if name in text]
    assert "itemkey" not in text


def test_every_address_behind_a_link_that_follows_names_nobody(single_report):
    _, address = shared(single_report, follows=True, shows_items=True, allows_export=True)
    newer_report(single_report)

    found = dict(everything_behind(address))

    words = (*NAMES, "Newcomer", single_report.asked_by.username)
    assert not {
        (word, here) for here, text in found.items() for word in words if word.casefold() in text.casefold()
    }
    assert any("/compare/" in here for here in found)


@pytest.mark.parametrize("name", ["report_items", "report_filter"])
def test_lists_of_items_know_no_report_but_those_of_the_link(single_report, name):
    newer = newer_report(single_report)
    _, address = shared(single_report, shows_items=True)

    def opened(of):
        query = f"?also=report:{of}" if name == "report_items" else f"?items=%3Falso%3Dreport%253A{of}"
        return tab(address, name, single_report, query).status_code

    assert tab(address, name, single_report).status_code == 200
    assert opened(newer.pk) == 404
