"""The pages of quality: rules with their figures, alerts, pauses, and what the rater sees of it."""

import pytest
from django.urls import reverse

from raters.models import QualityAlert, QualityRule, Rater
from raters.quality.passing import decide, missed_marks
from raters.quality.pausing import pause_rater
from raters.rounds.attempts import AttemptItems, give_attempt
from raters.rounds.states import change_round, close_round
from tests import cast
from tests.working import answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def of_zoe(school):
    return cast.signed_in(school.user())


def address(school, name, *args):
    return reverse(name, args=[school.project.slug, *args])


def alert_of(school, **more):
    return QualityAlert.objects.create(
        project=school.project, rater=school.raters[0], kind="reference", rule="x", n=3, n_bad=2, **more
    )


def test_a_rule_is_computed_before_it_is_saved(school, of_lead):
    page = address(school, "quality_rule", "reference")
    asked = {"n": 20, "acceptable": 10, "at_most": 1}

    response = of_lead.post(page, asked)
    assert b"data-false-alarms" in response.content
    assert response.context["words"] == "more than 6 of 20 reference answers missed"
    assert not QualityRule.objects.exists()

    response = of_lead.post(
        page, {**asked, "save": "yes", "is_active": "on", "pauses": "on", "message": "Read."}
    )
    assert response.status_code == 302
    rule = QualityRule.objects.get()
    assert (rule.limit, rule.acceptable, rule.pauses, rule.message) == (6, 0.1, True, "Read.")
    rows = of_lead.get(address(school, "quality")).context["rules"]
    assert [row.words for row in rows if row.rule] == ["more than 6 of 20 reference answers missed"]


@pytest.mark.parametrize("kind", QualityRule.Kind.values)
def test_every_kind_of_rule_has_its_page(school, of_lead, kind):
    response = of_lead.get(address(school, "quality_rule", kind))

    assert response.status_code == 200
    assert b"data-rule" in response.content


def test_a_rule_that_would_alert_too_often_is_refused(school, of_lead):
    page = address(school, "quality_rule", "reference")
    response = of_lead.post(page, {"n": 2, "acceptable": 50, "at_most": 1, "save": "yes"})

    assert response.status_code == 400
    assert not QualityRule.objects.exists()


def test_an_alert_is_closed_and_its_rater_resumed(school, of_lead):
    pause_rater(school.raters[0], by=None, note="Stop.")
    alert = alert_of(school, has_paused=True)
    page = of_lead.get(address(school, "quality")).content
    assert page.count(b"data-alert") == 1

    of_lead.post(address(school, "quality_alert_close", alert.pk), {"note": "Talked.", "resumes": "on"})

    alert.refresh_from_db()
    assert (alert.note, alert.closed_by.username) == ("Talked.", "lara")
    assert not Rater.objects.get(key="zoe").is_paused


def test_a_lead_pauses_and_resumes(school, of_lead, of_zoe):
    zoe = school.raters[0]
    of_lead.post(address(school, "rater_pause", zoe.pk), {"note": "Call me."})

    page = of_zoe.get(address(school, "label"))
    assert b"data-rater-paused" in page.content
    assert b"Call me." in page.content
    # By themselves, raters do not end it.
    of_zoe.post(address(school, "label_resume"))
    assert Rater.objects.get(key="zoe").is_paused

    of_lead.post(address(school, "rater_resume", zoe.pk))
    assert of_zoe.get(address(school, "label")).status_code == 302


def test_the_rater_reads_a_message_and_goes_on(school, of_zoe):
    pause_rater(school.raters[0], by=None, note="Slow down.", may_resume=True)
    held = of_zoe.get(address(school, "label_item", school.assignment().pk))
    assert b"data-rater-paused" in held.content

    of_zoe.post(address(school, "label_resume"))

    assert of_zoe.get(address(school, "label")).status_code == 302


def test_the_round_shows_who_has_passed(school, of_lead, of_zoe, lead):
    main = school.project.rounds.create(key="main", position=1)
    school.raters[0].assignments.filter(item=school.items[1]).update(round=main)
    settings = address(school, "round_settings", school.round.pk)
    of_lead.post(settings, {"idle_minutes": 60, "reference_use": "training", "pass_mark": 80})
    of_lead.post(
        address(school, "round_settings", main.pk),
        {"idle_minutes": 60, "reference_use": "check", "gates": [school.round.pk]},
    )
    answer(school, "bad")

    page = of_lead.get(address(school, "round", school.round.pk))
    [zoe] = [row for row, _, _ in page.context["results"] if row.key == "zoe"]
    assert (zoe.n, zoe.n_right, zoe.qualification.is_passed) == (1, 0, False)
    done = of_zoe.get(address(school, "label")).content
    assert b'data-result="failed"' in done
    assert b"data-gate" in done

    own, project = (of_zoe.get(address(school, name)).content.decode() for name in ("own_work", "project"))
    assert "data-gate" in own
    assert "data-gate" in project
    to_label = f'href="{address(school, "label")}"'
    assert to_label not in project.partition("<main")[2]

    through = address(school, "round_pass", school.round.pk, zoe.rater)
    of_lead.post(through, {"is_passed": "yes", "note": "Fine."})
    assert of_zoe.get(address(school, "label")).status_code == 302
    own, project = (of_zoe.get(address(school, name)).content.decode() for name in ("own_work", "project"))
    assert "data-gate" not in own + project
    assert to_label in project.partition("<main")[2]
    assert of_lead.post(through, {}).status_code == 404


def labeling_page(client, school):
    return " ".join(client.get(address(school, "label")).content.decode().split())


def test_raters_who_missed_the_pass_mark_and_the_leads_are_notified(school, of_lead, of_zoe, lead):
    """Even if no other round waits behind it."""
    change_round(school.round, by=lead, pass_mark=0.8)
    for place in range(len(school.items)):
        answer(school, "bad", place=place)
    n = len(school.items)
    step = f"zoe missed the pass mark of round 1: 0 of {n} reference answers matched; 80% is needed."

    page = labeling_page(of_zoe, school)
    assert "All done" not in page
    assert "nothing more to do" not in page
    assert "Pass mark not reached" in page
    assert f"You matched 0 of {n} reference answers; 80% is needed to pass." in page
    assert "A project lead will decide what happens next." in page
    assert step in of_lead.get(address(school, "progress")).content.decode()

    decide(school.round, school.raters[0], is_passed=False, by=lead, note="We talk tomorrow.")

    page = labeling_page(of_zoe, school)
    assert "We talk tomorrow." in page
    assert "A project lead will decide" not in page
    assert "missed the pass mark" not in of_lead.get(address(school, "progress")).content.decode()


def test_nobody_waits_for_a_decision_in_a_closed_round(school, of_zoe, lead):
    change_round(school.round, by=lead, pass_mark=0.8)
    for place in range(len(school.items)):
        answer(school, "bad", place=place)
    close_round(school.round, by=lead)

    page = labeling_page(of_zoe, school)
    assert "<b>Not passed.</b>" in page
    assert "A project lead will decide" not in page


def test_raters_who_passed_are_notified_too(school, of_zoe, lead):
    change_round(school.round, by=lead, pass_mark=0.8)
    for place in range(len(school.items)):
        answer(school, "good", place=place)

    page = labeling_page(of_zoe, school)
    assert "All done" in page
    assert "<b>Passed.</b>" in page


def test_another_attempt_takes_the_rater_off_the_next_steps(school, lead):
    change_round(school.round, by=lead, pass_mark=0.8)
    for place in range(len(school.items)):
        answer(school, "bad", place=place)
        answer(school, "bad", place=place, rater=1)
    rounds = list(school.project.rounds.all())
    assert [each.rater.key for each in missed_marks(rounds)[school.round.pk]] == ["yves", "zoe"]

    give_attempt(school.round, school.raters[0], items=AttemptItems.SAME, by=lead)

    assert [each.rater.key for each in missed_marks(rounds)[school.round.pk]] == ["yves"]


def test_a_pass_mark_without_reference_items_is_refused_at_its_field(school, of_lead):
    main = school.project.rounds.create(key="main", position=1)

    response = of_lead.post(
        address(school, "round_settings", main.pk),
        {"idle_minutes": 60, "reference_use": "check", "pass_mark": 80},
    )

    assert response.status_code == 400
    [error] = response.context["form"].errors["pass_mark"]
    assert error.startswith("None of this round’s items has a reference answer")
    main.refresh_from_db()
    assert main.pass_mark is None


def test_a_wrong_gate_is_refused_with_the_form(school, of_lead, lead):
    change_round(school.round, by=lead, pass_mark=0.5)
    main = school.project.rounds.create(key="main", position=1)
    change_round(main, by=lead, gates=[school.round])
    response = of_lead.post(
        address(school, "round_settings", school.round.pk), {"idle_minutes": 60, "reference_use": "check"}
    )

    assert response.status_code == 400
    school.round.refresh_from_db()
    assert school.round.pass_mark == 0.5


def test_the_page_takes_as_many_queries_for_more_alerts(school, of_lead, django_assert_max_num_queries):
    alert_of(school)
    page = address(school, "quality")
    of_lead.get(page)
    with django_assert_max_num_queries(40) as few:
        of_lead.get(page)
    for _ in range(5):
        alert_of(school)
    with django_assert_max_num_queries(len(few)):
        of_lead.get(page)


@pytest.mark.parametrize("role", ["lead", "rater"])
def test_members_who_never_labeled_see_a_project_with_a_gate(school, of_lead, role):
    main = school.project.rounds.create(key="main", position=1)
    marked = {"idle_minutes": 60, "reference_use": "training", "pass_mark": 80}
    of_lead.post(address(school, "round_settings", school.round.pk), marked)
    school.round.refresh_from_db()
    change_round(main, by=None, gates=[school.round])
    newcomer = cast.signed_in(cast.member(school.project, role, username="nina"))

    pages = [newcomer.get(address(school, name)).status_code for name in ("project", "label", "own_work")]

    assert pages == [200] * 3
