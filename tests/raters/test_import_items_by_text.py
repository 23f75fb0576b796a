"""Files of labels that name items of the project by their text, which these have under another key."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from projects.models import Item
from raters.models import Label, LabelImport
from tests import cast
from tests.files import checked, confirm, drafted, load, load_items, post_file, read_as, run_queued, send

ESSAYS = [f"Essay {n} {'about a long walk; ' * 20}with an end." for n in range(6)]
SHORT = [f"Sentence {n} of a few" for n in range(6)]


def items_csv(texts: list[str]) -> bytes:
    return "".join(["id,text\n", *(f'd{n},"{text}"\n' for n, text in enumerate(texts))]).encode()


def labels_csv(texts: list[str], raters: str = "ann,bob", name: str = "text") -> bytes:
    rows = (f'"{text}",{("yes", "no")[n % 2]},{("yes", "no")[n % 3 == 0]}\n' for n, text in enumerate(texts))
    return "".join([f"{name},{raters}\n", *rows]).encode()


def long_csv(texts: list[str]) -> bytes:
    rows = (f'"{text}",{rater},yes\n' for text in texts for rater in ("ann", "bob"))
    return "".join(["text,annotator,label\n", *rows]).encode()


def labeled() -> dict[str, int]:
    return {item.key: item.labels.count() for item in Item.objects.order_by("id")}


@pytest.mark.parametrize("texts", [ESSAYS, SHORT], ids=["long", "short"])
@pytest.mark.parametrize("content", [labels_csv, long_csv], ids=["wide", "long"])
def test_items_are_found_by_their_text(client, project, texts, content):
    load_items(project, items_csv(texts))
    send(client, project, content(texts))
    draft = LabelImport.objects.get()

    page = client.get(draft.get_absolute_url())
    confirm(client, draft)
    run_queued(project)

    assert (draft.preview["n_by_text"], draft.preview["new"]["item"]["n"]) == (6, 0)
    assert page.status_code == 200
    assert labeled() == {f"d{n}": 2 for n in range(6)}


def test_numbered_items_are_found_too_and_others_created(client, project):
    content = "".join(["text,topic\n", *(f'"{text}",walks\n' for text in ESSAYS[:4])]).encode()
    confirm(client, drafted(client, project, content))
    run_queued(project)

    load(project, labels_csv(ESSAYS))

    assert [*labeled().values()] == [2] * 6
    assert project.items.filter(key__in=["1", "2", "3", "4"]).count() == 4


def test_only_exactly_the_same_text_is_the_same_item(project):
    load_items(project, items_csv(ESSAYS))

    load(project, labels_csv([text.replace("walk", "run", 1) for text in ESSAYS]))

    assert sorted(labeled().values()) == [0] * 6 + [2] * 6


def test_a_key_goes_before_the_same_text_of_another_item(project):
    load(project, labels_csv(ESSAYS))
    load_items(project, items_csv(ESSAYS))

    load(project, labels_csv(ESSAYS, raters="cem,dan"))

    assert [*labeled().values()] == [4] * 6 + [0] * 6


def test_items_of_other_projects_are_not_found(project):
    load_items(cast.new_project("Others"), items_csv(ESSAYS))

    load(project, labels_csv(ESSAYS))

    assert project.items.count() == 6


def test_a_text_of_several_items_is_asked_about(client, project):
    load_items(project, items_csv([*ESSAYS, ESSAYS[2], ESSAYS[2]]))
    send(client, project, labels_csv(ESSAYS))
    draft = LabelImport.objects.get()
    [fault] = draft.faults

    page = client.get(draft.get_absolute_url())
    read_as(client, draft, layout="wide", same_texts="first")
    confirm(client, draft)
    run_queued(project)

    assert (fault["code"], fault["line"], fault["column"]) == ("several_items", 4, "text")
    assert "d2, d6, d7" in fault["rule"]
    assert b'name="same_texts"' in page.content
    assert labeled() == {f"d{n}": 2 for n in range(6)} | {"d6": 0, "d7": 0}


def test_withdrawn_items_only_count_if_there_is_no_other(project):
    load_items(project, items_csv([*ESSAYS, ESSAYS[2]]))
    project.items.filter(key__in=["d2", "d3"]).update(withdrawn_at=timezone.now())

    load(project, labels_csv(ESSAYS))

    assert labeled() == {"d0": 2, "d1": 2, "d2": 0, "d3": 2, "d4": 2, "d5": 2, "d6": 2}


def test_the_api_and_the_command_find_and_ask_too(client, project, tmp_path):
    load_items(project, items_csv([*ESSAYS, ESSAYS[5]]))
    file = tmp_path / "labels.csv"
    file.write_bytes(labels_csv(ESSAYS))

    refused = post_file(client, project, file.read_bytes())
    with pytest.raises(CommandError, match="1 problem"):
        call_command("import_labels", project.slug, file, yes=True)
    call_command("import_labels", project.slug, file, yes=True, same_texts="first")
    again = post_file(client, project, labels_csv(ESSAYS, raters="cem,dan"), same_texts="first")
    run_queued(project)

    assert refused.status_code == 400
    assert [error["code"] for error in refused.json()["errors"]] == ["several_items"]
    assert again.status_code == 201
    assert labeled() == {f"d{n}": 4 for n in range(6)} | {"d6": 0}


def test_two_texts_of_one_item_are_the_same_item(project):
    """So that labels of one rater for both of them contradict each other."""
    load_items(project, f'id,text,summary\nd1,"{ESSAYS[0]}","{ESSAYS[1]}"\n'.encode())

    found = checked(project, long_csv(ESSAYS[:2]), columns={})

    assert found.faults.code == "duplicate_label"


def test_a_closed_codebook_of_declared_items_takes_texts(project):
    load_items(project, items_csv(ESSAYS))
    load(project, labels_csv(ESSAYS[:3]))

    load(project, labels_csv(ESSAYS[3:]), declared_only=True)

    assert Label.objects.count() == 12


@pytest.mark.parametrize("key", ["yes", "2020"])
def test_keys_of_one_word_are_keys(project, key):
    load_items(project, f"id,text\nd1,{key}\n".encode())

    load(project, f"item,rater,label\n{key},ann,good\n".encode())

    assert labeled() == {"d1": 0, key: 1}
