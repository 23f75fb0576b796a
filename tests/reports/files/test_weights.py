"""manage.py agreement with weights of every kind, and with intervals; no database."""

from typing import Any

import pytest
from django.core.management import CommandError

from tests.reports.files.gwet import GWET, SCALE


@pytest.mark.parametrize(
    ("weights", "value"),
    [
        ("linear", 0.858739),
        ("quadratic", 0.914001),
        ("ordinal", 0.898940),
        ("radical", 0.819812),
        ("ratio", 0.857368),
        ("circular", 0.830195),
        ("bipolar", 0.900373),
    ],
)
def test_every_weighting_has_its_reference_value(question, weights, value):
    """AC2 on Gwet's four raters: R irrCAC, Python irrCAC."""
    found = question(GWET, *SCALE, "--weights", weights)

    assert found["coefficients"]["gwet_ac2"]["value"] == pytest.approx(value, abs=6e-7)
    assert found["coefficients"]["gwet_ac2"]["method"] == weights


# Linear weights of three categories, in other orders and forms.
NAMED = ",high,low,mid\nhigh,1,0,0.5\nlow,0,1,0.5\nmid,0.5,0.5,1\n"

BARE = "1,0.5,0\n0.5,1,0.5\n0,0.5,1\n"

AS_JSON = '{"label": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]}'

LOW_TO_HIGH = "item,rater,label\n1,a,low\n1,b,mid\n2,a,mid\n2,b,high\n3,a,high\n3,b,high\n4,a,low\n4,b,low\n"


@pytest.mark.parametrize(("name", "content"), [("n.csv", NAMED), ("b.csv", BARE), ("w.json", AS_JSON)])
def test_weights_come_from_a_file(question, file, name, content):
    linear = question(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights", "linear")
    own = question(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights-file", file(name, content))

    assert own["pairs"] == linear["pairs"]
    assert own["coefficients"]["gwet_ac2"]["value"] == linear["coefficients"]["gwet_ac2"]["value"]
    assert own["coefficients"]["gwet_ac2"]["method"] == "custom"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The weights file is empty"),
        ("1,0\n0,1\n", "label: weights must be 3 rows of 3, got 2 rows of 2"),
        ("1,0,0\n0,1,x\n0,0,1\n", "rows of numbers from 0 to 1"),
        ("1,0.5,0\n0.4,1,0\n0,0,1\n", "symmetric"),
        (
            ",a,b,c\na,1,0,0\nb,0,1,0\nc,0,0,1\n",
            "the weights are for a, b, c, but the categories are low, mid, high",
        ),
        (",low,mid,high\nmid,1,0,0\nlow,0,1,0\nhigh,0,0,1\n", "in the same order"),
        ('{"label": [[1, 0}', "not valid JSON, line 1"),
        ('{"other": [[1]]}', "custom weights require a matrix"),
        (",low,mid,high\nlow,1,0\nmid,0,1,0\nhigh,0,0,1\n", "a row has a different number of weights"),
        ('{"label": ["100", "010", "001"]}', "rows of numbers from 0 to 1"),
        ("[" * 100_000, "rows of numbers from 0 to 1"),
        (f"[[1{'0' * 400}]]", "rows of numbers from 0 to 1"),
        (f"[[1{'0' * 5000}]]", "rows of numbers from 0 to 1"),
        (f'"{"1" * 200_000}"', "rows of numbers from 0 to 1"),
    ],
    ids=str.__len__,
)
def test_a_file_that_is_no_weighting_is_refused(run_agreement, file, content, sentence):
    with pytest.raises(CommandError, match=sentence):
        run_agreement(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights-file", file("weights", content))


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
def test_intervals_by_other_methods_are_those_of_the_seed(question, interval):
    def alpha(*more: str) -> dict[str, Any]:
        found = question(GWET, *SCALE, "--interval", interval, *more)
        return found["coefficients"]["krippendorff_alpha"]

    plain = question(GWET, *SCALE)["coefficients"]["krippendorff_alpha"]
    assert alpha()["value"] == plain["value"]
    assert alpha()["ci_low"] != plain["ci_low"]
    assert alpha() == alpha()
    assert (alpha("--seed", "2") == alpha()) is (interval == "jackknife")


def test_the_jackknife_has_its_reference_error(question):
    """Krippendorff 2011, four observers, nominal: .146327 by jackknife, .145479 linearised (definitions 2.10)."""
    lines = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    content = "item,rater,label\n" + "".join(
        f"i{item:02},r{rater},{label}\n"
        for rater, line in enumerate(lines)
        for item, label in enumerate(line)
        if label != "."
    )

    errors = [
        question(content, "--interval", method)["coefficients"]["krippendorff_alpha"]["se"]
        for method in ("jackknife", "analytic")
    ]

    assert errors == pytest.approx([0.146327, 0.145479], abs=6e-7)
