"""A worker loads a large file of items, of which a request reads the first part."""

import re
from dataclasses import replace
from unittest import mock

import pytest

from core.runs import dispatcher
from core.tables import sources
from projects.events import Event
from projects.imports import protocol
from projects.items import imports as items
from projects.models import Item, ItemVersion, Project
from raters.imports.file_kinds import KINDS
from raters.models import ImportChunk, LabelImport
from raters.tasks import load_import, load_items
from tests.files import confirm, post_file, send
from tests.labeling import add_labels, new_question

State = LabelImport.State
SHOWN, N_ITEMS = 20, 3_000
LARGE = "item,text\n" + "".join(f"item-{n:04},Text {n:04}\n" for n in range(N_ITEMS))
TWICE = LARGE + "item-0007,Text 7 once more\n"


@pytest.fixture(autouse=True)
def short_preview(monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", SHOWN)
    monkeypatch.setattr(sources, "_STEP", 64)


def sent(client, project, content: str, **fields) -> LabelImport:
    send(client, project, content.encode(), what="items", name="items.csv", **fields)
    return LabelImport.objects.latest("pk")


def loaded(client, draft: LabelImport) -> LabelImport:
    """Press the button, and do what a worker would."""
    confirm(client, draft)
    assert LabelImport.objects.get(pk=draft.pk).state == State.QUEUED
    load_import(draft.pk)
    return LabelImport.objects.get(pk=draft.pk)


def test_the_preview_shows_the_first_part_and_estimates_the_rest(client, project, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", 2_000)

    draft = sent(client, project, LARGE)

    page = client.get(draft.get_absolute_url()).content.decode()

    assert (draft.n_created, draft.has_whole_preview) == (2_000, False)
    assert draft.n_expected == pytest.approx(N_ITEMS, rel=0.2)
    assert 'id="part"' in page
    assert not project.items.exists()


def test_a_worker_loads_all_of_it(client, project, lead):
    run = loaded(client, sent(client, project, LARGE))

    assert (run.state, run.n_created, run.asked_by) == (State.DONE, N_ITEMS, lead)
    assert project.items.count() == N_ITEMS
    assert project.items.get(key="item-2999").content[0]["value"] == "Text 2999"
    assert not ImportChunk.objects.exists()
    assert Event.objects.filter(project_id=project.pk, kind=Event.Kind.IMPORTED).count() == 1
    page = client.get(run.get_absolute_url()).content.decode()
    assert "3,000" in page


def test_problems_beyond_the_first_part_come_back_to_the_preview(client, project):
    run = loaded(client, sent(client, project, TWICE))

    page = client.get(run.get_absolute_url()).content.decode()

    assert (run.state, run.n_faults, run.has_whole_preview) == (State.DRAFT, 1, True)
    assert run.faults[0]["line"] == N_ITEMS + 2
    assert 'id="whole"' in page
    assert not project.items.exists()


def test_what_is_overwritten_is_kept(client, project, lead):
    loaded(client, sent(client, project, LARGE))
    draft = sent(client, project, LARGE.replace("Text 29", "Other 29"))
    client.post(draft.get_absolute_url(), {"encoding": "auto", "separator": "auto", "replace": "on"})

    run = loaded(client, LabelImport.objects.get(pk=draft.pk))

    assert (run.state, run.n_changed, run.n_unchanged) == (State.DONE, 100, N_ITEMS - 100)
    kept = ItemVersion.objects.filter(item__project=project)
    assert {version.replaced_by for version in kept} == {lead}
    assert kept.count() == 100


def test_without_leave_to_overwrite_the_worker_asks_again(client, project):
    loaded(client, sent(client, project, LARGE))

    run = loaded(client, sent(client, project, LARGE.replace("Text 29", "Other 29")))

    assert (run.state, run.n_faults) == (State.DRAFT, 100)
    assert {fault["code"] for fault in run.faults} == {"item_exists"}


def test_over_the_api_problems_beyond_the_first_part_fail_it(client, project):
    told = post_file(client, project, TWICE.encode(), kind="items", name="items.csv").json()
    assert (told["state"], told["n_created"]) == ("queued", None)

    load_import(told["id"])

    shown = client.get(f"/api/v1/projects/{project.slug}/imports/{told['id']}/").json()
    assert (shown["state"], shown["n_faults"]) == ("failed", 1)
    assert not project.items.exists()


def test_a_dry_run_over_the_api_says_that_it_read_the_first_part(client, project):
    told = post_file(client, project, LARGE.encode(), kind="items", name="items.csv", dry_run="true").json()

    assert (told["is_whole"], told["n_created"]) == (False, SHOWN)


def test_a_canceled_import_stores_nothing(client, project):
    draft = sent(client, project, LARGE)
    confirm(client, draft)

    client.post(f"{draft.get_absolute_url()}cancel/")
    load_import(draft.pk)

    assert LabelImport.objects.get(pk=draft.pk).state == State.CANCELLED
    assert not project.items.exists()


def test_progress_only_grows_and_counts_the_items(project):
    seen: list[tuple[str, float, int]] = []

    def report_progress(stage: str, share: float, /, **counts: int) -> None:
        seen.append((stage, share, counts["n_done"]))

    how = protocol.ImportContext(n_rows=N_ITEMS, report_progress=report_progress)
    file = KINDS["items"].open(project, lambda: iter([LARGE.encode()]), KINDS["items"].options(), how)
    file.load()

    shares = [share for _, share, _ in seen]
    assert shares == sorted(shares)
    assert [n for stage, _, n in seen if stage == "Reading the file"] == [0, 1_000, 2_000]
    assert list(dict.fromkeys(stage for stage, _, _ in seen))[1:] == [
        "Checking the items",
        "Writing the items",
    ]


def test_the_page_counts_items_while_they_are_read(client, project):
    draft = sent(client, project, LARGE)
    LabelImport.objects.filter(pk=draft.pk).update(state=State.RUNNING, n_done=1_000, n_total=N_ITEMS)

    page = client.get(draft.get_absolute_url()).content.decode()

    assert re.search(r"data-counted>1,000 of 3,000 items<", page)


def labeled(project, key: str) -> None:
    rows = [(key, "ann", "good")]
    add_labels(new_question(project, categories=("good", "bad")), rows)


def test_labeled_items_beyond_the_first_part_are_not_overwritten_unseen(client, project):
    loaded(client, sent(client, project, LARGE))
    labeled(project, "item-2950")
    draft = sent(client, project, LARGE.replace("Text 29", "Other 29"))
    client.post(draft.get_absolute_url(), {"encoding": "auto", "separator": "auto", "replace": "on"})
    draft.refresh_from_db()
    assert draft.preview["n_labeled"] == 0

    asked = loaded(client, draft)
    page = client.get(asked.get_absolute_url()).content.decode()
    confirm(client, asked)
    again = LabelImport.objects.get(pk=asked.pk)

    assert (asked.state, asked.n_faults, asked.preview["n_labeled"]) == (State.DRAFT, 0, 1)
    assert 'id="labeled"' in page
    assert (again.state, again.n_changed) == (State.DONE, 100)
    assert project.items.get(key="item-2950").content[0]["value"] == "Other 2950"


def test_a_whole_preview_that_no_longer_holds_comes_back(client, project, monkeypatch):
    monkeypatch.setattr(protocol, "PREVIEWED", N_ITEMS)
    monkeypatch.setitem(KINDS, "items", replace(KINDS["items"], most_at_once=SHOWN))
    draft = sent(client, project, LARGE)
    confirm(client, draft)
    Item.objects.create(project=project, key="item-0005", content=[])

    load_import(draft.pk)

    run = LabelImport.objects.get(pk=draft.pk)
    assert (run.state, run.n_created, run.n_changed) == (State.DRAFT, N_ITEMS - 1, 1)
    assert project.items.count() == 1


@pytest.mark.parametrize("content", [LARGE, TWICE])
def test_a_project_that_is_closed_meanwhile_gets_no_items(client, project, monkeypatch, content):
    draft = sent(client, project, content)
    confirm(client, draft)
    take_turn = items.acquire_import_lock

    def closing(of: Project) -> None:
        """As soon as the file has been read."""
        take_turn(of)
        Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    monkeypatch.setattr(items, "acquire_import_lock", closing)

    load_import(draft.pk)

    run = LabelImport.objects.get(pk=draft.pk)
    assert run.state == State.FAILED
    assert "Reopen it to import items" in run.failure
    assert not project.items.exists()


def test_a_closed_project_refuses_many_items_as_it_does_few(client, project):
    draft = sent(client, project, LARGE)
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    page = confirm(client, draft).content.decode()

    assert "Reopen it to import items" in page
    assert LabelImport.objects.get(pk=draft.pk).state == State.DRAFT


def test_a_worker_of_an_earlier_version_knows_no_such_task(client, project):
    """It would take the items for labels."""
    draft = sent(client, project, LARGE)
    sent_to: list[str] = []

    class Broker:
        def send_task(self, name, **options):
            sent_to.append(name)

    confirm(client, draft)
    with mock.patch.object(dispatcher, "current_app", Broker()):
        dispatcher.Dispatcher()._send(LabelImport.objects.get(pk=draft.pk), None)

    assert sent_to == [load_items.name] != [load_import.name]
    load_items(draft.pk)
    assert LabelImport.objects.get(pk=draft.pk).state == State.DONE
