"""Items that are pairs of texts, in files with a row for each rater and item."""

import pytest

from core.keys import key_of_text
from raters.models import LabelImport
from tests.files import confirm, drafted, load, load_items, read_as, run_queued

ANSWERS = ("entailment", "neutral", "contradiction")
PREMISES = [f"A man plays the guitar on stage {n}" for n in range(4)]
HYPOTHESES = [f"Somebody makes music in place {n}" for n in range(3)]
PAIRS = [(premise, hypothesis) for premise in PREMISES for hypothesis in HYPOTHESES]
RATERS = ("ann", "bob", "cem")


def pairs_csv(first: str, second: str, *more: str, pairs=PAIRS, raters=RATERS, label: str = "label") -> bytes:
    """more: columns of further labels."""
    rows = (
        ",".join([rater, *pair, *(ANSWERS[(n + at + place) % 3] for place in range(1 + len(more)))])
        for n, pair in enumerate(pairs)
        for at, rater in enumerate(raters)
    )
    return "\n".join([",".join(["annotator", first, second, label, *more]), *rows, ""]).encode()


def roles(draft: LabelImport) -> dict[str, str]:
    return {name: column["role"] for name, column in draft.options["columns"].items()}


@pytest.mark.parametrize(
    ("names", "more"),
    [
        (("premise", "hypothesis"), ()),
        (("sentence1", "sentence2"), ()),
        # Neither name nor one text alone says so, but each rater has each pair once.
        (("post", "reply"), ()),
        (("post", "reply"), ("tone",)),
    ],
)
def test_both_texts_are_the_item(client, project, names, more):
    draft = drafted(client, project, pairs_csv(*names, *more), what="labels")

    confirm(client, draft)
    run_queued(project)

    assert [name for name, role in roles(draft).items() if role == "item_text"] == list(names)
    assert {tuple(field["value"] for field in item.content) for item in project.items.all()} == set(PAIRS)
    assert project.items.first().key == f"{PREMISES[0]} | {HYPOTHESES[0]}"
    assert [field["name"] for field in project.items.first().content] == list(names)
    assert {question.labels.count() for question in project.questions.all()} == {36}


def test_long_pairs_get_a_digest_of_both(project):
    long = [(f"{'a long premise ' * 20}{n % 2}", f"{'a long hypothesis ' * 20}{n}") for n in range(4)]

    load(project, pairs_csv("premise", "hypothesis", pairs=long))

    assert {item.key for item in project.items.all()} == {key_of_text(" | ".join(pair)) for pair in long}


def test_pairs_of_the_project_are_found_by_both_texts(project):
    rows = [f"p{n},{premise},{hypothesis}\n" for n, (premise, hypothesis) in enumerate(PAIRS)]
    load_items(project, "".join(["id,premise,hypothesis\n", *rows]).encode())

    load(project, pairs_csv("premise", "hypothesis"))

    assert {item.key: item.labels.count() for item in project.items.all()} == {f"p{n}": 3 for n in range(12)}


def test_a_key_goes_before_a_pair(client, project):
    content = pairs_csv("premise", "hypothesis").decode().splitlines()
    rows = [f"p{n // 3},{row}" for n, row in enumerate(content[1:])]

    draft = drafted(client, project, "\n".join([f"pair id,{content[0]}", *rows, ""]).encode(), what="labels")

    read_as(client, draft, role__0="item", role__2="content", role__3="content")
    draft.refresh_from_db()
    assert draft.n_faults == 0
    assert draft.preview["new"]["item"]["first"][:2] == ["p0", "p1"]


def test_a_text_with_an_explanation_is_no_pair(client, project):
    rows = (
        f"{rater},{premise},because of {rater} and reason {n},{ANSWERS[(n + at) % 3]}\n"
        for n, premise in enumerate(PREMISES)
        for at, rater in enumerate(RATERS)
    )

    draft = drafted(
        client, project, "".join(["annotator,sentence,why so,label\n", *rows]).encode(), what="labels"
    )

    assert roles(draft)["sentence"] == "item"
    assert draft.preview["new"]["item"]["n"] == 4


def test_a_column_for_each_rater_has_pairs_too(client, project):
    rows = (
        f"{premise},{hypothesis},yes,{'no' if n % 2 else 'yes'}\n"
        for n, (premise, hypothesis) in enumerate(PAIRS)
    )
    content = "".join(["premise,hypothesis,ann,bob\n", *rows])

    load(project, content.encode())
    load(project, content.replace("ann,bob", "cem,dan").encode())

    assert {item.key: item.labels.count() for item in project.items.all()} == {
        f"{premise} | {hypothesis}": 4 for premise, hypothesis in PAIRS
    }
