"""Pages of large projects show the same as those of others, wait once, and take as many queries for more."""

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Item, Membership
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.stored_disputes import open_disputes
from raters.figures.stored_figures import FiguresNotComputed
from raters.items.queries import items_of
from raters.items.stored_search import search
from raters.labeling.answers import Answer
from raters.linking.actions import label_counts
from raters.models import Assignment, Label, StoredFigures
from raters.progress.progress_figures import labels_of_raters
from raters.progress.progress_lists import ListFilter, ListRows, ProgressCount
from raters.progress.stored_lists import list_rows
from raters.rounds.round_status import round_status
from raters.rounds.stored_progress import round_list_context, round_status_context
from raters.writing.contents import contents_of
from raters.writing.records import ExportKind as Written
from raters.writing.scope import scope_of
from raters.writing.stored_contents import export_contents_context
from tests import cast
from tests.raters.figures.conftest import client_of, compute_all, lead_of
from tests.sizes import only_in_full
from tests.working import answer

LISTS = [what for what in ProgressCount if what is not ProgressCount.MISSING_ANSWERS]


def once(project, ask):
    """What is asked for, after a worker has computed it."""
    with pytest.raises(FiguresNotComputed):
        ask()
    compute_all(project)
    return ask()


def addresses(work):
    slug = work.project.slug
    return [
        reverse("progress", args=[slug]),
        reverse("progress_items", args=[slug]) + "?what=labels",
        reverse("adjudicate", args=[slug]),
        reverse("adjudicate_item", args=[slug, work.items[0].pk, work.question.pk]),
        reverse("adjudicate_whole", args=[slug, work.items[0].pk]),
        reverse("adjudicate_bulk", args=[slug]) + "?rule=majority&share=50",
        reverse("items", args=[slug]) + "?q=Text",
        reverse("raters", args=[slug]),
        reverse("rounds", args=[slug]),
        reverse("round", args=[slug, work.round.pk]),
        reverse("finals", args=[slug]),
        reverse("export_labels", args=[slug]),
    ]


@only_in_full
def test_a_page_waits_for_its_figures_once(work, counts_as_large):
    client = client_of(lead_of(work.project))
    for address in addresses(work):
        StoredFigures.objects.filter(project=work.project).delete()
        cache.clear()
        waiting = client.get(address)
        part = client.get(address, {**query_of(address), "part": "progress"})
        compute_all(work.project)
        shown = client.get(address)

        assert 'data-state="queued"' in waiting.content.decode(), address
        assert 'data-state="queued"' in part.content.decode(), address
        assert (shown.status_code, "data-progress" in shown.content.decode()) == (200, False), address
        assert has_moment(shown) == (address not in without_figures(work)), address
        ended = client.get(address, {**query_of(address), "part": "progress"})
        assert 'data-state="done"' in ended.content.decode(), address


def has_moment(page):
    return 'data-current="yes"' in page.content.decode()


def without_figures(work):
    """Pages on which nothing is counted but how many disputes are left, or answers are missing."""
    slug = work.project.slug
    return [
        reverse("adjudicate_item", args=[slug, work.items[0].pk, work.question.pk]),
        reverse("adjudicate_whole", args=[slug, work.items[0].pk]),
        reverse("finals", args=[slug]),
    ]


def query_of(address):
    return dict(pair.split("=") for pair in address.partition("?")[2].split("&") if pair)


def test_no_page_takes_more_queries_for_more(work, counts_as_large):
    client = client_of(lead_of(work.project))
    # With a dispute after the one on the page, so that the queue need not be looked for again.
    answer(work, "bad", place=3, rater=1)
    few = n_queries(work, client)
    more = [
        Item(
            project=work.project, key=f"more-{n}", content=[{"name": "text", "kind": "text", "value": "Text"}]
        )
        for n in range(40)
    ]
    Item.objects.bulk_create(more)
    work.items.extend(more)
    for place, item in enumerate(more):
        for rater in work.raters:
            Assignment.objects.create(rater=rater, item=item, round=work.round, position=100 + place)
        answer(work, "good", place=6 + place)
        answer(work, "bad", place=6 + place, rater=1)
    StoredFigures.objects.filter(project=work.project).delete()

    assert n_queries(work, client) == few


def n_queries(work, client):
    cache.clear()
    found = {}
    for place, address in enumerate(addresses(work)):
        client.get(address)
        compute_all(work.project)
        client.get(address)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(address).status_code == 200
        found[place] = len(queries)
    return found


@pytest.mark.parametrize("what", LISTS)
def test_a_list_is_the_one_that_would_be_read(work, counts_as_large, what):
    wanted, lead = ListFilter(what), lead_of(work.project)

    stored = once(work.project, lambda: list_rows(work.project, wanted, by=lead))

    rows = ListRows(work.project, wanted)[:]
    assert (stored.n, len(stored)) == (len(rows), len(rows))
    # In the order of an index, which is that of items, too.
    assert [row.item.pk for row in stored[0:50]] == [row.item.pk for row in rows]
    assert sorted(stored[0:50], key=in_full) == sorted(rows, key=in_full)


def in_full(row):
    return row.item.pk, row.rater, row.question, row.words


def test_a_long_list_says_that_it_ends(work, counts_as_large, monkeypatch):
    monkeypatch.setattr("raters.progress.stored_lists.MOST_LISTED", 2)
    monkeypatch.setattr("raters.items.pages.MOST_LISTED", 2)
    client = client_of(lead_of(work.project))
    labels = reverse("progress_items", args=[work.project.slug]) + "?what=labels"
    client.get(labels)
    compute_all(work.project)

    for address in (labels, reverse("items", args=[work.project.slug])):
        page = client.get(address).content.decode()
        assert 'data-listed="2"' in page
        assert len(re.findall(r'<th scope="row">', page)) == 2


def test_disputes_are_those_that_would_be_counted(work, counts_as_large):
    lead, wanted = lead_of(work.project), DisputeFilter()

    stored = once(work.project, lambda: open_disputes(work.project, wanted, first=50, by=lead))

    now = OpenDisputes(work.project, wanted)
    assert (stored.counts, stored.firsts, stored[0:50]) == (now.counts, now.firsts, now[0:50])
    assert (stored.n_waiting, stored.n_listed) == (now.n_waiting, None)


def test_the_list_of_disputes_says_that_it_ends(work, counts_as_large, monkeypatch):
    monkeypatch.setattr("raters.adjudication.stored_disputes.MOST_LISTED", 1)
    answer(work, "bad", place=3, rater=1)
    client = client_of(lead_of(work.project))
    address = reverse("adjudicate", args=[work.project.slug])
    client.get(address)
    compute_all(work.project)

    page = client.get(address).content.decode()

    assert 'data-listed="1"' in page
    assert "2 open" in page


def test_a_decision_is_known_at_once(work, counts_as_large):
    lead, wanted = lead_of(work.project), DisputeFilter()
    before = once(work.project, lambda: open_disputes(work.project, wanted, first=50, by=lead))
    assert [dispute.item for dispute in before.firsts] == [work.items[0].pk]
    item = Item.objects.select_related("project").get(pk=work.items[0].pk)
    reason = work.project.adjudication_reasons[0]
    decide(item, work.question, NewDecision(Answer(category="bad"), reason), seen=0, by=lead)

    after = open_disputes(work.project, wanted, first=50, by=lead)

    assert (after.firsts, after.total.n_open, after.total.n) == ([], 0, before.total.n)
    assert not after.counted.is_current


def test_nothing_stored_shows_what_the_viewer_has_come_to_label_blind(work, counts_as_large):
    """An adjudicator who also labels is handed an item after the lists were stored."""
    judge = cast.member(work.project, Membership.Role.ADJUDICATOR, username="judge", unique=True)
    own = work.project.rounds.create(key="own", state="open", position=9)
    rater = work.project.raters.create(key=judge.username, user=judge)
    Assignment.objects.create(rater=rater, item=work.items[5], round=own)
    hidden = (own.pk,)
    wanted, labels = DisputeFilter(hidden=hidden), ListFilter(ProgressCount.LABELS, hidden=hidden)
    disputed = ListFilter(ProgressCount.DISPUTED, hidden=hidden)
    disputes = once(work.project, lambda: open_disputes(work.project, wanted, first=50, by=judge))
    assert [each.item for each in disputes.firsts] == [work.items[0].pk]
    stored = [
        once(work.project, lambda each=each: list_rows(work.project, each, by=judge))
        for each in (labels, disputed)
    ]
    assert all(work.items[0] in [row.item for row in rows[0:50]] for rows in stored)

    Assignment.objects.create(rater=rater, item=work.items[0], round=own)

    assert open_disputes(work.project, wanted, first=50, by=judge).firsts == []
    for each in (labels, disputed):
        rows = list_rows(work.project, each, by=judge)[0:50]
        assert work.items[0] not in [row.item for row in rows]


def test_a_search_finds_what_it_would_find_now(work, counts_as_large):
    lead = lead_of(work.project)

    found = once(work.project, lambda: search(work.project, "text 3", [], in_texts=False, by=lead))

    assert (found.n, found[0:50]) == (1, list(items_of(work.project, "text 3")))


def test_what_raters_wrote_is_not_found_in_an_item_that_has_come_to_be_hidden(work, counts_as_large):
    lead = lead_of(work.project)
    text = work.project.questions.create(key="why", prompt="Why?", kind="text", position=2)
    Label.objects.create(item=work.items[0], question=text, rater=work.raters[1], text="because of text 2")
    own = work.project.rounds.create(key="own", state="open", position=9)
    ask = lambda: search(work.project, "text 2", [own.pk], in_texts=True, by=lead)  # noqa: E731
    assert [item.key for item in once(work.project, ask)[0:50]] == ["item-1", "item-2"]

    for item in work.items[:2]:
        Assignment.objects.create(item=item, round=own, is_on_demand=True)

    assert [item.key for item in ask()[0:50]] == ["item-2"]


def test_rounds_and_raters_have_the_numbers_that_would_be_counted(work, counts_as_large, monkeypatch):
    lead = lead_of(work.project)
    rounds = once(work.project, lambda: round_list_context(work.project, by=lead)).rounds
    standing = round_status_context(work.round, by=lead).status

    [(round_, _)] = rounds
    assert (round_.n_places, round_.n_done) == (12, 8)
    assert standing == round_status(work.round)
    counts = labels_of_raters(work.project, by=lead)
    assert counts == label_counts(list(work.project.raters.all()))


@pytest.mark.parametrize("what", list(Written))
def test_an_export_contains_what_would_be_counted(work, counts_as_large, what):
    lead, scope = lead_of(work.project), scope_of(work.project, what)

    shown = once(work.project, lambda: export_contents_context(scope, by=lead))

    assert shown.contents == contents_of(scope)


def test_the_api_says_that_figures_are_on_their_way(work, counts_as_large, monkeypatch):
    client = client_of(lead_of(work.project))
    of_round = [work.project.slug, work.round.pk]
    for address in (
        *(
            reverse(name, args=of_round[:1])
            for name in ("api_progress", "api_disputes", "api_label_exports", "api_rounds")
        ),
        *(reverse(name, args=of_round) for name in ("api_round", "api_round_progress")),
    ):
        StoredFigures.objects.filter(project=work.project).delete()
        waiting = client.get(address)
        compute_all(work.project)
        shown = client.get(address)
        with monkeypatch.context() as patch:
            patch.setattr("raters.figures.size.MOST_COUNTED", 10**9)
            counted = client.get(address)

        assert (waiting.status_code, waiting.json()["state"], waiting["Retry-After"]) == (202, "queued", "2")
        assert shown.status_code == 200
        assert without_moment(shown.json()) == without_moment(counted.json())


def without_moment(found):
    if isinstance(found, list):
        return [without_moment(each) for each in found]
    return {**found, "as_of": None}
