"""What written values are taken for: categories, spellings of one category, missing-value codes, numbers and sets."""

import pytest

from raters.reading.values import (
    CANNOT_TELL,
    CATEGORY,
    MISSING,
    NONE_OF_THEM,
    InferredKind,
    ValueMeaning,
    in_order,
    inferred_kind,
    suggested,
)


def fates(*values: str, kind: str = "single", **more) -> dict[str, str | None]:
    counts = {value: values.count(value) for value in values}
    found = suggested(counts, kind=kind, **more)
    return {value: suggestion.becomes.key or suggestion.becomes.what for value, suggestion in found.items()}


@pytest.mark.parametrize(
    "code", ["NA", "n/a", "N/A", "NaN", "null", ".", "-", "–", "missing", "#N/A", "Not applicable"]
)
def test_words_for_a_missing_value(code):
    assert fates("yes", "no", code) == {"yes": "yes", "no": "no", code: MISSING}


def test_a_category_of_the_project_is_never_missing():
    assert fates("yes", "NA", known=["yes", "NA"]) == {"yes": "yes", "NA": "NA"}


def test_a_minus_beside_a_plus_is_a_category():
    assert fates("+", "-", "0") == {"+": "+", "-": "-", "0": "0"}


def test_a_word_that_is_combined_with_a_category_is_one_itself():
    found = fates("ok", "added", "missing", "added+missing", "NA")

    assert found["missing"] == "missing"
    assert found["NA"] == MISSING


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (["1", "2", "3", "4", "5", "99"], {"99"}),
        (["0", "1", "9"], {"9"}),
        (["7", "8", "9"], set()),
        (["1", "2", "-9"], {"-9"}),
        (["-2", "-1", "0", "-9"], set()),
        (["1", "2", "999", "-99"], {"999", "-99"}),
        (["97", "98", "99", "100"], set()),
        (["99"], set()),
        (["a", "b", "99"], set()),
    ],
)
def test_numbers_that_stand_apart_are_missing_codes(values, missing):
    found = fates(*values)

    assert {value for value, fate in found.items() if fate == MISSING} == missing


def test_what_the_file_declares_missing_is_missing():
    assert fates("1", "2", "3", declared_missing={"3"})["3"] == MISSING


@pytest.mark.parametrize("word", ["cannot tell", "Can't tell", "can’t tell"])
def test_cannot_tell(word):
    assert fates("yes", word)[word] == CANNOT_TELL


def test_spellings_become_the_one_that_is_written_most_often():
    assert fates("Positive", "positive", "positive", "ＰＯＳＩＴＩＶＥ", "very  good", "very good") == {
        "Positive": "positive",
        "positive": "positive",
        "ＰＯＳＩＴＩＶＥ": "positive",
        "very  good": "very  good",
        "very good": "very  good",
    }


def test_spellings_become_the_category_of_the_project():
    assert fates("positive", "positive", known=["Positive"]) == {"positive": "Positive"}


def test_numbers_as_spreadsheets_write_them_are_one_category():
    assert fates("1.0", "1.0", "1", "2") == {"1.0": "1", "1": "1", "2": "2"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["yes", "no"], InferredKind("single")),
        (["1", "2", "3", "2"], InferredKind("single", "ordinal")),
        (["0", "1"], InferredKind("single")),
        (["1", "2", "3", "99"], InferredKind("single", "ordinal")),
        (["1.5", "2", "NA"], InferredKind("number", "interval")),
        (["1,5", "2,25"], InferredKind("number", "interval")),
        (["4,0", "3,5", "3,3", "4,0", "2,5", "5,0", "k.A.", "NA"], InferredKind("number", "interval")),
        (["4.0", "3.5", "3.3", "4.0", "2.5", "n.k."], InferredKind("number", "interval")),
        (["4,0", "3,5", "3,3", "n.k.", "fehlt"], InferredKind("single")),
        (["1", "2", "3", "1", "2", "other"], InferredKind("single")),
        (["1,2", "1", "2", "1,3", "3", "2", "1,2,3"], InferredKind("multiple", separator=",")),
        (["1", "2", "3", "1", "2", "1,2", "3", "1,3", "none"], InferredKind("multiple", separator=",")),
        ([str(n) for n in range(40)], InferredKind("number", "interval")),
        (["1,000", "900", "2,500"], InferredKind("number", "interval")),
        (["1,234,567.5", "12"], InferredKind("number", "interval")),
        (["1,234", "yes"], InferredKind("single")),
        (["250.00", "401.9", "428.0", "V27.0", "414.01", "250.02"], InferredKind("single")),
        (["008.45", "250.00", "401.9"], InferredKind("single")),
        ([f"{n:02}" for n in range(40)], InferredKind("single")),
        (["01", "02", "03", "02"], InferredKind("single", "ordinal")),
        (["low", "High", "medium"], InferredKind("single", "ordinal")),
        (["a|b", "a", "b", "b|c", "c"], InferredKind("multiple", separator="|")),
        (["a; b", "a", "b", "a; b; c"], InferredKind("multiple", separator=";")),
        (["yes, definitely", "no"], InferredKind("single")),
        ([("a",), ()], InferredKind("multiple")),
        (["a", "{}", "b"], InferredKind("multiple")),
        (["a;b", "{}", "b", "a"], InferredKind("multiple", separator=";")),
        ([], InferredKind("single")),
    ],
)
def test_what_a_question_asks_for(values, expected):
    assert inferred_kind(values) == expected


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        (["10", "9", "-1", "2.5"], ["-1", "2.5", "9", "10"]),
        (["Often", "never", "always"], ["never", "Often", "always"]),
        (["yes", "no"], ["yes", "no"]),
        (["b", "a"], ["b", "a"]),
    ],
)
def test_the_order_of_new_categories(keys, order):
    assert in_order(keys) == order


@pytest.mark.parametrize(
    "becomes",
    [
        ValueMeaning(CATEGORY, "a"),
        ValueMeaning(MISSING),
        ValueMeaning(CANNOT_TELL),
        ValueMeaning(NONE_OF_THEM),
    ],
)
def test_what_a_value_becomes_as_json_comes_back(becomes):
    assert ValueMeaning.from_json(becomes.as_json()) == becomes


@pytest.mark.parametrize("said", ["", 7, True, {"cannot_tell": False}, ["a"]])
def test_what_a_value_cannot_become(said):
    with pytest.raises(ValueError, match="a value becomes"):
        ValueMeaning.from_json(said)
