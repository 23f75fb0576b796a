"""manage.py agreement with clustered items, a finite population, and raters as a sample."""

import csv
import io

import numpy as np
import pytest
from django.core.management import CommandError

from reports.agreement.intervals.design import SamplingDesign, designed_interval
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.statistic import point
from reports.agreement.ratings import to_dense
from tests.reports.agreement.intervals.test_design import THREE, clustered

SAMPLE, CLUSTERS = clustered(7, n_clusters=12)


def labels(*, wide: bool = False, without: int = -1) -> str:
    """Keys of items in another order than the file's."""
    text = io.StringIO()
    writer = csv.writer(text)
    codes, raters = to_dense(SAMPLE.ratings).codes.tolist(), ["ann", "bob", "cy"]
    writer.writerow(["item", "document", *raters] if wide else ["item", "document", "rater", "label"])
    for place, (row, cluster) in enumerate(zip(codes, CLUSTERS, strict=True)):
        document = "" if place == without else f"doc {cluster}"
        item = f"i{(place * 7) % len(codes)}-{place}"
        words = ["abc"[code] for code in row]
        if wide:
            writer.writerow([item, document, *words])
            continue
        writer.writerows([item, document, rater, word] for rater, word in zip(raters, words, strict=True))
    return text.getvalue()


def conger(**design) -> float:
    value = point(CONGER_KAPPA, SAMPLE, THREE)
    return designed_interval(CONGER_KAPPA, SAMPLE, THREE, value, SamplingDesign(**design)).se


@pytest.mark.parametrize("wide", [False, True])
def test_the_unit_is_a_column(question, run_agreement, wide):
    more = ("--wide",) if wide else ()
    plain = question(labels(wide=wide), "--map", "document=ignore", *more)

    found = question(labels(wide=wide), "--unit", "document", *more)

    assert found["design"] == {"unit": "document", "n_units": 12, "population": None, "raters": "fixed"}
    own, known = found["coefficients"]["conger_kappa"], plain["coefficients"]["conger_kappa"]
    assert own["value"] == known["value"]
    assert own["se"] == pytest.approx(conger(clusters=CLUSTERS), rel=1e-9)
    assert own["se"] > known["se"]
    assert "design" not in plain
    text = run_agreement(labels(wide=wide), "--unit", "document", *more)
    assert "independent units are the 12 values of document" in text.replace("\n  ", " ")


def test_kappas_of_pairs_have_their_errors_too(question):
    plain = question(labels(), "--map", "document=ignore")["pairs"]

    found = question(labels(), "--unit", "document")["pairs"]

    for pair, known in zip(found, plain, strict=True):
        assert pair["kappa"] == known["kappa"]
        assert pair["se"] != known["se"]
        # Two raters are those they are.
        assert question(labels(), "--unit", "document", "--raters-are", "sample")["pairs"] == found


def test_a_population_and_raters_as_a_sample(question):
    one = question(labels(), "--unit", "document", "--population", "48")["coefficients"]["conger_kappa"]
    both = question(labels(), "--raters-are", "sample", "--population", "5000", "--map", "document=ignore")

    assert one["se"] == pytest.approx(conger(clusters=CLUSTERS) * np.sqrt(1 - 12 / 48), rel=1e-9)
    expected = conger(population=5000, are_raters_sampled=True)
    assert both["coefficients"]["conger_kappa"]["se"] == pytest.approx(expected, rel=1e-9)
    assert both["design"]["raters"] == "sample"


def test_a_rater_can_be_left_out(question):
    found = question(labels(), "--unit", "document", "--leave-out", "cy")["coefficients"]["fleiss_kappa"]

    assert found["n_raters"] == 2
    assert found["se"] > 0


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("--unit", "page"), "page"),
        (("--population", "5"), "at least the"),
        (("--population", "1"), "2 or more"),
        (("--unit", "document", "--population", "11"), "at least the 12 values of document"),
        (("--unit", "document", "--interval", "bca"), "--unit requires --interval analytic"),
        (("--unit", "document", "--statistics", "categories"), "Remove --statistics"),
        (("--population", "500", "--reference", "ann"), "Remove --reference"),
        (("--raters-are", "sample", "--compare-pairs", "ann,bob,ann,cy"), "Remove --compare-pairs"),
    ],
)
def test_what_does_not_go_together_is_refused(run_agreement, arguments, rule):
    with pytest.raises(CommandError, match=rule):
        run_agreement(labels(), *arguments)


def test_an_item_without_a_unit_is_a_problem(run_agreement):
    with pytest.raises(CommandError, match="the item has no document"):
        run_agreement(labels(without=3), "--unit", "document")


def test_numbers_are_refused(run_agreement):
    content = "item,page,a,b\n1,x,1,2\n2,x,3,3\n3,y,5,4\n"

    with pytest.raises(CommandError, match="single categories only"):
        run_agreement(content, "--unit", "page", "--wide", "--kind", "number")


def test_counts_by_item_say_nothing_of_raters(run_agreement, question):
    content = "item,a,b\n1,3,0\n2,1,2\n3,0,3\n4,2,1\n"

    found = question(content, "--counts", "items", "--population", "8")
    assert found["design"]["population"] == 8
    with pytest.raises(CommandError, match="who gave which label"):
        run_agreement(content, "--counts", "items", "--raters-are", "sample")
