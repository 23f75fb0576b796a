"""Tables of two raters of which only the margins and kappa are known."""

import numpy as np

from reports.agreement.planning.checked import shares
from reports.agreement.results import FloatArray
from reports.agreement.weights import Weighting

# Rounding tolerance for a kappa beyond its bounds.
ROUNDING = 1e-9


class Margins:
    """How often two raters use each category, and the weights of their disagreements.

    rows, columns: (K,) shares of rater A and rater B. similarity: (K, K), w.
    """

    def __init__(self, rows: FloatArray, columns: FloatArray, weighting: Weighting) -> None:
        self.rows = shares(rows, "marginals of rater A")
        self.columns = shares(columns, "marginals of rater B")
        self.similarity = weighting.similarity
        if not len(self.rows) == len(self.columns) == len(self.similarity):
            raise ValueError("both raters must have the same categories")
        self.expected = float(self.rows @ self.similarity @ self.columns)
        if self.expected >= 1 - ROUNDING:
            raise ValueError("agreement by chance would be complete; choose other marginals")

    def kappa_bounds(self) -> tuple[float, float]:
        """The lowest and the highest kappa possible with these margins."""
        low, high = (sign * self._largest(sign * self.similarity) for sign in (-1.0, 1.0))
        return (low - self.expected) / (1 - self.expected), (high - self.expected) / (1 - self.expected)

    def tau(self, kappa: float) -> float:
        """sqrt(n) times the largest standard error of kappa over all tables with these margins and this kappa.

        tau^2 = {sum p_kl [w_kl - (wbar_k. + wbar_.l)(1 - kappa)]^2 - [kappa - pe (1 - kappa)]^2} / (1 - pe)^2 is
        linear in the p_kl, so that a linear program finds the largest; for two categories there is only one table.
        Raises ValueError if no table with these margins has this kappa.
        Sources: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327 (the error); Flack, Afifi,
        Lachenbruch & Schouten 1988, Psychometrika 53, 321-325 (its largest).
        """
        low, high = self.kappa_bounds()
        if not low - ROUNDING <= kappa <= high + ROUNDING:
            raise ValueError(
                f"with these marginals, kappa lies between {low:.3f} and {high:.3f}, so it cannot be {kappa:g}"
            )
        kappa = min(max(kappa, low), high)
        by_row, by_column = self.similarity @ self.columns, self.similarity.T @ self.rows
        terms = (self.similarity - (by_row[:, None] + by_column[None, :]) * (1 - kappa)) ** 2
        observed = kappa * (1 - self.expected) + self.expected
        largest = self._largest(terms, observed=observed)
        variance = largest - (kappa - self.expected * (1 - kappa)) ** 2
        return float(np.sqrt(max(variance, 0.0))) / (1 - self.expected)

    def _largest(self, values: FloatArray, *, observed: float | None = None) -> float:
        """The largest sum of p_kl values_kl over tables with these margins, and this observed agreement if given."""
        # Imported here, since it would delay the start of every process by a quarter of a second.
        from scipy.optimize import linprog

        q = len(self.rows)
        each = np.eye(q)
        constraints = [np.kron(each, np.ones(q)), np.kron(np.ones(q), each)]
        totals = [self.rows, self.columns]
        if observed is not None:
            constraints.append(self.similarity.reshape(1, -1))
            totals.append(np.array([observed]))
        found = linprog(-values.ravel(), A_eq=np.vstack(constraints), b_eq=np.concatenate(totals))
        if not found.success or found.fun is None:
            raise ValueError(f"no table was found with these marginals: {found.message}")
        return -float(found.fun)
