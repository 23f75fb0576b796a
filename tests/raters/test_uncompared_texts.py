"""What raters write in their own words is in no figure: every one of them is the same with it as without it."""

import json
import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone

from projects.codebook.questions import create_question
from projects.codebook.refusals import CodebookRefused
from projects.codebook.versions import store_version
from projects.models import Membership, Question, Round
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.exporting import final_labels
from raters.adjudication.item_disputes import item_disputes
from raters.labeling.references import items_with_reference, reference_answers
from raters.models import Label, Rater
from raters.progress.progress_figures import figures_of
from raters.progress.progress_lists import ListFilter, ListRows, ProgressCount
from raters.quality.passing import results_of
from raters.quality.rules import shares_of_answers
from raters.rounds.adaptive import AdaptiveRule, cost_of
from raters.rounds.revealed import pairwise_comparisons, revealed_items, revealed_to
from raters.scorecard.cards import SHARES, cards_of
from reports.store.requests import ReportRefused, request_report
from tests import cast
from tests.finished import finished_report
from tests.labeling import new_question
from tests.working import label_all, new_work

LABELS = {0: ("good", "good"), 1: ("good", "bad"), 2: ("fair", "bad")}


@pytest.fixture
def rated(db):
    return rated_work(usernames=["ana", "ben"])


def rated_work(**people):
    """Two raters and three items, two of them in dispute; a reference, a decision, and a blind repeat."""
    work = new_work(**people)
    label_all(work.round.assignments.all())
    Label.objects.filter(question=work.question).delete()
    categories = {each.key: each for each in work.question.categories.all()}

    def label(rater, place, key, **more):
        Label.objects.create(
            item=work.items[place], question=work.question, rater=rater, category=categories[key], **more
        )

    for place, answers in LABELS.items():
        for rater, key in zip(work.raters, answers, strict=True):
            label(rater, place, key, round=work.round)
    label(work.raters[0], 0, "bad", round=work.round, pass_number=2)
    for kind in ("reference", "consensus"):
        label(Rater.objects.create(project=work.project, key=kind, kind=kind), 0, "good")
    return work


def write_texts(work):
    """Each of another text for every rater and pass, the reference and the consensus among them; two questions."""
    for key in ("why", "more"):
        question = Question.objects.create(project=work.project, key=key, kind="text", position=3)
        for label in list(Label.objects.filter(question=work.question)):
            Label.objects.create(
                item=label.item,
                question=question,
                rater=label.rater,
                round=label.round,
                pass_number=label.pass_number,
                text=f"{key} {label.pk % 3}",
            )
    store_version(work.project)


def figures(work):
    project = work.project
    found = figures_of(project)
    ana = revealed_to(work.user(), project.slug, work.round.pk)
    return {
        "disputes": len(OpenDisputes(project, DisputeFilter())),
        "disputed": (found.items.n_disputes, found.items.n_disputed),
        "final": [each.as_json() for each in final_labels(project)],
        "alike": [(row.reference, row.repeats) for row in found.raters],
        "lists": [
            [row.item.key for row in ListRows(project, ListFilter(what))[0:9]]
            for what in (ProgressCount.DISPUTED, ProgressCount.MISSED, ProgressCount.CHANGED)
        ],
        "cards": [[getattr(card, name) for name in SHARES] for card in cards_of(project)],
        "passing": [(row.key, row.n, row.n_right) for row in results_of(work.round)],
        "answers": shares_of_answers(project),
        "adaptive": cost_of(work.round, AdaptiveRule(), by=AnonymousUser()),
        "beside": pairwise_comparisons(ana),
        "revealed": [
            [each.question.key for each in row.comparisons] for row in revealed_items(ana, [work.items[0].pk])
        ],
        "references": (
            list(items_with_reference(project)),
            reference_answers(work.items[0].pk, list(project.questions.all())),
        ),
        "to decide": [each.question.key for each in item_disputes(work.items[1]).questions],
    }


def test_no_figure_knows_of_texts(rated):
    Round.objects.filter(pk=rated.round.pk).update(
        state="closed", revealed_at=timezone.now(), reference_use="training", pass_mark=0.5
    )
    before = figures(rated)

    write_texts(rated)

    assert figures(rated) == before
    assert before["disputed"] == (2, 2)
    assert Label.objects.filter(text__isnull=False).count() == 2 * Label.objects.filter(text=None).count()


def test_progress_counts_the_labels(rated):
    n = figures_of(rated.project).labels.n

    write_texts(rated)

    found = figures_of(rated.project)
    assert found.labels.n == 3 * n
    assert {row.question.key: row.labels.n for row in found.questions} == {
        "tone": n,
        "why": n,
        "more": n,
    }


def test_a_report_has_no_such_question(rated):
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea")
    write_texts(rated)

    report = finished_report(rated.project, lead)

    assert report.state == "done", report.error
    assert [each.question.key for each in report.questions.all()] == ["tone"]
    assert [each["key"] for each in report.codebook["questions"]] == ["tone"]
    with pytest.raises(ReportRefused):
        request_report(rated.project, by=lead, questions=["tone", "why"])


def test_a_report_still_holds_when_a_text_changes(committed_db):
    rated = rated_work()
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea", unique=True)
    write_texts(rated)
    report = finished_report(rated.project, lead)

    Label.objects.filter(question__key="why", question__project=rated.project).update(text="another")
    assert request_report(rated.project, by=lead) == report
    Label.objects.filter(question=rated.question, rater=rated.raters[0]).update(note="Another.")

    assert request_report(rated.project, by=lead) != report


def test_a_project_of_texts_alone_has_no_report(rated):
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea")
    project = cast.new_project("Texts", unique=True)
    Question.objects.create(project=project, key="why", kind="text")

    with pytest.raises(ReportRefused, match="compared"):
        request_report(project, by=lead)


@pytest.mark.signed_in(None)
@pytest.mark.parametrize("name", ["agreement", "adjudicate", "finals", "adjudicate_bulk"])
def test_pages_offer_no_text_question(rated, name):
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea")
    write_texts(rated)

    response = cast.signed_in(lead).get(reverse(name, args=[rated.project.slug]))

    assert response.status_code == 200
    assert not re.search(r"\bwhy\b", response.content.decode())


@pytest.mark.signed_in(None)
def test_a_text_cannot_be_decided_or_set_as_a_reference(rated):
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea")
    write_texts(rated)
    client = cast.signed_in(lead)
    item, why = rated.items[1].pk, rated.project.questions.get(key="why").pk

    assert client.get(reverse("adjudicate_item", args=[rated.project.slug, item, why])).status_code == 404
    assert client.get(reverse("api_case", args=[rated.project.slug, item, why])).status_code == 404
    adaptive = client.put(
        reverse("api_round_adaptive", args=[rated.project.slug, rated.round.pk]),
        json.dumps({"questions": ["why"]}),
        content_type="application/json",
    )
    assert adaptive.status_code == 400
    assert "no_such_question" in adaptive.content.decode()


@pytest.mark.signed_in(None)
@pytest.mark.parametrize("shows_names", [False, True])
def test_adjudicators_read_the_texts_by_the_same_names(rated, shows_names):
    rated.project.adjudicators_see_names = shows_names
    rated.project.save()
    Round.objects.filter(pk=rated.round.pk).update(state="closed")
    adjudicator = cast.member(rated.project, Membership.Role.ADJUDICATOR, username="ada")
    write_texts(rated)
    Label.objects.filter(question__key="more").delete()
    Label.objects.filter(question__key="why", rater=rated.raters[1]).delete()
    client = cast.signed_in(adjudicator)
    item = rated.items[1].pk

    one = client.get(reverse("adjudicate_item", args=[rated.project.slug, item, rated.question.pk]))
    whole = client.get(reverse("adjudicate_whole", args=[rated.project.slug, item]))

    for found in (one.context["case"], whole.context["whole"]):
        [written] = found.texts
        assert written.question.key == "why"
        assert [opinion.words[:3] for opinion in written.opinions] == ["why"]
    # Ana said “good” of this item.
    [ana] = [opinion.name for opinion in one.context["case"].opinions if opinion.words == "good"]
    assert [opinion.name for opinion in one.context["case"].texts[0].opinions] == [ana]
    assert (ana == "ana") == shows_names
    assert b"why " in one.content
    assert b"why " in whole.content


def test_a_condition_can_make_a_text_depend_on_a_question_but_not_the_reverse(rated):
    lead = cast.member(rated.project, Membership.Role.LEAD, username="lea")
    so = {"asked_if_question": "tone", "asked_if_categories": ["bad"]}

    why = create_question(rated.project, by=lead, key="why", kind="text", **so)
    with pytest.raises(CodebookRefused):
        create_question(
            rated.project, by=lead, key="so", asked_if_question="why", asked_if_categories=["bad"]
        )

    assert (why.asked_if_question, why.most_characters) == ("tone", 2000)
    assert new_question(rated.project, key="last").is_compared
