"""Decisions: made, revised, withdrawn; never one over another unseen."""

import pytest

from projects.models import Project, Question
from projects.refusals import ProjectClosed
from raters.adjudication.deciding import DecisionChanged, NewDecision, current_decision, decide, withdraw
from raters.labeling.answers import Answer, AnswersRefused
from raters.models import Decision, Label, LabelRevision, Rater
from tests.labeling import new_question

GOOD = NewDecision(Answer(category="good"))


def test_a_decision_is_the_label_of_the_consensus_rater(disputed, disputed_tone, adjudicator, project):
    item = disputed[2]
    before = list(Label.objects.order_by("pk").values())

    decided = decide(
        item,
        disputed_tone,
        NewDecision(Answer(category="bad"), "Rater slip", "See page 2.", is_for_guidelines=True),
        seen=0,
        by=adjudicator,
    )

    label = Label.objects.get(rater__kind=Rater.Kind.CONSENSUS)
    assert (label.item, label.category.key, label.reason, label.note) == (
        item,
        "bad",
        "Rater slip",
        "See page 2.",
    )
    assert (label.decision.decided_by, label.decision.is_for_guidelines) == (adjudicator, True)
    assert (decided.revision, decided.by) == (1, "ada")
    assert list(Label.objects.exclude(pk=label.pk).order_by("pk").values()) == before


def test_there_is_one_consensus_rater_however_much_is_decided(disputed, disputed_tone, adjudicator, project):
    Rater.objects.create(project=project, key="consensus")

    for item in disputed[1:]:
        decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)

    rater = Rater.objects.get(project=project, kind=Rater.Kind.CONSENSUS)
    assert rater.key == "consensus-2"
    assert rater.labels.count() == 2


def test_the_second_adjudicator_gets_an_error_and_overwrites_nothing(
    disputed, disputed_tone, adjudicator, other_adjudicator
):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)

    with pytest.raises(DecisionChanged, match="decided by ada since") as told:
        decide(item, disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=other_adjudicator)

    assert told.value.current.label.category.key == "good"
    assert current_decision(item, disputed_tone).label.category.key == "good"


def test_the_same_decision_sent_again_is_one(disputed, disputed_tone, adjudicator):
    item = disputed[2]

    first = decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)
    again = decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)

    assert (first.revision, again.revision) == (1, 1)
    assert LabelRevision.objects.filter(rater_id=first.label.rater_id).count() == 1


def test_the_same_label_by_another_person_is_another_decision(
    disputed, disputed_tone, adjudicator, other_adjudicator
):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)

    with pytest.raises(DecisionChanged):
        decide(item, disputed_tone, GOOD, seen=0, by=other_adjudicator)

    assert decide(item, disputed_tone, GOOD, seen=1, by=other_adjudicator).by == "abe"


def test_a_decision_is_revised_and_withdrawn_with_history(
    disputed, disputed_tone, adjudicator, other_adjudicator
):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)
    decide(
        item, disputed_tone, NewDecision(Answer(category="bad"), "Rater slip"), seen=1, by=other_adjudicator
    )
    withdraw(item, disputed_tone, seen=2, by=adjudicator)

    revisions = LabelRevision.objects.filter(item_id=item.pk, rater_id=Rater.objects.get(kind="consensus").pk)
    rows = list(revisions.order_by("id").values_list("change", "revision", "reason", "user_id", "source"))
    assert rows == [
        ("I", 1, "", adjudicator.pk, "decision by page"),
        ("U", 2, "Rater slip", other_adjudicator.pk, "decision by page"),
        ("D", 3, "", adjudicator.pk, "decision by page, withdrawn"),
    ]
    assert current_decision(item, disputed_tone).label is None
    assert not Decision.objects.exists()


def test_a_decision_made_again_is_not_taken_for_the_one_before(
    disputed, disputed_tone, adjudicator, other_adjudicator
):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)
    withdraw(item, disputed_tone, seen=1, by=adjudicator)
    again = decide(item, disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=adjudicator)

    assert again.revision == 3
    with pytest.raises(DecisionChanged):
        decide(item, disputed_tone, GOOD, seen=1, by=other_adjudicator)


def test_a_changed_flag_leaves_a_revision(disputed, disputed_tone, adjudicator):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)

    flagged = decide(
        item,
        disputed_tone,
        NewDecision(Answer(category="good"), is_for_guidelines=True),
        seen=1,
        by=adjudicator,
    )

    assert (flagged.revision, flagged.is_for_guidelines) == (2, True)
    assert LabelRevision.objects.order_by("-id").first().source == "decision by page, for the guidelines"


def test_withdrawing_what_was_revised_meanwhile_is_refused(
    disputed, disputed_tone, adjudicator, other_adjudicator
):
    item = disputed[2]
    decide(item, disputed_tone, GOOD, seen=0, by=adjudicator)
    decide(item, disputed_tone, NewDecision(Answer(category="bad")), seen=1, by=other_adjudicator)

    with pytest.raises(DecisionChanged):
        withdraw(item, disputed_tone, seen=1, by=adjudicator)

    assert current_decision(item, disputed_tone).label.category.key == "bad"


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (NewDecision(Answer()), "one_value"),
        (NewDecision(Answer(category="unheard-of")), "unknown_category"),
        (NewDecision(Answer(number=1.0)), "kind"),
        (NewDecision(Answer(category="good", is_abstention=True)), "one_value"),
        (NewDecision(Answer(category="good"), "Because"), "unknown_reason"),
        (NewDecision(Answer(category="good"), note="x" * 10_001), "too_long"),
        (NewDecision(Answer(category="fair")), "reason_required"),
        (NewDecision(Answer(is_abstention=True)), "reason_required"),
    ],
)
def test_what_is_no_decision_is_refused(disputed, disputed_tone, adjudicator, verdict, code):
    with pytest.raises(AnswersRefused) as refused:
        decide(disputed[1], disputed_tone, verdict, seen=0, by=adjudicator)

    assert refused.value.faults[0].code == code
    assert not Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS).exists()


@pytest.mark.parametrize("answer", [Answer(category="fair"), Answer(is_abstention=True)])
def test_otherwise_takes_a_reason(disputed, disputed_tone, adjudicator, answer):
    disputed_tone.allows_abstention = False
    disputed_tone.save()

    decided = decide(
        disputed[1], disputed_tone, NewDecision(answer, "Ambiguous item"), seen=0, by=adjudicator
    )

    assert decided.label.is_abstention == answer.is_abstention
    assert decided.label.reason == "Ambiguous item"


def test_without_a_list_of_reasons_none_is_asked_for(disputed, disputed_tone, adjudicator, project):
    Project.objects.filter(pk=project.pk).update(adjudication_reasons=[])

    assert (
        decide(
            disputed[1], disputed_tone, NewDecision(Answer(category="fair")), seen=0, by=adjudicator
        ).revision
        == 1
    )


def test_a_reason_that_left_the_list_stays_with_its_decision(disputed, disputed_tone, adjudicator, project):
    decide(
        disputed[1], disputed_tone, NewDecision(Answer(category="bad"), "Rater slip"), seen=0, by=adjudicator
    )
    Project.objects.filter(pk=project.pk).update(adjudication_reasons=["Other"])

    revised = decide(
        disputed[1], disputed_tone, NewDecision(Answer(category="good"), "Rater slip"), seen=1, by=adjudicator
    )

    assert revised.label.reason == "Rater slip"


def test_sets_and_numbers_are_decided_too(project, say, disputed, adjudicator):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b", "c"))
    size = Question.objects.create(project=project, key="size", kind="number")
    reason = "Ambiguous item"

    chosen = decide(
        disputed[0], many, NewDecision(Answer(categories=("c", "a")), reason), seen=0, by=adjudicator
    )
    number = decide(disputed[0], size, NewDecision(Answer(number=-0.5), reason), seen=0, by=adjudicator)

    keys = dict(many.categories.values_list("pk", "key"))
    assert [keys[pk] for pk in chosen.label.category_set] == ["a", "c"]
    assert number.label.number == -0.5


def test_a_closed_project_takes_no_decision(disputed, disputed_tone, adjudicator, project):
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    with pytest.raises(ProjectClosed):
        decide(disputed[1], disputed_tone, GOOD, seen=0, by=adjudicator)
