"""The catalog knows every statistic that is shown, and points at what is written about it."""

import re
from itertools import chain

import numpy as np
import pytest

from config.environment import BASE_DIR
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.category_agreement import OF_CATEGORIES
from reports.agreement.weights import Level, Weights
from reports.analysis.analyze import STORED
from reports.analysis.catalog import CATALOG, StatisticFamily, by_family
from reports.analysis.options import Options
from reports.analysis.pairs import pair_statistics, reference_figures
from reports.analysis.question import Kind
from reports.published.examples import examples
from tests.reports.analyzed import analyzed


def anchors() -> set[str]:
    """The headings of the documentation as addresses have them."""
    headings = re.findall(r"^#+ (.+)$", (BASE_DIR / "docs/statistics.md").read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda entry: entry.name)
def test_an_entry_says_what_it_is_and_leads_to_its_section(entry):
    assert entry.title
    assert entry.what.endswith(".")
    assert entry.families
    assert entry.section in anchors()
    assert entry.plain.isascii()


def of_single_choice(weights):
    pets = examples()["cats_dogs_2"]
    options = Options(weights=Weights(weights))
    result, _ = analyzed(pets.sample, Kind.SINGLE, level=Level.ORDINAL, categories="cd", options=options)
    yield result.coefficients
    yield from (result.statistics_to_json()[family] for family in STORED)
    full = pair_statistics(pets.tables, pets.scale(level="ordinal", weights=weights), options).of(0)
    yield from (full.values, full.categories, full.tests)
    scale = pets.scale(level="ordinal", weights=weights)
    [against] = reference_figures(pets.tables, scale, n_labels=np.array([[51, 51]]))
    yield from (against.values, against.categories)


def of_numbers():
    sample = examples()["shrout_fleiss1979"].numbers
    result, pairs = analyzed(sample, Kind.NUMBER, level=Level.ORDINAL)
    yield from (result.coefficients, result.tests)
    yield from (pair.figures for pair in pairs)
    with_gaps = NumberSample([[9, 8, np.nan], [np.nan, 5, 6], [3, np.nan, 2], [7, 8, 7]])
    yield analyzed(with_gaps, Kind.NUMBER)[0].coefficients


def of_sets():
    result, pairs = analyzed(examples()["sets"].sets, Kind.MULTIPLE)
    yield from (result.coefficients, result.categories)
    yield from (pair.figures for pair in pairs)


def test_every_statistic_that_is_computed_is_known_and_no_other():
    tables = chain(of_single_choice("unweighted"), of_single_choice("linear"), of_numbers(), of_sets())

    assert {name for table in tables for name in table} == set(CATALOG)


def test_every_statistic_of_a_category_is_in_that_family():
    names = {each.name for each in OF_CATEGORIES}

    assert names <= {entry.name for entry in CATALOG.values() if StatisticFamily.CATEGORIES in entry.families}


def test_the_guide_has_each_once():
    assert sorted(entry.name for entries in by_family().values() for entry in entries) == sorted(CATALOG)
