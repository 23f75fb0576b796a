"""Numbers in local notation: read where their notation is clear, and asked about where it is not."""

import pytest

from raters.reading.number_notation import (
    decimal_mark,
    is_unclear,
    local_number,
    number_of,
    number_rule,
    unclear_in,
    unclear_rule,
)


@pytest.mark.parametrize(
    ("written", "decimal", "number"),
    [("1.5", ".", 1.5), ("1,5", ",", 1.5), ("1,5", ".", None), ("-3e2", ".", -300.0), (".5", ".", 0.5)],
)
def test_numbers(written, decimal, number):
    assert number_of(written, decimal=decimal) == number


@pytest.mark.parametrize("written", ["", "1e999", "nan", "inf", "0x10", "1_000", "١٢", "1 2", "one"])
def test_no_numbers(written):
    assert number_of(written) is None
    assert local_number(written) is None


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("0,75", 0.75),
        ("-12,5", -12.5),
        ("−12,5", -12.5),
        (",5", 0.5),
        ("0,300", 0.3),
        ("1234,567", 1234.567),
        ("1.100,5", 1100.5),
        ("1,100.5", 1100.5),
        ("1,234,567", 1_234_567.0),
        ("1.234.567", 1_234_567.0),
        ("1.234.567,25", 1_234_567.25),
        ("1 300", 1300.0),
        ("1\u00a0300,5", 1300.5),
        ("1\u202f300\u202f000", 1_300_000.0),
        ("1'300.50", 1300.5),
        ("1’300", 1300.0),
    ],
)
@pytest.mark.parametrize("decimal", ["auto", ".", ","])
def test_a_clear_number_is_read_whatever_the_decimal_mark(written, decimal, number):
    assert local_number(written, decimal=decimal) == number


@pytest.mark.parametrize(
    ("written", "decimal", "number"),
    [
        ("1,300", ".", 1300.0),
        ("1,300", ",", 1.3),
        ("1,300", "auto", None),
        ("1.300", ".", 1.3),
        ("1.300", ",", 1300.0),
        ("1.300", "auto", 1.3),
    ],
)
def test_a_number_that_depends_on_the_decimal_mark(written, decimal, number):
    assert local_number(written, decimal=decimal) == number


@pytest.mark.parametrize(
    "written", ["1,30,000", "12,34,5", "1.2.3", "1,,5", "1 30", "01,300,000", "1,300.5.2"]
)
def test_what_is_no_number_in_any_notation(written):
    assert local_number(written, decimal=".") is None


@pytest.mark.parametrize(
    ("values", "mark"),
    [
        (["1,5", "2"], ","),
        (["1,300", "0,75"], ","),
        (["1,300", "0.75"], "."),
        (["1.300", "2.100,5"], ","),
        (["1,234,567", "1,300"], "."),
        (["1,300", "5"], "auto"),
        (["1.5", "1,5"], "auto"),
        (["a, b"], "auto"),
        ([], "auto"),
    ],
)
def test_the_decimal_mark_of_a_column(values, mark):
    assert decimal_mark(values) == mark


@pytest.mark.parametrize(
    ("values", "unclear"),
    [
        (["1,300", "2,500"], "1,300"),
        (["900", "1,300"], "1,300"),
        (["1,300", "0,75"], ""),
        (["1,300", "0.75", "0,75"], "1,300"),
        (["1.300", "900"], "1.300"),
        (["1.305", "900"], ""),
        (["1.300", "2.500"], ""),
        (["1.300", "0.75", "0,75"], "1.300"),
        (["0,75", "0.75"], ""),
        (["1", "2"], ""),
    ],
)
def test_what_has_to_be_asked(values, unclear):
    assert unclear_in(values) == unclear


def test_what_is_unclear_without_a_decimal_mark():
    assert is_unclear("1,300", decimal="auto")
    assert not is_unclear("1,300", decimal=".")
    assert not is_unclear("0,75", decimal="auto")


def test_rules_name_the_readings():
    assert {"1300", "1.3"} <= {word.strip(",") for word in unclear_rule("1,300").split()}
    assert "out of range" in number_rule("1e999", 1e15)
    assert "out of range" not in number_rule("one", 1e15)
