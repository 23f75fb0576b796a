"""An import undone: its labels, what it created and nothing else uses, and nothing of what others did since."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from projects.models import Category, Event, FormerQuestion, Item, Project, Question, Round
from projects.refusals import ProjectClosed
from raters.imports import undoing
from raters.imports.actions import upload
from raters.imports.label_options import LabelOptions
from raters.imports.undoing import ImportNotUndoable, check_undo, undo_import
from raters.items.label_history import changes
from raters.merging.actions import merge_category
from raters.models import Assignment, ImportedRange, Label, LabelImport, LabelRevision, Rater, User
from reports.models import Report
from reports.store.history_verification import verify_at_once
from reports.store.links import revoke, share
from tests import files
from tests.cast import signed_in
from tests.files import GOOD, load


def report_of(project: Project, lead: User) -> Report:
    """As if it had been computed just now."""
    state, now = Report.State.DONE, timezone.now()
    report = Report.objects.create(project=project, state=state, finished_at=now, asked_by=lead)
    empty = {"categories": [], "raters": [], "coefficients": {}, "digest": ""}
    numbers = {"n_items": 1, "n_raters": 2, "n_labels": 2, "n_pairs": 1}
    report.questions.create(question=project.questions.get(), **empty, **numbers)
    return report


@pytest.fixture
def done(project, lead) -> LabelImport:
    return load(project, GOOD, by=lead)


def change(item: str, rater: str, to: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'page', true)")
    label = Label.objects.get(item__key=item, rater__key=rater)
    label.category = label.question.categories.get(key=to)
    label.save()


def fates(undone) -> dict[str, tuple[int, int]]:
    return {kind: (fate.n_deleted, fate.n_kept) for kind, fate in undone.created.items()}


@pytest.mark.parametrize("n_labels", [5, 6, 7])
def test_labels_are_undone_in_slices_each_of_them_once(project, lead, monkeypatch, n_labels):
    monkeypatch.setattr(undoing, "_SLICE", 3)
    kept = load(project, files.csv(*(f"kept-{n},ann,yes" for n in range(2)), "old,ann,yes"), by=lead)
    rows = [f"item-{n},ann,yes" for n in range(n_labels - 1)]
    run = load(project, files.csv("old,ann,no", *rows), by=lead, replace=True)

    undone = undo_import(run, by=lead)

    assert (undone.n_withdrawn, undone.n_restored) == (n_labels - 1, 1)
    assert Label.objects.count() == kept.n_created
    assert ("old", "ann", "yes") in files.answers(project)


def test_labels_and_what_it_created_go(project, lead, done):
    undone = undo_import(done, by=lead)

    assert (undone.n_withdrawn, undone.n_restored, undone.n_kept) == (2, 0, 0)
    assert fates(undone) == {
        "item": (1, 0), "rater": (2, 0), "category": (2, 0), "round": (0, 0), "question": (1, 0)
    }  # fmt: skip
    for model in (Label, Item, Rater, Category, Round, Question):
        assert not model.objects.exists()
    # The history of its labels still has its question.
    assert [(each.project, each.key) for each in FormerQuestion.objects.all()] == [(project, "label")]


def test_the_history_tells_it_and_verifies(project, lead, done):
    undo_import(done, by=lead)

    last = LabelRevision.objects.order_by("-id")[:2]
    assert {(each.change, each.source, each.user_id) for each in last} == {
        ("D", f"undo of import {done.pk}", lead.pk)
    }
    assert verify_at_once(project).faults == []
    event = Event.objects.get(kind=Event.Kind.IMPORT_UNDONE)
    assert (event.about, event.user_id, event.detail["withdrawn"]) == ("labels.csv", lead.pk, 2)


def test_what_others_use_or_changed_stays(project, lead, done):
    change("a", "ann", "no")

    undone = undo_import(done, by=lead)

    assert (undone.n_withdrawn, undone.n_kept, undone.kept_first) == (
        1,
        1,
        [f"a · ann · {Question.objects.get().key}"],
    )
    assert files.answers(project) == [("a", "ann", "no")]
    # The history of the label that stays names its first category, too.
    assert fates(undone)["category"] == (0, 2)
    assert (fates(undone)["item"], fates(undone)["rater"]) == ((0, 1), (1, 1))


def test_labels_that_it_replaced_are_as_before(project, lead, done):
    names = ("pk", "category", "labelled_at", "note", "seconds")
    before = list(Label.objects.order_by("pk").values(*names))
    second = load(project, b"item,rater,label\na,ann,maybe\nb,ann,no\n", by=lead, replace=True)

    undone = undo_import(second, by=lead)

    assert (undone.n_withdrawn, undone.n_restored, undone.n_kept) == (1, 1, 0)
    assert list(Label.objects.order_by("pk").values(*names)) == before
    assert not Item.objects.filter(key="b").exists()
    assert not Category.objects.filter(key="maybe").exists()
    assert verify_at_once(project).faults == []


def test_sets_come_back(project, lead):
    load(project, b"item,rater,label\na,ann,x|y\n", by=lead, question_kind="multiple")
    before = list(Label.objects.values_list("category_set", flat=True))
    second = load(project, b"item,rater,label\na,ann,x|z\n", by=lead, replace=True)

    assert undo_import(second, by=lead).n_restored == 1

    assert list(Label.objects.values_list("category_set", flat=True)) == before
    assert len(before[0]) == 2


def test_numbers_come_back(project, lead):
    load(project, b"item,rater,label\na,ann,1.5\n", by=lead, question_kind="number")
    second = load(project, b"item,rater,label\na,ann,2.25\n", by=lead, replace=True)

    assert undo_import(second, by=lead).n_restored == 1

    assert Label.objects.get().number == 1.5


def test_imports_are_undone_one_after_the_other(project, lead, done):
    second = load(project, b"item,rater,label\na,ann,no\n", by=lead, replace=True)

    undo_import(second, by=lead)
    undone = undo_import(done, by=lead)

    assert (undone.n_withdrawn, undone.n_kept) == (2, 0)
    assert not Label.objects.exists()


def test_the_first_of_two_leaves_what_the_second_replaced(project, lead, done):
    load(project, b"item,rater,label\na,ann,no\n", by=lead, replace=True)

    undone = undo_import(done, by=lead)

    assert (undone.n_withdrawn, undone.n_kept) == (1, 1)
    assert files.answers(project) == [("a", "ann", "no")]


def test_a_former_category_that_was_merged_comes_back_as_the_other(project, lead, done):
    second = load(project, b"item,rater,label\na,ann,maybe\n", by=lead, replace=True)
    yes, no = (Category.objects.get(key=key) for key in ("yes", "no"))
    merge_category(yes, no, by=lead)

    undo_import(second, by=lead)

    assert files.answers(project) == [("a", "ann", "no"), ("a", "ben", "no")]


def test_assignments_and_accounts_keep_items_and_raters(project, lead, done):
    ann, ben = Rater.objects.order_by("key")
    Assignment.objects.create(rater=ann, item=Item.objects.get())
    Rater.objects.filter(pk=ben.pk).update(user=lead)

    undone = undo_import(done, by=lead)

    assert (fates(undone)["item"], fates(undone)["rater"]) == ((0, 1), (0, 2))


def test_a_new_round_goes_and_a_planned_one_stays(project, lead):
    run = load(project, b"item,rater,label,round\na,ann,yes,r1\na,ben,no,r2\n", by=lead)
    Round.objects.filter(key="r2").update(plans=[{"by": "lena"}])

    undone = undo_import(run, by=lead)

    assert fates(undone)["round"] == (1, 1)
    assert Round.objects.get().key == "r2"


def test_rows_of_others_with_ids_in_between_stay(project, lead, done):
    other = Project.objects.create(name="Other", slug="other")
    load(other, GOOD, by=lead)
    ImportedRange.objects.update(last_id=2**40)

    undo_import(done, by=lead)

    assert Label.objects.count() == 2
    assert other.items.count() == 1


def test_reports_keep_what_they_name(project, lead, done):
    report_of(project, lead)

    undone = undo_import(done, by=lead)

    assert (undone.n_withdrawn, undone.n_reports) == (2, 1)
    assert fates(undone)["item"] == (0, 1)


def test_a_shared_report_forbids_it(project, lead, done):
    report = report_of(project, lead)
    link, _ = share(report, by=lead)

    with pytest.raises(ImportNotUndoable, match=f"Report {report.pk} may contain labels of this import"):
        undo_import(done, by=lead)
    assert Label.objects.count() == 2

    revoke(link, by=lead)
    assert undo_import(done, by=lead).n_withdrawn == 2


def test_a_closed_project_forbids_it(project, lead, done):
    Project.objects.update(state=Project.State.CLOSED)

    with pytest.raises(ProjectClosed, match="Reopen it to undo an import"):
        undo_import(done, by=lead)


def test_it_is_undone_once(project, lead, done):
    undo_import(LabelImport.objects.get(pk=done.pk), by=lead)

    with pytest.raises(ImportNotUndoable, match="already undone"):
        undo_import(done, by=lead)
    assert Event.objects.filter(kind=Event.Kind.IMPORT_UNDONE).count() == 1


def test_what_is_not_loaded_is_not_undone(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)

    with pytest.raises(ImportNotUndoable, match="Only a finished import"):
        undo_import(draft, by=lead)


def test_the_same_file_can_be_imported_again(project, lead, done):
    undo_import(done, by=lead)

    again = load(project, GOOD, by=lead)

    assert again.n_created == 2
    assert files.answers(project) == [("a", "ann", "yes"), ("a", "ben", "no")]
    assert undo_import(again, by=lead).n_withdrawn == 2


def test_an_import_of_an_earlier_release_loses_its_labels_alone(project, lead, done):
    ImportedRange.objects.all().delete()

    undone = undo_import(done, by=lead)

    assert undone.n_withdrawn == 2
    assert Item.objects.count() == 1


def test_a_check_changes_nothing(project, lead, done):
    n = LabelRevision.objects.count()

    assert check_undo(done).n_withdrawn == 2

    assert (Label.objects.count(), LabelRevision.objects.count()) == (2, n)
    done.refresh_from_db()
    assert done.undone_at is None


def test_the_page_shows_what_would_go_and_does_it(project, lead, done):
    client = signed_in(lead)
    address = f"/p/{project.slug}/import/{done.pk}/undo/"
    assert address in client.get(done.get_absolute_url()).text

    shown = client.get(address)
    assert shown.context["undoing"].n_withdrawn == 2
    assert Label.objects.count() == 2
    after = client.post(address, follow=True)

    assert 'id="undone"' in after.text
    assert after.context["next"][0] == "imports"
    assert address not in after.text
    assert not Label.objects.exists()
    assert "Undone" in client.get(f"/p/{project.slug}/import/").text
    again = client.post(address, follow=True)
    assert "already undone" in again.text


def test_the_api_undoes_and_tells(project, lead, done):
    client, address = signed_in(lead), f"/api/v1/projects/{project.slug}/imports/{done.pk}/undo/"

    answer = client.post(address)

    assert answer.status_code == 200
    assert answer.json()["undone"]["n_withdrawn"] == 2
    assert answer.json()["undone_at"]
    assert client.post(address).status_code == 409


def test_too_many_labels_are_for_the_command(project, lead, done):
    with pytest.raises(ImportNotUndoable, match=f"manage.py undo_import {done.pk}"):
        undo_import(done, by=lead, most=1)


def test_the_command_checks_then_undoes(project, lead, done):
    told = io.StringIO()

    call_command("undo_import", done.pk, check=True, stdout=told)
    assert "Labels: 2 would be withdrawn, 0 would be restored, 0 would be kept." in told.getvalue()
    assert Label.objects.count() == 2
    call_command("undo_import", done.pk, by="lena", stdout=told)

    done.refresh_from_db()
    assert (done.undone_by, Label.objects.count()) == (lead, 0)
    with pytest.raises(CommandError, match="already undone"):
        call_command("undo_import", done.pk)
    with pytest.raises(CommandError, match="Import not found: 999999"):
        call_command("undo_import", 999_999)


def test_the_history_of_an_item_that_stays_names_the_file(project, lead):
    Item.objects.create(project=project, key="a")
    run = load(project, GOOD, by=lead)

    undo_import(run, by=lead)

    revisions = LabelRevision.objects.order_by("-id")
    assert changes(list(revisions))[0].way_in == "undo of import of labels.csv"
