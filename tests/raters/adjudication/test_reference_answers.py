"""Reference answers: set on the page of an item, and taken from decisions."""

import pytest

from projects.models import Event, Membership, Question
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.reference_answers import (
    NoUsableDecisions,
    ReferenceChanged,
    ReferencePreview,
    copy_decisions_to_references,
    from_decisions,
    set_reference,
)
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.references import items_with_reference, reference_answers
from raters.models import Label, LabelRevision, Rater
from tests import cast


@pytest.fixture
def setter(project):
    return cast.member(project, Membership.Role.LEAD, username="lena")


@pytest.fixture
def scale_of_size(project) -> Question:
    return Question.objects.create(project=project, key="size", kind="number", level="ratio", position=1)


def decided(item, question, category: str | None, by) -> None:
    answer = Answer(category=category) if category else Answer(is_abstention=True)
    decide(item, question, NewDecision(answer, "Rater slip"), seen=0, by=by)


def stored_references(project) -> list[tuple[str, str, str | None]]:
    labels = Label.objects.filter(rater__project=project, rater__kind=Rater.Kind.REFERENCE)
    return list(
        labels.order_by("item", "question").values_list("item__key", "question__key", "category__key")
    )


def test_answers_are_set_changed_and_removed(project, disputed, disputed_tone, scale_of_size, setter):
    item = disputed[0]
    assert set_reference(item, {"tone": Answer(category="good")}, seen={"tone": 0, "size": 0}, by=setter) == 1
    assert reference_answers(item.pk, [disputed_tone, scale_of_size]) == {"tone": Answer(category="good")}
    assert items_with_reference(project).tolist() == [item.pk]

    answers = {"tone": Answer(category="bad"), "size": Answer(number=3)}
    assert set_reference(item, answers, seen={"tone": 1, "size": 0}, by=setter) == 2
    assert set_reference(item, answers, seen={"tone": 2, "size": 1}, by=setter) == 0
    assert set_reference(item, {"size": Answer(number=3)}, seen={"tone": 2, "size": 1}, by=setter) == 1
    assert stored_references(project) == [("item-1", "size", None)]

    rater = Rater.objects.get(project=project, kind=Rater.Kind.REFERENCE)
    revisions = LabelRevision.objects.filter(rater_id=rater.pk).order_by("id")
    assert [each.change for each in revisions] == ["I", "U", "I", "D"]
    assert {(each.user_id, each.source) for each in revisions} == {(setter.pk, "reference by page")}
    events = Event.objects.filter(kind=Event.Kind.REFERENCE_SET)
    assert [(each.about, each.detail["n"]) for each in events.order_by("id")] == [
        ("item-1", n) for n in (1, 2, 1)
    ]


def test_what_another_lead_changed_is_not_overwritten(disputed, disputed_tone, setter):
    set_reference(disputed[0], {"tone": Answer(category="good")}, seen={}, by=setter)
    with pytest.raises(ReferenceChanged):
        set_reference(disputed[0], {"tone": Answer(category="bad")}, seen={"tone": 0}, by=setter)
    with pytest.raises(AnswersRefused):
        set_reference(disputed[0], {"tone": Answer(category="nope")}, seen={"tone": 1}, by=setter)
    assert stored_references(disputed[0].project) == [("item-1", "tone", "good")]


def test_a_rater_who_has_the_name_is_somebody_else(project, disputed, disputed_tone, setter):
    Rater.objects.create(project=project, key="reference")
    set_reference(disputed[0], {"tone": Answer(category="good")}, seen={}, by=setter)
    assert Rater.objects.get(project=project, kind=Rater.Kind.REFERENCE).key == "reference-2"


def test_decisions_become_reference_answers_once(project, disputed, disputed_tone, setter):
    for item, category in zip(disputed, ("good", "fair", None), strict=True):
        decided(item, disputed_tone, category, setter)
    set_reference(disputed[0], {"tone": Answer(category="bad")}, seen={}, by=setter)

    # "Cannot tell" is no answer, and what the reference says already stays.
    assert from_decisions(project) == ReferencePreview(1, 1, 1)
    assert copy_decisions_to_references(project, by=setter) == ReferencePreview(1, 1, 1)
    assert stored_references(project) == [("item-1", "tone", "bad"), ("item-2", "tone", "fair")]
    with pytest.raises(NoUsableDecisions):
        copy_decisions_to_references(project, by=setter)
    event = Event.objects.filter(kind=Event.Kind.REFERENCE_SET).latest("id")
    assert (event.about, event.detail["items"]) == ("1 from decisions", 1)


def test_what_is_treated_as_missing_is_no_reference_answer(project, disputed, disputed_tone, setter):
    decided(disputed[0], disputed_tone, "bad", setter)
    disputed_tone.categories.filter(key="bad").update(treated_as_missing=True)
    assert from_decisions(project) == ReferencePreview(0, 0, 0)


def test_by_page(project, disputed, disputed_tone, scale_of_size, setter):
    client, item = cast.signed_in(setter), disputed[1]
    url = f"/p/{project.slug}/items/{item.pk}/reference/"
    assert f'href="{url}"' in client.get(f"/p/{project.slug}/items/{item.pk}/").content.decode()
    page = client.get(url).content.decode()
    assert page.count("No answer") == 1
    good = disputed_tone.categories.get(key="good")
    form = {
        f"answer-{disputed_tone.pk}": good.pk, f"revision-{disputed_tone.pk}": 0,
        f"answer-{scale_of_size.pk}": "", f"revision-{scale_of_size.pk}": 0,
    }  # fmt: skip

    assert client.post(url, form | {f"answer-{scale_of_size.pk}": "many"}).status_code == 400
    assert stored_references(project) == []
    assert client.post(url, form).status_code == 302
    assert stored_references(project) == [("item-2", "tone", "good")]
    again = client.post(url, form | {f"answer-{disputed_tone.pk}": ""})
    assert again.status_code == 400
    assert "Load the current answers" in again.content.decode()
    assert "checked" in client.get(url).content.decode()
    assert (
        client.post(
            url, form | {f"answer-{disputed_tone.pk}": "", f"revision-{disputed_tone.pk}": 1}
        ).status_code
        == 302
    )
    assert stored_references(project) == []


def test_in_one_step_by_page_and_api(project, disputed, disputed_tone, setter):
    client = cast.signed_in(setter)
    decided(disputed[2], disputed_tone, "bad", setter)
    page = client.get(f"/p/{project.slug}/items/final/").content.decode()
    assert 'id="references"' in page
    assert "Make it a reference answer" in page
    address = f"/api/v1/projects/{project.slug}/final-labels/references/"
    assert client.get(address).json() == {"n": 1, "n_items": 1, "n_present": 0}
    assert client.post(f"/p/{project.slug}/items/final/references/").status_code == 302
    assert stored_references(project) == [("item-3", "tone", "bad")]
    refused = client.post(address, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]) == (409, "no_decisions")
    decided(disputed[1], disputed_tone, "good", setter)
    assert client.post(address, content_type="application/json").status_code == 201
    assert len(stored_references(project)) == 2
