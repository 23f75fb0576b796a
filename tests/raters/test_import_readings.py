"""What a file was taken for, said in words, and the other reading in one click."""

import pytest

from projects.models import Question
from raters.models import LabelImport
from tests.files import answers, confirm, drafted, read_as, run_queued, send

SAME_SCALE = "item,toxicity,severity\n" + "".join(f"{n},{n % 5 + 1},{(n * 3) % 5 + 1}\n" for n in range(20))
UNLIKE = "item,Ann,Ben\n" + "".join(f"{n},{'yes' if n % 2 else 'no'},{n % 5 + 1}\n" for n in range(20))
SENTENCES = "item,sentence,source,topic\n" + "".join(
    f"{n},This is sentence number {n} of the whole file,{['web', 'news'][n % 2]},{['art', 'law', 'sea'][n % 3]}\n"
    for n in range(20)
)


def first(draft: LabelImport, name: str) -> list[str]:
    draft.refresh_from_db()
    return draft.preview["new"][name]["first"]


def test_columns_on_the_same_scale_become_questions_in_one_click(client, project):
    draft = drafted(client, project, SAME_SCALE.encode(), what="labels", name="nadia.csv")
    before = client.get(draft.get_absolute_url())
    raters = first(draft, "rater")

    read_as(client, draft, layout="wide", read_as="questions")

    after = client.get(draft.get_absolute_url())
    assert raters == ["toxicity", "severity"]
    assert b'id="understood-as"' in before.content
    assert b'value="questions">' in before.content
    assert (first(draft, "rater"), first(draft, "question")) == (["nadia"], ["toxicity", "severity"])
    assert b'value="raters">' in after.content
    assert b'name="rater"' in after.content


def test_the_column_that_was_ignored_becomes_a_question_too(client, project):
    rows = SAME_SCALE.splitlines()
    content = "\n".join([f"{rows[0]},topic", *(f"{row},{'ab'[n % 2]}x" for n, row in enumerate(rows[1:]))])
    draft = drafted(client, project, content.encode(), what="labels", name="nadia.csv")
    raters = first(draft, "rater")

    read_as(client, draft, layout="wide", read_as="questions")

    assert raters == ["toxicity", "severity"]
    assert first(draft, "question") == ["toxicity", "severity", "topic"]


def test_raters_who_spell_all_answers_differently_become_raters_in_one_click(client, project):
    draft = drafted(client, project, UNLIKE.encode(), what="", name="coding.csv")
    questions = first(draft, "question")

    read_as(client, draft, layout="wide", rater=draft.options["rater"], read_as="raters")

    assert questions == ["Ann", "Ben"]
    assert (first(draft, "rater"), draft.n_faults) == (["Ann", "Ben"], 0)
    assert draft.n_labels == 40


@pytest.mark.parametrize(("name", "spelled"), [("toxicity", "toxicity"), ("Toxicity", "toxicity")])
def test_questions_of_the_project_are_recognized(client, project, name, spelled):
    Question.objects.create(project=project, key="toxicity", level="ordinal", position=0)

    draft = drafted(client, project, SAME_SCALE.replace("toxicity", name).encode(), what="", name="nadia.csv")

    assert draft.options["rater"] == "nadia"
    assert draft.options["columns"][name]["question"] == spelled
    assert first(draft, "question") == ["severity"]


def test_raters_of_the_project_are_recognized_in_any_spelling(client, project):
    project.raters.create(key="ann")

    draft = drafted(client, project, UNLIKE.encode(), what="", name="coding.csv")

    assert draft.options["columns"]["Ann"]["rater"] == "ann"
    assert (first(draft, "rater"), draft.n_faults) == (["Ben"], 0)


def test_items_become_labels_in_one_click_and_labels_items(client, project):
    draft = drafted(client, project, SENTENCES.encode(), what="", name="omar.csv")
    kind, page = draft.kind, client.get(draft.get_absolute_url())

    client.post(draft.get_absolute_url(), {"holds": "labels", "what": "items", "encoding": "auto"})
    draft.refresh_from_db()
    of_labels = draft.kind, draft.options["rater"], first(draft, "question")
    back = client.get(draft.get_absolute_url())
    client.post(draft.get_absolute_url(), {"holds": "items", "what": "labels", "encoding": "auto"})

    draft.refresh_from_db()
    assert (kind, draft.kind) == ("items", "items")
    assert b'name="holds" value="labels"' in page.content
    assert of_labels == ("labels", "omar", ["source", "topic"])
    assert b'name="holds" value="items"' in back.content


def test_what_was_read_as_questions_is_imported_as_such(client, project):
    send(client, project, SAME_SCALE.encode(), name="nadia.csv")
    draft = LabelImport.objects.get()
    read_as(client, draft, layout="wide", read_as="questions")

    confirm(client, draft)
    run_queued(project)

    assert {rater for _, rater, _ in answers(project)} == {"nadia"}
    assert set(project.questions.values_list("key", flat=True)) == {"toxicity", "severity"}


def test_without_a_rater_a_question_of_the_project_is_not_taken_for_one(client, project):
    Question.objects.create(project=project, key="tone", level="nominal", position=0)

    draft = drafted(client, project, b"item,Tone\na,warm\nb,cold\nc,warm\n", what="", name="labels.csv")

    page = client.get(draft.get_absolute_url())
    assert [(fault["code"], fault["column"]) for fault in draft.faults] == [("missing_rater", "Tone")]
    assert page.context["form"].asks_for_rater()
    read_as(client, draft, layout="wide", rater="nadia")
    draft.refresh_from_db()
    assert (draft.n_faults, first(draft, "rater"), draft.preview["new"]["question"]["n"]) == (0, ["nadia"], 0)


def of_questions(header: str = "user,text,hate,offensive,score") -> bytes:
    """A row for each rater and item, with answers to three questions, one of them named like a label."""
    rows = (
        f"{rater},Comment {n} of the forum,{('no', 'yes')[(n + at) % 2]},{(n * at + n) % 3 % 2},{(n + at) % 5 + 1}\n"
        for at, rater in enumerate(("ann", "bob", "cem"))
        for n in range(12)
    )
    return "".join([header, "\n", *rows]).encode()


def test_each_column_of_labels_becomes_a_question_in_one_click(client, project):
    draft = drafted(client, project, of_questions(), what="labels")
    before = client.get(draft.get_absolute_url())
    named = draft.options["layout"], draft.preview["ignored_labels"]

    read_as(client, draft, read_as="further_questions")
    confirm(client, draft)
    run_queued(project)

    assert named == ("long", ["hate", "offensive"])
    assert b'value="further_questions">' in before.content
    assert {question.key: question.labels.count() for question in project.questions.all()} == {
        "hate": 36, "offensive": 36, "score": 36,
    }  # fmt: skip
    assert set(project.raters.values_list("key", flat=True)) == {"ann", "bob", "cem"}
    assert project.items.count() == 12


def test_what_describes_the_item_or_the_rater_is_not_suggested_as_a_question(client, project):
    rows = of_questions().decode().splitlines()
    more = [f"{row},{'ab'[n % 12 % 2]},{'xyz'[n // 12 % 2]}" for n, row in enumerate(rows[1:])]
    content = "\n".join([f"{rows[0]},topic,faculty", *more, ""])

    draft = drafted(client, project, content.encode(), what="labels")

    assert draft.preview["ignored_labels"] == ["hate", "offensive"]


def test_details_of_the_one_label_are_not_those_of_several(client, project):
    content = of_questions("user,text,hate,comment,score")
    draft = drafted(client, project, content, what="labels")
    before = draft.options["columns"]["comment"]["role"]

    read_as(client, draft, read_as="further_questions")

    draft.refresh_from_db()
    roles = {name: column["role"] for name, column in draft.options["columns"].items()}
    assert (before, draft.n_faults) == ("note", 0)
    assert roles == {"user": "rater", "text": "item", "hate": "label", "comment": "ignore", "score": "label"}
