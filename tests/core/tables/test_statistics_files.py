"""Files of SPSS and Stata: values, names of values, and what they declare missing."""

import datetime

import pandas
import pyreadstat
import pytest

from tests.core.tables.making import cells, opened, refusal


@pytest.fixture
def sav(tmp_path):
    path = tmp_path / "ratings.sav"
    labels = pandas.DataFrame(
        {
            "item": ["a", "b", ""],
            "anna": [1.0, 2.0, 9.0],
            "ben": [1.5, None, -1.0],
            "day": [datetime.date(2026, 1, 2)] * 3,
        }
    )
    pyreadstat.write_sav(
        labels,
        path,
        column_labels=["", "Rating by Anna", "", ""],
        variable_value_labels={"anna": {1: "no", 2: "yes", 9: "cannot tell"}},
        missing_ranges={"anna": [9], "ben": [{"lo": -10, "hi": -1}]},
        variable_measure={"anna": "nominal"},
    )
    return path.read_bytes()


def test_spss(sav):
    table = opened(sav)

    assert (table.format, table.columns, table.n_rows) == ("sav", ["item", "anna", "ben", "day"], 3)
    assert list(table.rows) == [
        (1, ["a", "1", "1.5", "2026-01-02"]),
        (2, ["b", "2", "", "2026-01-02"]),
        (3, ["", "9", "-1", "2026-01-02"]),
    ]
    assert table.value_labels == {"anna": {"1": "no", "2": "yes", "9": "cannot tell"}}
    assert table.missing == {"anna": {"9"}, "ben": {"-1"}}
    assert (table.titles["anna"], table.levels["anna"]) == ("Rating by Anna", "nominal")
    assert table.date_columns == ["day"]


def test_compressed_spss(tmp_path):
    path = tmp_path / "ratings.zsav"
    pyreadstat.write_sav(pandas.DataFrame({"item": ["a"], "n": [1.0]}), path, compress=True)

    assert cells(opened(path.read_bytes())) == [["a", "1"]]


def test_stata(tmp_path):
    path = tmp_path / "ratings.dta"
    pyreadstat.write_dta(
        pandas.DataFrame({"item": ["a", "b"], "anna": [1.0, "a"], "text": ["a", "z"]}),
        path,
        missing_user_values={"anna": ["a"]},
        variable_value_labels={"anna": {1: "no", "a": "refused"}},  # type: ignore[dict-item]
    )

    table = opened(path.read_bytes())

    assert (table.format, cells(table)) == ("dta", [["a", "1", "a"], ["b", ".a", "z"]])
    assert table.value_labels == {"anna": {"1": "no", ".a": "refused"}}
    assert table.missing == {"anna": {".a"}}


def test_a_file_without_rows_is_refused(tmp_path):
    path = tmp_path / "empty.sav"
    pyreadstat.write_sav(pandas.DataFrame({"item": pandas.Series([], dtype="float64")}), path)

    assert refusal(path.read_bytes())[0] == "no_rows"


@pytest.mark.parametrize("n_bytes", [10, 300])
def test_a_file_that_was_cut_off_is_refused(sav, n_bytes):
    assert refusal(sav[:n_bytes])[0] == "damaged_file"


def test_an_invalid_file_of_stata_is_refused():
    assert refusal(b"<stata_dta><header><release>118</release>" + b"\xff" * 500)[0] == "damaged_file"
