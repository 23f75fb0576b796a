"""Questions that are asked only of some: what is in dispute, waits, or is not asked, in lists and counts."""

import random

import pytest

from projects.final_rules import FinalRule
from projects.models import Project, Question
from raters.adjudication import queue
from raters.adjudication.bulk import decide_many, undo_many
from raters.adjudication.conditional_questions import ConditionState
from raters.adjudication.deciding import NewDecision, current_decision, decide, withdraw
from raters.adjudication.disputes import DisputeFilter, OpenDisputes, read, undecided_items
from raters.adjudication.exporting import final_labels
from raters.adjudication.finals import Origin
from raters.adjudication.item_disputes import item_disputes
from raters.adjudication.proposing import BulkRule, preview_of
from raters.adjudication.rule_conditions import states_of
from raters.adjudication.ruling import NewRule, change_rule
from raters.labeling.answers import Answer
from raters.models import Label, Rater
from raters.progress.progress_figures import figures_of
from tests.labeling import new_question
from tests.sizes import size

pytestmark = pytest.mark.signed_in("adjudicator")


@pytest.fixture
def chain(project: Project) -> list[Question]:
    """relevant → why (asked if yes) → how (asked if rude)."""
    return [
        new_question(project, key="relevant", categories=("yes", "no"), position=1),
        new_question(
            project, key="why", categories=("rude", "dull"), position=2,
            asked_if_question="relevant", asked_if_categories=["yes"],
        ),
        new_question(
            project, key="how", categories=("much", "little"), position=3,
            asked_if_question="why", asked_if_categories=["rude"],
        ),
    ]  # fmt: skip


@pytest.fixture
def split(say, project, chain):
    """An item on which ann and bob differ in all three questions; the first is a tie."""
    for rater, answers in {"ann": ("yes", "rude", "much"), "bob": ("no", "dull", "little")}.items():
        for question, category in zip(chain, answers, strict=True):
            say("a", rater, category, question=question)
    return project.items.get(key="a")


def listed(project, **wanted):
    return [(row.item.key, row.question.key) for row in OpenDisputes(project, DisputeFilter(**wanted))[:50]]


def counts(project):
    """The number of the list, of the figures that next steps and progress use, and of the queue."""
    items, waiting = figures_of(project).items, queue.queue_of(project, DisputeFilter())
    return len(OpenDisputes(project, DisputeFilter())), items.n_disputes, waiting.n_open, len(waiting.open)


def choose(item, question, key, by):
    seen = current_decision(item, question).revision
    decide(item, question, NewDecision(Answer(category=key)), seen=seen, by=by)


def state(item, question):
    return states_of(item.project, [(item.pk, question.pk)])[item.pk, question.pk]


def test_what_hangs_on_an_open_question_waits_and_comes_with_its_decision(project, split, chain, adjudicator):
    relevant, why, how = chain
    states = [[state(split, each) for each in chain]]
    found = [(listed(project), counts(project))]
    for question, key in ((relevant, "yes"), (why, "rude"), (how, "much")):
        choose(split, question, key, adjudicator)
        states.append([state(split, each) for each in chain])
        found.append((listed(project), counts(project)))

    assert states == [
        [ConditionState.ASKED, ConditionState.WAITING, ConditionState.WAITING],
        [ConditionState.ASKED, ConditionState.ASKED, ConditionState.WAITING],
        [ConditionState.ASKED] * 3,
        [ConditionState.ASKED] * 3,
    ]
    assert found == [
        ([("a", "relevant")], (1, 1, 1, 1)),
        ([("a", "why")], (1, 1, 1, 1)),
        ([("a", "how")], (1, 1, 1, 1)),
        ([], (0, 0, 0, 0)),
    ]


def test_what_is_not_asked_goes_and_comes_back(project, split, chain, adjudicator):
    relevant, why, _ = chain
    choose(split, relevant, "yes", adjudicator)
    choose(split, why, "rude", adjudicator)
    choose(split, relevant, "no", adjudicator)
    gone = (listed(project), counts(project), [state(split, each) for each in chain])
    total = OpenDisputes(project, DisputeFilter()).total
    withdraw(split, relevant, seen=current_decision(split, relevant).revision, by=adjudicator)
    choose(split, relevant, "yes", adjudicator)

    # The decision on why is kept, and counts as nothing.
    assert gone == (
        [],
        (0, 0, 0, 0),
        [ConditionState.ASKED, ConditionState.NOT_ASKED, ConditionState.NOT_ASKED],
    )
    assert (total.n, total.n_decided) == (1, 1)
    assert (listed(project), counts(project)) == ([("a", "how")], (1, 1, 1, 1))
    assert current_decision(split, why).label.category.key == "rude"


def test_a_majority_or_a_reference_of_the_earlier_question_rules_too(project, say, chain):
    relevant, why, _ = chain
    for item in ("most say no", "the reference says yes", "nothing was said of it"):
        say(item, "ann", "rude", question=why)
        say(item, "bob", "dull", question=why)
    for rater, category in (("ann", "no"), ("bob", "yes"), ("cem", "no")):
        say("most say no", rater, category, question=relevant)
        say("the reference says yes", rater, category, question=relevant)
    say("the reference says yes", "gold", "yes", question=relevant, kind=Rater.Kind.REFERENCE, round=None)

    found = listed(project, question=why.pk)

    assert found == [("the reference says yes", "why"), ("nothing was said of it", "why")]
    assert set(listed(project)) == {
        *found, ("most say no", "relevant"), ("the reference says yes", "relevant")
    }  # fmt: skip


def test_a_question_depends_on_the_first_one_if_the_one_between_is_unanswered(project, say, chain):
    relevant, _, how = chain
    say("a", "ann", "no", question=relevant)
    say("a", "bob", "no", question=relevant)
    say("a", "ann", "much", question=how)
    say("a", "bob", "little", question=how)

    found = {label.question: label.origin for label in final_labels(project)}

    assert listed(project) == []
    assert found == {"relevant": Origin.UNANIMOUS, "how": Origin.NOT_ASKED}


def test_the_number_is_that_of_the_list_also_under_a_filter(project, say, chain, split, closed_round):
    assert listed(project, round=closed_round.pk) == [("a", "relevant")]
    assert listed(project, question=chain[1].pk) == []
    assert undecided_items(project, DisputeFilter()) == [split.pk]
    assert undecided_items(project, DisputeFilter(question=chain[1].pk)) == []


def test_many_decisions_rule_out_their_own(project, split, chain, adjudicator):
    relevant, why, _ = chain
    choose(split, relevant, "yes", adjudicator)
    seen = current_decision(split, relevant).revision
    ann, bob = (Rater.objects.get(project=project, key=key) for key in ("ann", "bob"))
    # By the reference it is asked, while the adjudicator decides by bob that it is not.
    Label.objects.create(
        item=split, question=relevant, category=relevant.categories.get(key="yes"),
        rater=Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE),
    )  # fmt: skip
    withdraw(split, relevant, seen=seen, by=adjudicator)
    by_bob, by_ann = (preview_of(project, DisputeFilter(), BulkRule(rater=each.pk)) for each in (bob, ann))
    done = decide_many(project, DisputeFilter(), BulkRule(rater=bob.pk), digest=by_bob.digest, by=adjudicator)
    after = counts(project)
    undo_many(project, done.bulk, by=adjudicator)

    assert [each.dispute.question for each in by_bob.proposals] == [relevant.pk]
    assert [each.dispute.question for each in by_bob.left] == [why.pk]
    assert {each.dispute.question for each in by_ann.proposals} == {relevant.pk, why.pk}
    assert after == (0, 0, 0, 0)
    assert counts(project) == (2, 2, 2, 2)


def address(item, more=""):
    return f"/p/{item.project.slug}/adjudicate/items/{item.pk}/{more}"


def form(item, **decisions):
    found = item_disputes(item)
    sent = {"labels": found.digest}
    for each in found.questions:
        sent[f"revision-{each.question.pk}"] = str(each.case.revision)
        if key := decisions.get(each.question.key):
            sent[f"decision-{each.question.pk}"] = f"category-{each.question.categories.get(key=key).pk}"
    return sent


def test_without_javascript_the_item_comes_again_with_what_is_asked_now(client, project, split, chain):
    first = client.post(address(split), form(split, relevant="yes"))
    second = client.post(address(split), form(split, why="dull"))

    assert first["Location"] == address(split)
    assert second["Location"] == f"/p/{project.slug}/adjudicate/"
    assert listed(project) == []


def test_a_decision_that_the_others_rule_out_is_not_saved(client, project, split, chain):
    relevant, why, _ = chain
    client.post(address(split), form(split, relevant="yes"))
    client.post(address(split), form(split, relevant="no", why="rude"))

    assert current_decision(split, relevant).label.category.key == "no"
    assert current_decision(split, why).label is None


def test_the_page_of_one_question_says_that_it_waits_or_is_not_asked(
    client, project, split, chain, adjudicator
):
    relevant, why, _ = chain
    one = f"/p/{project.slug}/adjudicate/{split.pk}/{why.pk}/"
    yes = client.post(
        f"/p/{project.slug}/adjudicate/{split.pk}/{relevant.pk}/",
        {"decision": f"category-{relevant.categories.get(key='yes').pk}", "revision": "0"},
    )
    asked = client.get(one)
    choose(split, relevant, "no", adjudicator)
    not_asked = client.get(one)
    refused = client.post(one, {"decision": f"category-{why.categories.get(key='rude').pk}", "revision": "0"})

    assert yes["Location"] == one
    assert (asked.context["state"], not_asked.context["state"]) == (
        ConditionState.ASKED,
        ConditionState.NOT_ASKED,
    )
    assert 'id="decision"' in asked.content.decode()
    assert 'id="decision"' not in not_asked.content.decode()
    assert refused.status_code == 409
    assert current_decision(split, why).label is None


def test_the_list_of_decisions_marks_what_does_not_count(client, project, split, chain, adjudicator):
    relevant, why, _ = chain
    choose(split, relevant, "yes", adjudicator)
    choose(split, why, "rude", adjudicator)
    choose(split, relevant, "no", adjudicator)

    page = client.get(f"/p/{project.slug}/adjudicate/?state=decided")

    assert page.content.decode().count("data-not-counted") == 1


def test_the_api_says_what_is_asked_and_refuses_what_is_not(client, project, split, chain, adjudicator):
    relevant, why, _ = chain
    base = f"/api/v1/projects/{project.slug}/adjudication"
    waiting = client.get(f"{base}/{split.pk}/{why.pk}/").json()
    choose(split, relevant, "no", adjudicator)
    refused = client.put(
        f"{base}/{split.pk}/{why.pk}/", {"category": "rude", "revision": 0}, "application/json"
    )
    whole = client.get(f"{base}/items/{split.pk}/").json()
    listed_there = client.get(f"{base}/").json()

    assert (waiting["asked"], bool(waiting["condition"])) == ("waiting", True)
    assert (refused.status_code, refused.json()["error"]) == (409, "not_asked")
    assert [each["asked"] for each in whole["questions"]] == ["asked", "not_asked", "not_asked"]
    assert listed_there["results"] == []


@pytest.mark.parametrize("seed", range(size(40, 1)))
def test_the_queue_is_empty_when_every_asked_question_has_a_final_label(project, chain, adjudicator, seed):
    """Random labels; then one random open dispute after the other is decided."""
    chance = random.Random(seed)
    _label_at_random(project, chain, chance)
    expected = _disputes_by_finals(project, chain)
    while found := read(project, DisputeFilter(), limit=500)[1]:
        assert {(each.item, each.question) for each in found} == expected
        assert counts(project) == (len(expected),) * 4
        assert _states_by_finals(project) == _states(project, chain)
        one = chance.choice(found)
        item, question = project.items.get(pk=one.item), next(q for q in chain if q.pk == one.question)
        choose(item, question, chance.choice(list(question.categories.all())).key, adjudicator)
        expected = _disputes_by_finals(project, chain)

    assert expected == set()
    # "Cannot tell" from everybody, on the question or on one that it hangs on, is the one way to have no label.
    for label in final_labels(project):
        assert label.origin is not Origin.NONE or _has_no_answer(project, label, chain)


@pytest.mark.parametrize(
    "rule",
    [
        NewRule(FinalRule.UNANIMOUS),
        NewRule(FinalRule.ADJUDICATED),
        NewRule(FinalRule.PLURALITY, takes_references=False),
        NewRule(FinalRule.PLURALITY, threshold=0.8),
    ],
    ids=lambda rule: f"{rule.kind}, {rule.threshold}, {rule.takes_references}",
)
def test_what_is_asked_follows_the_rule_of_the_earlier_question(project, chain, adjudicator, lead, rule):
    """Random labels and decisions: lists, counts, and pages agree with the file of final labels."""
    chance = random.Random(str(rule))
    _label_at_random(project, chain, chance)
    before = _states(project, chain)
    for question in chain[:2]:
        change_rule(question, rule, by=lead)

    seen = [_states(project, chain)]
    assert seen[0] == _states_by_finals(project)
    for one in chance.sample(read(project, DisputeFilter(), limit=500)[1], 3):
        item, question = project.items.get(pk=one.item), next(q for q in chain if q.pk == one.question)
        choose(item, question, chance.choice(list(question.categories.all())).key, adjudicator)
        seen.append(_states(project, chain))
        assert seen[-1] == _states_by_finals(project)
        if rule.threshold is None:
            found = {(each.item, each.question) for each in read(project, DisputeFilter(), limit=500)[1]}
            assert found == _disputes_by_finals(project, chain)
            assert counts(project) == (len(found),) * 4
    # The rule makes a difference to these labels.
    assert before != seen[0]


def _label_at_random(project, chain, chance):
    raters = [Rater.objects.create(project=project, key=key) for key in ("ann", "bob", "cem")]
    raters += [Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)]
    shares = (0.9, 0.7, 0.8, 0.3)
    for number in range(8):
        item = project.items.create(key=f"item-{number:02}")
        for question in chain:
            keys = [*question.categories.all(), *question.categories.all(), None]
            for rater, share in zip(raters, shares, strict=True):
                if chance.random() < share:
                    category = chance.choice(keys)
                    Label.objects.create(
                        item=item, question=question, rater=rater, category=category,
                        is_abstention=category is None,
                    )  # fmt: skip


def _states(project, chain):
    """Of what has labels."""
    places = list(
        Label.objects.filter(question__in=chain).values_list("item", "question").distinct().order_by()
    )
    return states_of(project, places)


def _states_by_finals(project):
    """By the rule of the file of final labels, from below: not asked, or without a label because an earlier one is."""
    ids = dict(project.questions.values_list("key", "pk"))
    parents = dict(project.questions.values_list("key", "asked_if_question"))
    found = {}
    by_item = {}
    for label in final_labels(project):
        finals = by_item.setdefault(label.item_id, {})
        finals[label.question] = label
        earlier = parents[label.question]
        while earlier and earlier not in finals:
            earlier = parents[earlier]
        before = finals.get(earlier)
        place = label.item_id, ids[label.question]
        if label.origin is Origin.NOT_ASKED:
            found[place] = ConditionState.NOT_ASKED
        elif before is not None and before.origin is Origin.NONE:
            found[place] = ConditionState.WAITING
        else:
            found[place] = ConditionState.ASKED
    return found


def _disputes_by_finals(project, chain):
    states, found = _states_by_finals(project), set()
    for (item, question), asked in states.items():
        answered = Label.objects.filter(item=item, question=question, category__isnull=False)
        values = set(answered.filter(rater__kind=Rater.Kind.HUMAN).values_list("category", flat=True))
        is_decided = Label.objects.filter(
            item=item, question=question, rater__kind=Rater.Kind.CONSENSUS
        ).exists()
        if asked is ConditionState.ASKED and len(values) > 1 and not is_decided:
            found.add((item, question))
    return found


def _has_no_answer(project, label, chain):
    labels = Label.objects.filter(item=label.item_id, category__isnull=False)
    up_to = [question.pk for question in chain[: [q.key for q in chain].index(label.question) + 1]]
    answered = set(labels.filter(question__in=up_to).values_list("question", flat=True))
    any_label = set(
        Label.objects.filter(item=label.item_id, question__in=up_to).values_list("question", flat=True)
    )
    return answered != any_label
