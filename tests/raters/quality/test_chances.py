"""False-alarm rates, against direct summation and enumeration of every sequence."""

import itertools
from math import comb, isclose, prod

import pytest

from raters.quality.chances import (
    chance_beyond,
    chance_in_any_block,
    chance_of_at_least,
    chance_of_run,
    smallest_limit,
)


def binomial(k, n, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(("limit", "n", "share"), [(4, 20, 0.1), (0, 5, 0.3), (9, 10, 0.9), (3, 50, 0.02)])
def test_the_tail_of_the_binomial(limit, n, share):
    tail = sum(binomial(k, n, share) for k in range(limit + 1, n + 1))

    assert isclose(chance_beyond(limit, n, share), tail, rel_tol=1e-12)
    assert isclose(chance_of_at_least(limit + 1, n, share), tail, rel_tol=1e-12)


def test_the_smallest_limit_keeps_to_the_rate():
    # Of 20 answers with 10% wrong, more than 5 are wrong with 1.13%, more than 6 with 0.24%.
    assert smallest_limit(20, 0.1, 0.012) == 5
    assert smallest_limit(20, 0.1, 0.01) == 6
    assert smallest_limit(20, 0.0, 0.01) == 0
    assert smallest_limit(2, 0.5, 0.01) is None


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.7, 0.2, 0.1), (1.0,)])
@pytest.mark.parametrize(("length", "n"), [(2, 5), (3, 7), (4, 4), (5, 4)])
def test_a_run_by_enumeration(shares, length, n):
    def has_run(sequence):
        return any(len(list(run)) >= length for _, run in itertools.groupby(sequence))

    sequences = itertools.product(range(len(shares)), repeat=n)
    expected = sum(prod(shares[c] for c in sequence) for sequence in sequences if has_run(sequence))

    assert isclose(chance_of_run(length, n, shares), expected, abs_tol=1e-12)


def test_heads_in_a_row():
    # How many sequences of two sides have no seven alike in a row: each number is the sum of the six before it.
    without = [2**n for n in range(1, 7)]
    for _ in range(6, 200):
        without.append(sum(without[-6:]))

    assert isclose(chance_of_run(7, 200, (0.5, 0.5)), 1 - without[199] / 2**200, rel_tol=1e-9)


def test_within_several_blocks():
    assert isclose(chance_in_any_block(0.01, 25), 1 - 0.99**25)
    assert chance_in_any_block(1.0, 3) == 1
    assert chance_in_any_block(0.0, 100) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: chance_beyond(5, 4, 0.1),
        lambda: chance_of_run(1, 5, [1.0]),
        lambda: chance_of_run(3, 5, [0.5, 0.6]),
        lambda: smallest_limit(5, 1.5, 0.1),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ValueError, match=r"must|has at least|is from"):
        call()
