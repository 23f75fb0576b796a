"""Results are written as JSON and read again, those of this release and of earlier ones."""

import json

import pytest

from reports.agreement.weights import Level
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.question import Kind
from reports.analysis.results import SCHEMA, GroupFigures, QuestionResult, read_json, to_json
from reports.published.examples import examples
from tests.reports.analyzed import analyzed


def written(result: QuestionResult) -> tuple:
    """As the database keeps it."""
    return tuple(
        json.loads(json.dumps(each)) for each in (result.coefficients_to_json(), result.statistics_to_json())
    )


def results():
    bootstrap = Options(interval=IntervalMethod.PERCENTILE, replicates=1000)
    pets = examples()["cats_dogs_2"].sample
    for options in (Options(), bootstrap):
        yield analyzed(pets, Kind.SINGLE, level=Level.ORDINAL, categories="cd", options=options)[0]
        yield analyzed(examples()["shrout_fleiss1979"].numbers, Kind.NUMBER, options=options)[0]
        yield analyzed(examples()["sets"].sets, Kind.MULTIPLE, options=options)[0]


def test_a_result_is_read_as_it_was_written():
    for result in results():
        again = QuestionResult.from_json(*written(result), n_pairs=result.n_pairs)

        assert again == result
        assert written(again) == written(result)


def test_what_an_earlier_release_did_not_write_stays_unwritten():
    coefficients = {"fleiss_kappa": {"value": 0.5, "se": None, "ci_low": None, "ci_high": None, "reason": ""}}
    statistics = {"confusions": {"reason": "too_large"}, "tests": {}}

    result = QuestionResult.from_json(coefficients, statistics, n_pairs=1)

    assert written(result) == (coefficients, statistics)
    assert result.consensus is None


def test_a_result_of_a_later_release_is_refused():
    with pytest.raises(ValueError, match="results must be of schema 1 or below, got 2"):
        QuestionResult.from_json({}, {}, n_pairs=0, schema=SCHEMA + 1)


def test_a_field_is_read_by_the_name_of_earlier_releases():
    figure = {"value": 0.5, "se": None, "ci_low": None, "ci_high": None, "reason": ""}
    counts = dict.fromkeys(("n_items", "n_raters", "n_labels", "n_compared"), 9)
    stored = {"value": "north", **counts, "figure": figure, "beside": figure}

    group = read_json(GroupFigures, stored)

    assert to_json(group) == {"value": "north", **counts, "figure": figure, "percent_agreement": figure}
    assert read_json(GroupFigures, to_json(group)) == group
