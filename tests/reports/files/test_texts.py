"""Texts in a file that Interrater exported have no agreement: the command leaves them out, and says so when asked."""

import json

import pytest
from django.core.management import CommandError

ROWS = "".join(
    f"i{n},tone,{rater},{tone},single\ni{n},why,{rater},word {n},text\n"
    for n, both in enumerate(["xx", "xy", "yy", "yx", "xx"])
    for rater, tone in zip(("ann", "ben"), both, strict=True)
)
EXPORTED = f"item,question,rater,label,question_kind\n{ROWS}"


def test_texts_are_left_out(run_agreement):
    found = json.loads(run_agreement(EXPORTED, "--json"))

    assert [question["question"] for question in found["questions"]] == ["tone"]
    assert found["questions"][0]["n_labels"] == 10


def test_asking_for_texts_is_answered_with_a_reason(run_agreement):
    with pytest.raises(CommandError, match="free text"):
        run_agreement(EXPORTED, "--question", "why")


def test_what_only_looks_like_texts_is_compared_as_before(run_agreement):
    content = EXPORTED.replace(",question_kind", "").replace(",single", "").replace(",text", "")

    found = json.loads(run_agreement(content, "--json"))

    assert [question["question"] for question in found["questions"]] == ["tone", "why"]


def test_a_file_of_texts_alone_has_nothing_to_compute(run_agreement):
    rows = [row for row in EXPORTED.splitlines(keepends=True) if ",tone," not in row]

    with pytest.raises(CommandError, match="free-text answers"):
        run_agreement("".join(rows))
