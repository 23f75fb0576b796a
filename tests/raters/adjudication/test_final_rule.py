"""The rule for the final labels of a question: set, logged, and applied everywhere; and what adjudicators are asked."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.codebook.copying import copy_codebook
from projects.codebook.questions import change_question
from projects.final_rules import FinalRule
from projects.models import Event, Item, Question
from projects.refusals import ProjectClosed
from raters.adjudication import disputes
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.exporting import final_labels
from raters.adjudication.item_disputes import item_disputes
from raters.adjudication.proposing import BulkRule, preview_of
from raters.adjudication.rules import Origin
from raters.adjudication.ruling import (
    NewRule,
    NothingToEstimate,
    RuleRefused,
    change_rule,
    estimate,
    rules_of,
)
from raters.correcting.actions import correct_kind
from raters.labeling.answers import Answer
from raters.models import FinalEstimate, Label, Rater
from raters.progress.progress_figures import figures_of
from tests import cast
from tests.labeling import add_labels, new_question


def rule(question, kind, *, by, **more):
    return change_rule(question, NewRule(FinalRule(kind), **more), by=by)


def finals_of(project, *names):
    return [tuple(getattr(label, name) for name in names) for label in final_labels(project)]


def listed(project, wanted=DisputeFilter()):  # noqa: B008
    return [row.item.key for row in OpenDisputes(project, wanted)[:50]]


def counted(project):
    """What pages without the list count."""
    asked = disputes.params_of(project, DisputeFilter())
    found = {disputes.undecided(asked, has_repeats=repeats, is_of_choices=choices)
             for repeats, choices in ((True, False), (False, False), (False, True))}  # fmt: skip
    [only] = found
    return only.n, sorted(disputes.undecided_items(project, DisputeFilter()))


def test_a_change_is_logged_and_followed(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "unanimous", by=lead, takes_references=False)

    event = Event.objects.get(kind=Event.Kind.FINAL_RULE_CHANGED)
    assert (event.about, event.user_name) == ("tone", lead.username)
    assert event.detail == {
        "changed": {
            "final_rule": {"old": "plurality", "new": "unanimous"},
            "final_takes_references": {"old": True, "new": False},
        }
    }
    assert finals_of(project, "item", "label", "origin", "rule") == [
        ("item-1", "good", Origin.UNANIMOUS, "unanimous"),
        ("item-2", None, Origin.NONE, "unanimous"),
        ("item-3", None, Origin.NONE, "unanimous"),
    ]


def test_what_does_not_change_is_not_logged(disputed_tone, lead):
    rule(disputed_tone, "plurality", by=lead)

    assert not Event.objects.filter(kind=Event.Kind.FINAL_RULE_CHANGED).exists()


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewRule(FinalRule.MEAN), "rule"),
        (NewRule(FinalRule.CATEGORY_MAJORITY), "rule"),
        (NewRule(FinalRule.UNANIMOUS, threshold=0.9), "threshold"),
    ],
)
def test_what_does_not_go_with_a_question_is_refused(disputed_tone, lead, new, field):
    with pytest.raises(RuleRefused) as refused:
        change_rule(disputed_tone, new, by=lead)

    assert refused.value.field == field


def test_a_closed_project_keeps_its_rules(project, disputed_tone, lead):
    type(project).objects.filter(pk=project.pk).update(state=project.State.CLOSED)

    with pytest.raises(ProjectClosed):
        rule(disputed_tone, "majority", by=lead)


def test_each_kind_of_question_has_its_own_rules(project, disputed, lead):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b", "c"))
    size = Question.objects.create(project=project, key="size", kind="number", level="ratio", position=9)
    a, b, c = many.categories.values_list("pk", flat=True)
    for rater, chosen, number in (("ann", [a, b], 1), ("bob", [b, c], 2), ("cem", [a], 6)):
        labels = {"item": disputed[0], "rater": Rater.objects.get(key=rater)}
        Label.objects.create(question=many, category_set=chosen, **labels)
        Label.objects.create(question=size, number=number, **labels)
    rule(many, "category_majority", by=lead)
    rule(size, "mean", by=lead)

    found = finals_of(project, "question", "label", "origin")[1:3]

    assert found == [("many", ["a", "b"], Origin.CATEGORY_MAJORITY), ("size", 3.0, Origin.MEAN)]


def test_a_question_of_another_kind_or_scale_loses_a_rule_that_does_not_fit(project, lead):
    tone = new_question(project, key="tone", categories=("good", "bad"))
    size = Question.objects.create(project=project, key="size", kind="number", level="ratio", position=9)
    rule(tone, "weighted", by=lead, threshold=0.9)
    rule(size, "mean", by=lead)

    correct_kind(tone, "multiple", by=lead)
    change_question(size, by=lead, level="ordinal")

    tone.refresh_from_db()
    size.refresh_from_db()
    assert (tone.final_rule, tone.final_threshold) == ("plurality", None)
    assert size.final_rule == "median"


def test_copied_questions_bring_their_rule(project, disputed_tone, lead):
    rule(disputed_tone, "majority", by=lead, threshold=0.75)
    target = cast.new_project("Target")

    copy_codebook(project, target, by=lead)

    copied = target.questions.get()
    assert (copied.final_rule, copied.final_threshold) == ("majority", 0.75)


def test_with_a_threshold_adjudicators_are_asked_about_what_is_left_open(
    project, disputed, disputed_tone, lead, say
):
    assert (listed(project), counted(project)[0]) == (["item-3", "item-2"], 2)

    rule(disputed_tone, "majority", by=lead, threshold=0.6)

    assert listed(project) == ["item-3"]
    assert counted(project) == (1, [disputed[2].pk])
    assert figures_of(project).items.n_disputes == 1
    assert [each.is_disputed for item in disputed for each in item_disputes(item).questions] == [
        False,
        False,
        True,
    ]

    rule(disputed_tone, "majority", by=lead, threshold=0.7)

    assert listed(project) == ["item-3", "item-2"]


def test_a_decision_settles_what_was_left_open(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "majority", by=lead, threshold=0.7)

    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=lead)

    assert (listed(project), counted(project)) == (["item-2"], (1, [disputed[1].pk]))
    assert OpenDisputes(project, DisputeFilter()).total.n == 2


def test_what_a_condition_does_not_ask_is_not_left_open(project, say, disputed_tone, closed_round, lead):
    why = new_question(project, key="why", categories=("long", "short"), position=5)
    Question.objects.filter(pk=why.pk).update(asked_if_question="tone", asked_if_categories=["bad"])
    for item, tone in (("a", "good"), ("b", "bad")):
        say(item, "ann", tone)
        say(item, "bob", tone)
        say(item, "ann", "long", question=why)
        say(item, "bob", "short", question=why)

    rule(why, "majority", by=lead, threshold=0.9)

    assert listed(project) == ["b"]
    assert finals_of(project, "item", "question", "origin")[1] == ("a", "why", Origin.NOT_ASKED)


def test_resolving_many_knows_what_is_final_under_the_rule(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "adjudicated", by=lead)

    preview = preview_of(project, DisputeFilter(), BulkRule(share=0.5))

    assert (preview.n_new, preview.n_same) == (1, 0)


def estimated(question, *, rule, weights):
    """An estimate that a worker has made, of raters by name."""
    raters = dict(Rater.objects.filter(project=question.project).values_list("key", "pk"))
    categories = list(question.categories.values_list("pk", flat=True))
    result = {
        "raters": [raters[key] for key in weights],
        "categories": categories,
        "weights": [*weights.values()],
    }
    return FinalEstimate.objects.create(
        question=question, rule=rule, state="done", result=result, head_position=0, head_entry=0, n_labels=9
    )


def test_a_rule_that_needs_an_estimate_asks_for_it_once(disputed_tone, disputed, project, lead):
    rule(disputed_tone, "weighted", by=lead, threshold=0.9)

    waiting = FinalEstimate.objects.get()
    assert (waiting.rule, waiting.state, waiting.asked_by) == ("weighted", "queued", lead)
    assert estimate(disputed_tone, by=lead) == waiting
    assert {label.origin for label in final_labels(project)} == {Origin.NONE}
    # Until then, what raters disagree on is in dispute as ever.
    assert listed(project) == ["item-3", "item-2"]
    assert Event.objects.filter(kind=Event.Kind.FINAL_RULE_ESTIMATED).count() == 1


def test_a_weighted_vote_rests_on_the_newest_estimate(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "weighted", by=lead)
    estimated(disputed_tone, rule="dawid_skene", weights={"cem": 9})
    estimated(disputed_tone, rule="weighted", weights={"ann": 9, "bob": 0.5, "cem": 2})
    estimated(disputed_tone, rule="weighted", weights={"ann": 1, "bob": 0.5, "cem": 2})

    assert finals_of(project, "item", "label", "origin") == [
        ("item-1", "good", Origin.UNANIMOUS),
        ("item-2", "bad", Origin.WEIGHTED),
        ("item-3", "bad", Origin.WEIGHTED),
    ]
    assert [label.final.certainty for label in final_labels(project)] == pytest.approx([1, 2 / 3.5, 2 / 3.5])
    assert item_disputes(disputed[1]).questions[0].words == "bad"


def test_an_estimate_of_a_category_that_is_gone_is_not_used(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "weighted", by=lead)
    estimated(disputed_tone, rule="weighted", weights={"ann": 1, "bob": 0.5, "cem": 2})

    disputed_tone.categories.filter(key="fair").update(treated_as_missing=True)

    assert {each.is_waiting for each in rules_of(project).values()} == {True}


def test_other_rules_have_nothing_to_estimate(disputed_tone, lead):
    with pytest.raises(NothingToEstimate):
        estimate(disputed_tone, by=lead)


def test_many_questions_take_no_query_for_each(project, disputed, disputed_tone, lead):
    def n_queries():
        with CaptureQueriesContext(connection) as asked:
            rules_of(project)
        return len(asked)

    rule(disputed_tone, "weighted", by=lead)
    estimated(disputed_tone, rule="weighted", weights={"ann": 1})
    few = n_queries()
    for n in range(5):
        more = new_question(project, key=f"q{n}", final_rule="weighted")
        estimated(more, rule="weighted", weights={"ann": 1})

    assert n_queries() == few


def test_without_a_threshold_disputes_read_no_label_more(project, disputed, disputed_tone, lead):
    def n_queries():
        with CaptureQueriesContext(connection) as asked:
            listed(project)
        return len(asked)

    few = n_queries()
    rule(disputed_tone, "majority", by=lead)

    assert n_queries() == few


def test_the_page_sets_the_rule(client, project, disputed, disputed_tone):
    address = f"/p/{project.slug}/items/final/rules/{disputed_tone.pk}/"
    shown = client.get(address)
    assert [value for value, _ in shown.context["form"].fields["rule"].choices] == [
        "plurality", "adjudicated", "unanimous", "majority", "weighted", "dawid_skene"
    ]  # fmt: skip

    saved = client.post(address, {"rule": "majority", "threshold": "66"})

    assert (saved.status_code, saved.url) == (302, f"/p/{project.slug}/items/final/")
    disputed_tone.refresh_from_db()
    assert (disputed_tone.final_rule, disputed_tone.final_threshold) == ("majority", 0.66)
    assert not disputed_tone.final_takes_references
    page = client.get(saved.url)
    assert [row.kind for row in page.context["rules"]] == ["majority"]
    assert page.content.decode().count('data-rule="majority"') == 1


@pytest.mark.parametrize("sent", [{}, {"rule": "mean"}, {"rule": "majority", "threshold": "101"},
                                  {"rule": "unanimous", "threshold": "90"}])  # fmt: skip
def test_what_the_page_refuses_changes_nothing(client, project, disputed_tone, sent):
    refused = client.post(f"/p/{project.slug}/items/final/rules/{disputed_tone.pk}/", sent)

    assert refused.status_code == 400
    disputed_tone.refresh_from_db()
    assert disputed_tone.final_rule == "plurality"


def patched(client, project, question, **body):
    url = f"/api/v1/projects/{project.slug}/final-labels/rules/{question.pk}/"
    return client.patch(url, body, content_type="application/json")


def test_over_the_api(client, project, disputed, disputed_tone):
    first = patched(client, project, disputed_tone, rule="dawid_skene", threshold=0.95).json()
    second = patched(client, project, disputed_tone, takes_references=False).json()
    third = patched(client, project, disputed_tone, rule="majority").json()

    assert (first["rule"], first["threshold"], first["estimate"]) == ("dawid_skene", 0.95, None)
    assert first["latest"]["state"] == "queued"
    assert (second["rule"], second["threshold"], second["takes_references"]) == ("dawid_skene", 0.95, False)
    # The threshold was that of another rule.
    assert (third["rule"], third["threshold"], third["latest"]) == ("majority", None, None)
    assert client.get(f"/api/v1/projects/{project.slug}/final-labels/rules/").json() == [third]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"rule": "mean"}, "rule_misfit"),
        ({"rule": "x"}, "invalid_choice"),
        ({"threshold": 2}, "max_value"),
        ({"x": 1}, "unknown_field"),
    ],
)
def test_the_api_refuses_what_does_not_fit(client, project, disputed_tone, body, code):
    refused = patched(client, project, disputed_tone, **body)

    assert (refused.status_code, refused.json()["error"]) == (400, code)


def test_estimating_again_over_page_and_api(client, project, disputed_tone, lead):
    rule(disputed_tone, "weighted", by=lead)
    FinalEstimate.objects.update(state="failed", failure="No item has labels by two raters.")
    page = client.get(f"/p/{project.slug}/items/final/").content.decode()
    assert "No item has labels by two raters." in page

    again = client.post(f"/api/v1/projects/{project.slug}/final-labels/rules/{disputed_tone.pk}/estimate/")
    FinalEstimate.objects.update(state="failed")
    by_page = client.post(f"/p/{project.slug}/items/final/rules/{disputed_tone.pk}/estimate/")

    assert (again.status_code, again.json()["latest"]["state"], by_page.status_code) == (202, "queued", 302)
    assert FinalEstimate.objects.count() == 3


def test_files_have_rule_and_certainty(client, project, disputed, disputed_tone, lead):
    rule(disputed_tone, "majority", by=lead, threshold=0.7)

    lines = b"".join(client.get(f"/p/{project.slug}/items/final/jsonl/").streaming_content).decode()

    found = [json.loads(line) for line in lines.splitlines()]
    assert [(each["rule"], each["origin"], each["certainty"]) for each in found] == [
        ("majority", "unanimous", 1.0),
        ("majority", "none", pytest.approx(2 / 3)),
        ("majority", "none", None),
    ]


def test_withdrawn_items_keep_their_final_label(project, disputed, disputed_tone, lead):
    rule(disputed_tone, "majority", by=lead)
    before = finals_of(project, "item", "label")

    Item.objects.filter(pk=disputed[0].pk).update(withdrawn_at="2026-01-01T00:00Z")

    assert finals_of(project, "item", "label") == before


def test_a_round_that_labels_again_counts_for_every_rule(project, say, disputed_tone, closed_round, lead):
    again = project.rounds.create(
        key="again", position=5, state="closed", plans=[{"chosen": {"kind": "disputed", "again": True}}]
    )
    for rater in ("ann", "bob", "cem"):
        say("a", rater, "bad")
    say("a", "ann", "good", pass_number=2, round=again)
    say("a", "bob", "good", pass_number=2, round=again)
    rule(disputed_tone, "unanimous", by=lead)

    assert finals_of(project, "label", "origin") == [("good", Origin.UNANIMOUS)]


def test_add_labels_are_counted_however_many(project, lead):
    tone = new_question(project, key="tone", categories=("good", "bad"))
    add_labels(tone, [(f"i{n}", f"r{r}", "good" if r < n % 4 else "bad") for n in range(8) for r in range(3)])
    rule(tone, "majority", by=lead, threshold=0.9)

    open_ = {label.item for label in final_labels(project) if label.label is None}

    assert set(listed(project)) == open_
    assert len(open_) == counted(project)[0] == 4


def test_labels_of_the_reference_are_not_among_the_least_certain(project, disputed, disputed_tone, lead):
    client, address = cast.signed_in(lead), reverse("finals", args=[project.slug])
    before = {str(each.item) for each in client.get(address).context["least"]}
    gold = Rater.objects.create(project=project, key="gold", kind=Rater.Kind.REFERENCE)
    category = disputed_tone.categories.first()
    Label.objects.create(question=disputed_tone, item=disputed[2], rater=gold, category=category)

    after = {str(each.item) for each in client.get(address).context["least"]}

    assert before - after == {disputed[2].key}
