"""A revealed round leaves out what is treated as missing: from what is shared, from kappa, and from what differs."""

import pytest

from projects.models import Round
from raters.models import Label, Rater
from raters.rounds.revealed import items_that_differ, revealed_items, revealed_to
from raters.rounds.revealed_agreement import own_agreement


def seen_by_first(work):
    Round.objects.update(state="closed", revealed_at="2026-01-01T00:00Z")
    return revealed_to(work.raters[0].user, work.project.slug, work.round.pk)


def treat_bad(work):
    work.question.categories.filter(key="bad").update(treated_as_missing=True)


def figures(revealed):
    [question] = own_agreement(revealed)
    [row] = question.rows
    return row.n_shared, row.n_same, row.share.value, row.kappa and row.kappa.value


def test_kappa_is_of_the_labels_that_are_not_missing(agreed_on_three):
    """zoe: good, bad, fair, good; yves: good, bad, fair, bad. Without "bad": good and fair, both alike."""
    revealed = seen_by_first(agreed_on_three)
    assert figures(revealed) == (4, 3, 0.75, pytest.approx(0.4375 / 0.6875))

    treat_bad(agreed_on_three)

    assert figures(revealed) == (2, 2, 1.0, 1.0)


def test_it_is_as_if_the_labels_were_not_there(agreed_on_three):
    Label.objects.filter(item=agreed_on_three.items[2], rater=agreed_on_three.raters[1]).update(
        category=agreed_on_three.question.categories.get(key="good")
    )
    revealed = seen_by_first(agreed_on_three)
    treat_bad(agreed_on_three)
    declared = figures(revealed)
    Label.objects.filter(category__key="bad").delete()
    agreed_on_three.question.categories.update(treated_as_missing=False)

    # Shared: good and good, fair and good; kappa (0.5 - 0.5) / (1 - 0.5).
    assert declared == figures(revealed) == (2, 1, 0.5, 0.0)


def test_an_item_differs_by_no_label_that_is_missing(agreed_on_three):
    revealed = seen_by_first(agreed_on_three)
    assert items_that_differ(revealed) == [agreed_on_three.items[3].pk]

    treat_bad(agreed_on_three)

    assert items_that_differ(revealed) == []
    [shown] = revealed_items(revealed, [agreed_on_three.items[3].pk])
    [comparison] = shown.comparisons
    assert (comparison.own, [words for _, words, _ in comparison.others]) == (
        "good",
        ["bad (treated as missing)"],
    )


def test_nothing_is_shared_where_all_is_missing(agreed_on_three):
    revealed = seen_by_first(agreed_on_three)
    agreed_on_three.question.categories.update(treated_as_missing=True)

    assert own_agreement(revealed) == []
    assert Rater.objects.count() == 2
