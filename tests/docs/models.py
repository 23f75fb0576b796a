"""Figures of a model against people for the examples; the last rater of the data is the model."""

from collections.abc import Callable

import numpy as np

from reports.agreement.models.alternative_annotator import AlternativeTest, alternative_test, contests
from reports.agreement.models.difference import LabelMatrix, ReplicatedValues, pairs_resampled
from reports.agreement.models.label_similarity import CategorySimilarity
from reports.agreement.models.pair_agreement import KappaAgreement
from reports.agreement.models.prediction_powered import labels_needed, prediction_powered
from reports.agreement.models.resampled_units import UnitWeights
from reports.agreement.models.rogan_gladen import rogan_gladen
from reports.agreement.models.selective import threshold
from tests.docs.examples import Data


def against(data: Data, label: str) -> str:
    """Of people and a model who all labeled every item."""
    if label in OF_AGREEMENT:
        return f"{OF_AGREEMENT[label](_pairs(data)).value[0]:.4f}"
    test = _test(data)
    if label == "Advantage probability":
        return f"{test.advantage:.4f}"
    if label == "Smallest ε":
        return f"{test.smallest:.3f}"
    place = test.at(float(label.removeprefix("ε = ")))
    p_values = "  ".join(f"p {p:.4f}" for p in test.p_values[place])
    return f"{p_values}  winning rate {test.winning[place]:.2f}"


def _test(data: Data) -> AlternativeTest:
    people, model = data.codes[:, :-1], data.codes[:, -1]
    items, columns = np.indices(people.shape)
    found = contests(CategorySimilarity(), items.ravel(), columns.ravel(), people.ravel(), model)
    return alternative_test(found)


def _pairs(data: Data) -> ReplicatedValues:
    """Of the model with each person first, then those of two people."""
    codes, m = data.codes, data.codes.shape[1] - 1
    pairs = [(person, m) for person in range(m)]
    pairs += [(a, b) for a in range(m) for b in range(a + 1, m)]
    labels = LabelMatrix(codes, np.ones(codes.shape, dtype=bool))
    agreement = KappaAgreement(np.eye(len(data.categories)))
    return pairs_resampled(labels, pairs, agreement, UnitWeights.drawn(len(codes), seed=1))


def _with_model(found: ReplicatedValues) -> ReplicatedValues:
    # m (m + 1) / 2 pairs of m people and a model.
    m = int((np.sqrt(8 * len(found.value) + 1) - 1) / 2)
    return found.mean(range(m))


def _among_people(found: ReplicatedValues) -> ReplicatedValues:
    m = int((np.sqrt(8 * len(found.value) + 1) - 1) / 2)
    return found.mean(range(m, len(found.value)))


OF_AGREEMENT: dict[str, Callable[[ReplicatedValues], ReplicatedValues]] = {
    "Model with people": _with_model,
    "People with each other": _among_people,
    "Difference": lambda found: _with_model(found).less(_among_people(found)),
}


def shares(data: Data, label: str) -> str:
    """A share from few labels of people and many of a model, with its interval."""
    given = {key: int(words[0]) for key, words in data.keyed.items()}
    cells = ("true positives", "false negatives", "false positives", "true negatives")
    counts = [given[name] for name in cells]
    y, f = np.repeat([1.0, 1.0, 0.0, 0.0], counts), np.repeat([1.0, 0.0, 1.0, 0.0], counts)
    others = np.repeat([1.0, 0.0], [given["others positive"], given["others"] - given["others positive"]])
    tuning = {"People alone": 0.0, "PPI, λ = 1": 1.0}.get(label)
    found = prediction_powered(y, f, others, tuning=tuning)
    if label == "Worth":
        return f"{found.worth:.0f} labels"
    limits = f"{found.value:.4f}  95% CI [{found.ci_low:.4f}, {found.ci_high:.4f}]"
    return f"{limits}, λ = {found.tuning:.2f}" if tuning is None else limits


def correction(data: Data, label: str) -> str:
    given = {key: float(words[0]) for key, words in data.keyed.items()}
    found = rogan_gladen(
        given["called positive"],
        int(given["items"]),
        sensitivity=given["sensitivity"],
        n_true=int(given["true items"]),
        specificity=given["specificity"],
        n_false=int(given["false items"]),
    )
    return f"{found.value:.4f}  95% CI [{found.ci_low:.4f}, {found.ci_high:.4f}]"


def labels(data: Data, label: str) -> str:
    """How many labels of people an interval takes, at the correlation of the label."""
    given = {key: float(words[0]) for key, words in data.keyed.items()}
    r = float(label.removeprefix("r = "))
    return f"{labels_needed(given['half width'], sd=given['sd'], n_items=int(given['items']), r=r)} labels"


def decisions(data: Data, label: str) -> str:
    """The threshold at the α of the label, of items with three confidences."""
    given = data.keyed
    items, different = ([int(word) for word in given[name]] for name in ("items", "different"))
    scores = np.repeat([float(word) for word in given["confidence"]], items)
    wrong = np.concatenate([np.arange(n) < k for n, k in zip(items, different, strict=True)])
    found = threshold(scores, wrong, risk=float(label.removeprefix("α = ")), delta=float(given["delta"][0]))
    if found is None:
        return "none"
    return f"confidence {found.score:g}, {found.n_wrong} of {found.n_decided} differ, limit {found.bound:.4f}"
