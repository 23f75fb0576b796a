"""The catalogue knows every statistic that is shown, and points at what is written about it."""

import re

import numpy as np
import pytest

from config.environment import BASE_DIR
from reports.agreement.overall.categories import OF_CATEGORIES
from reports.agreement.overall.coefficients import COEFFICIENTS
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, Weights
from reports.analysis.catalogue import CATALOGUE, ENTRIES, Family, by_family
from reports.analysis.options import Options
from reports.analysis.pairs import pair_statistics, reference_figures

TABLE = np.array([[[22, 9], [7, 13]]])


def anchors() -> set[str]:
    """The headings of the documentation as addresses have them."""
    headings = re.findall(r"^#+ (.+)$", (BASE_DIR / "docs/statistics.md").read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_name_stands_once():
    assert len(CATALOGUE) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_says_what_it_is_and_leads_to_its_section(entry):
    assert entry.title
    assert entry.what.endswith(".")
    assert entry.families
    assert entry.section in anchors()
    assert entry.plain.isascii()


def test_every_coefficient_of_all_raters_is_known():
    names = {each.name for each in COEFFICIENTS} | {each.weighted_name for each in COEFFICIENTS}

    assert names - {""} <= set(CATALOGUE)
    assert {each.name for each in OF_CATEGORIES} <= {
        entry.name for entry in ENTRIES if Family.CATEGORIES in entry.families
    }


def test_everything_of_a_pair_is_known():
    scale = Scale(2, Level.ORDINAL, None, Weights.LINEAR)
    found = pair_statistics(TABLE, scale, Options()).flat(0)
    [against] = reference_figures(TABLE, n_labels=np.array([[51, 51]]))

    names = {*found["values"], *found["categories"], *found["tests"]}
    assert names | {*against["values"], *against["categories"]} <= set(CATALOGUE)


def test_the_guide_has_each_once():
    assert sorted(entry.name for entries in by_family().values() for entry in entries) == sorted(CATALOGUE)
