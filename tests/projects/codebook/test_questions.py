"""Questions are made, changed, ordered and deleted, as far as their labels allow."""

import pytest

from projects.codebook import questions
from projects.codebook.refusals import CodebookRefused
from projects.models import Category, Event, Project, Question
from projects.refusals import KeyTaken, ProjectClosed
from raters.models import Label
from reports.models import QuestionAgreement, Report
from tests.files import load, load_questions
from tests.labeling import add_labels, new_question


@pytest.fixture
def labeled(tone) -> Question:
    add_labels(tone, [("i", "r", "good")])
    return tone


def test_differences_are_saved_and_logged_once(tone, lead):
    questions.change_question(tone, by=lead, prompt="How?", kind="single", allows_abstention=False)

    tone.refresh_from_db()
    event = Event.objects.get(kind=Event.Kind.CODEBOOK_CHANGED)
    assert (tone.prompt, tone.allows_abstention) == ("How?", False)
    assert event.about == "tone"
    assert event.detail["changed"] == {
        "prompt": {"old": "", "new": "How?"},
        "allows_abstention": {"old": True, "new": False},
    }


def test_saving_without_changes_is_not_logged(tone, lead):
    questions.change_question(tone, by=lead, prompt="")

    assert not Event.objects.filter(kind=Event.Kind.CODEBOOK_CHANGED).exists()


def test_the_kind_of_a_question_with_labels_stays(labeled, lead):
    with pytest.raises(CodebookRefused, match="change the answer type"):
        questions.change_question(labeled, by=lead, kind="multiple", prompt="New")

    labeled.refresh_from_db()
    assert (labeled.kind, labeled.prompt) == ("single", "")


def test_the_kind_may_change_before_there_are_labels(tone, lead):
    assert questions.change_question(tone, by=lead, kind="multiple").kind == "multiple"


def test_a_question_with_categories_does_not_become_one_for_a_number(tone, lead):
    with pytest.raises(CodebookRefused, match=r"have categories\. Delete them first"):
        questions.change_question(tone, by=lead, kind="number")


def test_the_level_may_change_with_labels(labeled, lead):
    assert questions.change_question(labeled, by=lead, level="ordinal").level == "ordinal"


def test_keys_that_are_numbers_become_the_values_of_a_scale_with_distances(project, lead):
    stars = new_question(project, key="stars", categories=("1", "2", "none"))

    questions.change_question(stars, by=lead, level="interval")

    assert list(stars.categories.values_list("value", flat=True)) == [1.0, 2.0, None]


def test_two_categories_of_one_value_do_not_become_a_scale_with_distances(tone, lead):
    Category.objects.update(value=2.0)

    with pytest.raises(CodebookRefused, match="“good” and “bad” have the same value"):
        questions.change_question(tone, by=lead, level="ratio")


def test_a_question_without_labels_is_deleted_with_its_categories(tone, lead):
    gone, kept = tone.categories.all()
    Category.objects.filter(pk=gone.pk).update(merged_into=kept, position=None)

    questions.delete_question(tone, by=lead)

    assert (Question.objects.count(), Category.with_merged.count()) == (0, 0)


def test_a_question_with_labels_is_not_deleted(labeled, lead):
    with pytest.raises(CodebookRefused, match="because it has labels, now or in the history"):
        questions.delete_question(labeled, by=lead)

    assert Question.objects.count() == 1


def test_a_question_whose_labels_were_withdrawn_is_not_deleted(labeled, lead):
    Label.objects.all().delete()

    with pytest.raises(CodebookRefused, match="now or in the history"):
        questions.delete_question(labeled, by=lead)


def test_a_question_with_reports_is_not_deleted(tone, lead, project):
    report = Report.objects.create(project=project, asked_by=lead)
    QuestionAgreement.objects.create(
        report=report, question=tone, categories=[], raters=[], coefficients={}, n_items=0, n_raters=0,
        n_labels=0, n_pairs=0, digest="",
    )  # fmt: skip

    with pytest.raises(CodebookRefused, match="because reports use it"):
        questions.delete_question(tone, by=lead)

    assert tone.categories.count() == 2


def test_a_question_that_was_deleted_meanwhile_is_gone(tone, lead):
    questions.delete_question(Question.objects.get(), by=lead)

    with pytest.raises(Question.DoesNotExist):
        questions.change_question(tone, by=lead, prompt="x")


@pytest.mark.parametrize("closed", [{"state": "closed"}, {"is_codebook_closed": True}])
def test_a_closed_codebook_is_not_changed(tone, lead, project, closed):
    Project.objects.filter(pk=project.pk).update(**closed)

    for change in (
        lambda: questions.change_question(tone, by=lead, prompt="x"),
        lambda: questions.delete_question(tone, by=lead),
        lambda: questions.create_question(project, by=lead, key="more"),
        lambda: questions.order_questions(project, [tone.pk], by=lead),
    ):
        with pytest.raises(ProjectClosed, match="open it in the project settings"):
            change()


def test_keys_are_taken_once(tone, lead, project):
    with pytest.raises(KeyTaken):
        questions.create_question(project, by=lead, key="tone")


def test_a_refused_category_makes_no_question(project, lead):
    two = [{"key": "a", "shortcut": "1"}, {"key": "b", "shortcut": "1"}]

    with pytest.raises(CodebookRefused, match="“a” already uses this shortcut"):
        questions.create_question(project, by=lead, key="tone", categories=two)

    assert not Question.objects.exists()


def test_a_project_has_a_maximum_number_of_questions(tone, lead, project, monkeypatch):
    monkeypatch.setattr(questions, "MAX_QUESTIONS", 1)

    with pytest.raises(CodebookRefused, match="at most 1 questions"):
        questions.create_question(project, by=lead, key="more")


@pytest.mark.parametrize(
    ("key", "step", "wanted"),
    [("b", -1, "bac"), ("b", 1, "acb"), ("a", -1, "abc"), ("c", 1, "abc")],
)
def test_a_question_moves_a_step_and_stays_in_the_list(project, lead, key, step, wanted):
    for place, name in enumerate("abc"):
        # Imported projects may have two questions in one place.
        new_question(project, key=name, position=min(place, 1))

    questions.move_question(project.questions.get(key=key), step, by=lead)

    assert "".join(project.questions.values_list("key", flat=True)) == wanted


@pytest.mark.parametrize("wrong", ["missing", "twice", "foreign"])
def test_an_order_names_every_question_once(project, lead, wrong):
    first, second = (new_question(project, key=key, position=p).pk for p, key in enumerate("ab"))
    ids = {"missing": [first], "twice": [first, first], "foreign": [first, second + 1]}[wrong]

    with pytest.raises(CodebookRefused, match="List every question exactly once"):
        questions.order_questions(project, ids, by=lead)


@pytest.mark.parametrize(
    ("kind", "level", "rule"),
    [
        ("number", "interval", "median"),
        ("number", "ordinal", "median"),
        ("number", "nominal", "plurality"),
        ("single", "ordinal", "plurality"),
    ],
)
def test_new_numbers_have_the_median_as_the_rule_for_final_labels(project, lead, kind, level, rule):
    made = questions.create_question(project, by=lead, key="size", kind=kind, level=level)

    assert made.final_rule == rule


def test_imported_numbers_have_the_median_too(project):
    load_questions(project, b"question,kind,scale\nsize,number,ratio\n")
    load(
        project,
        b"item,rater,question,label\na,ann,length,1.5\na,ben,length,2.5\nb,ann,length,7\nb,ben,length,4\n",
    )

    assert dict(project.questions.values_list("key", "final_rule")) == {"size": "median", "length": "median"}
