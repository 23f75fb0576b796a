"""Many disputes decided by one rule: the preview, the decisions, and undoing them as a whole."""

import re

import pytest

from projects.models import Event, ItemList, ItemListEntry, Project
from raters.adjudication import bulk
from raters.adjudication.bulk import BulkPreviewOutdated, NoDecisionsToUndo, decide_many, undo_many
from raters.adjudication.deciding import NewDecision, current_decision, decide, withdraw
from raters.adjudication.disputes import DisputeFilter, OpenDisputes
from raters.adjudication.proposing import BulkRule, names_in, preview_of
from raters.labeling.answers import Answer
from raters.models import Decision, Label, LabelRevision, Rater
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("adjudicator")
ALL = DisputeFilter()
MAJORITY = BulkRule(share=0.5)


def decided(project, item, question):
    label = current_decision(item, question).label
    return label and label.category.key


def test_a_majority_above_the_share_is_proposed_and_the_rest_is_left(project, disputed):
    found = preview_of(project, ALL, MAJORITY)
    stricter = preview_of(project, ALL, BulkRule(share=2 / 3))

    assert [each.dispute.item for each in found.proposals] == [disputed[1].pk]
    assert [(each.dispute.item, each.why) for each in found.left] == [
        (disputed[2].pk, "no majority above the share")
    ]
    # Two of three are no more than two thirds.
    assert (stricter.proposals, len(stricter.left)) == ([], 2)
    assert not Label.objects.filter(rater__kind=Rater.Kind.CONSENSUS).exists()


def test_the_preview_says_what_becomes_of_final_labels_and_agreement(project, disputed):
    ann = Rater.objects.get(project=project, key="ann").pk
    majority = preview_of(project, ALL, MAJORITY)
    of_ann = preview_of(project, ALL, BulkRule(rater=ann))
    cem = Rater.objects.get(project=project, key="cem").pk
    of_cem = preview_of(project, ALL, BulkRule(rater=cem))
    names = {
        name: key for key, name in ((Rater.objects.get(pk=pk).key, n) for pk, n in names_in(project).items())
    }

    def effects(found):
        return {names[each.name]: (each.n, each.n_before, each.n_after) for each in found.raters}

    # item-2: good, good, bad; final now: good. item-3: good, fair, bad; no final label now.
    assert (majority.n_new, majority.n_other, majority.n_same) == (0, 0, 1)
    assert effects(majority) == {"ann": (1, 1, 1), "bob": (1, 1, 1), "cem": (1, 0, 0)}
    assert (of_ann.n_new, of_ann.n_other, of_ann.n_same) == (1, 0, 1)
    assert effects(of_ann) == {"ann": (2, 1, 2), "bob": (2, 1, 1), "cem": (2, 0, 0)}
    assert (of_cem.n_new, of_cem.n_other, of_cem.n_same) == (1, 1, 0)
    assert effects(of_cem) == {"ann": (2, 1, 0), "bob": (2, 1, 0), "cem": (2, 0, 2)}


def test_all_are_decided_in_one_event_and_undone_as_a_whole(project, disputed, disputed_tone, adjudicator):
    cem = BulkRule(rater=Rater.objects.get(project=project, key="cem").pk)
    before = list(Label.objects.order_by("pk").values())
    done = decide_many(project, ALL, cem, digest=preview_of(project, ALL, cem).digest, by=adjudicator)
    made = [decided(project, item, disputed_tone) for item in disputed]
    by = set(Decision.objects.values_list("decided_by__username", flat=True))
    [listed] = bulk.bulks_of(project)
    undone = undo_many(project, done.bulk, by=adjudicator)

    assert (done.n, made, by) == (2, [None, "bad", "bad"], {"ada"})
    assert (listed.bulk, listed.n, listed.words, listed.is_undone) == (
        done.bulk,
        2,
        "all of one rater",
        False,
    )
    assert (undone.n, undone.n_left) == (2, 0)
    assert list(Label.objects.order_by("pk").values()) == before
    assert bulk.bulks_of(project)[0].is_undone
    events = Event.objects.filter(project_id=project.pk, kind__startswith="disputes_").order_by("pk")
    assert [(each.kind, each.about, each.detail["bulk"]) for each in events] == [
        ("disputes_decided", "2 disputes", done.bulk),
        ("disputes_reopened", "2 decisions", done.bulk),
    ]
    sources = LabelRevision.objects.filter(source__contains=done.bulk).values_list("source", flat=True)
    assert set(sources) == {
        f"decision by page, bulk {done.bulk}",
        f"decision by page, bulk {done.bulk}, withdrawn",
    }
    with pytest.raises(NoDecisionsToUndo):
        undo_many(project, done.bulk, by=adjudicator)


def test_what_was_revised_since_is_not_undone(
    project, disputed, disputed_tone, adjudicator, other_adjudicator
):
    cem = BulkRule(rater=Rater.objects.get(project=project, key="cem").pk)
    done = decide_many(project, ALL, cem, digest=preview_of(project, ALL, cem).digest, by=adjudicator)
    fair = NewDecision(Answer(category="good"))
    decide(disputed[1], disputed_tone, fair, seen=1, by=other_adjudicator)

    undone = undo_many(project, done.bulk, by=adjudicator)

    assert (undone.n, undone.n_left) == (1, 1)
    assert [decided(project, item, disputed_tone) for item in disputed] == [None, "good", None]


def test_a_label_or_decision_since_the_preview_stops_all_of_it(
    project, say, disputed, disputed_tone, adjudicator, other_adjudicator
):
    digest = preview_of(project, ALL, MAJORITY).digest
    say("item-2", "dan", "bad")
    with pytest.raises(BulkPreviewOutdated):
        decide_many(project, ALL, MAJORITY, digest=digest, by=adjudicator)
    say("item-2", "eve", "bad")
    digest = preview_of(project, ALL, MAJORITY).digest
    decide(disputed[1], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=other_adjudicator)
    with pytest.raises(BulkPreviewOutdated):
        decide_many(project, ALL, MAJORITY, digest=digest, by=adjudicator)

    assert [decided(project, item, disputed_tone) for item in disputed] == [None, "bad", None]


def test_decided_again_after_undoing_it_goes_on_counting(project, disputed, disputed_tone, adjudicator):
    digest = preview_of(project, ALL, MAJORITY).digest
    first = decide_many(project, ALL, MAJORITY, digest=digest, by=adjudicator)
    undo_many(project, first.bulk, by=adjudicator)
    again = decide_many(project, ALL, MAJORITY, digest=digest, by=adjudicator)

    assert current_decision(disputed[1], disputed_tone).revision == 3
    withdraw(disputed[1], disputed_tone, seen=3, by=adjudicator)
    with pytest.raises(NoDecisionsToUndo):
        undo_many(project, again.bulk, by=adjudicator)


def test_a_reference_that_says_otherwise_leaves_it(project, say, disputed):
    say("item-2", "gold", "bad", kind=Rater.Kind.REFERENCE)

    found = preview_of(project, ALL, MAJORITY)

    assert (found.proposals, {each.why for each in found.left if each.dispute.item == disputed[1].pk}) == (
        [],
        {"a reference says otherwise"},
    )


def test_only_chosen_items_are_decided(project, disputed, adjudicator):
    cem = BulkRule(rater=Rater.objects.get(project=project, key="cem").pk)
    chosen = ItemList.objects.create(project=project, name="chosen", created_by=adjudicator)
    ItemListEntry.objects.create(item_list=chosen, item=disputed[2], position=1)

    found = preview_of(project, DisputeFilter(list=chosen.pk), cem)

    assert [each.dispute.item for each in found.proposals] == [disputed[2].pk]


def test_numbers_within_the_tolerance_are_one_majority(project, disputed, adjudicator):
    size = new_question(project, key="size", kind="number", tolerance=0.5, categories=())
    for rater, number in (("ann", 10.0), ("bob", 10.4), ("cem", 14.0)):
        Label.objects.create(
            item=disputed[0], question=size, rater=Rater.objects.get(key=rater), number=number
        )
    wanted = DisputeFilter(question=size.pk)
    digest = preview_of(project, wanted, MAJORITY).digest

    decide_many(project, wanted, MAJORITY, digest=digest, by=adjudicator)

    # The lower of the two in the middle.
    assert current_decision(disputed[0], size).label.number == 10.0
    assert len(OpenDisputes(project, wanted)) == 0


def test_the_page_previews_decides_and_undoes(client, project, disputed, disputed_tone):
    address = f"/p/{project.slug}/adjudicate/bulk/"
    preview = client.get(f"{address}?rule=majority&share=60")
    digest = re.search(r'data-digest="(\w+)"', preview.content.decode())[1]
    sent = {"rule": "majority", "share": "60", "digest": digest}
    stale = client.post(address, {**sent, "digest": "0"})
    saved = client.post(address, sent, follow=True)
    made = decided(project, disputed[1], disputed_tone)
    undo = re.search(r'action="([^"]*/undo/)"><', saved.content.decode())[1]
    undone = client.post(undo, follow=True)

    assert "no majority above the share" in preview.content.decode()
    assert stale.status_code == 409
    assert (made, "Resolved 1 dispute." in saved.content.decode()) == ("good", True)
    assert "Undone: 1 dispute open again." in undone.content.decode()
    assert decided(project, disputed[1], disputed_tone) is None


@pytest.mark.parametrize("query", ["rule=majority&share=49", "rule=majority&share=x", "rule=rater&rater=9"])
def test_an_impossible_rule_is_reported(client, project, disputed, query):
    page = client.get(f"/p/{project.slug}/adjudicate/bulk/?{query}")

    assert 'role="alert"' in page.content.decode()
    assert page.context["preview"] is None


def test_the_page_names_nobody_while_names_are_hidden(client, project, disputed):
    address = f"/p/{project.slug}/adjudicate/bulk/?rule=rater&rater=1"
    hidden = client.get(address).content.decode()
    Project.objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    shown = client.get(address).content.decode()

    assert not re.search(r"\b(ann|bob|cem)\b", hidden)
    assert re.search(r"\bann\b", shown)


def test_over_the_api(client, project, disputed, disputed_tone):
    address = f"/api/v1/projects/{project.slug}/adjudication/bulk/"

    def post(**body):
        return client.post(address, body, content_type="application/json")

    preview = post(rule="majority", share=0.6, question="tone").json()
    done = post(rule="majority", share=0.6, question="tone", digest=preview["digest"]).json()
    made = decided(project, disputed[1], disputed_tone)
    undone = client.delete(f"{address}{done['bulk']}/").json()

    assert (preview["bulk"], preview["n"], preview["n_left"]) == (None, 1, 1)
    assert [(each["item"], each["decision"], each["before"]) for each in preview["proposals"]] == [
        ("item-2", "good", "good")
    ]
    assert (made, undone) == ("good", {"n": 1, "n_left": 0})
    assert post(rule="majority", share=0.4).status_code == 400
    assert post(rule="rater", rater="ann").status_code == 400
    assert post(rule="rater", rater="Rater A").status_code == 200
    assert client.delete(f"{address}{'0' * 12}/").status_code == 404
