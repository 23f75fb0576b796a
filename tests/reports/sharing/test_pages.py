"""What a link opens: the pages of its report, as far as it allows, and nothing else, until it ends."""

import re
from datetime import timedelta
from itertools import islice

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from selectolax.lexbor import LexborHTMLParser

from projects.models import Event
from raters.models import Label, Rater
from reports.access import OF_LABELS, WITHOUT_ITEMS
from reports.exports.export_list import LABELS, PAPER, RESULTS, SCRIPTS
from reports.models import ReportLink
from reports.store import links
from tests.finished import finished_report
from tests.reports.sharing.reader import everything_behind, shared
from tests.reports.sharing.worlds import NAMES
from tests.sizes import size

TRAIL = re.compile(r'<p class="breadcrumbs">([^<]*)</p>')
DESIGN = re.compile(r'<p [^>]*id="design">([^<]*)</p>')


def within(address: str, name: str, report, *more) -> str:
    """A page of the report under the address of a link."""
    return address + reverse(name, args=[report.project.slug, report.pk, *more]).lstrip("/")


def status(address: str) -> int:
    return Client().get(address).status_code


def question_of(report) -> int:
    return report.questions.get().question_id


def test_the_link_leads_to_the_report_itself(single_report):
    _, address = shared(single_report)

    answer = Client().get(address, follow=True)

    assert answer.status_code == 200
    assert answer.templates[0].name == "reports/question/page.html"
    assert "Recompute" not in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "noindex" in answer["X-Robots-Tag"]
    assert not answer.cookies


def test_a_reader_sees_the_project_and_no_remains_of_links_for_members(single_report):
    _, address = shared(single_report)

    answer = Client().get(address, follow=True)

    html = answer.content.decode()
    assert TRAIL.findall(html) == [escape(single_report.project.name)]
    assert [words.strip() for words in DESIGN.findall(html)] == list(
        filter(None, [" ".join(answer.context["design"])])
    )


def test_figures_of_a_summary_have_a_zero_before_the_decimal_point(single_report):
    _, address = shared(single_report, opens=ReportLink.Opens.SUMMARY)

    table = Client().get(address).context["table"]

    cells = [cell for row in table.rows for cell in row]
    assert any(cell.lstrip("[−").startswith("0.") for cell in cells)
    assert not any(cell.lstrip("[−").startswith(".") for cell in cells)


def test_a_summary_lists_the_works_that_it_cites(single_report):
    _, address = shared(single_report, opens=ReportLink.Opens.SUMMARY)

    page = Client().get(address)

    works = LexborHTMLParser(page.content).css("#references .reference")
    assert [work.text() for work in works] == list(page.context["prose"].references)
    assert works


def test_names_are_shown_only_if_they_are_chosen(single_report):
    question = question_of(single_report)
    pages = {}
    for names in (False, True):
        _, address = shared(single_report, names=names)
        pages[names] = (
            Client().get(within(address, "report_raters", single_report, question)).content.decode()
        )

    assert not [name for name in NAMES if name in pages[False]]
    assert all(name in pages[True] for name in NAMES)


def test_each_link_draws_its_own_letters(single_report):
    drawn = {tuple(shared(single_report)[0].letters) for _ in range(12)}

    assert len(drawn) > 1
    assert {frozenset(each) for each in drawn} == {
        frozenset(single_report.project.raters.values_list("pk", flat=True))
    }


def test_a_letter_stays_with_its_rater(single_report):
    _, address = shared(single_report)
    page = within(address, "report_raters", single_report, question_of(single_report))
    before = Client().get(page).content

    Rater.objects.create(project=single_report.project, key="Aaron")

    assert Client().get(page).content == before


@pytest.mark.parametrize(
    ("name", "more"),
    [("report_items", ()), ("report_rater_items", (1,)), ("pair_items", (1, 2))],
)
def test_items_are_opened_only_if_the_link_allows_it(single_report, name, more):
    question = question_of(single_report)
    answers = [
        status(within(shared(single_report, shows_items=shows)[1], name, single_report, question, *more))
        for shows in (False, True)
    ]

    assert answers == [404, 200]


def test_files_are_sent_only_if_the_link_allows_it(single_report):
    _, without = shared(single_report, shows_items=True)
    _, lettered = shared(single_report, shows_items=True, allows_export=True)
    _, named = shared(single_report, names=True, shows_items=True, allows_export=True)
    _, hidden = shared(single_report, names=True, allows_export=True)
    files = ("table.html", "labels-wide.csv", "recompute.py")

    answers = [
        [status(within(address, "report_export", single_report, file)) for file in files]
        for address in (without, lettered, named, hidden)
    ]

    assert answers == [[404, 404, 404], [200, 404, 404], [200, 200, 200], [200, 404, 404]]
    assert status(within(without, "report_exports", single_report)) == 404


def test_every_file_is_known_to_hold_labels_or_not():
    assert {file.name for file in (*PAPER, *RESULTS)} == WITHOUT_ITEMS
    assert {file.name for file in (*LABELS, *SCRIPTS)} == OF_LABELS


@pytest.mark.parametrize(
    "name", ["provenance", "report_recompute", "report_cancel", "report_share", "verify", "report_retry"]
)
def test_nothing_else_of_the_report_is_opened(single_report, name):
    _, address = shared(single_report, names=True, shows_items=True, allows_export=True)
    page = within(address, name, single_report)

    assert Client().get(page).status_code == 404
    assert Client().post(page).status_code == 405


def test_no_other_page_is_opened(single_report, lead):
    other = finished_report(single_report.project, lead, confidence=0.9)
    slug = single_report.project.slug
    _, address = shared(single_report, names=True, shows_items=True, allows_export=True)

    pages = [
        f"p/{slug}/",
        f"p/{slug}/items/",
        f"p/{slug}/agreement/",
        "help/",
        "api/",
        "",
        "nothing",
        "account/",
    ]
    pages.append(other.get_absolute_url().lstrip("/"))

    assert [status(address + page) for page in pages] == [404, 404, 404, 404, 404, 302, 404, 404, 404]


def test_all_pages_end_with_the_link(single_report):
    expired, address = shared(single_report)
    revoked, elsewhere = shared(single_report)
    pages = [
        within(each, "report_raters", single_report, question_of(single_report))
        for each in (address, elsewhere)
    ]
    assert [status(page) for page in pages] == [200, 200]

    ReportLink.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    links.revoke(revoked, by=single_report.asked_by)

    assert [status(page) for page in (*pages, address, elsewhere)] == [404] * 4


def newer_report(report, *, by="Newcomer"):
    """The same asked for again, after somebody joined and labeled."""
    question = report.questions.get().question
    rater = Rater.objects.create(project=report.project, key=by)
    for item in report.project.items.all()[:9]:
        Label.objects.create(question=question, item=item, rater=rater, category=question.categories.first())
    return finished_report(report.project, report.asked_by)


def test_a_link_that_follows_leads_to_the_newest_report(single_report):
    _, follows = shared(single_report, follows=True)
    _, stays = shared(single_report)
    newer = newer_report(single_report)
    other = finished_report(single_report.project, single_report.asked_by, confidence=0.9)

    landed = [Client().get(each, follow=True).redirect_chain[0][0] for each in (follows, stays)]

    assert landed == [within(follows, "report", newer), within(stays, "report", single_report)]
    assert [
        [status(within(address, "report_raters", each, question_of(each))) for address in (follows, stays)]
        for each in (single_report, newer, other)
    ] == [[200, 200], [200, 404], [404, 404]]


def test_who_joined_since_gets_the_next_letter(single_report):
    link, address = shared(single_report, follows=True)
    newer = newer_report(single_report, by="Newcomer")
    page = Client().get(within(address, "report_raters", newer, question_of(newer))).content.decode()

    first = link.letters
    link.refresh_from_db()
    assert link.letters == [*first, newer.project.raters.get(key="Newcomer").pk]
    assert not [name for name in (*NAMES, "Newcomer") if name in page]
    # Each page that is walked to answers; in `make test` the first ones.
    assert len(list(islice(everything_behind(address), size(200, 11)))) > 10


def test_a_link_to_the_main_figures_follows_too(single_report):
    _, token = links.share(single_report, by=single_report.asked_by, choices=links.LinkChoices(follows=True))
    newer = newer_report(single_report)

    shown = Client().get(reverse("shared_report", args=[token]))

    assert shown.context["report"].pk == newer.pk


def test_a_link_of_before_opens_its_page_and_no_more(single_report):
    _, token = links.share(single_report, by=single_report.asked_by)
    address = reverse("shared_report", args=[token])

    assert Client().get(address).templates[0].name == "reports/shared.html"
    assert status(within(address, "report", single_report)) == 404


def test_a_visit_is_counted_once_however_many_pages_are_read(single_report):
    link, address = shared(single_report)
    for _ in range(3):
        Client().get(address, follow=True)

    link.refresh_from_db()
    opened = Event.objects.filter(kind=Event.Kind.REPORT_LINK_OPENED, project_id=single_report.project_id)
    assert (link.n_opened, opened.count()) == (1, 1)


def test_signed_in_users_see_what_the_link_shows(single_report, lead, client):
    _, address = shared(single_report)

    shown = client.get(address, follow=True).content.decode()

    assert lead.username not in shown
    assert "Sign out" not in shown
    assert not [name for name in NAMES if name in shown]


def test_names_are_back_after_a_shared_page(single_report, client):
    question = question_of(single_report)
    _, address = shared(single_report)
    Client().get(within(address, "report_raters", single_report, question))

    page = client.get(reverse("report_raters", args=[single_report.project.slug, single_report.pk, question]))

    assert all(name in page.content.decode() for name in NAMES)
    assert address not in page.content.decode()


def test_the_form_shows_less_unless_more_is_chosen(single_report, client):
    args = [single_report.project.slug, single_report.pk]

    client.post(reverse("report_share", args=args), {"days": 3, "opens": "report"})
    client.post(
        reverse("report_share", args=args),
        {
            "days": 3,
            "opens": "report",
            "names": "names",
            "shows_items": "on",
            "allows_export": "on",
            "follows": "on",
        },
    )

    wide, narrow = single_report.links.all()
    assert links.choices_of(narrow) == links.LinkChoices(opens="report")
    assert links.choices_of(wide) == links.LinkChoices(
        opens="report", names=True, shows_items=True, allows_export=True, follows=True
    )


def test_the_api_makes_links_that_open_the_report(single_report, client):
    args = [single_report.project.slug, single_report.pk]

    made = client.post(
        reverse("api_report_links", args=args),
        {"opens": "report", "shows_items": True},
        content_type="application/json",
    ).json()

    assert (made["opens"], made["names"], made["shows_items"], made["allows_export"]) == (
        "report",
        False,
        True,
        False,
    )
    assert Client().get(made["address"], follow=True).status_code == 200


@pytest.mark.parametrize("opens", [{}, {"opens": "summary"}])
def test_the_api_refuses_what_the_main_figures_never_show(single_report, client, opens):
    address = reverse("api_report_links", args=[single_report.project.slug, single_report.pk])
    wide = {"names": True, "shows_items": True, "allows_export": True}

    refused = client.post(address, opens | wide, content_type="application/json")
    taken = client.post(address, opens | dict.fromkeys(wide, False), content_type="application/json")

    assert refused.status_code == 400
    assert {each["field"] for each in refused.json()["errors"]} == set(wide)
    assert taken.status_code == 201
    assert single_report.links.count() == 1


@pytest.mark.parametrize(
    ("choice", "value"), [("names", "names"), ("shows_items", "on"), ("allows_export", "on")]
)
def test_the_form_refuses_what_the_main_figures_never_show(single_report, client, choice, value):
    address = reverse("report_share", args=[single_report.project.slug, single_report.pk])
    entered = {"opens": "summary", "days": 9, "note": "Ada", choice: value}

    refused = client.post(address, entered)

    assert refused.status_code == 400
    assert list(refused.context["form"].errors) == [choice]
    html = refused.content.decode()
    assert html.count('class="errorlist') == 1
    assert 'value="Ada"' in html
    assert 'value="9"' in html
    assert refused.context["form"][choice].value() in (value, True)
    assert not single_report.links.exists()
    assert client.post(address, entered | {"opens": "report"}).status_code == 302
