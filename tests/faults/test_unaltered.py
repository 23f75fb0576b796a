"""P2: what people write is kept to the byte: through the API, the page, the history, and items out and in again."""

import csv
import html
import io
import json
import re
from uuid import uuid4

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from core.keys import MAX_KEY
from projects.models import MAX_TEXT, Project
from raters.models import Label, LabelRevision
from tests import cast
from tests.files import load_items
from tests.labeling import new_question
from tests.sizes import FULL
from tests.working import Work, new_work

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600 if FULL else 600)]
# 20,000 values in full, 2,000 in `make test`: half of them reasons, half of them notes.
N_AT_ONCE = 50
N_TIMES = 200 if FULL else 3

# Every character that there is but NUL and halves of surrogate pairs, which Postgres and UTF-8 cannot hold.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TELLING = [
    " a ",
    "\u00a0a\u2003",
    "caf\u00e9",
    "cafe\u0301",
    "a\r\nb\rc\nd",
    "\n\nfirst",
    "\r\nfirst",
    "\u202eabc\u202c",
    "\u200b",
    "\ufeff",
    "\u2028\u2029\u0085",
    "<script>alert(1)</script>&amp;",
    "=1+1",
    "'quoted'",
    '"',
    "\\u0000",
    "\U0010ffff",
    "e" + "\u0301" * 150,
    "\x01\x1f\x7f",
]
VALUES = st.one_of(st.text(CHARACTERS, min_size=1, max_size=MAX_KEY), st.sampled_from(TELLING))
once = settings(
    max_examples=N_TIMES,
    deadline=None,
    # To make a failing example smaller takes longer than to read it.
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@pytest.fixture
def wide(db) -> Work:
    """Work with as many questions as values are sent at once."""
    work = new_work(n_items=1, n_raters=1)
    for number in range(1, N_AT_ONCE):
        new_question(work.project, key=f"question {number}", position=number)
    return work


@pytest.fixture
def rater(wide) -> Client:
    client = Client()
    client.force_login(wide.user())
    return client


def put(client: Client, work: Work, answers: list[dict], *, raw: bytes = b""):
    revisions = [
        {"question": label.question.key, "revision": label.revision}
        for label in Label.objects.filter(rater=work.raters[0]).select_related("question")
    ]
    return client.put(
        f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment().pk}/answers/",
        raw or json.dumps({"answers": answers, "revisions": revisions}),
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid4())},
    )


@once
@given(values=st.lists(st.tuples(VALUES, VALUES), min_size=N_AT_ONCE, max_size=N_AT_ONCE))
@example(values=[(value, value[::-1]) for value in (TELLING * 3)[:N_AT_ONCE]])
def test_submitted_texts_are_stored_and_shown_unaltered(wide, rater, values):
    questions = list(wide.project.questions.all())
    submitted = [
        {"question": question.key, "cannot_tell": True, "reason": reason, "note": note}
        for question, (reason, note) in zip(questions, values, strict=True)
    ]

    saved = put(rater, wide, submitted)

    assert saved.status_code == 200, saved.content
    place = wide.assignment().pk
    answers = rater.get(f"/api/v1/projects/{wide.project.slug}/assignments/{place}/").json()["answers"]
    assert [(given["reason"], given["note"]) for given in answers] == values
    page = rater.get(f"/p/{wide.project.slug}/label/{place}/").content.decode()
    shown = re.findall(r'name="reason-\d+" value="([^"]*)"', page)
    assert [html.unescape(reason) for reason in shown] == [reason for reason, _ in values]
    note = re.search(r'<textarea name="note"[^>]*>([^<]*)</textarea>', page)[1]
    assert _read_as_text_area(note) == values[0][1]
    ids = {(given["question"], given["revision"]) for given in answers}
    revisions = LabelRevision.objects.filter(
        rater_id=wide.raters[0].pk, question_id__in=[q.pk for q in questions]
    )
    by_key = {question.pk: question.key for question in questions}
    history = {
        by_key[row.question_id]: (row.reason, row.note)
        for row in revisions
        if (by_key[row.question_id], row.revision) in ids
    }
    assert [history[question.key] for question in questions] == values


def _read_as_text_area(text: str) -> str:
    """A browser leaves out one line break at the beginning of a text area."""
    return html.unescape(re.sub(r"\A(\r\n|\r|\n)", "", text))


LONG = ["x" * MAX_TEXT, "\U0001f600" * MAX_TEXT, ("a\r\n" * MAX_TEXT)[:MAX_TEXT]]


@pytest.mark.parametrize("note", LONG, ids=["letters", "outside the first plane", "lines"])
def test_a_note_of_ten_thousand_characters_is_kept(wide, rater, note):
    answers = [
        {"question": q.key, "cannot_tell": True, "note": note} for q in wide.project.questions.all()[:1]
    ]
    wide.project.questions.exclude(key="tone").update(is_required=False)

    assert put(rater, wide, answers).status_code == 200
    assert Label.objects.get().note == note


REFUSED = {
    "NUL": b'"a\\u0000b"',
    "half of a pair": b'"a\\ud800b"',
    "too long": b'"' + b"x" * (MAX_TEXT + 1) + b'"',
    "no UTF-8": b'"\xff"',
    "a number": b"5",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_kept_is_refused_and_nothing_is_stored(wide, rater, what):
    raw = (
        b'{"answers": [{"question": "tone", "category": "good", "note": %s}], "revisions": []}'
        % REFUSED[what]
    )

    answer = put(rater, wide, [], raw=raw)

    assert answer.status_code == 400
    assert answer.json()["detail"]
    assert not Label.objects.exists()
    assert not LabelRevision.objects.exists()


@pytest.fixture
def lenas_client(db) -> Client:
    client = Client()
    client.force_login(cast.person("lena"))
    return client


def made_project(client: Client, name: str) -> Project:
    made = client.post("/api/v1/projects/", {"name": name}, content_type="application/json").json()
    return Project.objects.get(slug=made["slug"])


# Files with characters of control are refused, which is another promise (I7).
CONTENT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\r\n"), min_size=1, max_size=MAX_KEY
)


@settings(parent=once, max_examples=N_TIMES)
@given(values=st.lists(CONTENT.filter(str.strip), min_size=N_AT_ONCE, max_size=N_AT_ONCE))
@example(values=[value for value in TELLING * 4 if "\x01" not in value][:N_AT_ONCE])
def test_items_go_out_and_in_again_unaltered(lenas_client, values):
    name = f"project {uuid4().hex}"
    first, second = made_project(lenas_client, f"first {name}"), made_project(lenas_client, f"second {name}")
    lines = [json.dumps({"item": f"i{n}", "text": value}) for n, value in enumerate(values)]

    load_items(first, "\n".join(lines).encode())
    out = lenas_client.get(f"/api/v1/projects/{first.slug}/items/?page_size=1000").json()["results"]
    table = io.StringIO(newline="")
    csv.writer(table).writerows(
        [["item", "text"], *([row["key"], row["content"][0]["value"]] for row in out)]
    )
    load_items(second, table.getvalue().encode())

    assert [row["content"][0]["value"] for row in out] == values
    assert [item.content[0]["value"] for item in second.items.order_by("id")] == values
