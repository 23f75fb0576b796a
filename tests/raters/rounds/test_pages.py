"""Rounds planned on a page: looked at first, then assigned, opened, closed, revealed."""

import re
from collections import Counter

import pytest

from projects.models import Event, Membership, Round
from raters.labeling.next_assignment import take_next_assignment
from raters.models import Assignment, Label, Rater
from tests.labeling import new_question
from tests.working import answer, new_work


def sent(raters, **more):
    return {
        "key": "main",
        "raters": [str(user.pk) for user in raters],
        "design": "some",
        "raters_per_item": "2",
        "share": "20",
        "repeats": "0",
        "idle_minutes": "60",
        "seed": "1",
        "reference_use": "check",
        "kappa": "0.7",
        "prevalence": "50",
    } | more


def text(response):
    return re.sub(r"<[^>]+>|\s+", " ", response.content.decode())


def squeezed(response):
    return re.sub(r"\s+", " ", text(response))


def url(project, rest=""):
    return f"/p/{project.slug}/rounds/{rest}"


def test_looking_assigns_nothing(client, project, raters):
    response = client.post(url(project, "new/"), sent(raters, design="everyone"))

    assert response.status_code == 200
    page = squeezed(response)
    assert "100 items, 300 assignments" in page
    assert "Each pair of raters shares 100 items" in page
    # With even margins and kappa 0.7, tau is sqrt(1 - 0.7^2), so that 1.96 tau / sqrt(100) = 0.14.
    assert "at most ±0.14" in page
    assert not Round.objects.exists()
    assert not Assignment.objects.exists()


def test_what_was_seen_is_assigned_and_waits_to_be_opened(client, project, raters):
    response = client.post(url(project, "new/"), sent(raters, assign="1"), follow=True)

    assert response.redirect_chain == [(url(project), 302)]
    round_ = Round.objects.get()
    assert (round_.key, round_.state, round_.assignments.count()) == ("main", Round.State.DRAFT, 200)
    assert "0 of 200" in squeezed(response)


def test_each_plan_is_proposed_a_seed_of_its_own(client, project, raters):
    """With one seed for all rounds, raters would get the same items in the same order every time."""
    pages = [client.get(url(project, "new/")).content.decode() for _ in range(4)]
    seeds = {re.search(r'name="seed" value="(\d+)"', page)[1] for page in pages}
    assert len(seeds) > 1
    seed = seeds.pop()

    seen = client.post(url(project, "new/"), sent(raters, seed=seed)).content.decode()
    client.post(url(project, "new/"), sent(raters, seed=seed, assign="1"))

    # The preview sends it along, and it is stored.
    assert f'name="seed" value="{seed}"' in seen
    assert Round.objects.get().plans[0]["seed"] == int(seed)


@pytest.mark.parametrize("step", [{}, {"assign": "1"}, {"raters": []}])
@pytest.mark.parametrize(
    ("taken", "more"),
    [("main", {}), ("Main", {}), ("MAIN", {}), ("Main: calibration", {"n_calibration": "3"})],
)
def test_a_name_that_looks_like_another_is_refused_at_its_field(client, project, raters, taken, more, step):
    """The project's own export would be refused by an import: it could not tell the two rounds apart."""
    Round.objects.create(project=project, key=taken)

    page = client.post(url(project, "new/"), sent(raters) | more | step)

    assert page.status_code == 400
    [error] = page.context["form"].errors["key"]
    assert error.startswith(f"A round called '{taken}' already exists")
    assert not page.context["plans"]
    assert Round.objects.count() == 1


def test_calibration_is_a_round_of_its_own(client, project, raters):
    client.post(url(project, "new/"), sent(raters, n_calibration="10", assign="1"))

    counts = {round_.key: round_.assignments.count() for round_ in Round.objects.all()}
    assert counts == {"main: calibration": 30, "main": 180}


def test_too_few_shared_items_have_no_interval(client, project, raters):
    response = client.post(url(project, "new/"), sent(raters, design="share_twice", share="1"))

    assert "too few for a useful CI" in squeezed(response)
    assert "no CI" in squeezed(response)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"raters_per_item": "9"}, "Raters per item must be from 1 to 3"),
        ({"n_items": "101"}, "Only 100 items"),
        ({"is_on_demand": "on", "repeats": "10"}, "Blind repeats are not available"),
        ({"prevalence": "99", "kappa": "-0.9"}, "kappa"),
    ],
)
def test_an_invalid_plan_is_refused_with_the_reason(client, project, raters, wrong, sentence):
    response = client.post(url(project, "new/"), sent(raters, **wrong))

    assert response.status_code == 400
    assert sentence in text(response)


def test_only_members_who_may_label_can_be_planned(client, project, raters, auditor, stranger):
    for user in (auditor, stranger):
        assert client.post(url(project, "new/"), sent([*raters, user])).status_code == 400


def test_a_name_that_is_taken_is_refused_and_plans_nothing(client, project, raters):
    client.post(url(project, "new/"), sent(raters, n_items="5", assign="1"))

    response = client.post(url(project, "new/"), sent(raters, n_calibration="3", assign="1"))

    assert response.status_code == 400
    assert list(Round.objects.values_list("key", flat=True)) == ["main"]


def test_a_round_opens_closes_and_is_revealed(client, lead):
    work = new_work(n_items=2)
    Membership.objects.create(project=work.project, user=lead, role="lead")
    Round.objects.update(state="draft")
    states = []
    for step in ("reveal", "open", "close", "reveal", "open"):
        response = client.post(url(work.project, f"{work.round.pk}/{step}/"), follow=True)
        work.round.refresh_from_db()
        states.append((work.round.state, work.round.revealed_at is not None))
        assert work.round.key in text(response)

    assert states == [
        ("draft", False),
        ("open", False),
        ("closed", False),
        ("closed", True),
        ("closed", True),
    ]


def again(raters, **more):
    return {
        "raters": [str(user.pk) for user in raters],
        "seed": "3",
        "kappa": "0.7",
        "prevalence": "50",
    } | more


def test_new_raters_are_looked_at_first(client, project, raters):
    client.post(url(project, "new/"), sent(raters[:2], assign="1"))
    round_ = Round.objects.get()
    before = list(round_.assignments.order_by("pk").values())

    response = client.post(url(project, f"{round_.pk}/raters/"), again(raters))

    assert response.status_code == 200
    page = squeezed(response)
    assert "not changed yet" in page
    # 200 places for three raters, and each two share a third of the 100 items.
    assert re.search(r"ana 6[67] 0 0", page)
    assert re.search(r"shares 3[234] to 3[345] items", page)
    assert list(round_.assignments.order_by("pk").values()) == before
    assert not Rater.objects.filter(key="cleo").exists()


def test_raters_change_while_the_round_is_open(client, project, raters):
    client.post(url(project, "new/"), sent(raters, assign="1"))
    round_ = Round.objects.get()
    client.post(url(project, f"{round_.pk}/open/"))

    response = client.post(url(project, f"{round_.pk}/raters/"), again(raters[:2], assign="1"))

    assert response.status_code == 302
    assert round_.assignments.count() == 200
    assert not round_.assignments.filter(rater__key="cleo").exists()
    assert take_next_assignment(round_.assignments.first().rater) is not None


def test_the_raters_who_have_work_are_chosen_already(client, project, raters):
    client.post(url(project, "new/"), sent(raters[:2], assign="1"))
    page = client.get(url(project, f"{Round.objects.get().pk}/raters/")).content.decode()

    chosen = re.findall(r'value="(\d+)"[^>]* checked', page)

    assert sorted(chosen) == sorted(str(user.pk) for user in raters[:2])


def test_the_list_takes_as_many_queries_for_more_rounds(client, project, django_assert_max_num_queries):
    Round.objects.bulk_create(Round(project=project, key=f"round {n}") for n in range(20))

    with django_assert_max_num_queries(11):
        client.get(url(project))


def add_reference(project, n):
    question = new_question(project)
    reference = Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)
    Label.objects.bulk_create(
        Label(item=item, rater=reference, question=question, category=question.categories.first())
        for item in project.items.all()[:n]
    )


@pytest.mark.parametrize(("reference_items", "n"), [("10", 10), ("10 %", 8), ("0", 0)])
def test_reference_items_go_to_every_rater(client, project, raters, reference_items, n):
    add_reference(project, 30)

    seen = client.post(
        url(project, "new/"), sent(raters, reference_items=reference_items, reference_use="training")
    )
    client.post(
        url(project, "new/"),
        sent(raters, reference_items=reference_items, reference_use="training", assign="1"),
    )

    round_ = Round.objects.get()
    known = project.items.filter(labels__rater__key="gold", assignments__round=round_)
    assert round_.reference_use == Round.ReferenceUse.TRAINING
    assert Counter(known.values_list("pk", flat=True)) == {item.pk: 3 for item in known.distinct()}
    assert known.distinct().count() == n
    assert round_.assignments.count() == 70 * 2 + n * 3
    assert (f"{n} items have a reference answer" in squeezed(seen)) == (n > 0)


@pytest.mark.parametrize(
    ("reference_items", "sentence"),
    [
        ("31", "Only 30 items with a reference answer"),
        ("80 %", "from 0 to 50%"),
        ("some", "a number such as"),
    ],
)
def test_reference_items_that_cannot_be_is_refused_with_the_reason(
    client, project, raters, reference_items, sentence
):
    add_reference(project, 30)

    response = client.post(url(project, "new/"), sent(raters, reference_items=reference_items))

    assert response.status_code == 400
    assert sentence in text(response)


def test_settings_of_a_round(client, project, raters):
    client.post(url(project, "new/"), sent(raters, assign="1"))
    round_ = Round.objects.get()
    form = {"idle_minutes": "5", "reference_use": "training"}

    response = client.post(url(project, f"{round_.pk}/settings/"), form, follow=True)

    assert "main saved" in text(response)
    round_.refresh_from_db()
    assert (round_.idle_minutes, round_.reference_use) == (5, "training")
    assert Event.objects.first().detail["changed"] == {
        "idle_minutes": {"old": 60, "new": 5},
        "reference_use": {"old": "check", "new": "training"},
    }


def test_a_closed_round_keeps_its_settings(client, project):
    round_ = Round.objects.create(project=project, key="done", state="closed")

    response = client.post(
        url(project, f"{round_.pk}/settings/"), {"idle_minutes": "5", "reference_use": "training"}
    )

    assert response.status_code == 400
    assert "This round is closed" in text(response)


def test_before_revealing_the_page_says_what_it_does(client, lead):
    work = new_work(n_items=2)
    Membership.objects.create(project=work.project, user=lead, role="lead")
    for rater in (0, 1):
        answer(work, "good", rater=rater)
    Round.objects.update(state="closed")

    page = squeezed(client.get(url(work.project, f"{work.round.pk}/reveal/")))

    assert "2 raters will see" in page
    assert "1 of 1 item has labels from two or more raters" in page
    assert "2 assignments are not completed" in page
    work.round.refresh_from_db()
    assert work.round.revealed_at is None
