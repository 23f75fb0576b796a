"""Merging categories: labels move in one statement, the history keeps them, and reports can still be verified."""

import threading
import time

import pytest
from django.db import IntegrityError, connection, transaction

from projects.codebook.refusals import CodebookRefused
from projects.models import Category, Event, Project, Question
from projects.refusals import ProjectClosed
from raters.merging.actions import merge_category, n_labels_of
from raters.models import Label, LabelRevision
from reports.store.verification import verify
from tests import cast
from tests.files import load
from tests.finished import finished_report
from tests.labeling import add_labels, new_question


@pytest.fixture
def merged_tone(project) -> Question:
    question = new_question(project, key="tone", categories=("good", "fine", "bad"))
    add_labels(
        question,
        [("1", "A", "good"), ("1", "B", "fine"), ("2", "A", "bad"), ("2", "B", "bad"), ("3", "A", "fine")],
    )
    return question


def of(question: Question, key: str) -> Category:
    return question.categories.get(key=key)


def stored_categories(question: Question) -> list[str]:
    return [
        label.category.key for label in question.labels.select_related("category").order_by("item", "rater")
    ]


def test_labels_move_and_the_history_keeps_old_and_new(merged_tone, lead):
    fine, good = of(merged_tone, "fine"), of(merged_tone, "good")

    n = merge_category(fine, good, by=lead)

    assert (n, stored_categories(merged_tone)) == (2, ["good", "good", "bad", "bad", "good"])
    changes = LabelRevision.objects.filter(change="U")
    assert {(c.old_value["category_id"], c.category_id) for c in changes} == {(fine.pk, good.pk)}
    assert {(c.user_id, c.source, c.revision) for c in changes} == {(lead.pk, "merge by page", 2)}
    assert changes.count() == 2


def test_what_is_merged_stays_for_the_history_and_is_chosen_no_more(merged_tone, lead):
    fine = of(merged_tone, "fine")
    Category.objects.filter(pk=fine.pk).update(shortcut="f")

    merge_category(fine, of(merged_tone, "good"), by=lead)

    gone = Category.with_merged.get(pk=fine.pk)
    assert (gone.merged_into, gone.position, gone.shortcut) == (of(merged_tone, "good"), None, "")
    assert list(merged_tone.categories.values_list("key", flat=True)) == ["good", "bad"]
    with pytest.raises(IntegrityError, match="must hold what its kind"), transaction.atomic():
        add_labels_with(merged_tone, gone)
    event = Event.objects.get(kind=Event.Kind.CODEBOOK_CHANGED)
    assert (event.about, event.detail) == (
        "tone: fine",
        {"change": "category merged", "into": "good", "n_labels": 2},
    )


def add_labels_with(question: Question, category: Category) -> None:
    label = question.labels.first()
    Label.objects.create(
        item=label.item, rater=label.rater, question=question, category=category, pass_number=2
    )


def test_sets_hold_the_other_category_once_and_in_order(project, lead, merged_tone):
    topics = new_question(project, key="topics", kind="multiple", categories=("a", "b", "c"))
    a, b, c = (category.pk for category in topics.categories.all())
    some = merged_tone.labels.order_by("pk").first()
    for place, chosen in enumerate([[a], [a, b], [a, b, c], [b, c], [c], []], start=1):
        Label.objects.create(
            item=some.item, rater=some.rater, question=topics, category_set=chosen, pass_number=place
        )

    n = merge_category(of(topics, "a"), of(topics, "c"), by=lead)

    sets = list(topics.labels.order_by("pass_number").values_list("category_set", flat=True))
    assert (n, sets) == (3, [[c], [b, c], [b, c], [b, c], [c], []])
    with pytest.raises(IntegrityError, match="must be ascending and its own"), transaction.atomic():
        Label.objects.create(
            item=some.item, rater=some.rater, question=topics, category_set=[a], pass_number=9
        )


def test_a_chain_of_merges_leads_to_the_last_in_one_step(merged_tone, lead):
    fine, good, bad = (of(merged_tone, key) for key in ("fine", "good", "bad"))

    merge_category(fine, good, by=lead)
    merge_category(good, bad, by=lead)

    into = dict(Category.with_merged.filter(question=merged_tone).values_list("key", "merged_into__key"))
    assert into == {"fine": "bad", "good": "bad", "bad": None}
    assert set(stored_categories(merged_tone)) == {"bad"}


def test_counting_before_merging(merged_tone):
    assert [n_labels_of(of(merged_tone, key)) for key in ("good", "fine", "bad")] == [1, 2, 2]


def test_what_cannot_be_merged(merged_tone, lead, project):
    other = new_question(project, key="other").categories.first()
    fine, good = of(merged_tone, "fine"), of(merged_tone, "good")

    for into in (fine, other):
        with pytest.raises(CodebookRefused, match="different category of the same question"):
            merge_category(fine, into, by=lead)
    merge_category(fine, good, by=lead)
    for pair in ((fine, good), (of(merged_tone, "bad"), fine)):
        with pytest.raises(Category.DoesNotExist):
            merge_category(*pair, by=lead)
    Project.objects.update(is_codebook_closed=True)
    with pytest.raises(ProjectClosed):
        merge_category(good, of(merged_tone, "bad"), by=lead)


def test_a_report_from_before_a_merge_is_verified_after_it(committed_db):
    """Its frozen codebook names the merged category, and the revisions still hold the labels that it read."""
    project = cast.new_project("Merged", unique=True)
    lead = cast.member(project, "lead", username="lena", unique=True)
    tone = new_question(project, key="tone", categories=("good", "fine", "bad"))
    keys = ["good", "fine", "bad"]
    add_labels(
        tone,
        [(f"{n}", rater, keys[(n * step) % 3]) for rater, step in (("A", 1), ("B", 2)) for n in range(12)],
    )
    before = finished_report(project, lead)
    frozen = before.codebook

    merge_category(of(tone, "fine"), of(tone, "good"), by=lead)
    after = finished_report(project, lead)

    before.refresh_from_db()
    assert verify(before) == verify(after) == []
    assert before.codebook == frozen
    assert [c["key"] for c in before.codebook["questions"][0]["categories"]] == ["good", "fine", "bad"]
    assert [c["key"] for c in after.codebook["questions"][0]["categories"]] == ["good", "bad"]
    assert before.digest != after.digest


def test_a_report_of_sets_from_before_a_merge_is_verified_after_it(committed_db):
    project = cast.new_project("Merged sets", unique=True)
    lead = cast.member(project, "lead", username="lena", unique=True)
    helper = new_question(project, key="helper")
    add_labels(helper, [(f"{n}", rater, "yes") for n in range(8) for rater in "AB"])
    topics = new_question(project, key="topics", kind="multiple", categories=("a", "b", "c"))
    ids = [category.pk for category in topics.categories.all()]
    Label.objects.bulk_create(
        Label(
            item=label.item,
            rater=label.rater,
            question=topics,
            category_set=ids[place % 3 :] if place % 5 else ids[:1],
        )
        for place, label in enumerate(helper.labels.order_by("pk"))
    )
    before = finished_report(project, lead, questions=["topics"])

    merge_category(of(topics, "a"), of(topics, "c"), by=lead)

    before.refresh_from_db()
    assert verify(before) == []
    assert verify(finished_report(project, lead, questions=["topics"])) == []


def test_a_file_that_names_a_merged_category_means_the_other_one(project, lead, merged_tone):
    merge_category(of(merged_tone, "fine"), of(merged_tone, "good"), by=lead)

    load(project, b"item,rater,question,label\n4,A,tone,fine\n4,B,tone,bad\n", by=lead)

    assert stored_categories(merged_tone)[-2:] == ["good", "bad"]
    assert merged_tone.categories.count() == 2


def test_a_merge_waits_for_a_label_that_is_being_saved_and_takes_it_along(committed_db):
    """A label with the old category, written but not yet committed, must not be left behind."""
    project = cast.new_project("At once", unique=True)
    lead = cast.member(project, "lead", username="lena", unique=True)
    tone = new_question(project, key="tone", categories=("good", "fine"))
    add_labels(tone, [("1", "A", "fine"), ("2", "B", "good")])
    one, two = tone.labels.order_by("pk")
    moved = []

    def merge() -> None:
        try:
            moved.append(merge_category(of(tone, "fine"), of(tone, "good"), by=lead))
        finally:
            connection.close()

    other = threading.Thread(target=merge)
    with transaction.atomic():
        Label.objects.create(item=one.item, rater=two.rater, question=tone, category=one.category)
        other.start()
        wait_for_lock()
        assert moved == []
    other.join()

    assert (moved, set(stored_categories(tone))) == ([2], {"good"})


def test_a_label_that_is_saved_under_a_merge_is_refused(committed_db):
    project = cast.new_project("Refused", unique=True)
    lead = cast.member(project, "lead", username="lena", unique=True)
    tone = new_question(project, key="tone", categories=("good", "fine"))
    add_labels(tone, [("1", "A", "fine"), ("2", "B", "good")])
    one, two = tone.labels.order_by("pk")
    refused = []

    def save() -> None:
        try:
            Label.objects.create(item=one.item, rater=two.rater, question=tone, category=one.category)
        except IntegrityError as error:
            refused.append(str(error))
        finally:
            connection.close()

    other = threading.Thread(target=save)
    with transaction.atomic():
        merge_category(of(tone, "fine"), of(tone, "good"), by=lead)
        other.start()
        wait_for_lock()
    other.join()

    assert "must hold what its kind" in refused[0]
    assert stored_categories(tone) == ["good", "good"]


def wait_for_lock() -> None:
    """Until another connection to this database waits for one of our locks."""
    for _ in range(500):
        with connection.cursor() as cursor:
            # Within a transaction the activity of others is looked up but once.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise AssertionError("nobody waits")


def test_a_merged_category_has_no_place_and_no_shortcut(merged_tone):
    fine, good = of(merged_tone, "fine"), of(merged_tone, "good")

    for wrong in (
        {"merged_into": good},
        {"merged_into": good, "position": None, "shortcut": "x"},
        {"position": None},
    ):
        with pytest.raises(IntegrityError, match="category_merged_has_no_place"), transaction.atomic():
            Category.objects.filter(pk=fine.pk).update(**wrong)
