"""Viewing changes nothing: assignments are handed out by a request of a rater, never by a page that is shown."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from projects.models import Membership
from raters.labeling.next_assignment import take_next_assignment
from raters.models import Assignment, Rater
from tests import cast
from tests.config.routes.asking import WRITTEN_BY_LOOKING
from tests.reading import only_reads
from tests.working import Work, answer, new_work


@pytest.fixture
def round_on_demand(db) -> Work:
    return new_work(n_items=3, n_raters=2, places=1)


@pytest.fixture
def its_rater(round_on_demand) -> Client:
    return signed_in(round_on_demand.user())


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def home(work):
    return f"/p/{work.project.slug}/label/"


def page(work, pk):
    return f"{home(work)}{pk}/"


def routes(work, pk):
    api = f"/api/v1/projects/{work.project.slug}/work/"
    return [
        home(work),
        f"{home(work)}?in_place",
        f"{home(work)}?in_place&held={pk}",
        page(work, pk),
        f"{page(work, pk)}?saved={pk}",
        api,
        f"{api}{pk}/",
    ]


def look_at_all(client, work, pk=0):
    """Every address of labeling, as pages, API and scripts ask for it."""
    for address in routes(work, pk):
        for look in (client.get, client.head):
            with only_reads(but_for=WRITTEN_BY_LOOKING):
                assert look(address).status_code in {200, 302, 404, 405}


def states():
    """All there is to an assignment."""
    return list(Assignment.objects.order_by("pk").values())


def test_nobody_gets_an_assignment_by_looking(round_on_demand, its_rater):
    look_at_all(its_rater, round_on_demand)

    assert not Assignment.objects.exclude(rater=None).exists()


def test_a_member_is_no_rater_for_having_looked(round_on_demand):
    user = cast.member(round_on_demand.project, Membership.Role.RATER, username="newcomer", unique=True)

    look_at_all(signed_in(user), round_on_demand)

    assert not Rater.objects.filter(user=user).exists()


@pytest.mark.parametrize("is_done", [False, True], ids=["pending", "done"])
def test_looking_keeps_nothing_and_takes_nothing(round_on_demand, its_rater, is_done):
    pk = take_next_assignment(round_on_demand.raters[0])
    if is_done:
        answer(round_on_demand, "good")
    Assignment.objects.exclude(rater=None).update(last_seen_at=timezone.now() - timedelta(minutes=59))
    before = states()

    look_at_all(its_rater, round_on_demand, pk)

    assert states() == before


def test_a_rater_with_a_queue_is_led_to_it_without_a_click(work):
    response = signed_in(work.user()).get(home(work))

    assert response["Location"] == page(work, work.assignment().pk)


def test_what_is_free_is_offered_and_taken_by_the_button(round_on_demand, its_rater):
    shown = its_rater.get(home(round_on_demand)).content.decode()
    assert "Start labeling</button>" in shown
    assert f'<form method="post" action="{home(round_on_demand)}">' in shown

    response = its_rater.post(home(round_on_demand))

    taken = Assignment.objects.get(rater=round_on_demand.raters[0])
    assert (response.status_code, response["Location"]) == (302, page(round_on_demand, taken.pk))
    # From now on it is the rater's own, and the way to it is short.
    assert its_rater.get(home(round_on_demand))["Location"] == page(round_on_demand, taken.pk)


def test_two_tabs_that_start_get_the_same(round_on_demand, its_rater):
    first, second = its_rater.post(home(round_on_demand)), its_rater.post(home(round_on_demand))

    assert first["Location"] == second["Location"]
    assert Assignment.objects.exclude(rater=None).count() == 1


def test_a_script_takes_what_comes_next_with_one_request(round_on_demand, its_rater):
    first = take_next_assignment(round_on_demand.raters[0])

    response = its_rater.post(home(round_on_demand), {"in_place": "", "held": first})

    ahead = Assignment.objects.exclude(pk=first).get(rater=round_on_demand.raters[0])
    assert (response.status_code, response["Content-Location"]) == (200, page(round_on_demand, ahead.pk))
    assert f'data-assignment="{ahead.pk}"' in response.content.decode()
    assert "data-on-demand" in response.content.decode()


def test_one_who_is_new_becomes_a_rater_by_starting(round_on_demand):
    user = cast.member(round_on_demand.project, Membership.Role.RATER, username="newcomer", unique=True)

    response = signed_in(user).post(home(round_on_demand), {"in_place": ""})

    taken = Assignment.objects.get(rater__user=user)
    assert response["Content-Location"] == page(round_on_demand, taken.pk)


def test_one_who_is_new_where_nothing_is_free_is_none(round_on_demand):
    Assignment.objects.all().delete()
    user = cast.member(round_on_demand.project, Membership.Role.RATER, username="newcomer", unique=True)

    response = signed_in(user).post(home(round_on_demand))

    assert "Nothing to label yet" in response.content.decode()
    assert not Rater.objects.filter(user=user).exists()


def test_saving_without_scripts_takes_the_next_one_at_once(round_on_demand, its_rater):
    pk = take_next_assignment(round_on_demand.raters[0])
    chosen = round_on_demand.question.categories.get(key="good").pk

    response = its_rater.post(page(round_on_demand, pk), {f"answer-{round_on_demand.question.pk}": chosen})

    following = Assignment.objects.get(rater=round_on_demand.raters[0], state="pending")
    assert response["Location"] == f"{page(round_on_demand, following.pk)}?saved={pk}"


def test_skipping_without_scripts_takes_the_next_one_at_once(round_on_demand, its_rater):
    pk = take_next_assignment(round_on_demand.raters[0])

    response = its_rater.post(f"{page(round_on_demand, pk)}skip/")

    following = Assignment.objects.get(rater=round_on_demand.raters[0], skipped_at=None)
    assert response["Location"] == page(round_on_demand, following.pk)


def test_what_a_browser_holds_stays_with_its_rater(round_on_demand, its_rater):
    held = take_next_assignment(round_on_demand.raters[0])
    Assignment.objects.filter(pk=held).update(last_seen_at=timezone.now() - timedelta(minutes=61))

    its_rater.post(home(round_on_demand), {"in_place": "", "held": held})

    for _ in range(3):
        assert take_next_assignment(round_on_demand.raters[1]) != held


def test_after_everything_else_is_taken_the_page_says_so(round_on_demand, its_rater):
    others = [take_next_assignment(round_on_demand.raters[1], held=[])]
    while (more := take_next_assignment(round_on_demand.raters[1], held=others)) is not None:
        others.append(more)

    for response in (its_rater.get(home(round_on_demand)), its_rater.post(home(round_on_demand))):
        assert "data-nothing-left" in response.content.decode()
