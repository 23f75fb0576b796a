"""manage.py agreement reads what an import reads, by the same reading, and says what it took for what; no database."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.reports.files.test_agreement import CATS_AND_DOGS

# Ten items of three raters on a scale of five, one of them with other codes for a missing value.
CODED = "item,rater,label\n" + "".join(
    f"{item},{rater},{label}\n"
    for item, labels in enumerate(("111", "222", "345", "554", "123", "1N1", "2M2"), start=1)
    for rater, label in zip("abc", labels, strict=True)
)


def read_of(text: str) -> dict:
    return json.loads(text)["read"]


@pytest.mark.parametrize("code", ["NA", "n/a", ".", "-", "99", "-9"])
def test_a_missing_code_is_no_category(run_agreement, question, code):
    coded = CODED.replace("N", code).replace("M", code)
    without = CODED.replace("N", "").replace("M", "")

    assert question(coded) == question(without)
    assert read_of(run_agreement(coded, "--json"))["questions"]["label"]["missing"] == {code: 2}
    assert f"Missing in label: {code} (2)" in run_agreement(coded)
    assert "Missing: 2 empty cells" in run_agreement(without)


def test_a_code_that_is_a_declared_category_stays_one(question):
    coded = CODED.replace("N", "9").replace("M", "9")

    assert question(coded, "--categories", "1,2,3,4,5,9")["categories"][-1] == "9"


def test_spellings_of_a_category_are_merged_and_named(run_agreement, question):
    spelled = CATS_AND_DOGS.replace("cc1,A,Cats", "cc1,A,CATS").replace("dd1,B,Dogs", "dd1,B,dogs ")

    assert question(spelled) == question(CATS_AND_DOGS)
    assert "Merged in label: CATS → Cats, dogs → Dogs" in run_agreement(spelled)


def test_what_is_written_can_be_declared_as_something_else(run_agreement, tmp_path):
    mapping = tmp_path / "mapping.json"
    values = {"NA": "NA", "x": None}
    mapping.write_text(json.dumps({"questions": {"label": {"values": values}}}))
    content = "item,rater,label\n1,a,NA\n1,b,NA\n2,a,y\n2,b,x\n3,a,y\n3,b,y\n"

    found = json.loads(run_agreement(content, "--json", "--mapping", str(mapping)))

    assert found["questions"][0]["categories"] == ["NA", "y"]
    assert found["read"]["questions"]["label"]["missing"] == {"x": 1}


def test_columns_by_other_names_are_understood(run_agreement, question):
    renamed = CATS_AND_DOGS.replace("item,rater,label", "Unit ID,coder,Code")
    odd = CATS_AND_DOGS.replace("item,rater,label", "what,by,said")
    options = ("--map", "what=item", "--map", "by=rater", "--map", "said=label", "--layout", "long")

    assert question(renamed) == question(CATS_AND_DOGS)
    assert "Columns: Unit ID = item, coder = rater, Code = label" in run_agreement(renamed)
    assert question(odd, *options) | {"question": "label"} == question(CATS_AND_DOGS)
    with pytest.raises(CommandError, match="COLUMN=ROLE"):
        run_agreement(odd, "--map", "what")


def test_a_column_for_each_rater_is_found_without_a_word(run_agreement, question):
    wide = "Results of 2025;;\nid;ann;bob\n1;x;x\n2;y;x\n3;;y\n4;y;y\n"
    long = "item,rater,label\n1,ann,x\n1,bob,x\n2,ann,y\n2,bob,x\n3,bob,y\n4,ann,y\n4,bob,y\n"

    assert question(wide) == question(long)
    output = run_agreement(wide)
    assert "a column for each rater" in output
    assert "header in line 2" in output
    assert "ann = label of ann" in output


def test_the_interpretation_of_a_table_is_shown_and_can_be_changed(run_agreement, question):
    numbers = "item,a,b\n" + "".join(f"{n},{n * 1.5:.1f},{n * 1.5 + 0.2:.1f}\n" for n in range(1, 30))

    assert "kind" not in question(numbers)
    assert "add --kind number --level interval" in run_agreement(numbers)
    assert question(numbers, "--kind", "auto", "--level", "auto") == question(numbers, "--kind", "number")


def test_numbers_with_a_decimal_comma(run_agreement, question):
    numbers = "item;a;b\n" + "".join(f"{n};{n * 1.5:.1f};{n * 1.5 + 0.2:.1f}\n" for n in range(1, 30))

    assert question(numbers.replace(".", ","), "--kind", "number") == question(numbers, "--kind", "number")
    assert "decimal comma" in run_agreement(numbers.replace(".", ","), "--kind", "number")


def test_a_known_scale_has_its_order(question):
    words = (
        "item,rater,label\n1,a,low\n1,b,high\n2,a,medium\n2,b,medium\n3,a,high\n3,b,high\n4,a,low\n4,b,low\n"
    )

    assert question(words)["categories"] == ["high", "low", "medium"]
    assert question(words, "--level", "ordinal")["categories"] == ["low", "medium", "high"]


def test_of_several_passes_the_first_counts(run_agreement, question):
    once = "item,rater,label,pass\n1,a,x,1\n1,b,x,1\n2,a,y,1\n2,b,x,1\n3,a,y,1\n3,b,y,1\n"

    assert question(once + "1,a,y,2\n") == question(once)
    assert "Left out: 1 labels of later passes; the first counts" in run_agreement(once + "1,a,y,2\n")


def test_of_repeated_labels_the_chosen_one_counts(run_agreement, question):
    once = "item,rater,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n"

    assert question(once + "2,b,y\n", "--repeats", "first") == question(once)
    assert question(once + "2,b,y\n", "--repeats", "last") == question(once.replace("2,b,x", "2,b,y"))
    assert "Left out: 1 repeated labels; the last counts" in run_agreement(
        once + "2,b,y\n", "--repeats", "last"
    )


def test_skipped_records_and_those_who_cannot_tell_are_no_labels(run_agreement, question):
    rows = "item,rater,label,status\n1,a,x,\n1,b,x,\n2,a,y,\n2,b,x,\n3,a,y,\n3,b,y,\n"
    more = rows + "4,a,x,skipped\n4,b,cannot tell,\n"

    assert question(more)["n_labels"] == question(rows)["n_labels"]
    output = run_agreement(more)
    assert "Not labels: 1 skipped" in output
    assert "Left out of label: 1 labels that say “cannot tell”" in output


def test_a_file_of_another_program(tmp_path: Path):
    tasks = [
        {
            "id": n,
            "data": {"text": f"text {n}"},
            "annotations": [
                {
                    "completed_by": rater,
                    "result": [
                        {
                            "from_name": "tone",
                            "to_name": "t",
                            "type": "choices",
                            "value": {"choices": [label]},
                        }
                    ],
                }
                for rater, label in enumerate(labels, start=1)
            ],
        }
        for n, labels in enumerate((("a", "a"), ("b", "b"), ("a", "b")), start=1)
    ]
    path, out = tmp_path / "export.json", io.StringIO()
    path.write_text(json.dumps(tasks))

    call_command("agreement", str(path), "--json", stdout=out)

    found = json.loads(out.getvalue())
    assert found["read"]["format"] == "label_studio"
    [question] = found["questions"]
    assert (question["question"], question["n_items"], question["n_labels"]) == ("tone", 3, 6)
    assert question["pairs"][0]["counts"] == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ('{"colums": {}}', "there is no option colums"),
        ('{"columns": []}', "columns of the mapping must be a JSON object"),
        ('{"questions": {"label": 1}}', "a question must be an object"),
        ("[]", "the mapping must be a JSON object"),
        ("{", "Expecting property name"),
    ],
)
def test_a_bad_mapping_is_refused(run_agreement, tmp_path, written, sentence):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(written)

    with pytest.raises(CommandError, match=sentence):
        run_agreement(CATS_AND_DOGS, "--mapping", str(mapping))


ROUNDS = "item,rater,label,round\n" + "".join(
    f"i{n},{rater},{'ab'[(n + (rater == 'ben' and n == 3) + k) % 2]},{name}\n"
    for k, name in enumerate(("first", "second"))
    for n in range(12)
    for rater in ("anna", "ben")
)


def test_a_file_of_several_rounds_says_so_and_one_can_be_chosen(run_agreement, question):
    with pytest.raises(CommandError) as refused:
        run_agreement(ROUNDS)
    with pytest.raises(CommandError, match="the file has no such round; it has first, second"):
        run_agreement(ROUNDS, "--round", "third")

    assert "The file has 1 problem" in str(refused.value)
    assert "the file has 2 rounds (first, second)" in str(refused.value)
    assert "choose it with --round" in str(refused.value)
    only = "".join(line for line in ROUNDS.splitlines(keepends=True) if "first" not in line)
    assert question(ROUNDS, "--round", "second") == question(only)
    assert question(ROUNDS, "--round", "second")["n_labels"] == 24
