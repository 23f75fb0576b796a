"""The data of published examples: as large as their sources say."""

import pytest

from reports.published.examples import examples


@pytest.mark.parametrize(
    ("name", "n_items", "n_raters", "n_labels"),
    [
        ("cohen1960_ex2", 200, 2, 400),
        ("fleiss1971", 30, 6, 180),
        ("fleiss_wikipedia", 10, 14, 140),
        ("krippendorff2011", 12, 4, 41),
        ("hayes_krippendorff2007", 40, 5, 159),
        ("gwet_four_raters", 12, 4, 41),
        ("gwet_two_raters", 12, 2, 22),
        ("cats_dogs_3", 5190, 2, 10_380),
        ("credit_balanced", 300, 2, 600),
        ("stuart_vision", 7477, 2, 14_954),
    ],
)
def test_size_of_the_samples(name, n_items, n_raters, n_labels):
    size = examples()[name].sample.size

    assert (size.n_items, size.n_raters, size.n_labels) == (n_items, n_raters, n_labels)


def test_size_of_numbers_sets_and_repeated_labels():
    assert examples()["shrout_fleiss1979"].numbers.size.n_items == 6
    assert examples()["bland_altman1986"].numbers.size.n_labels == 34
    assert examples()["sets"].sets.members.shape == (7, 3)
    labels = examples()["dawid_skene1979"].repeated_labels
    assert (labels.n_items, labels.n_raters, len(labels.codes)) == (45, 5, 315)
