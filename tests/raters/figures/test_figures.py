"""Stored figures are those that would be counted at one moment of the history, and are counted again when it grows."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from core.history import head_of
from projects.events import record
from projects.models import Event
from raters.accounts.erasing import erase
from raters.expiring import clear_expired
from raters.figure_kinds import KINDS
from raters.figures.computing import compute
from raters.figures.size import is_large
from raters.figures.stored_figures import FIGURES_FORMAT, NOW, FiguresNotComputed, stored_figures
from raters.models import StoredFigures
from raters.progress.progress_figures import figures_of
from tests.raters.figures.conftest import client_of, compute_all, lead_of
from tests.working import answer

What = StoredFigures.What


def counted_now(project, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("raters.figures.size.MOST_COUNTED", 10**9)
        return figures_of(project)


def same(stored, counted):
    return replace(stored, counted=NOW) == counted


def position_of(project):
    with connection.cursor() as cursor:
        return head_of(project.pk, cursor).position


def test_size_is_that_of_labels_assignments_or_items(work, monkeypatch):
    n = {
        "labels": work.question.labels.count(),
        "assignments": work.round.assignments.count(),
        "items": work.project.items.count(),
    }
    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", max(n.values()))
    assert not is_large(work.project)

    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", max(n.values()) - 1)
    assert is_large(work.project)


def test_figures_are_those_that_would_be_counted(work, counts_as_large, monkeypatch):
    lead = lead_of(work.project)
    with pytest.raises(FiguresNotComputed):
        figures_of(work.project, by=lead)

    assert compute_all(work.project) == 1
    stored = figures_of(work.project, by=lead)

    assert (stored.counted.is_current, stored.items.n_disputed, stored.labels.n_notes) == (True, 1, 1)
    assert same(stored, counted_now(work.project, monkeypatch))


def test_asking_twice_is_computed_once(work, counts_as_large):
    lead = lead_of(work.project)
    for _ in range(2):
        with pytest.raises(FiguresNotComputed):
            figures_of(work.project, by=lead)

    assert StoredFigures.objects.filter(project=work.project).count() == 1
    compute_all(work.project)
    figures_of(work.project, by=lead)
    assert compute_all(work.project) == 0


def test_a_new_label_has_newer_figures_computed(work, counts_as_large, at_once, monkeypatch):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    before = figures_of(work.project, by=lead)

    answer(work, "bad", place=3, rater=1)
    stale = figures_of(work.project, by=lead)

    assert not stale.counted.is_current
    assert same(stale, replace(before, counted=NOW))
    assert compute_all(work.project) == 1
    newer = figures_of(work.project, by=lead)
    assert (newer.counted.is_current, newer.labels.n, newer.items.n_disputed) == (
        True,
        before.labels.n + 1,
        2,
    )
    assert same(newer, counted_now(work.project, monkeypatch))


def test_figures_that_took_long_are_computed_less_often(work, counts_as_large):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    answer(work, "bad", place=3, rater=1)

    moments = {"finished_at": timezone.now() - timedelta(seconds=50)}
    runs = StoredFigures.objects.filter(project=work.project)
    runs.update(started_at=moments["finished_at"] - timedelta(seconds=6), **moments)
    assert not figures_of(work.project, by=lead).counted.is_current
    assert compute_all(work.project) == 0

    runs.update(started_at=moments["finished_at"] - timedelta(seconds=4), **moments)
    figures_of(work.project, by=lead)
    assert compute_all(work.project) == 1


def test_figures_are_not_kept_for_long_without_a_change(work, counts_as_large):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    before = timezone.now() - timedelta(hours=2)
    StoredFigures.objects.filter(project=work.project).update(
        as_of=before, started_at=before, finished_at=before
    )

    assert not figures_of(work.project, by=lead).counted.is_current
    assert compute_all(work.project) == 1


def test_a_label_saved_meanwhile_is_not_counted_in_part(work, counts_as_large, monkeypatch):
    """All queries see the moment of the first, and the position in the history is of that moment, too."""
    before, position = counted_now(work.project, monkeypatch), position_of(work.project)
    count = KINDS[What.PROGRESS]

    def while_a_rater_saves(project, asked):
        saving = threading.Thread(target=save)
        saving.start()
        saving.join()
        return count(project, asked)

    def save():
        try:
            answer(work, "bad", place=3, rater=1)
        finally:
            connection.close()

    kinds = {What.PROGRESS: while_a_rater_saves}
    found = compute(work.project, What.PROGRESS, {"hidden": []}, kinds)

    assert position_of(work.project) > position
    assert found.head_position == position
    assert sum(n for _, _, _, n, *_ in found.result["labels"]) == before.labels.n
    assert counted_now(work.project, monkeypatch).labels.n == before.labels.n + 1


def test_a_failure_leaves_the_last_figures_and_is_tried_again(work, counts_as_large, at_once):
    """What failed is said until newer figures are there, also while the next attempt waits."""
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    StoredFigures.objects.filter(project=work.project).update(state="failed", failure="No space.")
    answer(work, "bad", place=3, rater=1)

    for _ in range(2):
        counted = figures_of(work.project, by=lead).counted
        assert (counted.is_current, counted.failure) == (False, "No space.")
    assert compute_all(work.project) == 1
    assert figures_of(work.project, by=lead).counted.failure == ""


def test_the_page_says_that_newer_figures_could_not_be_computed(work, counts_as_large, at_once):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    client, address = client_of(lead), reverse("progress", args=[work.project.slug])
    assert "data-failed" not in client.get(address).content.decode()

    StoredFigures.objects.filter(project=work.project).update(state="failed", failure="No space.")
    page = client.get(address).content.decode()

    assert "data-failed" in page
    assert "No space." in page


def test_a_first_failure_says_what_to_do(work, counts_as_large):
    lead = lead_of(work.project)
    with pytest.raises(FiguresNotComputed):
        figures_of(work.project, by=lead)
    StoredFigures.objects.filter(project=work.project).update(state="failed", failure="No space.")

    page = client_of(lead).get(reverse("progress", args=[work.project.slug])).content.decode()

    assert 'data-state="failed"' in page
    assert "data-failed" in page


def test_what_was_deleted_since_is_left_out(work, counts_as_large):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    other = work.project.rounds.create(key="gone")
    StoredFigures.objects.filter(project=work.project).update(
        result={
            **StoredFigures.objects.get(project=work.project).result,
            "places": [[other.pk, work.raters[0].pk, 5, 5, 0, None, None]],
            "labels": [[10**9, work.question.pk, None, 3, 0, 0, None, 1]],
        }
    )
    other.delete()

    figures = figures_of(work.project, by=lead)

    assert (figures.labels.n, sum(row.assignments.n for row in figures.rounds)) == (0, 0)


def test_figures_that_nobody_asks_for_are_deleted(work, counts_as_large):
    compute_after_asking(work.project, lead_of(work.project))
    clear_expired()
    assert StoredFigures.objects.filter(project=work.project).exists()

    StoredFigures.objects.filter(project=work.project).update(asked_at=timezone.now() - timedelta(days=8))
    clear_expired()

    assert not StoredFigures.objects.filter(project=work.project).exists()


def compute_after_asking(project, lead):
    with pytest.raises(FiguresNotComputed):
        figures_of(project, by=lead)
    compute_all(project)


def test_looking_at_figures_changes_none(work, counts_as_large, at_once):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)

    position = position_of(work.project)
    record(Event.Kind.LABELS_SEEN, by=lead, project=work.project, about="disputes")
    record(Event.Kind.EXPORTED, by=lead, project=work.project, about="labels")

    assert position_of(work.project) == position + 2
    assert figures_of(work.project, by=lead).counted.is_current
    assert compute_all(work.project) == 0
    record(Event.Kind.PROJECT_CHANGED, by=lead, project=work.project)
    assert not figures_of(work.project, by=lead).counted.is_current


def test_one_person_has_few_that_wait(work, counts_as_large, monkeypatch):
    monkeypatch.setattr("raters.figures.stored_figures.MOST_WAITING", 3)
    lead, words = lead_of(work.project), [f"word {n}" for n in range(5)]

    for each in words:
        with pytest.raises(FiguresNotComputed):
            stored_figures(work.project, What.SEARCH, {"words": each}, by=lead)

    waiting = StoredFigures.objects.filter(project=work.project).values_list("asked__words", flat=True)
    assert sorted(waiting) == words[2:]


def test_names_of_erased_people_are_not_kept(work, counts_as_large):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    user = work.user()
    assert user.username in work.raters[0].key

    erase(user, by=lead, username=user.username)

    assert not StoredFigures.objects.filter(project=work.project).exists()


def test_figures_in_an_older_format_are_computed_again(work, counts_as_large):
    lead = lead_of(work.project)
    compute_after_asking(work.project, lead)
    runs = StoredFigures.objects.filter(project=work.project)
    runs.update(format=FIGURES_FORMAT - 1, result={"places": []})

    with pytest.raises(FiguresNotComputed):
        figures_of(work.project, by=lead)

    assert compute_all(work.project) == 1
    assert figures_of(work.project, by=lead).counted.is_current
