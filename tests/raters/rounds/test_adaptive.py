"""Items on which raters disagree go to one more rater by themselves, and the figures of the round stay its own."""

from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse

from projects.models import Event, Item, Membership, Round
from raters.actions import rater_of
from raters.labeling.answers import Answer
from raters.labeling.next_assignment import take_next_assignment
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Label, Notification, Rater
from raters.passes import rounds_that_add_raters
from raters.rounds.adaptive import (
    AdaptiveRefused,
    AdaptiveRule,
    adaptive_progress,
    cost_of,
    needs_another,
    start,
    stop,
)
from raters.rounds.adding_raters import add_raters
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.plan_storage import plan_round
from raters.rounds.round_plan import RoundPlan
from raters.rounds.states import open_round
from tests import cast
from tests.labeling import new_question

pytestmark = pytest.mark.django_db


class Team:
    """A project with a planned round of four items by two of three raters."""

    def __init__(self, lead, *, is_on_demand=False):
        self.project = cast.new_project("Adaptive", unique=True)
        self.lead = lead
        self.question = new_question(self.project, key="tone", categories=("good", "fair", "bad"))
        Item.objects.bulk_create(Item(project=self.project, key=f"item-{n}") for n in range(4))
        names = ("ana", "ben", "cleo")
        self.users = [
            cast.member(self.project, Membership.Role.RATER, username=name, unique=True) for name in names
        ]
        plan = RoundPlan(overlap=Overlap(AssignmentDesign.SOME, 2), seed=1, is_on_demand=is_on_demand)
        self.round = plan_round(self.project, "main", plan, self.users, by=lead)
        open_round(self.round, by=lead)

    def say(self, item: Item, *answers: str | float | None) -> None:
        """The answers of those to whom the item is assigned and who have not labeled it, in their order."""
        waiting = item.assignments.filter(state="pending", rater__isnull=False).order_by("rater")
        for assignment, label in zip(waiting, answers, strict=True):
            if label is None:
                answer = Answer(is_abstention=True, reason="blurred")
            else:
                answer = Answer(category=label) if isinstance(label, str) else Answer(number=label)
            draft = SubmittedAnswers(answers={"tone": answer}, revisions={})
            rater = assignment.rater
            save_answers(rater, assignment.pk, draft, key=uuid4(), by=rater.user)

    def look(self) -> None:
        """As soon as the transactions are committed."""
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        add_raters()

    def added(self) -> list[str]:
        """Items of the round of further raters."""
        rows = Assignment.objects.filter(round__adds_to__isnull=False, item__project=self.project)
        return list(rows.order_by("pk").values_list("item__key", flat=True))

    @property
    def items(self) -> list[Item]:
        return list(self.project.items.order_by("pk"))


@pytest.fixture
def adaptive_team(lead) -> Team:
    return Team(lead)


def test_a_disputed_item_goes_to_the_rater_who_never_had_it(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    first, second, *_ = adaptive_team.items
    adaptive_team.say(first, "good", "bad")
    adaptive_team.say(second, "good", "good")
    adaptive_team.look()

    assert adaptive_team.added() == ["item-0"]
    [new] = Assignment.objects.filter(round__adds_to__isnull=False)
    had = set(first.assignments.filter(round=adaptive_team.round).values_list("rater", flat=True))
    assert new.rater_id not in had
    assert new.rater_id in Rater.objects.filter(project=adaptive_team.project).values_list("pk", flat=True)
    assert new.round.key == "main: more"
    # Reports know that it does not stand for what the round says.
    assert rounds_that_add_raters(adaptive_team.project) == [new.round_id]


def test_who_is_added_is_notified_once(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    for item in adaptive_team.items:
        adaptive_team.say(item, "good", "bad")
        adaptive_team.look()

    added = Assignment.objects.filter(round__adds_to__isnull=False)
    told = Notification.objects.filter(round__adds_to__isnull=False, kind="assigned")
    users = set(added.values_list("rater__user", flat=True))
    assert added.count() == 4
    assert sorted(told.values_list("recipient", flat=True)) == sorted(users)


def test_who_is_added_gets_it(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    for item in adaptive_team.items:
        adaptive_team.say(item, "good", "good" if item.key != "item-3" else "bad")
    adaptive_team.look()

    [new] = Assignment.objects.filter(round__adds_to__isnull=False)
    assert take_next_assignment(new.rater) == new.pk


def test_only_when_all_planned_answers_are_in(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    first = adaptive_team.items[0]
    one, other = first.assignments.order_by("rater")
    draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={})
    save_answers(one.rater, one.pk, draft, key=uuid4(), by=one.rater.user)
    adaptive_team.look()
    assert adaptive_team.added() == []
    draft = SubmittedAnswers(answers={"tone": Answer(category="bad")}, revisions={})
    save_answers(other.rater, other.pk, draft, key=uuid4(), by=other.rater.user)
    adaptive_team.look()
    adaptive_team.look()

    assert adaptive_team.added() == ["item-0"]


def test_a_majority_settles_it_and_up_to_ends_it(adaptive_team):
    adaptive_team.users.append(
        cast.member(adaptive_team.project, Membership.Role.RATER, username="dora", unique=True)
    )
    dora = Rater.objects.create(project=adaptive_team.project, key="dora", user=adaptive_team.users[-1])
    # She is a rater of the round by an item of her own.
    Assignment.objects.create(rater=dora, item=adaptive_team.items[3], round=adaptive_team.round)
    start(adaptive_team.round, AdaptiveRule(up_to=4), by=adaptive_team.lead)
    first, second = adaptive_team.items[:2]
    adaptive_team.say(first, "good", "bad")
    adaptive_team.say(second, "good", "bad")
    adaptive_team.look()
    adaptive_team.say(first, "good")
    adaptive_team.say(second, "fair")
    adaptive_team.look()
    # Two of three settle the first; the second has three different answers.
    assert adaptive_team.added() == ["item-0", "item-1", "item-1"]
    adaptive_team.say(second, "good")
    adaptive_team.look()

    assert adaptive_team.added() == ["item-0", "item-1", "item-1"]


def test_nobody_is_left_to_add(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(up_to=5), by=adaptive_team.lead)
    first = adaptive_team.items[0]
    adaptive_team.say(first, "good", "bad")
    adaptive_team.look()
    adaptive_team.say(first, "fair")
    adaptive_team.look()

    assert adaptive_team.added() == ["item-0"]


def test_who_may_be_added_is_chosen(adaptive_team):
    eve = cast.member(adaptive_team.project, Membership.Role.RATER, username="eve", unique=True)
    gone = cast.person("gone", unique=True)
    start(adaptive_team.round, AdaptiveRule(users=[eve, gone]), by=adaptive_team.lead)
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()

    assert Assignment.objects.get(round__adds_to__isnull=False).rater.user == eve


def test_cannot_tell_is_no_dispute(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    adaptive_team.say(adaptive_team.items[0], "good", None)
    adaptive_team.look()

    assert adaptive_team.added() == []


def test_labels_of_models_add_nobody(adaptive_team):
    item = adaptive_team.items[0]
    model = Rater.objects.create(project=adaptive_team.project, key="model", kind=Rater.Kind.MODEL)
    bad = adaptive_team.question.categories.get(key="bad")
    Label.objects.create(
        item=item, question=adaptive_team.question, rater=model, round=adaptive_team.round, category=bad
    )
    start(adaptive_team.round, AdaptiveRule(until="unanimous"), by=adaptive_team.lead)

    adaptive_team.say(item, "good", "good")
    adaptive_team.look()

    assert adaptive_team.added() == []


def test_other_questions_do_not_count(adaptive_team):
    other = new_question(adaptive_team.project, key="mood", categories=("up", "down"), is_required=False)
    start(adaptive_team.round, AdaptiveRule(questions=[other]), by=adaptive_team.lead)
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()

    assert adaptive_team.added() == []


def test_what_was_labeled_before_is_looked_at_too(adaptive_team):
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    adaptive_team.look()

    assert adaptive_team.added() == ["item-0"]


def test_stopped_it_adds_nobody(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    stop(adaptive_team.round, by=adaptive_team.lead)
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()

    assert adaptive_team.added() == []
    kinds = (
        Event.objects.filter(kind="adaptive_changed").order_by("pk").values_list("detail__rule", flat=True)
    )
    assert list(kinds) == ["up to 3 raters, until more than half give the same answer to any question", ""]


def test_a_paused_rater_is_not_added(adaptive_team):
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    first = adaptive_team.items[0]
    had = first.assignments.values_list("rater", flat=True)
    Rater.objects.filter(project=adaptive_team.project).exclude(pk__in=had).update(
        paused_at="2026-01-01T00:00Z"
    )
    adaptive_team.say(first, "good", "bad")
    adaptive_team.look()

    assert adaptive_team.added() == []


def test_on_demand_it_is_free_for_anyone_who_asks(lead):
    team = Team(lead, is_on_demand=True)
    start(team.round, AdaptiveRule(), by=lead)
    raters = [rater_of(team.project, user) for user in team.users]
    first = team.items[0]
    for rater, place in zip(raters, first.assignments.order_by("pk"), strict=False):
        Assignment.objects.filter(pk=place.pk).update(rater=rater)
    team.say(first, "good", "bad")
    team.look()

    [new] = Assignment.objects.filter(round__adds_to__isnull=False)
    assert (new.rater, new.is_on_demand) == (None, True)


def test_the_cost_is_shown_in_advance(adaptive_team):
    assert cost_of(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead).share is None
    for item, second in zip(adaptive_team.items, ["good", "good", "bad", "good"], strict=True):
        adaptive_team.say(item, "good", second)

    cost = cost_of(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)

    assert (cost.n_items, cost.n_known, cost.n_open, cost.n_first) == (4, 4, 1, 1)
    assert (cost.n_planned, cost.n_most(3), cost.n_most(2)) == (2.0, 4, 0)


@pytest.mark.parametrize(
    ("votes", "until", "tolerance", "expected"),
    [
        (["a"], "majority", None, False),
        (["a", "b"], "majority", None, True),
        (["a", "a"], "majority", None, False),
        (["a", "a", "b"], "majority", None, False),
        (["a", "a", "b"], "unanimous", None, True),
        (["a", "a", "b", "b"], "majority", None, True),
        (["a", "b", "c"], "majority", None, True),
        ([1.0, 2.0], "majority", 1, False),
        ([1.0, 2.5], "majority", 1, True),
        ([1.0, 2.0, 9.0], "majority", 1, False),
        ([1.0, 2.0, 9.0], "unanimous", 1, True),
        ([1.0, 2.0, 3.0], "unanimous", 1, True),
        ([1.0, 2.0, 3.0], "majority", 1, False),
        (["{1,2}", "{1,3}"], "unanimous", None, True),
    ],
)
def test_when_another_rater_is_needed(votes, until, tolerance, expected):
    assert needs_another(votes, until, tolerance) is expected


def test_rounds_that_cannot_add_raters_are_refused(adaptive_team):
    imported = Round.objects.create(project=adaptive_team.project, key="imported", position=5)
    with pytest.raises(AdaptiveRefused, match="planned in Interrater"):
        start(imported, AdaptiveRule(), by=adaptive_team.lead)
    start(adaptive_team.round, AdaptiveRule(), by=adaptive_team.lead)
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()
    further = Round.objects.get(adds_to__isnull=False)
    with pytest.raises(AdaptiveRefused, match="raters added to another"):
        start(further, AdaptiveRule(), by=adaptive_team.lead)


def test_the_page_shows_cost_rule_and_progress(adaptive_team):
    client = cast.signed_in(adaptive_team.lead)
    Membership.objects.create(
        project=adaptive_team.project, user=adaptive_team.lead, role=Membership.Role.LEAD
    )
    page = reverse("round_adaptive", args=[adaptive_team.project.slug, adaptive_team.round.pk])
    shown = client.post(page, {"until": "majority", "up_to": 4})
    assert shown.context["n_most"] == 8
    assert adaptive_progress(adaptive_team.round, by=adaptive_team.lead) is None

    client.post(page, {"until": "majority", "up_to": 4, "save": "yes"})
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()
    round_page = reverse("round", args=[adaptive_team.project.slug, adaptive_team.round.pk])
    standing = client.get(round_page).context["adaptive"]
    assert (standing.n_added, standing.n_done, standing.rule.up_to) == (1, 0, 4)
    client.post(reverse("round_adaptive_stop", args=[adaptive_team.project.slug, adaptive_team.round.pk]))
    assert not client.get(round_page).context["adaptive"].adaptive.is_active


def test_over_the_api(adaptive_team):
    client = cast.signed_in(adaptive_team.lead)
    Membership.objects.create(
        project=adaptive_team.project, user=adaptive_team.lead, role=Membership.Role.LEAD
    )
    address = f"/api/v1/projects/{adaptive_team.project.slug}/rounds/{adaptive_team.round.pk}/adaptive/"
    assert client.get(address).status_code == 404
    body = {"up_to": 3, "until": "unanimous", "questions": ["tone"]}
    preview = client.put(f"{address}?preview=yes", body, content_type="application/json").json()
    assert (preview["is_active"], preview["n_most"]) == (False, 4)
    client.put(address, body, content_type="application/json")
    adaptive_team.say(adaptive_team.items[0], "good", "bad")
    adaptive_team.look()

    shown = client.get(address).json()
    assert (shown["until"], shown["questions"], shown["n_added"], shown["n_open"]) == (
        "unanimous",
        ["tone"],
        1,
        1,
    )
    assert client.put(address, {"raters": ["nobody"]}, content_type="application/json").status_code == 400
    assert client.put(address, {"questions": ["none"]}, content_type="application/json").status_code == 400
    assert client.delete(address).status_code == 204
    assert client.get(address).json()["is_active"] is False
    assert Label.objects.filter(item=adaptive_team.items[0]).count() == 2
