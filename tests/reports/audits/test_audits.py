"""Audits from the draw to the result: who audits what, which labels are wrong, and what follows."""

import json

import pytest

from core.tables.sources import bytes_of
from projects.models import Project
from projects.refusals import ProjectClosed
from raters.audits.assigning import assign
from raters.audits.judging import (
    CannotReviewOwnLabels,
    JudgmentState,
    NothingToReview,
    SeverityWithoutError,
    judged_labels,
    review,
)
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.models import Assignment, Audit, AuditedLabel, Rater
from raters.renaming import raters_renamed
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.plan_storage import plan_round
from raters.rounds.round_plan import RoundPlan
from raters.rounds.states import close_round
from reports.agreement.audits.estimates import exact_share
from reports.results.audits.audit_results import ReviewedDifferences, read_audit
from tests import cast
from tests.reports.audits.audited import decide, delivery, drawn, label, opened

pytestmark = pytest.mark.django_db


def test_the_given_label_is_shown_to_auditors_only_if_asked_for():
    made = delivery()
    names = {
        shows: {
            part["name"]
            for item in drawn(made, shows_given=shows).project.items.all()
            for part in item.content
        }
        for shows in (None, "on")
    }

    assert names == {None: {"text"}, "on": {"text", "Label given"}}
    shown = Audit.objects.get(source=made.project, shows_given=True)
    for item in shown.project.items.all():
        given = {each.given for each in item.audited_labels.all()}
        assert item.content[-1]["value"] == "; ".join(sorted(given))


def test_labels_that_differ_from_the_audited_ones_are_wrong():
    made = delivery()
    audit = opened(made, n="40")
    assert read_audit(audit).result.n_audited == 0

    label(audit)

    read = read_audit(audit)
    expected = {
        pk: "wrong" if given == "bad" else "right" for pk, given in audit.labels.values_list("pk", "given")
    }
    assert {each.row.pk: str(each.state) for each in read.labels} == expected
    n_wrong = sum(each == "wrong" for each in expected.values())
    assert n_wrong
    result = read.result
    assert (result.n_audited, result.n_wrong, result.is_exact) == (40, n_wrong, True)
    assert result.share == exact_share(n_wrong, 40, size=80)
    by_rater = {each.value: each for each in result.groups["rater"]}
    assert (by_rater["ann"].n_wrong, by_rater["ben"].n_wrong) == (0, n_wrong)
    assert by_rater["ben"].share == exact_share(n_wrong, by_rater["ben"].share.n, size=40)
    assert [each.value for each in result.groups["rater:vendor"]] == ["Acme", "Bolt"]
    assert {each.value: each.size for each in result.groups["item:site"]} == {"Bern": 20, "Chur": 60}
    # Of the labels given, 70 are good and 10 are bad, however many of each are in the sample.
    assert result.categories == ["good", "bad"]
    assert n_wrong != 5
    assert (result.confusion, result.given_sizes) == ([[70, 0], [10, 0]], [70, 10])


def test_only_the_beginning_of_the_draw_counts():
    audit = opened(delivery(), n="20")
    second = audit.labels.get(unit=1)

    label(audit, most=6)
    Assignment.objects.filter(item=second.item).update(state="pending")

    read = read_audit(audit)
    assert (read.result.n_units, read.result.n_audited) == (1, 1)
    later = [each for each in read.labels if each.row.unit > 1 and each.state is not JudgmentState.PENDING]
    assert read.result.n_further == len(later) >= 4


def test_reviewers_say_who_is_right():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    wrong = [each.row for each in judged_labels(audit) if each.is_wrong]
    before = read_audit(audit).result.n_wrong

    review(audit, wrong[0].pk, verdict="right", severity="", note="Both are fine.", by=made.lead)
    review(audit, wrong[1].pk, verdict="wrong", severity="critical", note="", by=made.lead)

    read = read_audit(audit)
    assert read.result.n_wrong == before - 1
    shown = [(each.severity, each.n) for each in read.result.severities]
    assert shown == [("critical", 1), ("major", 0), ("minor", 0)]
    assert read.result.n_without_severity == before - 2
    first = next(each for each in read.labels if each.row.pk == wrong[0].pk)
    assert (first.state, first.severity, first.row.reviewed_by) == (JudgmentState.RIGHT, "", made.lead)
    assert read.n_to_review == before - 2
    assert read.differences == ReviewedDifferences(before, 2, 1)
    assert read.differences.n_unreviewed == before - 2
    right = next(each.row for each in read.labels if not each.is_different)
    with pytest.raises(NothingToReview):
        review(audit, right.pk, verdict="wrong", severity="", note="", by=made.lead)


@pytest.mark.parametrize("verdict", ["right", ""])
def test_only_an_error_has_a_severity(verdict):
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    row = next(each.row for each in judged_labels(audit) if each.is_wrong)

    with pytest.raises(SeverityWithoutError):
        review(audit, row.pk, verdict=verdict, severity="critical", note="", by=made.lead)

    row.refresh_from_db()
    assert (row.verdict, row.severity) == ("", "")


def test_the_decision_without_reviews_takes_audited_labels_to_be_right():
    made = delivery(n_items=100)
    audit = opened(made, aim="decide", sampling="single", acceptable="0.01", rejectable="0.08", n=None)
    label(audit)
    wrong = [each.row for each in judged_labels(audit) if each.is_wrong]
    reject = audit.plan["looks"][0][2]
    assert len(wrong) >= reject
    for row in wrong[: len(wrong) - reject + 1]:
        review(audit, row.pk, verdict="right", severity="", note="", by=made.lead)

    read = read_audit(audit)

    assert (read.result.decision.accepts, read.unreviewed_decision.accepts) == (True, False)


def test_a_verdict_counts_only_about_the_label_that_it_is_about():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    row = next(each.row for each in judged_labels(audit) if each.is_wrong)
    review(audit, row.pk, verdict="right", severity="", note="", by=made.lead)

    AuditedLabel.objects.filter(pk=row.pk).update(verdict_about="neither")

    found = next(each for each in judged_labels(audit) if each.row.pk == row.pk)
    assert (found.state, found.is_reviewed) == (JudgmentState.WRONG, False)


def test_what_auditors_cannot_tell_waits_for_a_verdict():
    made = delivery()
    audit = opened(made, n="20")
    first = audit.labels.get(unit=0)
    label(audit, lambda item, rater: "?" if item == first.item else "good")

    read = read_audit(audit)
    assert (read.result.n_units, read.n_undecided) == (0, audit.labels.filter(item=first.item).count())

    for each in audit.labels.filter(item=first.item):
        review(audit, each.pk, verdict="wrong", severity="minor", note="", by=made.lead)
    result = read_audit(audit).result
    n = audit.labels.filter(item=first.item).count()
    assert (result.n_audited, [each.n for each in result.severities]) == (20, [0, 0, n])
    assert result.n_unknown == n


def test_auditors_who_differ_leave_the_label_undecided_and_correct_the_error_rate():
    audit = opened(delivery(n_auditors=2), n="20", double_share="100")
    auditors = sorted({each.rater_id for each in Assignment.objects.filter(item__project=audit.project)})
    odd = audit.labels.get(unit=3).item
    label(audit, lambda item, rater: "bad" if item == odd and rater.pk == auditors[0] else "good")

    read = read_audit(audit)

    assert (read.result.n_twice, read.result.n_twice_different) == (audit.project.items.count(), 1)
    assert read.result.n_units == min(audit.labels.filter(item=odd).values_list("unit", flat=True))
    assert read.n_undecided == audit.labels.filter(item=odd).count()


def test_items_that_nobody_answered_stay_open_when_the_round_is_closed():
    made = delivery()
    audit = opened(made, n="20")
    label(audit, most=5)

    close_round(audit.project.rounds.get(), by=made.lead)

    judged = judged_labels(audit)
    pending = next(each.row for each in judged if each.state is JudgmentState.PENDING)
    with pytest.raises(NothingToReview):
        review(audit, pending.pk, verdict="right", severity="", note="", by=made.lead)
    assert read_audit(audit).result.n_audited < 20


def test_nobody_reviews_or_decides_about_an_item_that_they_labeled():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    Rater.objects.filter(project=made.project, key="ben").update(user=made.lead)
    row = next(each.row for each in judged_labels(audit) if each.is_wrong)

    with pytest.raises(CannotReviewOwnLabels):
        review(audit, row.pk, verdict="right", severity="", note="", by=made.lead)

    decide(row.item, audit.question, "bad", by=made.lead)
    found = next(each for each in judged_labels(audit) if each.row.pk == row.pk)
    assert (found.state, found.audited) == (JudgmentState.UNDECIDED, None)


def test_a_verdict_about_another_audited_label_than_the_reviewer_saw_is_refused():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    row = next(each.row for each in judged_labels(audit) if each.is_wrong)

    with pytest.raises(NothingToReview):
        review(audit, row.pk, verdict="right", severity="", note="", by=made.lead, seen="bad")
    review(audit, row.pk, verdict="right", severity="", note="", by=made.lead, seen="good")


def test_a_closed_project_takes_no_verdicts_and_no_further_assignments():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    row = next(each.row for each in judged_labels(audit) if each.is_wrong)
    Project.objects.filter(pk=audit.project_id).update(state=Project.State.CLOSED)
    audit.project.refresh_from_db()

    with pytest.raises(ProjectClosed):
        review(audit, row.pk, verdict="right", severity="", note="", by=made.lead)
    with pytest.raises(ProjectClosed):
        assign(audit, made.auditors, up_to_unit=40, by=made.lead)


def test_no_labels_are_imported_into_an_audit():
    made = delivery()
    audit = drawn(made)
    key = audit.project.items.first().key
    file = NamedSource("more.csv", bytes_of(f"item,rater,label\n{key},eve,good\n".encode()))

    with pytest.raises(ProjectClosed):
        import_now(audit.project, file, LabelOptions(), by=made.lead)


def test_the_key_of_an_erased_person_is_replaced_in_audits():
    made = delivery()
    audit = drawn(made, stratify_by="rater", raters=["ann", "ben"])
    rater = Rater.objects.get(project=made.project, key="ben")
    rater.key = "rater-7"
    rater.save()

    raters_renamed.send(Rater, rater=rater, old="ben")

    audit.refresh_from_db()
    assert "ben" not in json.dumps([audit.groups, audit.strata, audit.population])
    assert not audit.labels.filter(rater="ben").exists()
    assert audit.labels.filter(rater="rater-7").exists()


def test_a_double_sample_takes_its_second_part_only_if_the_first_is_undecided():
    made = delivery(n_items=200, n_auditors=2)
    audit = opened(made, aim="decide", sampling="double", acceptable="0.02", rejectable="0.12", n=None)
    first, last = (look[0] for look in audit.plan["looks"])

    assert audit.labels.count() == last
    assigned = audit.labels.filter(item__assignments__isnull=False).distinct()
    assert set(range(first)) <= set(assigned.values_list("unit", flat=True))
    label(audit)
    read = read_audit(audit)
    assert read.result.decision is not None
    assert read.result.decision.n <= read.result.n_audited


def test_rounds_of_an_audit_are_not_planned_elsewhere():
    made = delivery()
    audit = drawn(made)
    plan = RoundPlan(overlap=Overlap(AssignmentDesign.EVERYONE, 1), seed=1)

    with pytest.raises(DesignRefused):
        plan_round(audit.project, "more", plan, made.auditors, by=made.lead)


def test_those_who_label_know_of_no_audit():
    made = delivery()
    audit = opened(made, n="10")

    page = cast.signed_in(made.auditors[0])

    assert page.get(f"/p/{audit.project.slug}/audit/").status_code == 404
    assert page.get(f"/p/{made.project.slug}/audits/").status_code == 404
