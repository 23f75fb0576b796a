"""How sure a rater is of an answer: saved with it, changed alone, and asked for where the codebook says so."""

import hashlib
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.http import QueryDict
from django.urls import reverse

from projects.codebook.versions import store_version
from projects.models import Category, Item, Question
from raters import confidence_scale
from raters.labeling.answers import Answer, AnswersRefused
from raters.labeling.assignment_context import assignment_context
from raters.labeling.own_work import OwnLabelSearch, own_labels, own_labels_page
from raters.labeling.pages import answer_in_words
from raters.labeling.saving_records import SubmittedAnswers
from raters.labeling.submitted_form import parsed_answers
from raters.labeling.undoing import undo
from raters.models import Label, LabelRevision, Rater
from reports.store.history_verification import verify_history
from tests.working import Work, answer


def ask(work: Work, wanted: str = "optional") -> None:
    Question.objects.filter(pk=work.question.pk).update(confidence=wanted)
    store_version(work.project)


def sure(category: str, probability: float | None) -> dict[str, Answer]:
    return {"tone": Answer(category=category, confidence=probability)}


def test_it_is_saved_with_the_answer_and_in_its_revision(work):
    ask(work)

    answer(work, sure("good", 0.75))

    assert Label.objects.get().confidence == 0.75
    assert LabelRevision.objects.get().confidence == 0.75


def test_changing_it_alone_is_a_revision(work):
    ask(work)
    answer(work, sure("good", 0.75))

    saved = answer(work, sure("good", 0.25), seen={"tone": 1})

    assert saved.revisions == {"tone": 2}
    last = LabelRevision.objects.order_by("id").last()
    assert (last.confidence, last.old_value["confidence"]) == (0.25, 0.75)


def test_an_answer_to_a_question_that_requires_it_needs_one(work):
    ask(work, "required")

    with pytest.raises(AnswersRefused) as refused:
        answer(work, "good")

    assert [(fault.question, fault.code) for fault in refused.value.faults] == [
        ("tone", "confidence_required")
    ]
    assert not Label.objects.exists()


def test_who_cannot_tell_is_not_asked_and_has_none(work):
    ask(work, "required")

    answer(work, {"tone": Answer(is_abstention=True, confidence=0.5)})

    assert Label.objects.get().confidence is None


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan"), float("inf")])
def test_only_a_probability_is_taken(work, probability):
    with pytest.raises(AnswersRefused) as refused:
        answer(work, sure("good", probability))

    assert refused.value.code == "confidence"


@pytest.mark.parametrize("probability", ["1.01", "-0.01", "'NaN'"])
def test_the_database_takes_only_a_probability(work, probability):
    answer(work, "good")

    with pytest.raises(DatabaseError, match="label_confidence_is_a_probability"), transaction.atomic():
        connection.cursor().execute(f"UPDATE raters_label SET confidence = {probability}")


def test_the_database_takes_none_of_an_abstention(work):
    answer(work, {"tone": Answer(is_abstention=True)})

    with pytest.raises(DatabaseError, match="label_confidence_is_a_probability"), transaction.atomic():
        Label.objects.update(confidence=0.5)


def test_the_same_answer_again_takes_none_away_where_it_is_not_asked(work):
    answer(work, sure("good", 0.9))

    again = answer(work, "good", seen={"tone": 1})
    assert (again.revisions, Label.objects.get().confidence) == ({"tone": 1}, 0.9)

    answer(work, "bad", seen={"tone": 1})
    assert Label.objects.get().confidence is None


def test_undo_brings_it_back(committed_work):
    ask(committed_work)
    answer(committed_work, sure("good", 0.75))
    answer(committed_work, sure("good", 0.25), seen={"tone": 1})
    rater, assignment = committed_work.raters[0], committed_work.assignment()

    undo(rater, assignment.pk, {"tone": 2}, key=uuid4(), by=committed_work.user())

    assert Label.objects.get(rater=rater).confidence == 0.75


def test_what_was_sent_before_there_was_any_may_be_sent_again():
    """The digest of a saving without a confidence is the one that it had then."""
    draft = SubmittedAnswers(answers={"tone": Answer(category="good")}, revisions={})
    asked = (
        '{"answers": {"tone": {"categories": null, "category": "good", "is_abstention": false, "note": "",'
        ' "number": null, "reason": ""}}, "guidelines_version": null, "is_guideline_unclear": false,'
        ' "revisions": {}, "seconds": null, "source": "page"}'
    )

    assert draft.digest == hashlib.sha256(asked.encode()).digest()
    assert SubmittedAnswers(answers=sure("good", 0.5), revisions={}).digest != draft.digest


def form_of(work: Work, **more: str) -> QueryDict:
    good = work.question.categories.get(key="good").pk
    post = QueryDict(mutable=True)
    post.update({f"answer-{work.question.pk}": str(good), f"revision-{work.question.pk}": "0", **more})
    return post


@pytest.mark.parametrize(("text", "probability"), [("0.75", 0.75), ("", None), ("2", None), ("x", None)])
def test_the_form_sends_it(work, text, probability):
    post = form_of(work, **{f"confidence-{work.question.pk}": text})

    found = parsed_answers(post, [work.question])

    assert found.draft.answers["tone"] == Answer(category="good", confidence=probability)


def test_the_page_asks_below_the_answers_and_shows_the_confidence(client, work):
    ask(work)
    answer(work, sure("good", 0.75))
    client.force_login(work.user())

    page = client.get(reverse("label_item", args=[work.project.slug, work.assignment().pk])).content.decode()

    assert 'role="radiogroup"' in page
    chosen = [line for line in page.split("<input") if f'name="confidence-{work.question.pk}"' in line]
    assert len(chosen) == len(confidence_scale.STEPS) + 1
    assert [line for line in chosen if "checked" in line and 'value="0.75"' in line]


def test_a_probability_between_the_steps_is_one_more_choice(client, work):
    ask(work, "required")
    answer(work, sure("good", 0.83))
    client.force_login(work.user())

    page = client.get(reverse("label_item", args=[work.project.slug, work.assignment().pk])).content.decode()

    assert 'value="0.83"' in page


def test_without_scripts_the_form_saves_it(client, work):
    ask(work, "required")
    client.force_login(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])

    refused = client.post(address, form_of(work).dict())
    assert refused.status_code == 400
    taken = client.post(address, form_of(work, **{f"confidence-{work.question.pk}": "1.0"}).dict())

    assert taken.status_code == 302
    assert Label.objects.get().confidence == 1.0


def test_one_key_saves_nothing_where_it_is_required(client, work):
    Category.objects.filter(question=work.question, key="fair").delete()
    client.force_login(work.user())
    address = reverse("label_item", args=[work.project.slug, work.assignment().pk])
    assert 'data-at-once="on"' in client.get(address).content.decode()

    ask(work)
    assert 'data-at-once="off"' in client.get(address).content.decode()
    ask(work, "required")
    assert "data-at-once=" not in client.get(address).content.decode()


def test_your_work_says_it(work):
    ask(work)
    answer(work, sure("good", 0.75))
    rater = work.raters[0]

    [row] = own_labels_page(rater, list(own_labels(rater, OwnLabelSearch())))

    [(question, label)] = row.answers
    assert answer_in_words(question, label) == "good – fairly sure (75%)"


def test_a_rater_does_not_see_how_sure_the_reference_was(work):
    reference = Rater.objects.create(project=work.project, key="gold", kind=Rater.Kind.REFERENCE)
    category = work.question.categories.get(key="bad")
    item: Item = work.items[0]
    Label.objects.create(
        item=item, question=work.question, rater=reference, category=category, confidence=0.125
    )
    work.round.reference_use = "training"
    work.round.save()

    saved = answer(work, "good")

    assert saved.reference["tone"].confidence is None
    assert assignment_context(work.raters[0], work.assignment().pk).reference["tone"].confidence is None


def test_words_of_probabilities():
    assert [confidence_scale.in_words(each) for each in (None, 1.0, 0.5, 0.995)] == [
        "", "certain (100%)", "unsure (50%)", "99.5% sure",
    ]  # fmt: skip


def test_history_with_and_without_it_is_verified(committed_work):
    ask(committed_work)
    answer(committed_work, "good")
    answer(committed_work, sure("good", 0.75), seen={"tone": 1})
    answer(committed_work, sure("bad", 1.0), rater=1)

    found = verify_history(committed_work.project)

    assert (found.faults, found.n_revisions) == ([], 3)
