"""What a table holds, seen from its beginning: labels, items, or questions."""

import pytest

from raters.reading.columns import Column, guessed
from raters.reading.known_keys import KnownKeys
from raters.reading.table_content import kind_of_table
from raters.reading.table_sample import TableSample


def held(text: str, *, raters: frozenset[str] = frozenset(), said: dict[str, Column] | None = None) -> str:
    header, *rows = [line.split(";") for line in text.strip().splitlines()]
    sample, known = TableSample.of(header, rows), KnownKeys(raters)
    return kind_of_table(sample, *guessed(sample, said or {}, known=known), known)


LONG_TEXT = "A text that is long enough for nobody to take it for the name of a category."


@pytest.mark.parametrize(
    "text",
    [
        "item\na\nb",
        "item;text\na;Hello\nb;Bye",
        # The systems that wrote the sentences are no labels of a rater called “system”.
        f"item;sentence;system\na;{LONG_TEXT};base\nb;{LONG_TEXT};new\nc;{LONG_TEXT};base",
        # Numbers of other ranges do not answer the same question.
        f"item;story;place;response\na;50827;0;{LONG_TEXT}\nb;50827;1;{LONG_TEXT}\nc;50829;0;{LONG_TEXT}",
        "item;image:photo;one, two\ni1;cat.png;A cat",
        "item;text;attribute:site\na;Hello;north\nb;Bye;south\nc;Ho;north",
        "item;version_1;genre;part\n"
        + "\n".join(f"i{n};Cat {n} sat on a mat;{'news' if n % 2 else 'fiction'};{n % 3}" for n in range(12)),
        "headline;section;outlet\n"
        + "\n".join(
            f"Team {n} wins the cup;{'sport' if n % 2 else 'politics'};{'ABC'[n % 3]}" for n in range(12)
        ),
        "id;text;source;topic\n1;Hello;web;art\n2;Bye;mail;art\n3;Ho;web;law\n4;Hi;mail;law",
    ],
)
def test_items(text):
    assert held(text) == "items"


@pytest.mark.parametrize(
    "text",
    [
        "question;labels\nq;a|b",
        "question;prompt;scale;labels;label_meanings\nq;Which?;ordinal;0|1;None|Some",
    ],
)
def test_questions(text):
    expected = "questions"
    assert held(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "item;rater;label\na;ann;yes",
        "item;rater;question;label\na;ann;q;yes",
        "item;text;anna;ben\na;Hello;yes;no\nb;Bye;no;no",
        "item;text;anna;ben\na;Hello;10;35\nb;Bye;40;22",
        "item;text;label\na;Hello;yes\nb;Bye;no\nc;Ho;no",
        "id;text;source;score\n1;Hello;web;5\n2;Bye;mail;4\n3;Ho;web;4\n4;Hi;mail;5",
        "id;source;topic\n1;web;art\n2;mail;art\n3;web;law\n4;mail;law",
        "item;text;tone: anna;tone: ben\na;Hello;yes;no",
    ],
)
def test_labels(text):
    assert held(text) == "labels"


def test_a_key_and_content_are_items():
    assert held("id;text\n1;Hello\n2;Bye") == "items"


def test_a_column_of_a_rater_who_is_known_holds_labels():
    text = f"item;sentence;zoe\na;{LONG_TEXT};yes\nb;{LONG_TEXT};no\nc;{LONG_TEXT};no"

    assert held(text) == "items"
    assert held(text, raters=frozenset({"zoe"})) == "labels"
