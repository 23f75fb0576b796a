"""Which interval of ICC(A,1) by REML holds best: `python -m tests.reports.agreement.coverage.incomplete`, six minutes.

Prints the coverage of each kind in each design, and how often the true value is below and above the interval.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import fdtri, ndtri

from reports.agreement.numbers.incomplete import drawn
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.reml import Components, reml_components
from reports.agreement.results import FloatArray

N_STUDIES = 400
Z = float(ndtri(0.975))
# Raters, items, the fewest and the most labels on an item, and the variances of items, raters, and residual.
DESIGNS = [
    (8, 50, (3, 3), (4, 0.25, 1)),
    (8, 200, (3, 3), (4, 0.25, 1)),
    (8, 50, (3, 3), (1, 0.5, 1)),
    (8, 200, (3, 3), (1, 0.5, 1)),
    (20, 60, (3, 3), (4, 0.25, 1)),
    (8, 50, (2, 2), (1, 0.25, 1)),
    (5, 40, (2, 4), (4, 1, 1)),
    (8, 50, (3, 3), (0.2, 0.2, 1)),
    (8, 30, (3, 3), (9, 0.02, 1)),
    (40, 100, (3, 3), (1, 0.3, 1)),
    (4, 60, (3, 3), (4, 0.25, 1)),
    (4, 500, (2, 2), (1, 0.5, 1)),
    (5, 1_000, (3, 3), (4, 1, 1)),
]


def study(
    random: np.random.Generator, n_raters: int, n_items: int, labels: tuple[int, int], variances: FloatArray
) -> NumberSample:
    numbers = random.integers(labels[0], labels[1] + 1, n_items)
    items = np.repeat(np.arange(n_items), numbers)
    raters = np.concatenate([random.permutation(n_raters)[:n] for n in numbers])
    i, r, e = np.sqrt(variances)
    values = i * random.standard_normal(n_items)[items] + r * random.standard_normal(n_raters)[raters]
    values += e * random.standard_normal(len(items))
    return NumberSample.from_labels(items, raters, values, n_items=n_items, n_raters=n_raters)


def intervals(found: Components) -> Iterator[tuple[str, float, float]]:
    draws = drawn(found)
    low, high = np.quantile(draws.items / (draws.items + draws.raters + draws.residual), [0.025, 0.975])
    yield "generalized", low, high
    k, noise, covariance = found.crossed.labels_per_item, found.raters + found.residual, found.covariance
    of_noise, of_items = np.array([0.0, 1, 1]), np.array([1.0, 0, 0])
    mean = k * found.items + noise
    both = (k * of_items + of_noise) / mean - of_noise / noise
    error = Z * np.sqrt(both @ covariance @ both)
    ratios = mean / noise * np.exp([-error, error])
    yield "delta, log(1 + k I / (R + E))", *((ratios - 1) / (ratios - 1 + k))
    of_mean = k * of_items + of_noise
    df = (2 * mean**2 / (of_mean @ covariance @ of_mean), 2 * noise**2 / (of_noise @ covariance @ of_noise))
    ratios = mean / noise / np.array([fdtri(*df, 0.975), fdtri(*df, 0.025)])
    yield "F, approximate degrees of freedom", *((ratios - 1) / (ratios - 1 + k))
    if found.items:
        slope = of_items / found.items - of_noise / noise
        error = Z * np.sqrt(slope @ covariance @ slope)
        yield "delta, logit", *(1 / (1 + noise / found.items * np.exp([error, -error])))


def main() -> None:
    for seed, (n_raters, n_items, labels, variances) in enumerate(DESIGNS):
        random, truth = np.random.default_rng(seed), variances[0] / sum(variances)
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(N_STUDIES):
            sample = study(random, n_raters, n_items, labels, np.array(variances))
            for name, low, high in intervals(reml_components(sample)):
                found.setdefault(name, []).append((low, high))
        print(f"{n_raters} raters, {n_items} items, {labels} labels, variances {variances}")
        for name, rows in found.items():
            low, high = np.array(rows).T
            below, above = (truth < low - 1e-12).mean(), (truth > high).mean()
            width = (high - np.maximum(low, 0)).mean()
            print(f"  {name:35}{1 - below - above:7.1%}{below:7.1%}{above:7.1%}  width {width:.3f}")


if __name__ == "__main__":
    main()
