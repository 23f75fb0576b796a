"""Rounds on chosen items, and the same items labeled again."""

import json
from collections import Counter

import pytest

from projects.items.actions import withdraw_item
from projects.items.lists import make_list
from projects.models import Event, Item, Membership, Project
from raters.actions import rater_of
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.exporting import final_labels
from raters.adjudication.item_disputes import item_disputes
from raters.adjudication.proposing import BulkRule, preview_of
from raters.models import Assignment, Label
from raters.progress.progress_figures import figures_of
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource, items_chosen
from raters.rounds.coverage import coverage_of
from raters.rounds.plan_storage import plan_round, preview, replan
from raters.rounds.round_plan import RoundPlan
from raters.rounds.states import close_round, open_round
from tests import cast
from tests.working import Work, label_all


def keys_of(project: Project, choice: ItemChoice) -> list[str]:
    ids = items_chosen(project, choice).tolist()
    return list(Item.objects.filter(pk__in=ids).order_by("pk").values_list("key", flat=True))


def plan_of(
    choice: ItemChoice, design: AssignmentDesign = AssignmentDesign.SAME, *, n: int = 2, **more
) -> RoundPlan:
    return RoundPlan(overlap=Overlap(design, n), seed=3, chosen=choice, **more)


def test_words_are_searched_in_one_field(project):
    for key, title, text in (("a", "Cats 100%", "dogs"), ("b", "Dogs", "cats 100%"), ("cats 100%", "x", "y")):
        content = [
            {"name": "title", "kind": "text", "value": title},
            {"name": "text", "kind": "text", "value": text},
        ]
        Item.objects.create(project=project, key=key, content=content)

    everywhere = ItemChoice(source=ItemSource.WORDS, about="cats 100%")
    in_title = ItemChoice(source=ItemSource.WORDS, about="cats 100%", field="title")

    assert keys_of(project, everywhere) == ["a", "b", "cats 100%"]
    assert keys_of(project, in_title) == ["a"]
    assert in_title.words == "that contain “cats 100%” in “title”"
    assert ItemChoice.of_json(in_title.as_json()) == in_title
    with pytest.raises(DesignRefused):
        items_chosen(project, ItemChoice(source=ItemSource.WORDS, about="cats", field="none"))


def users(work: Work) -> list:
    return [rater.user for rater in work.raters]


def again(work: Work, **more) -> ItemChoice:
    return ItemChoice(source=ItemSource.ROUND, about=work.round.key, pk=work.round.pk, again=True, **more)


def say(work: Work, round_, *answers: tuple[int, int, str]) -> None:
    """(rater, item, answer) as labels of done assignments of the round."""
    for rater, place, word in answers:
        assignment = Assignment.objects.get(
            round=round_, rater=work.raters[rater], item=work.items[place], state="pending"
        )
        Label.objects.create(
            item=work.items[place],
            question=work.question,
            rater=work.raters[rater],
            round=round_,
            pass_number=assignment.pass_number,
            category=work.question.categories.get(key=word),
        )
        Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.DONE)


def labeled_twice(work: Work, leader):
    """Disputed at first on both items; labeled again, one is agreed upon and the other one turned around."""
    say(work, work.round, (0, 0, "good"), (1, 0, "bad"), (0, 1, "good"), (1, 1, "bad"))
    second = plan_round(work.project, "second", plan_of(again(work)), users(work), by=leader)
    open_round(second, by=leader)
    say(work, second, (0, 0, "fair"), (1, 0, "fair"), (0, 1, "bad"), (1, 1, "good"))
    return second


def test_each_choice_finds_its_items_without_those_that_were_withdrawn(work, leader):
    project, items = work.project, work.items
    Item.objects.filter(pk=items[0].pk).update(attributes={"site": "Leeds", "year": 2020})
    Item.objects.filter(pk=items[1].pk).update(attributes={"site": "York"})
    Item.objects.create(project=project, key="free")
    made = make_list(project, "Hard ones", [items[2].pk, items[0].pk], by=leader)
    say(work, work.round, (0, 1, "good"), (1, 1, "bad"), (0, 2, "good"))

    assert keys_of(project, ItemChoice()) == ["free"]
    assert keys_of(project, ItemChoice(source=ItemSource.LIST, pk=made.pk)) == ["item-1", "item-3"]
    assert keys_of(project, ItemChoice(source=ItemSource.ROUND, pk=work.round.pk)) == [
        "item-1",
        "item-2",
        "item-3",
    ]
    assert keys_of(project, ItemChoice(source=ItemSource.DISPUTED)) == ["item-2"]
    assert keys_of(project, ItemChoice(source=ItemSource.ATTRIBUTE, attribute="year", value="2020")) == [
        "item-1"
    ]
    assert keys_of(project, ItemChoice(source=ItemSource.WORDS, about="Text 2")) == ["item-2"]
    assert keys_of(project, ItemChoice(source=ItemSource.IDS, ids=("item-3", "item-1"))) == [
        "item-1",
        "item-3",
    ]
    withdraw_item(items[0], by=leader)
    assert keys_of(project, ItemChoice(source=ItemSource.LIST, pk=made.pk)) == ["item-3"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (ItemChoice(source=ItemSource.IDS, ids=("item-1", "nope", "")), r"'nope' \(line 2\), '' \(line 3\)"),
        (ItemChoice(source=ItemSource.ATTRIBUTE, attribute="site", value="Rome"), "No item has site = Rome"),
        (ItemChoice(source=ItemSource.DISPUTED), "no items in dispute"),
        (ItemChoice(), "no unassigned items"),
    ],
)
def test_invalid_choices_are_reported(work, choice, words):
    with pytest.raises(DesignRefused, match=words):
        items_chosen(work.project, choice)


def test_the_same_raters_get_what_they_had_as_a_further_pass(work, leader):
    say(work, work.round, (0, 0, "good"), (1, 0, "bad"), (0, 1, "good"))
    [seen] = preview(work.project, [plan_of(again(work))], users(work))
    assert (len(seen.items), seen.n_assignments, seen.n_again) == (2, 3, 3)

    second = plan_round(work.project, "second", plan_of(again(work)), users(work), by=leader)

    planned = Assignment.objects.filter(round=second).values_list("rater", "item__key", "pass_number")
    first, other = (rater.pk for rater in work.raters)
    assert sorted(planned) == sorted([(first, "item-1", 2), (other, "item-1", 2), (first, "item-2", 2)])
    assert second.plans[0]["chosen"] == {
        "kind": "round", "about": "round 1", "again": True, "stratify_by": ""
    }  # fmt: skip
    assert RoundPlan.of_json(second.plans[0]).overlap.design is AssignmentDesign.SAME


def test_without_labeling_again_nobody_gets_an_item_twice(work, leader):
    third = cast.member(work.project, Membership.Role.RATER, username="third")
    choice = ItemChoice(source=ItemSource.ROUND, about="round 1", pk=work.round.pk)
    with pytest.raises(DesignRefused, match="as many raters as planned"):
        plan_round(work.project, "more", plan_of(choice, AssignmentDesign.SOME), users(work), by=leader)

    more = plan_round(
        work.project, "more", plan_of(choice, AssignmentDesign.SOME, n=3), [*users(work), third], by=leader
    )

    rater = rater_of(work.project, third)
    assert list(more.assignments.values_list("rater", "pass_number")) == [(rater.pk, 1)] * 3


def test_blind_repeats_of_a_second_round_count_on(leader, work):
    say(work, work.round, *((rater, place, "good") for rater in (0, 1) for place in range(3)))
    second = plan_round(
        work.project, "second", plan_of(again(work), repeat_share=0.5), users(work), by=leader
    )

    passes = Counter(second.assignments.values_list("pass_number", flat=True))
    assert passes[2] == 6
    assert set(passes) == {2, 3}
    found = coverage_of(second)
    assert found.work.tolist() == [3, 3]
    assert found.repeats.sum() == passes[3]
    assert found.shared[0, 1] == 3


def test_after_replanning_items_are_still_labeled_again(work, leader):
    say(work, work.round, *((rater, place, "good") for rater in (0, 1) for place in range(3)))
    second = plan_round(work.project, "second", plan_of(again(work)), users(work), by=leader)
    third = cast.member(work.project, Membership.Role.RATER, username="third")

    replan(second, [users(work)[0], third], by=leader, seed=5)

    by_item = Counter(second.assignments.values_list("item__key", flat=True))
    assert by_item == dict.fromkeys(("item-1", "item-2", "item-3"), 2)
    numbers = dict(second.assignments.values_list("rater", "pass_number"))
    assert numbers == {work.raters[0].pk: 2, rater_of(work.project, third).pk: 1}


def test_final_labels_and_disputes_are_those_of_the_newest_round(work, leader):
    second = labeled_twice(work, leader)

    found = {each.item: (each.label, each.final.n_raters) for each in final_labels(work.project)}
    assert found == {"item-1": ("fair", 2), "item-2": (None, 2)}
    of_first = {each.item: each.label for each in final_labels(work.project, work.round)}
    assert of_first == {"item-1": None, "item-2": None}
    open_now = OpenDisputes(work.project, DisputeFilter(includes_waiting=True))
    assert [row.item.key for row in open_now[:50]] == ["item-2"]
    assert len(OpenDisputes(work.project, DisputeFilter(round=work.round.pk, includes_waiting=True))) == 2
    assert len(OpenDisputes(work.project, DisputeFilter(round=second.pk))) == 1
    assert figures_of(work.project).items.n_disputed == 1


def test_adjudicators_see_the_earlier_labels_and_count_the_newest(work, leader):
    labeled_twice(work, leader)

    shown = item_disputes(work.items[0])
    [asked] = shown.questions
    assert sorted(
        (opinion.words, opinion.is_superseded, opinion.counts) for opinion in asked.case.opinions
    ) == [
        ("bad", True, False),
        ("fair", False, True),
        ("fair", False, True),
        ("good", True, False),
    ]
    assert [choice.words for choice in asked.case.given] == ["fair"]
    fair = work.question.categories.get(key="fair")
    assert [shown.answers_of(name) for name in shown.raters] == [
        {work.question.pk: f"category-{fair.pk}"}
    ] * 2
    assert asked.before.n_raters == 2
    wanted = DisputeFilter(includes_waiting=True)
    bulk = preview_of(work.project, wanted, BulkRule(rater=work.raters[0].pk))
    assert [each.value.category for each in bulk.proposals] == [work.question.categories.get(key="bad").pk]


def test_a_second_round_is_no_blind_repeat(work, leader):
    labeled_twice(work, leader)
    assert all(row.repeats.n == 0 for row in figures_of(work.project).raters)


def test_a_stratified_sample_has_the_shares_of_the_values(project):
    leader = cast.member(project, Membership.Role.LEAD, username="lena")
    user = cast.member(project, Membership.Role.RATER, username="ana")
    sites = ["a"] * 50 + ["b"] * 30 + ["c"] * 19 + [""]
    Item.objects.bulk_create(
        Item(project=project, key=f"{n}", attributes={"site": site} if site else {})
        for n, site in enumerate(sites)
    )
    choice = ItemChoice(source=ItemSource.WORDS, stratify_by="site")
    plan = plan_of(choice, AssignmentDesign.EVERYONE, n_items=10)

    [seen] = preview(project, [plan], [user])
    # 5, 3, 1.9, and 0.1 items: the largest remainder gets the one that is left.
    assert seen.strata == [("", 1, 0), ("a", 50, 5), ("b", 30, 3), ("c", 19, 2)]
    made = plan_round(project, "sample", plan, [user], by=leader)
    found = Counter(made.assignments.values_list("item__attributes__site", flat=True))
    assert found == {"a": 5, "b": 3, "c": 2}
    assert made.plans[0]["chosen"]["stratify_by"] == "site"


@pytest.mark.parametrize(
    "wrong",
    [
        {"is_on_demand": True, "overlap": Overlap(AssignmentDesign.SOME, 2)},
        {"chosen": ItemChoice(source=ItemSource.WORDS)},
        {"chosen": ItemChoice(source=ItemSource.WORDS, again=True, stratify_by="site")},
    ],
)
def test_plans_that_cannot_be_carried_out_are_refused(wrong):
    given = {
        "overlap": Overlap(AssignmentDesign.SAME),
        "seed": 1,
        "chosen": ItemChoice(source=ItemSource.WORDS, again=True),
    }
    with pytest.raises(DesignRefused):
        RoundPlan(**{**given, **wrong})


def test_the_page_plans_the_items_of_a_round_again(work, leader):
    label_all(Assignment.objects.filter(rater__in=work.raters))
    close_round(work.round, by=leader)
    client = cast.signed_in(leader)
    page = client.get(f"/p/{work.project.slug}/rounds/{work.round.pk}/").content.decode()
    address = f"/p/{work.project.slug}/rounds/new/?source=round&amp;of_round={work.round.pk}&amp;again=1"
    assert address in page
    page = client.get(address.replace("&amp;", "&")).content.decode()
    assert page.count('name="raters"') == 3
    assert page.count("checked") == 2 + len(work.raters) + 2

    given = {
        "key": "second", "raters": [user.pk for user in users(work)], "design": "same", "raters_per_item": 2,
        "share": 20, "source": "round", "of_round": work.round.pk, "again": "on", "repeats": 0,
        "idle_minutes": 60, "seed": 1, "kappa": 0.7, "prevalence": 50, "reference_use": "check",
    }  # fmt: skip
    url = f"/p/{work.project.slug}/rounds/new/"
    seen = client.post(url, given)
    assert "6 assignments of items that their raters have had before" in seen.content.decode()
    assert client.post(url, given | {"assign": "1"}).status_code == 302

    second = work.project.rounds.get(key="second")
    assert second.assignments.count() == 6
    shown = client.get(f"/p/{work.project.slug}/rounds/{second.pk}/").content.decode()
    assert "those of round 1" in shown
    assert "data-before-after" in shown
    refused = client.post(url, given | {"key": "third", "source": "list"})
    assert refused.status_code == 400
    assert "Needed for “A saved list”" in refused.content.decode()
    unknown = client.post(url, given | {"key": "third", "source": "ids", "ids": "item-1\nwrong"})
    assert "&#x27;wrong&#x27; (line 2)" in unknown.content.decode()


def call(client, method: str, url: str, body: object = None):
    raw = "" if body is None else json.dumps(body)
    return client.generic(method, f"/api/v1/projects/{url}", raw, content_type="application/json")


def test_lists_and_rounds_on_them_over_the_api(work, leader):
    client, slug = cast.signed_in(leader), work.project.slug
    label_all(Assignment.objects.filter(rater__in=work.raters))
    made = call(client, "POST", f"{slug}/item-lists/", {"name": "Hard ones", "items": ["item-3", "item-1"]})
    assert made.status_code == 201, made.content
    pk = made.json()["id"]
    assert [each["name"] for each in call(client, "GET", f"{slug}/item-lists/").json()["results"]] == [
        "Hard ones"
    ]
    listed = call(client, "GET", f"{slug}/item-lists/{pk}/").json()["results"]
    assert [each["item"] for each in listed] == ["item-3", "item-1"]
    assert Event.objects.filter(kind=Event.Kind.ITEM_LIST_MADE).count() == 1
    wrong = call(client, "POST", f"{slug}/item-lists/", {"name": "x", "items": ["item-1", "nope"]})
    assert (wrong.status_code, wrong.json()["error"]) == (400, "no_such_item")

    plan = {
        "key": "second",
        "design": "same",
        "raters": [user.username for user in users(work)],
        "items": {"kind": "list", "list": pk, "again": True},
    }
    round_ = call(client, "POST", f"{slug}/rounds/", plan)
    assert round_.status_code == 201, round_.content
    assert round_.json()["n_assignments"] == 4
    assert round_.json()["items"] == {"kind": "list", "about": "Hard ones", "again": True, "stratify_by": ""}
    for items, status in (
        ({"kind": "list"}, 400),
        ({"kind": "list", "list": pk + 999}, 400),
        ({"kind": "x"}, 400),
    ):
        found = call(client, "POST", f"{slug}/rounds/", plan | {"key": "third", "items": items})
        assert found.status_code == status, found.content
