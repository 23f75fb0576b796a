"""What an import, its undoing, or a session of adjudication did to agreement: from reports, or out of the history."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from projects.models import Membership, Project, Round
from raters.actions import rater_of
from raters.adjudication.deciding import NewDecision, decide
from raters.imports.undoing import undo_import
from raters.labeling.answers import Answer
from raters.merging.actions import merge_category
from raters.models import Assignment, Label, LabelImport, User
from raters.reporting import EffectOnQuestion
from raters.spans import sessions_of, span_of_import, span_of_undoing
from reports.models import Report
from reports.results.statistic_rows import shown_difference
from reports.store.effect import EffectRequest, effect
from reports.store.two_reports import two_reports
from tests import cast
from tests.files import load
from tests.finished import finished_report
from tests.reports.looking import text_of

# By hand: [22 9; 7 13] is observed 35/51 and expected (31 * 29 + 20 * 22) / 51^2 = 0.514802: kappa 0.353407.
# With the 9 as 0, [31 0; 7 13]: observed 44/51, expected (31 * 38 + 20 * 13) / 51^2 = 0.552864: kappa 0.693035.
BEFORE, AFTER = 0.353407, 0.693035
NAME = "light_kappa"


def correct(project: Project, lead: User) -> LabelImport:
    """An import by which B says cat where A did."""
    rows = "".join(f"item-{number:05},B,cat\n" for number in range(23, 32))
    return load(project, f"item,rater,answer\n{rows}".encode(), by=lead, replace=True)


def effects_of(run: LabelImport) -> EffectOnQuestion:
    [found] = span_of_import(run).effects
    return found


def of(report: Report):
    return report.questions.select_related("report__project", "question").get()


def worked_out(report: Report, run: LabelImport):
    span = span_of_import(run)
    return effect(of(report), EffectRequest(span.after, span.up_to, NAME))


def test_reports_around_an_import_tell_what_it_did(client, lead, own_cats):
    before = finished_report(own_cats, lead)
    run = correct(own_cats, lead)
    after = finished_report(own_cats, lead)

    found = effects_of(run)
    page = client.get(run.get_absolute_url())

    assert (found.before[:4], found.after[:4], found.n, found.n_by_others) == ("0.35", "0.69", 9, 0)
    assert f"first={before.pk}&second={after.pk}" in found.compare
    assert "What this import did to agreement" in text_of(page)
    assert escape(found.compare) in page.content.decode()
    assert client.get(found.compare).status_code == 200


def test_without_a_report_before_it_is_worked_out_of_the_history(client, lead, own_cats):
    run = correct(own_cats, lead)
    finished_report(own_cats, lead)

    found = effects_of(run)
    page = client.get(run.get_absolute_url())
    shown = client.get(found.work_out)

    assert (found.before, found.compare) == ("", "")
    assert 'data-known-from="history"' in page.content.decode()
    sides = shown.context["sides"]
    assert [float(side.value) for side in sides] == pytest.approx([BEFORE, AFTER], abs=0.0006)
    assert "rose by" in text_of(shown)
    assert shown.context["n_shared"] == 51


def test_an_effect_on_a_percentage_is_in_points(client, lead, own_cats):
    own_cats.questions.update(coefficient="percent_agreement")
    run = correct(own_cats, lead)
    finished_report(own_cats, lead)

    shown = client.get(effects_of(run).work_out)

    found = effect(of(own_cats.reports.get()), EffectRequest(*spans(run), "percent_agreement"))
    assert shown.context["difference"] == shown_difference(found.difference.value, is_share=True)
    assert " points" in shown.context["sentence"]


def spans(run: LabelImport) -> tuple[int, int]:
    span = span_of_import(run)
    return span.after, span.up_to


def test_what_is_worked_out_is_what_two_reports_say(lead, own_cats):
    before = finished_report(own_cats, lead)
    run = correct(own_cats, lead)
    after = finished_report(own_cats, lead)

    found = worked_out(after, run)
    compared = two_reports(of(before), of(after)).differences[NAME]

    assert found.before.figure.value == pytest.approx(BEFORE, abs=1e-6)
    assert found.after.figure.value == pytest.approx(AFTER, abs=1e-6)
    assert found.difference == compared
    for report, side in ((before, found.before), (after, found.after)):
        # As the report shows it for two raters.
        pair = of(report).pairs.get()
        assert (side.figure.ci_low, side.figure.ci_high) == pytest.approx((pair.ci_low, pair.ci_high))
    assert (found.n_changed, found.round) == (9, "")


def test_the_same_comes_out_whichever_report_says_how_to_read_it(lead, own_cats):
    before = finished_report(own_cats, lead)
    run = correct(own_cats, lead)
    Label.objects.filter(question__project=own_cats, rater__key="A").first().delete()
    after = finished_report(own_cats, lead)

    assert worked_out(before, run) == worked_out(after, run)


def test_labels_of_an_import_that_made_all_have_nothing_before(client, lead):
    project = cast.new_project("Fresh", unique=True)
    project.memberships.create(user=lead, role="lead")
    rows = "".join(f"i{n},{rater},{'x' if n % 2 else 'y'}\n" for n in range(30) for rater in "AB")
    run = load(project, f"item,rater,answer\n{rows}".encode(), by=lead)
    page = client.get(run.get_absolute_url())
    assert 'data-known-from="nothing"' in page.content.decode()
    assert "there were no labels before. 60 labels added or changed" in text_of(page)
    assert "no report covers this question yet" not in text_of(page)

    finished_report(project, lead)
    shown = client.get(effects_of(run).work_out)

    assert "before these changes, there were no labels" in text_of(shown)
    assert [side.n_labels for side in shown.context["sides"]] == [0, 60]


def test_undoing_has_its_own_effect(client, lead, own_cats):
    run = correct(own_cats, lead)
    report = finished_report(own_cats, lead)
    undo_page = client.get(reverse("import_undo", args=[own_cats.slug, run.pk]))
    undo_import(run, by=lead)
    run.refresh_from_db()

    span = span_of_undoing(run)
    found = effect(of(report), EffectRequest(span.after, span.up_to, NAME))

    assert "What this import did to agreement" in text_of(undo_page)
    assert [side.figure.value for side in (found.before, found.after)] == pytest.approx(
        [AFTER, BEFORE], abs=1e-6
    )
    assert client.get(run.get_absolute_url()).content.decode().count("Compute the effect") == 2


def test_labels_under_another_codebook_are_refused_in_plain_words(client, lead, own_cats):
    run = correct(own_cats, lead)
    question = own_cats.questions.get()
    cat = question.categories.get(key="cat")
    other = question.categories.create(key="kitten", position=5)
    merge_category(cat, other, by=lead)
    finished_report(own_cats, lead)

    shown = client.get(effects_of(run).work_out)

    assert "This can’t be computed exactly" in text_of(shown)


def test_the_history_shows_it_with_the_changes_to_an_auditor_too(lead, own_cats):
    finished_report(own_cats, lead)
    run = correct(own_cats, lead)
    finished_report(own_cats, lead)
    span = span_of_import(run)
    auditor = cast.signed_in(cast.member(own_cats, Membership.Role.AUDITOR, username="aud", unique=True))
    address = reverse("label_changes", args=[own_cats.slug])

    all_changes = auditor.get(address)
    of_import = auditor.get(f"{address}?after={span.after}&up_to={span.up_to}")

    assert f"?of=import%20{run.pk}" in all_changes.content.decode()
    [led] = auditor.get(f"{address}?of=import%20{run.pk}", follow=True).redirect_chain
    assert led[0] == f"{address}?after={span.after}&up_to={span.up_to}#effects"
    assert "What these changes did to agreement" in text_of(of_import)
    assert "0.35" in text_of(of_import)


def decided(project: Project, lead: User, number: int) -> None:
    item = project.items.get(key=f"item-{number:05}")
    decide(item, project.questions.get(), NewDecision(Answer(category="cat")), seen=0, by=lead)


def test_adjudication_by_itself_changes_no_agreement(client, lead, own_cats):
    finished_report(own_cats, lead)
    decided(own_cats, lead, 23)
    decided(own_cats, lead, 24)

    [session] = sessions_of(own_cats)
    page = client.get(reverse("adjudicate", args=[own_cats.slug]), {"state": "decided"})

    assert (session.n_decisions, session.person, session.effects) == (2, lead.username, [])
    assert "No rater’s label changed meanwhile, so agreement is the same before and after." in text_of(page)


def test_what_raters_changed_during_a_session_is_worked_out(client, lead, own_cats):
    report = finished_report(own_cats, lead)
    decided(own_cats, lead, 23)
    correct(own_cats, lead)
    decided(own_cats, lead, 24)

    [session] = sessions_of(own_cats)
    [found] = session.effects
    shown = client.get(found.work_out)

    assert (session.n_decisions, found.n) == (2, 9)
    assert f"report {report.pk}" in text_of(shown)
    assert "rose by" in text_of(shown)


def test_an_adjudicator_who_still_labels_sees_no_session(lead, own_cats):
    finished_report(own_cats, lead)
    decided(own_cats, lead, 23)
    adjudicator = cast.member(own_cats, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    round_ = Round.objects.create(project=own_cats, key="open", state=Round.State.OPEN)
    Assignment.objects.create(
        rater=rater_of(own_cats, adjudicator), item=own_cats.items.first(), round=round_
    )

    page = cast.signed_in(adjudicator).get(reverse("adjudicate", args=[own_cats.slug]), {"state": "decided"})

    assert page.context["sessions"] == []


def test_the_api_works_out_what_an_import_did(client, lead, own_cats):
    run = correct(own_cats, lead)
    report = finished_report(own_cats, lead)
    address = reverse("api_report_effect", args=[own_cats.slug, report.pk, of(report).question.key])
    span = span_of_import(run)

    by_import = client.get(address, {"import": run.pk}).json()
    by_place = client.get(address, {"after": span.after, "up_to": span.up_to, "coefficient": NAME}).json()

    assert by_import["history"] == {"after": span.after, "up_to": span.up_to}
    assert (by_import["coefficient"], by_import["round"], by_import["n_changed"]) == (NAME, None, 9)
    assert by_import["before"]["figure"]["value"] == pytest.approx(BEFORE, abs=1e-6)
    assert by_import["after"]["figure"]["value"] == pytest.approx(AFTER, abs=1e-6)
    assert by_import["difference"]["value"] == pytest.approx(AFTER - BEFORE, abs=1e-5)
    assert by_import["difference"]["n_shared"] == 51
    assert by_place == by_import


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "invalid_parameter"),
        ({"after": 5}, 400, "invalid_parameter"),
        ({"after": 5, "up_to": "x"}, 400, "invalid_parameter"),
        ({"after": 9, "up_to": 2}, 400, "refused"),
        ({"import": "x"}, 400, "invalid_parameter"),
        ({"import": 10**12}, 404, "not_found"),
        ({"import": 1, "after": 5, "up_to": 6}, 400, "invalid_parameter"),
        ({"after": 5, "up_to": 6, "coefficient": "magic"}, 400, "invalid_parameter"),
        ({"after": 5, "up_to": 6, "weights": "linear"}, 400, "unknown_parameter"),
    ],
    ids=str,
)
def test_the_api_refuses_what_is_no_part_of_the_history(client, lead, own_cats, query, status, code):
    report = finished_report(own_cats, lead)
    address = reverse("api_report_effect", args=[own_cats.slug, report.pk, of(report).question.key])

    response = client.get(address, query)

    assert (response.status_code, response.json()["error"]) == (status, code)


@pytest.mark.parametrize(
    "query", ["", "?after=5", "?after=9&up_to=2", "?after=x&up_to=3", "?after=900&up_to=901"]
)
def test_an_invalid_part_of_the_history_is_refused(client, lead, own_cats, query):
    report = finished_report(own_cats, lead)
    args = [own_cats.slug, report.pk, report.questions.get().question_id]

    shown = client.get(reverse("report_effect", args=args) + query)

    assert "sides" not in shown.context
