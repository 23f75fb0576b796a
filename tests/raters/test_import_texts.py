"""Texts in files of labels and over the API in bulk: kept as they are written, by choice or where nothing else fits."""

import json

import pytest
from django.urls import reverse

from core.tables.faults import FileRefused
from projects.models import Question
from raters.imports.label_options import QuestionOptions
from raters.imports.undoing import undo_import
from raters.models import Label, LabelImport, LabelRevision
from tests.files import checked, csv, load, run_queued, send
from tests.files import confirm as press_import

LONG = "It says so. " * 20


def texts(project):
    found = Label.objects.filter(question__project=project).order_by("item__key", "rater__key")
    return list(found.values_list("text", flat=True))


def text_options(**more):
    return {"questions": {"label": QuestionOptions(kind="text")}, **more}


def test_long_values_are_taken_for_texts(project):
    load(project, csv(f"i1,ann,{LONG}", 'i2,ann," =short "', "i3,ann,NA", "i4,ann,"))

    question = project.questions.get()
    assert (question.kind, question.level, question.categories.count()) == ("text", "nominal", 0)
    assert texts(project) == [LONG, " =short ", "NA"]


def test_one_long_value_among_categories_is_a_fault(project):
    with pytest.raises(FileRefused) as refused:
        load(project, csv("i1,ann,yes", "i2,ann,no", f"i3,ann,{LONG}"))

    assert [(fault.line, fault.code) for fault in refused.value.faults.listed] == [(4, "too_long")]


def test_short_values_are_texts_by_choice_alone(project):
    rows = csv(*(f"i{n},ann,word {n}" for n in range(5)))

    assert checked(project, rows).options.questions["label"].kind == "single"
    load(project, rows, **text_options())

    assert texts(project) == [f"word {n}" for n in range(5)]


def test_a_preview_offers_texts_and_loads_them(client, project):
    send(client, project, csv(*(f"i{n},ann,word {n}" for n in range(5))))
    draft = LabelImport.objects.get()
    before = client.get(draft.get_absolute_url()).context["form"].questions()[0]

    client.post(draft.get_absolute_url(), {"layout": "long", "encoding": "auto", "kind-0": "text"})
    page = client.get(draft.get_absolute_url())
    [question] = page.context["form"].questions()
    press_import(client, draft, page=page)
    run_queued(project)

    assert ("text", "Free text", False) in before.kinds
    assert (question.kind_title, question.values, question.levels) == ("Free text", [], [])
    assert texts(project) == [f"word {n}" for n in range(5)]


def test_what_is_too_long_for_the_question_is_a_fault(project):
    Question.objects.create(project=project, key="label", kind="text", max_length=5)

    with pytest.raises(FileRefused) as refused:
        load(project, csv("i1,ann,short", "i2,ann,too long"))

    [fault] = refused.value.faults.listed
    assert (fault.line, fault.code) == (3, "too_long")


def test_a_new_question_takes_texts_as_long_as_the_file_has_them(project):
    load(project, csv(f"i1,ann,{'x' * 2_001}", f"i2,ann,{LONG}"))

    assert project.questions.get().max_length == 10_000
    with pytest.raises(FileRefused):
        load(project, csv(f"i3,ann,{'x' * 10_001}"))


def test_another_text_is_a_conflict_until_it_replaces(project):
    load(project, csv("i1,ann,one"), **text_options())

    with pytest.raises(FileRefused) as refused:
        load(project, csv("i1,ann,two"))
    again = load(project, csv("i1,ann,two"), replace=True)

    assert refused.value.faults.listed[0].code == "conflicts_with_label"
    assert (texts(project), again.n_changed) == (["two"], 1)
    undo_import(again, by=None)
    assert texts(project) == ["one"]


def test_programs_send_texts_in_bulk_and_fetch_them(api, project):
    address = reverse("api_labels", args=[project.slug])
    body: list[dict] = [
        {"item": "i1", "rater": "ann", "question": "why", "text": " so\r\n"},
        {"item": "i2", "rater": "ann", "question": "why", "text": "99"},
        {"item": "i2", "rater": "ann", "question": "tone", "category": "good"},
        {"item": "i3", "rater": "ann", "question": "why", "cannot_tell": True},
    ]

    made = api.post(address, json.dumps(body), content_type="application/json")
    found = api.get(address, {"question": "why"}).json()["results"]
    wrong = [
        api.post(address, json.dumps([{**body[0], **more}]), content_type="application/json")
        for more in (
            {"text": 3},
            {"text": " "},
            {"category": "x"},
            {"question": "tone"},
            {"text": "x" * 10_001},
        )
    ]

    assert made.status_code == 201, made.json()
    assert [(row["item"], row["text"], row["cannot_tell"]) for row in found] == [
        ("i1", " so\r\n", False),
        ("i2", "99", False),
        ("i3", None, True),
    ]
    assert [response.status_code for response in wrong] == [400] * 5
    assert project.questions.get(key="why").kind == "text"
    assert LabelRevision.objects.filter(text=" so\r\n").count() == 1
