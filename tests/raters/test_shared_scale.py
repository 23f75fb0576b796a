"""The scale of a question stays once a report that depends on it was shared: its level, order, and values."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from projects.codebook.categories import add_category, change_category, move_category, order_categories
from projects.codebook.questions import change_question
from projects.codebook.refusals import CodebookRefused
from projects.models import Category, Question
from reports.store.links import opened, revoke, share
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by


def scaled(lead, level, name="Scaled") -> Question:
    project = led_by(lead, cast.new_project(name, unique=True))
    question = new_question(project, key="size", categories="123", level=level)
    if level == "interval":
        for category in question.categories.all():
            Category.objects.filter(pk=category.pk).update(value=float(category.key))
    add_labels(question, [("1", "A", "1"), ("1", "B", "2"), ("2", "A", "3"), ("2", "B", "3")])
    return question


@pytest.fixture
def ordinal(lead):
    return scaled(lead, "ordinal")


def shared_report(question, lead):
    report = finished_report(question.project, lead)
    return report, share(report, by=lead, note="", days=1)


def refusal(report) -> str:
    return (
        f"Report {report.pk} uses this question and was shared by a link, so its scale can’t be changed. "
        "Create a new question instead."
    )


def reversed_ids(question):
    return list(question.categories.order_by("-position").values_list("pk", flat=True))


def scale_of(question):
    question = Question.objects.get(pk=question.pk)
    return question.level, list(question.categories.values_list("key", "value"))


def test_level_and_order_stay_once_a_report_was_shared(ordinal, lead):
    report, _ = shared_report(ordinal, lead)
    before = scale_of(ordinal)

    for change in (
        lambda: change_question(ordinal, by=lead, level="nominal"),
        lambda: order_categories(ordinal, reversed_ids(ordinal), by=lead),
        lambda: move_category(ordinal.categories.get(key="1"), 1, by=lead),
    ):
        with pytest.raises(CodebookRefused) as refused:
            change()
        assert (str(refused.value), refused.value.code) == (refusal(report), "not_correctable")
    assert scale_of(ordinal) == before


def test_values_stay_on_a_scale_of_numbers(lead):
    question = scaled(lead, "interval")
    report, _ = shared_report(question, lead)

    with pytest.raises(CodebookRefused) as refused:
        change_category(question.categories.get(key="3"), by=lead, value=10.0)

    assert str(refused.value) == refusal(report)
    assert refused.value.errors[0]["field"] == "value"


def test_without_a_shared_report_the_scale_can_be_corrected(ordinal, lead):
    finished_report(ordinal.project, lead)

    order_categories(ordinal, reversed_ids(ordinal), by=lead)
    change_question(ordinal, by=lead, level="interval")

    assert scale_of(ordinal) == ("interval", [("3", 3.0), ("2", 2.0), ("1", 1.0)])


def test_a_report_on_other_questions_is_no_obstacle(ordinal, lead):
    other = new_question(ordinal.project, key="other", categories="ab")
    add_labels(other, [("1", "A", "a"), ("1", "B", "b")])
    report = finished_report(ordinal.project, lead, questions=["other"])
    share(report, by=lead, note="", days=1)

    change_question(ordinal, by=lead, level="nominal")

    assert scale_of(ordinal)[0] == "nominal"


@pytest.mark.parametrize("is_opened", [False, True])
def test_a_revoked_link_shared_nothing_unless_somebody_opened_it(ordinal, lead, is_opened):
    _, (link, token) = shared_report(ordinal, lead)
    if is_opened:
        opened(token)
    revoke(link, by=lead)

    if is_opened:
        with pytest.raises(CodebookRefused, match="its scale can’t be changed"):
            change_question(ordinal, by=lead, level="nominal")
    else:
        change_question(ordinal, by=lead, level="nominal")


def test_what_is_no_scale_can_still_be_changed(lead):
    """Names, what is missing, more categories; and the order of a nominal question, which is none."""
    question = scaled(lead, "nominal")
    shared_report(question, lead)

    change_question(question, by=lead, prompt="How large?", level="nominal")
    change_category(question.categories.get(key="3"), by=lead, name="Three", treated_as_missing=True)
    add_category(question, by=lead, key="4")
    order_categories(question, reversed_ids(question), by=lead)

    assert [key for key, _ in scale_of(question)[1]] == ["4", "3", "2", "1"]


def test_an_order_that_changes_nothing_is_no_change(ordinal, lead):
    shared_report(ordinal, lead)

    order_categories(ordinal, list(ordinal.categories.values_list("pk", flat=True)), by=lead)
    move_category(ordinal.categories.get(key="1"), -1, by=lead)


def test_the_answer_type_stays_too_where_the_labels_are_gone(ordinal, lead):
    report, _ = shared_report(ordinal, lead)
    ordinal.labels.all().delete()

    with pytest.raises(CodebookRefused, match=f"Report {report.pk} .* so its answer type can’t be changed"):
        change_question(ordinal, by=lead, kind="multiple")


def test_the_page_says_why(client, ordinal, lead):
    report, _ = shared_report(ordinal, lead)
    where = reverse("codebook_question", args=[ordinal.project.slug, ordinal.pk])

    refused = client.post(
        where, {"prompt": "", "kind": "single", "level": "nominal", "is_required": "on", "allows_abstention": "on"}
    )  # fmt: skip
    moved = client.post(
        reverse("codebook_category_move", args=[ordinal.project.slug, ordinal.categories.first().pk]),
        {"to": "down"},
        follow=True,
    )

    assert refused.status_code == 400
    assert refused.context["form"].errors["level"] == [refusal(report)]
    assert [str(message) for message in moved.context["messages"]] == [refusal(report)]
    assert scale_of(ordinal) == ("ordinal", [("1", None), ("2", None), ("3", None)])


def test_the_api_says_the_same(client, ordinal, lead):
    report, _ = shared_report(ordinal, lead)
    args = [ordinal.project.slug, ordinal.pk]

    level = client.patch(reverse("api_question", args=args), {"level": "nominal"}, "application/json")
    order = client.put(
        reverse("api_category_order", args=args), {"ids": reversed_ids(ordinal)}, "application/json"
    )

    assert [
        (found.status_code, found.json()["error"], found.json()["detail"]) for found in (level, order)
    ] == [(409, "not_correctable", refusal(report))] * 2


@pytest.mark.parametrize(
    ("level", "labels", "is_refused"),
    [
        ("nominal", "1|2|3", True),
        ("ordinal", "3|2|1", True),
        ("ordinal", "1|2|3|4", False),
        ("ordinal", "1|2|3", False),
    ],
)
def test_the_command_says_the_same(ordinal, lead, tmp_path, capsys, level, labels, is_refused):
    report, _ = shared_report(ordinal, lead)
    file = tmp_path / "questions.csv"
    file.write_text(f"question,prompt,scale,labels,kind\nsize,How large?,{level},{labels},single\n")
    before = scale_of(ordinal)

    def run():
        call_command("import_questions", ordinal.project.slug, str(file), "--replace", "--by", lead.username)

    if is_refused:
        with pytest.raises((CommandError, SystemExit)) as refused:
            run()
        message = str(refused.value) + "".join(capsys.readouterr())
        assert refusal(report) in message
        assert scale_of(ordinal) == before
    else:
        run()
        assert scale_of(ordinal)[1][:3] == before[1]
