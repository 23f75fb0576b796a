"""Coefficients of two raters as a function of prevalence, with the raters' error rates held constant."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.chance import by_hard_items, by_number_of_categories, by_prevalence, corrected
from reports.agreement.results import FloatArray, number


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PrevalenceCurve:
    """(M,) each: the coefficients in a very large study at each share of the varied category; NaN where undefined."""

    prevalence: FloatArray
    percent_agreement: FloatArray
    cohen_kappa: FloatArray
    scott_pi: FloatArray
    gwet_ac1: FloatArray
    brennan_prediger: FloatArray

    def points(self) -> list[dict[str, float | None]]:
        """Return the values at each share, by name; None where undefined."""
        names = [each.name for each in fields(self)]
        columns = [[number(value) for value in getattr(self, name)] for name in names]
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def prevalence_curve(
    rater_a: FloatArray,
    rater_b: FloatArray,
    *,
    prevalence: ArrayLike | None = None,
    others: ArrayLike | None = None,
) -> PrevalenceCurve:
    """Unweighted coefficients of two raters with fixed error rates, as the first category varies from rare to common.

    rater_a, rater_b: (K, K) rates, true category by chosen category (`latent_class.by_sensitivity` and others).
    prevalence: (M,) shares of the true first category, 1 % to 99 % by default. others: (K,) the proportions in which
    the other categories share the rest, equal by default; the first entry is ignored.
    The table at each share is sum_t prevalence_t a_tk b_tl: raters err independently, given the truth. Kappa, pi, and
    alpha in a large sample approach 0 as the category becomes rare or common, because chance agreement increases.
    Undefined where chance agreement is 1: raters without error, and a share of 0 or 1.
    Raises ValueError if the matrices differ in size.
    Sources: Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43, 543-549 (kappa and prevalence); Gwet 2008,
    British Journal of Mathematical and Statistical Psychology 61, 29-48.
    """
    q = len(rater_a)
    if rater_a.shape != rater_b.shape or rater_a.shape != (q, q):
        raise ValueError("both raters must have the same categories")
    varied = np.linspace(0.01, 0.99, 99) if prevalence is None else np.asarray(prevalence, dtype=np.float64)
    if varied.ndim != 1 or not ((varied >= 0) & (varied <= 1)).all():
        raise ValueError("prevalence must be shares from 0 to 1")
    truth = _true_shares(varied, q, others)
    tables = np.einsum("mt,tk,tl->mkl", truth, rater_a, rater_b)
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.einsum("mkk->m", tables)
    used, same = (rows + columns) / 2, np.eye(q)
    return PrevalenceCurve(
        prevalence=varied,
        percent_agreement=observed,
        cohen_kappa=corrected(observed, np.einsum("mk,mk->m", rows, columns)),
        scott_pi=corrected(observed, np.einsum("mk,mk->m", used, by_prevalence(used, same))),
        gwet_ac1=corrected(observed, np.einsum("mk,mk->m", used, by_hard_items(used, same))),
        brennan_prediger=corrected(
            observed, np.einsum("mk,mk->m", used, by_number_of_categories(used, same))
        ),
    )


def _true_shares(varied: FloatArray, q: int, others: ArrayLike | None) -> FloatArray:
    """(M, K) the share of each true category."""
    rest = np.ones(q) if others is None else np.array(others, dtype=np.float64)
    if rest.shape != (q,) or not (np.isfinite(rest) & (rest >= 0)).all():
        raise ValueError(f"the shares of the other categories must be {q} numbers of 0 or more")
    rest[0] = 0
    if not rest.sum() > 0:
        raise ValueError("at least one other category must have a share above 0")
    truth = (1 - varied)[:, None] * (rest / rest.sum())
    truth[:, 0] = varied
    return truth
