"""The answer type of a question corrected: labels are converted without loss, or nothing changes."""

import threading
import time
from io import BytesIO

import pytest
from django.db import connection, transaction
from django.utils import timezone

from projects.codebook.categories import change_category
from projects.codebook.questions import change_question
from projects.codebook.refusals import CodebookRefused
from projects.models import Event, Question, Round
from projects.refusals import ProjectClosed
from raters.archive.people import AccountChoice
from raters.archive.project_export import project_file
from raters.archive.project_import import import_project
from raters.correcting.actions import check_correction, correct_kind
from raters.models import Assignment, Label, LabelRevision
from reports.store.history_verification import verify_at_once
from reports.store.links import revoke, share
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets

LABELS = ["112", "222", "123", "331"]


@pytest.fixture
def led_project(lead):
    return led_by(lead, cast.new_project("Corrected", unique=True))


@pytest.fixture
def single(led_project) -> Question:
    question = new_question(led_project, key="size", categories="123")
    add_labels(
        question, [(f"i{i}", f"r{r}", answer) for i, row in enumerate(LABELS) for r, answer in enumerate(row)]
    )
    abstained = Label.objects.filter(question=question).latest("pk")
    Label.objects.filter(pk=abstained.pk).update(category=None, is_abstention=True)
    return question


def state(question) -> list:
    """Every label as it is, with what it says."""
    names = ("pk", "item__key", "rater__key", "category_id", "category_set", "number", "is_abstention")
    return [question.kind, list(Label.objects.filter(question=question).order_by("pk").values_list(*names))]


def corrected(question, kind, lead, **more):
    done = correct_kind(question, kind, by=lead, **more)
    question.refresh_from_db()
    return done


@pytest.mark.parametrize(
    "way",
    [
        ["multiple", "single"],
        ["number", "single"],
        ["multiple", "number", "single"],
        ["number", "multiple", "single"],
    ],
)
def test_there_and_back_every_label_is_as_it_was(single, lead, way):
    before = state(single)

    for kind in way:
        done = corrected(single, kind, lead)
        assert (done.n_labels, done.n_abstentions) == (11, 1)
        assert single.kind == kind

    assert state(single) == before
    assert verify_at_once(single.project).faults == []


def test_each_conversion_is_in_the_history_and_in_the_log(single, lead):
    corrected(single, "number", lead)

    changes = LabelRevision.objects.filter(question_id=single.pk, source="correction by page")
    assert {(change.change, change.user_id) for change in changes} == {("U", lead.pk)}
    assert changes.count() == 11
    assert all(change.old_value["category_id"] and change.number for change in changes)
    event = Event.objects.latest("pk")
    assert (event.kind, event.detail["changed"]) == (
        "codebook_changed",
        {"kind": {"old": "single", "new": "number"}},
    )


@pytest.mark.parametrize("kind", ["multiple", "number"])
def test_earlier_reports_stay_as_they_were_and_still_verify(single, lead, kind):
    before = finished_report(single.project, lead)
    figures = before.questions.get().coefficients
    corrected(single, kind, lead)
    after = finished_report(single.project, lead)

    assert before.pk != after.pk
    assert (verify(before), verify(after)) == ([], [])
    assert before.questions.get().coefficients == figures
    assert (before.questions.get().asked["kind"], after.questions.get().asked["kind"]) == ("single", kind)


def test_the_scale_is_corrected_in_one_go(single, lead):
    corrected(single, "number", lead, level="ratio")

    assert (single.kind, single.level) == ("number", "ratio")
    assert [event.detail["change"] for event in Event.objects.order_by("-pk")[:2]] == [
        "changed",
        "answer type corrected",
    ]


def test_sets_of_none_or_several_are_named_and_nothing_changes(led_project, lead):
    question = new_question(led_project, key="tags", kind="multiple", categories="ab")
    add_sets(question, [["a", "ab"], ["b", ""], ["ab", "a"]])
    before = state(question)

    problems = check_correction(question, "single").problems

    assert problems == [
        "2 labels have “a” and “b”, where exactly one is needed.",
        "1 label has no category, where exactly one is needed.",
    ]
    with pytest.raises(CodebookRefused, match="exactly one"):
        corrected(question, "single", lead)
    assert state(question) == before


def test_categories_that_are_no_numbers_are_named(led_project, lead):
    question = new_question(led_project, key="tone", categories=["1", "1.0", "good"])

    assert check_correction(question, "number").problems == [
        "“1” and “1.0” are the same number.",
        "“good” is not a number.",
    ]


def test_numbers_become_categories_in_their_order_and_return(led_project, lead):
    question = Question.objects.create(project=led_project, key="size", kind="number", level="interval")
    add_numbers(question, [[10.0, 2.5], [-1.0, 99.0], [2.5, 1e300]])
    change_question(question, by=lead, missing_values=[99])
    question.refresh_from_db()
    before = state(question)

    corrected(question, "single", lead)

    found = list(question.categories.order_by("position").values_list("key", "value", "treated_as_missing"))
    assert found == [
        ("-1", -1.0, False),
        ("2.5", 2.5, False),
        ("10", 10.0, False),
        ("99", 99.0, True),
        ("1e+300", None, False),
    ]
    corrected(question, "number", lead)
    assert (state(question), question.missing_values) == (before, [99.0])


def test_more_numbers_than_categories_are_refused(led_project, lead):
    question = Question.objects.create(project=led_project, key="size", kind="number", level="interval")
    add_numbers(question, [[float(n), n + 0.5] for n in range(501)])

    assert "at most 1,000 categories" in check_correction(question, "single").problems[0]


def test_a_shared_report_keeps_the_answer_type(single, lead):
    report = finished_report(single.project, lead)
    link, _ = share(report, by=lead, note="", days=1)

    assert (
        f"Report {report.pk} uses this question and was shared"
        in check_correction(single, "number").problems[0]
    )
    with pytest.raises(CodebookRefused, match="shared"):
        corrected(single, "number", lead)

    # Revoked before anybody opened it, it shared nothing.
    revoke(link, by=lead)
    corrected(single, "number", lead)


def test_raters_who_label_now_are_not_disturbed(single, lead):
    round_ = Round.objects.create(project=single.project, key="main", state="open")
    label = single.labels.first()
    Assignment.objects.create(item=label.item, rater=label.rater, round=round_, last_seen_at=timezone.now())

    with pytest.raises(CodebookRefused, match="round “main” now"):
        corrected(single, "number", lead)

    Assignment.objects.update(last_seen_at=timezone.now() - timezone.timedelta(minutes=16))
    corrected(single, "number", lead)


def test_a_closed_project_keeps_its_answer_types(single, lead):
    single.project.state = "closed"
    single.project.save()

    with pytest.raises(ProjectClosed):
        corrected(single, "number", lead)


def test_a_project_file_holds_a_corrected_question(committed_db):
    lead = cast.person("lena", unique=True)
    question = new_question(led_by(lead, cast.new_project("Filed", unique=True)), key="size", categories="12")
    add_labels(question, [("1", "A", "1"), ("2", "A", "2")])
    change_category(question.categories.get(key="2"), by=lead, treated_as_missing=True)
    corrected(question, "number", lead)
    content = b"".join(project_file(question.project))
    people = {lead.username: AccountChoice(lead.username, is_existing=True)}

    again = import_project(
        BytesIO(content), lead=cast.person("boss", unique=True), people=people, slug=f"again-{question.pk}"
    ).questions.get()

    assert (again.kind, again.missing_values) == ("number", [2.0])
    assert sorted(again.labels.values_list("number", flat=True)) == [1.0, 2.0]
    corrected(again, "single", lead)
    assert [c.treated_as_missing for c in again.choices] == [False, True]


def test_a_label_that_comes_during_the_correction_waits_and_is_refused_or_converted(committed_db):
    lead = cast.person("lena", unique=True)
    led_project = led_by(lead, cast.new_project("At once", unique=True))
    question = new_question(led_project, key="size", categories="12")
    add_labels(question, [("1", "A", "1"), ("2", "A", "2")])
    label = question.labels.first()
    category = question.categories.get(key="2")
    outcome: list[str] = []

    def save_another():
        try:
            with transaction.atomic():
                Label.objects.create(
                    item=label.item,
                    rater=label.rater,
                    question_id=question.pk,
                    category=category,
                    pass_number=2,
                )
            outcome.append("saved")
        except Exception as error:
            outcome.append(str(error))
        finally:
            connection.close()

    with transaction.atomic():
        correct_kind(question, "number", by=lead)
        other = threading.Thread(target=save_another)
        other.start()
        time.sleep(0.5)
        assert outcome == []
    other.join()

    assert "must hold what its kind (number) asks for" in outcome[0]
    assert set(question.labels.values_list("number", flat=True)) == {1.0, 2.0}
