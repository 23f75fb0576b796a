"""What a change of a project, or an import, leaves in the log: one event, with what was and what is."""

import pytest
from django.core.management import call_command
from django.db import transaction

from projects import actions
from projects.api.serializers import ProjectChange
from projects.forms import ProjectForm
from projects.imports.recording import record_import
from projects.models import Event, ItemVersion, Project
from tests.files import load_items, load_questions

# A value of each setting that differs from its default.
OTHER = {
    "name": "Other name",
    "is_codebook_closed": True,
    "coefficient": "krippendorff_alpha",
    "reading_scale": "none",
    "thresholds_for": "alpha",
    "thresholds": [{"from": 0.5, "name": "enough"}],
    "shows_names": True,
    "shows_own_figures": True,
    "adjudicators_see_names": True,
    "adjudication_reasons": ["A reason"],
    "one_key_saving": "off",
    "main_field": "Report",
    "fields_hidden": ["Author"],
    "fields_side_by_side": ["A", "B"],
}


def told(project: Project) -> list[tuple[str, str, dict]]:
    events = Event.objects.filter(project_id=project.pk).order_by("pk")
    return [(event.kind, event.user_name, event.detail) for event in events]


def test_every_setting_has_a_case():
    assert set(OTHER) == set(ProjectForm.Meta.fields) - {"state"}
    assert set(OTHER) == set(ProjectChange().fields) - {"state", "guidelines"}


@pytest.mark.parametrize("name", OTHER)
def test_a_setting_is_logged_once_with_old_and_new(project, lead, name):
    old = getattr(Project.objects.get(pk=project.pk), name)

    for _ in range(2):
        actions.change_project(project, by=lead, **{name: OTHER[name]})

    changed = {name: {"old": old, "new": OTHER[name]}}
    assert told(project) == [("project_changed", "lena", {"changed": changed})]


def test_several_settings_at_once_are_one_event(project, lead):
    actions.change_project(project, by=lead, **OTHER)

    ((kind, _, detail),) = told(project)
    assert (kind, set(detail["changed"])) == ("project_changed", set(OTHER))


def test_closing_and_reopening_are_logged_once_each(project, lead):
    for state in ("closed", "closed", "open", "open"):
        actions.change_project(project, by=lead, state=state)

    assert told(project) == [
        ("project_closed", "lena", {"old": "open", "new": "closed"}),
        ("project_reopened", "lena", {"old": "closed", "new": "open"}),
    ]


def test_the_old_value_is_that_of_the_database(project, lead):
    stale = Project.objects.get(pk=project.pk)
    actions.change_project(project, by=lead, name="Second")

    actions.change_project(stale, by=lead, name="Third")

    assert told(project)[-1][2]["changed"]["name"] == {"old": "Second", "new": "Third"}


def test_a_change_that_is_rolled_back_is_not_logged(project, lead):
    with transaction.atomic():
        actions.change_project(project, by=lead, name="Second")
        transaction.set_rollback(True)

    assert told(project) == []


def questions_of(project: Project, content: bytes):
    return load_questions(project, content, replace=True)


def test_an_import_tells_what_it_changed_in_each_question(project, lead):
    questions_of(project, b"question,prompt,labels,label_meanings\ntone,How?,a|b,A|B\nsize,,1|2,\n")

    done = questions_of(
        project, b"question,prompt,labels,label_meanings\ntone,How so?,b|a|c,B|Ay|C\nnew,,x,\n"
    )
    record_import(project, done, by=lead, file_name="codebook.csv", what="questions")

    assert told(project) == [
        ("imported", "lena", {"what": "questions", "created": 1, "changed": 1}),
        (
            "codebook_changed",
            "lena",
            {
                "change": "changed",
                "changed": {
                    "prompt": {"old": "How?", "new": "How so?"},
                    "name of a": {"old": "A", "new": "Ay"},
                    "categories": {"old": ["a", "b"], "new": ["b", "a", "c"]},
                },
            },
        ),
    ]


def items_of(project: Project, content: bytes, **more):
    return load_items(project, content, replace=True, **more)


def test_replaced_content_is_kept(project, lead):
    items_of(project, b"item,text\na,old\nb,same\nc,\n")
    project.items.create(key="empty")

    done = items_of(project, b"item,text\na,new\nb,same\nempty,filled in\n", by=lead)

    version = ItemVersion.objects.get()
    assert (version.item.key, version.replaced_by) == ("a", lead)
    assert version.content == [{"name": "text", "kind": "text", "value": "old"}]
    assert (done.n_changed, done.n_replaced) == (2, 1)


def test_imports_from_the_command_line_are_logged_once(project, lead, tmp_path):
    items, questions = tmp_path / "items.csv", tmp_path / "questions.csv"
    items.write_text("item,text\na,x\n")
    questions.write_text("question,labels\ntone,a|b\n")

    call_command("import_items", project.slug, items, by="lena")
    call_command("import_questions", project.slug, questions)

    assert told(project) == [
        ("imported", "lena", {"what": "items", "created": 1, "changed": 0}),
        ("imported", "", {"what": "questions", "created": 1, "changed": 0}),
    ]
