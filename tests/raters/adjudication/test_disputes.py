"""What is in dispute, and in which order."""

import math

import pytest
from django.utils import timezone

from projects.models import Question, Round
from raters.adjudication import queue
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.dispute_answers import with_answers
from raters.adjudication.disputes import DisputeCount, DisputeFilter, OpenDisputes, decided_labels, read
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in(None)


def listed(project, wanted=DisputeFilter()):  # noqa: B008
    return [(row.item.key, row.question.key) for row in OpenDisputes(project, wanted)[:50]]


def test_most_disputed_first(disputed, project):
    _, found = read(project, DisputeFilter(), limit=10)

    assert listed(project) == [("item-3", "tone"), ("item-2", "tone")]
    assert [dispute.entropy for dispute in found] == pytest.approx(
        [math.log2(3), -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))], abs=1e-9
    )
    assert [(d.n_labels, d.n_most, d.n_values) for d in found] == [(3, 1, 3), (3, 2, 2)]


def test_what_is_no_label_of_a_rater_disputes_nothing(say, project):
    say("a", "ann", "good")
    say("a", "bob", None)
    say("a", "gold", "bad", kind=Rater.Kind.REFERENCE)
    say("a", "consensus", "fair", kind=Rater.Kind.CONSENSUS)

    assert listed(project) == []


def test_models_dispute_as_people_do(say, project):
    say("a", "ann", "good")
    say("a", "llm", "bad", kind=Rater.Kind.MODEL)

    assert listed(project) == [("a", "tone")]


def test_a_repeat_disputes_nothing(say, project):
    say("a", "ann", "good")
    say("a", "bob", "good")
    say("a", "bob", "bad", pass_number=2)

    assert listed(project) == []


def test_rounds_and_questions_are_filtered(say, project, closed_round, disputed):
    second = Round.objects.create(project=project, key="round 2", state=Round.State.CLOSED)
    other = new_question(project, key="other", categories=("x", "y"))
    # Of each rater the first label in the round counts, be it a second pass.
    say("item-1", "ann", "good", round=second, pass_number=2)
    say("item-1", "bob", "bad", round=second, pass_number=2)
    say("item-1", "ann", "x", question=other)
    say("item-1", "bob", "y", question=other)

    assert listed(project, DisputeFilter(round=second.pk)) == [("item-1", "tone")]
    assert listed(project, DisputeFilter(question=other.pk)) == [("item-1", "other")]
    assert listed(project) == [("item-3", "tone"), ("item-1", "other"), ("item-2", "tone")]


def test_sets_and_numbers_are_in_dispute_whole(project, say, disputed):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"))
    size = Question.objects.create(project=project, key="size", kind="number")
    first, second = sorted(many.categories.values_list("pk", flat=True))
    ann, bob = Rater.objects.get(key="ann"), Rater.objects.get(key="bob")
    for rater, chosen, number in ((ann, [], 1.0), (bob, [first, second], 4.0)):
        Label.objects.create(item=disputed[0], question=many, rater=rater, category_set=chosen)
        Label.objects.create(item=disputed[0], question=size, rater=rater, number=number)
        Label.objects.create(item=disputed[1], question=size, rater=rater, number=number / 2)

    found = listed(project)

    assert ("item-1", "many") in found
    # Equally disputed numbers stand by how far they are apart.
    assert found.index(("item-1", "size")) < found.index(("item-2", "size"))


def test_decided_ones_are_counted_and_listed_apart(disputed, project, disputed_tone, adjudicator):
    flag = NewDecision(Answer(category="good"), is_for_guidelines=True)
    decide(disputed[2], disputed_tone, flag, seen=0, by=adjudicator)
    decide(disputed[1], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)

    found = OpenDisputes(project, DisputeFilter())

    assert (found.total, found.counts[disputed_tone.pk], len(found)) == (
        DisputeCount(2, 2),
        DisputeCount(2, 2),
        0,
    )
    assert [label.item.key for label in decided_labels(project, DisputeFilter())] == ["item-2", "item-3"]
    assert [label.item.key for label in decided_labels(project, DisputeFilter(), is_flagged=True)] == [
        "item-3"
    ]


def test_items_of_rounds_that_one_labels_are_hidden(
    disputed, project, closed_round, disputed_tone, adjudicator
):
    mine = Round.objects.create(project=project, key="mine", state=Round.State.OPEN)
    Assignment.objects.create(item=disputed[2], round=mine, rater=Rater.objects.get(key="ann"))
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)
    hidden = DisputeFilter(hidden=(mine.pk,))

    assert listed(project, hidden) == [("item-2", "tone")]
    assert list(decided_labels(project, hidden)) == []


def test_the_next_one_is_never_one_that_is_decided(disputed, project, disputed_tone, adjudicator):
    first, second = (item.pk for item in (disputed[2], disputed[1]))
    before = queue.queue_of(project, DisputeFilter())
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)

    now = queue.queue_of(project, DisputeFilter(), now=(first, disputed_tone.pk))

    assert before.after(None) == (first, disputed_tone.pk)
    assert (now.after((first, disputed_tone.pk)), now.n, now.n_open) == ((second, disputed_tone.pk), 2, 1)
    assert now.after((second, disputed_tone.pk)) is None


def test_the_queue_is_counted_again_when_it_runs_out(
    disputed, project, disputed_tone, adjudicator, monkeypatch
):
    monkeypatch.setattr(queue, "LENGTH", 1)
    queue.queue_of(project, DisputeFilter())
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)

    found = queue.queue_of(project, DisputeFilter(), now=(disputed[2].pk, disputed_tone.pk))

    assert found.after((disputed[2].pk, disputed_tone.pk)) == (disputed[1].pk, disputed_tone.pk)


@pytest.mark.parametrize("n_items", [10, 20])
def test_the_list_takes_as_many_queries_however_long(
    say, project, n_items, client, adjudicator, django_assert_num_queries
):
    for number in range(n_items):
        say(f"i{number}", "ann", "good")
        say(f"i{number}", "bob", "bad")
    client.force_login(adjudicator)
    client.get(f"/p/{project.slug}/adjudicate/")

    with django_assert_num_queries(29):
        assert client.get(f"/p/{project.slug}/adjudicate/").status_code == 200


def test_an_item_is_offered_when_its_planned_labels_are_in(
    client, project, disputed, closed_round, adjudicator
):
    client.force_login(adjudicator)
    round_ = Round.objects.create(project=project, key="round 2", state=Round.State.OPEN)
    dan = Rater.objects.create(project=project, key="dan")
    planned = Assignment.objects.create(item=disputed[2], round=round_, rater=dan)

    def offered():
        page = client.get(f"/p/{project.slug}/adjudicate/")
        return [row.item.key for row in page.context["page"]], page.context["n_waiting"]

    waiting = offered()
    Assignment.objects.filter(pk=planned.pk).update(skipped_at=timezone.now())
    skipped = offered()
    Assignment.objects.filter(pk=planned.pk).update(skipped_at=None, state=Assignment.State.DONE)
    labeled = offered()
    Assignment.objects.filter(pk=planned.pk).update(
        state=Assignment.State.PENDING, rater=None, is_on_demand=True
    )
    taken_back = offered()
    Assignment.objects.filter(pk=planned.pk).delete()
    taken_away = offered()
    Assignment.objects.create(item=disputed[2], round=round_, rater=dan)
    waiting_elsewhere = listed(project, DisputeFilter(round=closed_round.pk))
    Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED)

    both = ["item-3", "item-2"]
    assert (waiting, taken_back) == ((["item-2"], 1), (["item-2"], 1))
    assert (skipped, labeled, taken_away) == ((both, 0), (both, 0), (both, 0))
    assert [item for item, _ in waiting_elsewhere] == both
    assert offered() == (both, 0)


def test_distant_answers_come_before_near_ones(project, say):
    scale = new_question(project, key="scale", categories="12345", level="ordinal")
    size = Question.objects.create(project=project, key="size", kind="number")
    for item, first, second in (("near", "4", "5"), ("far", "1", "5"), ("middle", "2", "4")):
        say(item, "ann", first, question=scale)
        say(item, "bob", second, question=scale)
    ann, bob = Rater.objects.get(key="ann"), Rater.objects.get(key="bob")
    for item, number in (("near", 1.5), ("far", 9.0)):
        about = project.items.get(key=item)
        Label.objects.create(item=about, question=size, rater=ann, number=1.0)
        Label.objects.create(item=about, question=size, rater=bob, number=number)

    assert listed(project, DisputeFilter(question=scale.pk)) == [
        ("far", "scale"),
        ("middle", "scale"),
        ("near", "scale"),
    ]
    assert listed(project, DisputeFilter(question=size.pk)) == [("far", "size"), ("near", "size")]
    # All have the same entropy.
    _, found = read(project, DisputeFilter(), limit=10)
    assert {dispute.entropy for dispute in found} == {1.0}


def test_answers_are_listed_with_their_counts(project, say, disputed):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"))
    size = Question.objects.create(project=project, key="size", kind="number")
    first, second = sorted(many.categories.values_list("pk", flat=True))
    ann, bob = Rater.objects.get(key="ann"), Rater.objects.get(key="bob")
    for rater, chosen, number in ((ann, [], 1.5), (bob, [first, second], 4.0)):
        Label.objects.create(item=disputed[0], question=many, rater=rater, category_set=chosen)
        Label.objects.create(item=disputed[0], question=size, rater=rater, number=number)
    # A second pass does not count.
    say("item-2", "ann", "fair", pass_number=2)

    rows = with_answers(project, DisputeFilter(), OpenDisputes(project, DisputeFilter())[:50])

    found = {(row.item.key, row.question.key): answers for row, answers in rows}
    assert found["item-1", "many"] in {"none of these (1); a, b (1)", "a, b (1); none of these (1)"}
    assert found["item-1", "size"] == "1.5 (1), 4 (1)"
    assert sorted(found["item-3", "tone"].split(", ")) == ["bad 1", "fair 1", "good 1"]
    assert found["item-2", "tone"].split(", ")[0].endswith(" 2")
