"""How one rater's numbers compare with the others', and whether some items are harder than others."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaln, stdtr, stdtrit

from reports.agreement.results import FloatArray, IntArray
from reports.analysis.results import Contrast

# A difference below this share of the numbers is rounding error.
ROUNDING = 1e-12
# The most difficult items, as a share of all.
TENTH = 0.1
# Half the labels that an item must have, so that its raters form two halves that can each disagree.
PER_HALF = 2
# Swapped digits count where they give the others' median; numbers within this distance serve for comparison.
NEAR = 4
# In log10, a number with a moved decimal point is within this of ten times the others' median; and the comparison.
POINT, BESIDE_POINT = 0.02, 0.1
MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Tested:
    """p_value: two-sided, for no difference."""

    n: int
    contrast: Contrast
    p_value: float


def others_means(values: FloatArray, rater: int) -> FloatArray:
    """Return (N,) the mean of each item's other numbers; NaN if there are none. values: (N, R), NaN for no label."""
    is_there = ~np.isnan(values)
    is_there[:, rater] = False
    n = is_there.sum(axis=1)
    total = np.where(is_there, values, 0).sum(axis=1)
    found: FloatArray = np.divide(total, n, out=np.full(len(values), np.nan), where=n > 0)
    return found


def level_of(own: FloatArray, others: FloatArray, *, confidence: float) -> Tested | None:
    """Return a rater's numbers minus the means of the others on the same n items: Student's paired t test.

    own, others: (n,). If all differences are the same and not 0, p is that of the sign test, 2^(1 - n).
    None for fewer than two items.
    Source: Student 1908, Biometrika 6, 1-25.
    """
    n, d = len(own), own - others
    if n < 2:
        return None
    value, sd = float(d.mean()), float(d.std(ddof=1))
    size = float(np.abs(np.concatenate((own, others))).max())
    se = sd / math.sqrt(n) if sd > ROUNDING * max(size, 1e-300) else 0.0
    if se:
        p_value = 2 * float(stdtr(n - 1, -abs(value) / se))
    else:
        p_value = 2.0 ** (1 - n) if abs(value) > ROUNDING * size else 1.0
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    found = Contrast(
        own=float(own.mean()),
        others=float(others.mean()),
        effect=value,
        ci_low=value - reach,
        ci_high=value + reach,
    )
    return Tested(n, found, p_value)


def spread_of(
    own: FloatArray, others: FloatArray, rows: IntArray, columns: IntArray, *, confidence: float
) -> Tested | None:
    """Return the ratio of a rater's standard deviation to that of the others on the same n items.

    own: (n,); others: (M,) their numbers, with the row of the item and the column of the rater of each. All are
    centered at the mean of their rater. With u_i the rater's square and v_i the others' mean square on item i, the
    test divides the mean of u_i - v_i by its standard error, t with n - 1 degrees of freedom; for two raters this is
    Pitman and Morgan's test, made robust to non-normal distributions. The interval is for the logarithm of the ratio
    of variances, by the delta method. None where one of the two does not vary.
    Sources: Pitman 1939, Biometrika 31, 9-12; Morgan 1939, Biometrika 31, 13-19; Grambsch 1994, Biometrika 81, 359-372.
    """
    n = len(own)
    counts = np.bincount(columns)
    means = np.divide(np.bincount(columns, others), counts, out=np.zeros(len(counts)), where=counts > 0)
    # Centering at the mean of few numbers removes some of their variance.
    kept = counts[columns] > 1
    rows, columns, others = rows[kept], columns[kept], others[kept]
    squares = (others - means[columns]) ** 2 * counts[columns] / (counts[columns] - 1)
    n_others = np.bincount(rows, minlength=n)
    has = n_others > 0
    n_used = int(has.sum())
    if n_used < 3:
        return None
    v = np.bincount(rows, squares, minlength=n)[has] / n_others[has]
    u = (own[has] - own[has].mean()) ** 2 * n_used / (n_used - 1)
    mean_u, mean_v, d = float(u.mean()), float(v.mean()), u - v
    se = float(d.std(ddof=1)) / math.sqrt(n_used)
    if min(mean_u, mean_v) <= ROUNDING**2 * max(mean_u, mean_v) or se <= ROUNDING * max(mean_u, mean_v):
        return None
    t = float(d.mean()) / se
    ratio = math.log(mean_u / mean_v)
    reach = float((u / mean_u - v / mean_v).std(ddof=1)) / math.sqrt(n_used)
    reach *= float(stdtrit(n_used - 1, (1 + confidence) / 2))
    found = Contrast(
        own=math.sqrt(mean_u),
        others=math.sqrt(mean_v),
        effect=math.exp(ratio / 2),
        ci_low=math.exp((ratio - reach) / 2),
        ci_high=math.exp((ratio + reach) / 2),
    )
    return Tested(n_used, found, 2 * float(stdtr(n_used - 1, -abs(t))))


@dataclass(frozen=True, slots=True, eq=False)
class DifficultItems:
    """n_items: in the tenth of items on which one half of the raters differs most, out of n that both halves labeled.

    contrast: the share of the other half's differences on these items, and the share expected from their number.
    """

    n: int
    n_items: int
    contrast: Contrast
    p_value: float


def difficult_items(values: FloatArray, *, confidence: float) -> DifficultItems | None:
    """Test whether raters differ more on some items than on others, regardless of who the raters are.

    The raters of an item, in order, are split into two halves: if items are not equally difficult, the more one half
    differs on an item, the more the other does. Differences are the variances within a half, and the test is for
    Spearman's correlation of them over items, one-sided, t with n - 2 degrees of freedom. Halves share no label, so
    their errors are independent. values: (N, R), each rater's numbers minus the rater's level.
    None for fewer than three items with four labels.
    Source: Spearman 1904, American Journal of Psychology 15, 72-101.
    """
    is_there = ~np.isnan(values)
    n_labels = is_there.sum(axis=1)
    chosen = n_labels >= 2 * PER_HALF
    n = int(chosen.sum())
    if n < 3:
        return None
    values, is_there = values[chosen], is_there[chosen]
    is_first = (np.cumsum(is_there, axis=1) <= (n_labels[chosen] // 2)[:, None]) & is_there
    a, b = _variances(values, is_first), _variances(values, is_there & ~is_first)
    ranks = _middle_ranks(a), _middle_ranks(b)
    if min(float(each.std()) for each in ranks) == 0:
        return None
    r = float(np.corrcoef(*ranks)[0, 1])
    t = r * math.sqrt((n - 2) / max(1 - r * r, 1e-12))
    n_top = max(1, round(n * TENTH))
    is_top = np.zeros(n, dtype=bool)
    is_top[np.argsort(-a, kind="stable")[:n_top]] = True
    mean = float(b.mean())
    share = float(b[is_top].sum() / b.sum())
    se = float(((is_top - share) * b / mean).std(ddof=1)) / math.sqrt(n)
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    by_number = n_top / n
    found = Contrast(
        own=share,
        others=by_number,
        effect=share - by_number,
        ci_low=max(share - reach, 0.0) - by_number,
        ci_high=min(share + reach, 1.0) - by_number,
    )
    return DifficultItems(n, n_top, found, float(stdtr(n - 2, -t)))


def _middle_ranks(values: FloatArray) -> FloatArray:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: FloatArray = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return found


def _variances(values: FloatArray, is_in: NDArray[np.bool_]) -> FloatArray:
    n = is_in.sum(axis=1)
    means = np.where(is_in, values, 0).sum(axis=1) / n
    found: FloatArray = np.where(is_in, (values - means[:, None]) ** 2, 0).sum(axis=1) / (n - 1)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class CorrectableErrors:
    """corrected: (N,) corrected numbers, NaN where nothing is wrong. expected: by chance. is_right, is_near:
    (N,) where a corrected number equals the others', and where it is near."""

    is_right: NDArray[np.bool_]
    is_near: NDArray[np.bool_]
    corrected: FloatArray
    share: float

    @property
    def n(self) -> int:
        return int(self.is_right.sum())

    @property
    def expected(self) -> float:
        return int(self.is_near.sum()) * self.share

    @property
    def p_by_nearness(self) -> float:
        """The probability by chance that at least as many of the near numbers are exactly right."""
        n, n_near = self.n, int(self.is_near.sum())
        return float(bdtrc(n - 1, n_near, self.share)) if n else 1.0


def swapped_digits(own: FloatArray, median: FloatArray) -> CorrectableErrors:
    """Find numbers that equal the others' median after swapping two neighboring digits; (N,) each, NaN for none.

    Only whole numbers of two or more digits that are not round and differ from the median by more than NEAR are tried.
    If digits were not swapped, one in 2 NEAR + 1 of those within NEAR would be exactly right.
    """
    is_whole = (own >= 10) & (own < 10**MOST_DIGITS) & (own == np.floor(own)) & (median == np.floor(median))
    is_tried = is_whole & (np.abs(own - median) > NEAR) & (np.mod(own, 5) != 0)
    x = np.where(is_tried, own, 0).astype(np.int64)
    m = np.where(is_tried, median, 0).astype(np.int64)
    right, near = np.zeros(len(x), dtype=bool), np.zeros(len(x), dtype=bool)
    for place in range(MOST_DIGITS - 1):
        low, high = x // 10**place % 10, x // 10 ** (place + 1) % 10
        is_leading = x < 10 ** (place + 2)
        can_be = is_tried & (x >= 10 ** (place + 1)) & (low != high) & ~(is_leading & (low == 0))
        gaps = np.abs(x + (low - high) * 9 * 10**place - m)
        near |= can_be & (gaps <= NEAR)
        right |= can_be & (gaps == 0)
    return CorrectableErrors(right, near, np.where(right, median, np.nan), 1 / (2 * NEAR + 1))


def moved_points(own: FloatArray, median: FloatArray) -> CorrectableErrors:
    """Find numbers that are about ten times the others' median, or a tenth of it; (N,) each, NaN for none."""
    can_be = (own > 0) & (median > 0)
    logs = np.log10(np.where(can_be, own, 1)) - np.log10(np.where(can_be, median, 1))
    gaps = np.abs(np.abs(logs) - 1)
    right, near = can_be & (gaps <= POINT), can_be & (gaps <= BESIDE_POINT)
    corrected = np.where(right, own / 10 ** np.sign(logs), np.nan)
    return CorrectableErrors(right, near, corrected, POINT / BESIDE_POINT)


def error_rate_p_value(n: int, n_tried: int, n_everyone: int, n_tried_by_everyone: int) -> float:
    """Return the p-value of this rater's number of slips if all labels are equally prone: Fisher's exact test."""
    if not n:
        return 1.0
    # Hypergeometric probability of each number of slips by the rater.
    of_rater = np.arange(n, min(n_everyone, n_tried) + 1)
    logs = _log_choices(n_tried, of_rater) + _log_choices(
        n_tried_by_everyone - n_tried, n_everyone - of_rater
    )
    found = np.exp(logs - _log_choices(n_tried_by_everyone, np.array([n_everyone])))
    return min(1.0, float(found.sum()))


def _log_choices(n: int, some: IntArray) -> FloatArray:
    """Return the log of the binomial coefficients of n over each of `some`; minus infinity where larger than n."""
    is_possible = some <= n
    chosen = np.where(is_possible, some, 0)
    found: FloatArray = -np.log(n + 1) - betaln(n - chosen + 1, chosen + 1)
    return np.where(is_possible, found, -np.inf)


def others_medians(values: FloatArray) -> FloatArray:
    """Return (N, R) the median of an item's other numbers; NaN where there is no number, or fewer than two others."""
    # NaN sorts after all numbers.
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=1)
    n_others = (~np.isnan(values)).sum(axis=1)[:, None] - 1
    has = (n_others >= 2) & ~np.isnan(values)
    halves = []
    for middle in ((n_others - 1) // 2, n_others // 2):
        places = np.maximum(middle, 0) + (np.maximum(middle, 0) >= ranks)
        halves.append(np.take_along_axis(ascending, np.minimum(places, values.shape[1] - 1), axis=1))
    return np.where(has, (halves[0] + halves[1]) / 2, np.nan)
