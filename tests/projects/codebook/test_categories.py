"""Categories are added, changed, ordered and deleted, as far as their labels allow."""

import pytest
from django.db import IntegrityError, transaction

from projects.codebook import categories, codebook_rules
from projects.codebook.refusals import CodebookRefused
from projects.models import Category, Event, Question
from raters.models import Label
from tests.labeling import add_labels, new_question


def keys(question: Question) -> list[str]:
    return list(question.categories.values_list("key", flat=True))


def test_a_category_comes_at_the_end(tone, lead):
    made = categories.add_category(tone, by=lead, key="fair", name="Fair", shortcut="3", color="sky")

    assert keys(tone) == ["good", "bad", "fair"]
    assert (made.name, made.shortcut, made.color) == ("Fair", "3", "sky")
    assert Event.objects.get(kind=Event.Kind.CODEBOOK_CHANGED).about == "tone: fair"


def test_the_first_category_has_the_first_place(project, lead):
    assert categories.add_category(new_question(project, categories=()), by=lead, key="a").position == 0


def test_a_number_is_its_value_on_a_scale_with_distances(project, lead):
    stars = new_question(project, key="stars", categories=(), level="interval")

    assert categories.add_category(stars, by=lead, key="2.5").value == 2.5
    with pytest.raises(CodebookRefused, match=r"“2\.5” already has this value"):
        categories.add_category(stars, by=lead, key="2.50")


@pytest.mark.parametrize("key", ["good", "GOOD"])
def test_a_key_is_taken_once_whatever_its_case(tone, lead, key):
    with pytest.raises(CodebookRefused, match="A category with the key 'good' already exists"):
        categories.add_category(tone, by=lead, key=key)


def test_the_key_of_a_merged_category_is_not_given_again(tone, lead):
    good, bad = tone.categories.all()
    Category.objects.filter(pk=bad.pk).update(merged_into=good, position=None)

    with pytest.raises(CodebookRefused, match="belongs to a merged category"):
        categories.add_category(tone, by=lead, key="bad")


def test_a_question_for_a_number_takes_no_category(project, lead):
    size = new_question(project, key="size", categories=(), kind="number")

    with pytest.raises(CodebookRefused, match="have categories"):
        categories.add_category(size, by=lead, key="large")


def test_the_sign_that_parts_sets_is_not_in_their_keys(project, lead):
    with pytest.raises(CodebookRefused, match=r"contain \|"):
        categories.add_category(new_question(project, kind="multiple"), by=lead, key="a|b")


def test_a_question_has_a_maximum_number_of_categories(tone, lead, monkeypatch):
    monkeypatch.setattr(codebook_rules, "MAX_CATEGORIES", 2)

    with pytest.raises(CodebookRefused, match="at most 2 categories"):
        categories.add_category(tone, by=lead, key="fair")


@pytest.mark.parametrize("shortcut", ["A", "ä", " ", "-"])
def test_a_shortcut_is_a_plain_digit_or_letter(tone, lead, shortcut):
    with pytest.raises(CodebookRefused, match="a digit or a lowercase letter"):
        categories.change_category(tone.categories.first(), by=lead, shortcut=shortcut)


def test_a_key_of_the_labeling_page_is_no_shortcut(tone, lead):
    with pytest.raises(CodebookRefused, match=r"uses s for “Cannot tell”\. Choose another"):
        categories.change_category(tone.categories.first(), by=lead, shortcut="s")


def test_a_shortcut_is_unique_in_its_question_alone(tone, lead, project):
    good, bad = tone.categories.all()
    other = new_question(project, key="other").categories.first()

    categories.change_category(good, by=lead, shortcut="1")
    categories.change_category(other, by=lead, shortcut="1")

    with pytest.raises(CodebookRefused, match="“good” already uses this shortcut"):
        categories.change_category(bad, by=lead, shortcut="1")
    with pytest.raises(IntegrityError, match="category_shortcut_once_per_question"), transaction.atomic():
        Category.objects.filter(pk=bad.pk).update(shortcut="1")


def test_a_category_with_labels_can_be_renamed_and_its_old_name_is_shown(tone, lead):
    add_labels(tone, [("i", "r", "good")])

    categories.change_category(tone.categories.first(), by=lead, name="Fine")

    event = Event.objects.get(kind=Event.Kind.CODEBOOK_CHANGED)
    assert str(tone.categories.first()) == "Fine"
    assert event.detail["changed"] == {"name": {"old": "", "new": "Fine"}}


def test_old_and_new_definitions_and_examples_are_shown(tone, lead):
    good = tone.categories.first()
    categories.change_category(good, by=lead, definition="Praise.", examples="Great!")
    categories.change_category(good, by=lead, definition="Praise or thanks.")

    last, first = Event.objects.filter(kind=Event.Kind.CODEBOOK_CHANGED)
    assert first.detail["changed"] == {
        "definition": {"old": "", "new": "Praise."},
        "examples": {"old": "", "new": "Great!"},
    }
    assert last.detail["changed"] == {"definition": {"old": "Praise.", "new": "Praise or thanks."}}


def test_saving_without_changes_is_not_logged(tone, lead):
    categories.change_category(tone.categories.first(), by=lead, name="")

    assert not Event.objects.filter(kind=Event.Kind.CODEBOOK_CHANGED).exists()


def test_two_categories_of_a_scale_with_distances_have_two_values(project, lead):
    stars = new_question(project, key="stars", categories=("a", "b"), level="ratio")
    first, second = stars.categories.all()

    categories.change_category(first, by=lead, value=1.0)
    categories.change_category(first, by=lead, value=1.0, name="A")

    with pytest.raises(CodebookRefused, match="“A” already has this value"):
        categories.change_category(second, by=lead, value=1.0)


def test_a_category_without_labels_is_deleted(tone, lead):
    categories.delete_category(tone.categories.first(), by=lead)

    assert keys(tone) == ["bad"]


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_a_category_with_labels_is_not_deleted(tone, lead, is_withdrawn):
    add_labels(tone, [("i", "r", "good")])
    if is_withdrawn:
        Label.objects.all().delete()

    with pytest.raises(CodebookRefused, match="Rename it, or merge it into another category"):
        categories.delete_category(tone.categories.first(), by=lead)


def test_a_category_in_a_set_is_not_deleted(project, lead):
    topics = new_question(project, key="topics", kind="multiple", categories=("a", "b", "c"))
    add_labels(new_question(project), [("i", "r", "yes")])
    label = Label.objects.get()
    chosen = sorted(topics.categories.exclude(key="c").values_list("pk", flat=True))
    Label.objects.create(item=label.item, rater=label.rater, question=topics, category_set=chosen)

    with pytest.raises(CodebookRefused, match="delete “b” because it is used in labels"):
        categories.delete_category(topics.categories.get(key="b"), by=lead)
    categories.delete_category(topics.categories.get(key="c"), by=lead)

    assert keys(topics) == ["a", "b"]


def test_a_category_that_took_in_another_is_not_deleted(tone, lead):
    good, bad = tone.categories.all()
    Category.objects.filter(pk=bad.pk).update(merged_into=good, position=None)

    with pytest.raises(CodebookRefused, match="“bad” was merged into it"):
        categories.delete_category(good, by=lead)


def test_a_category_that_is_gone_is_not_changed(tone, lead):
    good = tone.categories.first()
    categories.delete_category(Category.objects.get(pk=good.pk), by=lead)

    with pytest.raises(Category.DoesNotExist):
        categories.change_category(good, by=lead, name="x")


def test_categories_move_and_are_ordered_by_their_ids(tone, lead):
    good, bad = tone.categories.all()

    categories.move_category(bad, -1, by=lead)
    assert keys(tone) == ["bad", "good"]
    categories.order_categories(tone, [good.pk, bad.pk], by=lead)
    assert keys(tone) == ["good", "bad"]

    with pytest.raises(CodebookRefused, match="List every category exactly once"):
        categories.order_categories(tone, [good.pk], by=lead)
