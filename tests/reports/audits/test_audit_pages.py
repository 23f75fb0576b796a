"""Pages of an audit: what each shows, and what is refused."""

import csv
import io

import pytest

from projects.models import Event, Membership
from raters.models import Assignment
from raters.rounds.states import close_round
from reports.results.audits.audit_results import read_audit
from reports.results.audits.certificates import digest_of
from tests import cast
from tests.reports.audits.audited import delivery, label, opened

pytestmark = pytest.mark.django_db


def test_the_result_of_a_sequential_audit_has_its_decision_and_its_course():
    made = delivery(n_items=100)
    audit = opened(made, aim="decide", sampling="sequential", acceptable="0.02", rejectable="0.15", n=None)
    lead = cast.signed_in(made.lead)

    empty = lead.get(f"/p/{audit.project.slug}/audit/")
    label(audit)
    page = lead.get(f"/p/{audit.project.slug}/audit/")

    assert (empty.status_code, page.status_code) == (200, 200)
    decision = page.context["result"].decision
    assert decision.accepts is not None
    assert page.context["plot"].inline.startswith("<svg")
    assert [table.name for table in page.context["tables"]] == ["Given label", "Rater", "vendor", "site"]


def page_of(audit, *more: str) -> str:
    return f"/p/{audit.project.slug}/audit/" + "".join(f"{part}/" for part in more)


def drawn_form(made, **more):
    given = {
        "name": "Birds, audited",
        "question": made.question.key,
        "aim": "estimate",
        "sampling": "single",
        "confidence": "0.95",
        "share": "0.1",
        "margin": "0.08",
        "acceptable": "0.02",
        "rejectable": "0.2",
        "producer": "0.05",
        "consumer": "0.1",
        "unit": "label",
        "allocation": "proportional",
        "seed": "3",
        "auditors": [made.auditors[0].pk],
    }
    return given | more


def test_a_preview_draws_nothing():
    made = delivery()
    lead = cast.signed_in(made.lead)

    page = lead.post(f"/p/{made.project.slug}/audits/new/", drawn_form(made, stratify_by="rater:vendor"))

    context = page.context
    assert page.status_code == 200
    # n0 = 1.96^2 * .1 * .9 / .08^2 = 54.02; with 80 labels 54.02 / (1 + 53.02 / 80) = 32.5.
    assert (context["draw"].n, len(context["draw"].population)) == (33, 80)
    assert [(row.value, row.size, row.drawn) for row in context["strata"]] == [
        ("Acme", 40, 17),
        ("Bolt", 40, 16),
    ]
    assert not made.project.audits.exists()


def test_drawing_leads_to_the_audit_and_the_source_lists_it():
    made = delivery()
    lead = cast.signed_in(made.lead)

    answer = lead.post(f"/p/{made.project.slug}/audits/new/", drawn_form(made, draw="1"))

    audit = made.project.audits.get()
    assert answer["Location"] == page_of(audit)
    [(listed, is_visible)] = lead.get(f"/p/{made.project.slug}/audits/").context["audits"]
    assert (listed, is_visible) == (audit, True)
    assert lead.post(page_of(audit, "open")).status_code == 302
    assert audit.project.rounds.get().state == "open"


@pytest.mark.parametrize(
    "wrong",
    [
        {"auditors": []},
        {"aim": "decide", "stratify_by": "given"},
        {"aim": "decide", "unit": "item"},
        {"n": "81"},
        {"aim": "decide", "acceptable": "0.3"},
        {"stratify_by": "given", "allocation": "optimal", "rates": "ugly: 0.1"},
    ],
)
def test_what_cannot_be_drawn_is_refused_on_the_page(wrong):
    made = delivery()

    page = cast.signed_in(made.lead).post(
        f"/p/{made.project.slug}/audits/new/", drawn_form(made, **wrong, draw="1")
    )

    assert page.status_code == 400
    assert page.context["form"].errors
    assert not made.project.audits.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"aim": "decide", "acceptable": 0.15, "rejectable": 0.1}, "rejectable"),
        ({"aim": "decide", "producer": 0.5}, "producer"),
        ({"aim": "decide", "consumer": 0}, "consumer"),
        ({"aim": "estimate", "margin": 0}, "margin"),
        ({"aim": "estimate", "share": 1}, "share"),
    ],
)
def test_an_invalid_plan_is_refused_at_its_field(wrong, field):
    made = delivery()
    lead = cast.signed_in(made.lead)
    sent = {"name": "A", "question": "tone", "auditors": [made.auditors[0].username]}

    page = lead.post(f"/p/{made.project.slug}/audits/new/", drawn_form(made, **wrong))
    answer = lead.post(
        f"/api/v1/projects/{made.project.slug}/audits/", sent | wrong, content_type="application/json"
    )

    assert page.status_code == answer.status_code == 400
    assert list(page.context["form"].errors) == [field]
    [at_field] = answer.json()["errors"]
    assert at_field["field"] == field
    assert [at_field["detail"]] == page.context["form"].errors[field]


def test_a_right_label_with_a_severity_is_refused():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    lead = cast.signed_in(made.lead)
    row = next(each.row for each in read_audit(audit).labels if each.is_wrong)
    given = {"verdict": "right", "severity": "major"}

    page = lead.post(page_of(audit, "review", str(row.pk)), given, follow=True)
    answer = lead.put(
        f"/api/v1/projects/{audit.project.slug}/audit/labels/{row.pk}/verdict/",
        given,
        content_type="application/json",
    )

    assert [message.level_tag for message in page.context["messages"]] == ["warning"]
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "severity")
    row.refresh_from_db()
    assert (row.verdict, row.severity) == ("", "")


def test_reviewers_see_no_names_of_those_who_gave_the_labels():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    reviewer = cast.member(audit.project, Membership.Role.ADJUDICATOR, username="rita")
    client = cast.signed_in(reviewer)
    row = next(each.row for each in read_audit(audit).labels if each.is_wrong)

    result, differences = client.get(page_of(audit)), client.get(page_of(audit, "review"))
    saved = client.post(
        page_of(audit, "review", str(row.pk)) + "?show=all", {"verdict": "wrong", "severity": "minor"}
    )

    for page in (result, differences):
        assert page.status_code == 200
        assert not any(name in page.content.decode() for name in ("ann", "ben"))
    assert saved["Location"] == page_of(audit, "review") + "?show=all"
    assert row.item.content[0]["value"] in differences.content.decode()
    row.refresh_from_db()
    assert (row.verdict, row.severity, row.reviewed_by) == ("wrong", "minor", reviewer)
    assert client.get(page_of(audit) + "files/audit-labels.csv").status_code == 403
    assert Event.objects.filter(kind="audit_reviewed", project_id=audit.project_id).count() == 1


def test_members_with_the_role_of_auditor_see_differences_and_cannot_review_them():
    made = delivery()
    audit = opened(made, n="40")
    label(audit)
    reader = cast.signed_in(cast.member(audit.project, Membership.Role.AUDITOR, username="rae"))
    row = next(each.row for each in read_audit(audit).labels if each.is_wrong)

    page = reader.get(page_of(audit, "review"))

    assert page.context["rows"]
    assert page.context["may_review"] is False
    assert b'name="verdict"' not in page.content
    assert reader.post(page_of(audit, "review", str(row.pk)), {"verdict": "right"}).status_code == 403
    assert cast.signed_in(made.lead).get(page_of(audit, "review")).content.count(b'name="verdict"')


def test_a_lead_who_audits_is_blind_until_the_round_is_closed():
    made = delivery()
    made.auditors[:] = [made.lead]
    audit = opened(made, n="10")
    lead = cast.signed_in(made.lead)

    assert lead.get(page_of(audit)).status_code == 403
    assert lead.get(page_of(audit, "review")).status_code == 403

    close_round(audit.project.rounds.get(), by=made.lead)
    assert lead.get(page_of(audit)).status_code == 200


def test_a_second_sample_is_assigned_on_the_page():
    made = delivery(n_items=200)
    audit = opened(made, aim="decide", sampling="double", acceptable="0.05", rejectable="0.2", n=None)
    plan = audit.plan["looks"]
    # As many wrong as leave the first sample undecided.
    wrong = iter([True] * (plan[0][1] + 1) + [False] * 10_000)
    given = {}
    for each in audit.labels.filter(unit__lt=plan[0][0]).order_by("unit"):
        given.setdefault(each.item_id, []).append(each.given)
    says = {}
    for item, values in given.items():
        other = {"good": "bad", "bad": "good"}
        says[item] = (
            other[values[0]] if len(set(values)) == 1 and len(values) == 1 and next(wrong) else values[0]
        )
    label(audit, lambda item, rater: says[item.pk])
    lead = cast.signed_in(made.lead)
    before = lead.get(page_of(audit))
    assert before.context["result"].decision.accepts is None
    assert before.context["may_draw_second"]

    stranger = cast.person("nobody", unique=True)
    lead.post(page_of(audit, "assign"), {"auditors": [stranger.pk]})
    assert audit.project.items.filter(assignments=None).exists()
    assert stranger not in lead.get(page_of(audit)).context["auditors"]
    answer = lead.post(page_of(audit, "assign"), {"auditors": [made.auditors[0].pk]})

    assert answer.status_code == 302
    assert not audit.project.items.filter(assignments=None).exists()
    assert list(audit.project.rounds.values_list("key", flat=True)) == ["Audit", "Second sample"]


def test_labels_are_exported():
    made = delivery()
    audit = opened(made, n="20", double_share="50")
    label(audit)

    file = cast.signed_in(made.lead).get(page_of(audit) + "files/audit-labels.csv")

    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    assert len(rows) == 20
    assert {row["probability"] for row in rows} == {"0.25"}
    assert {(row["given"], row["state"]) for row in rows} == {("good", "right"), ("bad", "wrong")}


def test_a_project_that_is_no_audit_has_no_such_page():
    made = delivery()
    lead = cast.signed_in(made.lead)

    for path in ("audit/", "audit/review/", "audit/certificates/1/"):
        assert lead.get(f"/p/{made.project.slug}/{path}").status_code == 404
    assert Assignment.objects.filter(item__project=made.project).count() == 0


def test_programs_draw_read_review_and_certify():
    made = delivery()
    lead = cast.signed_in(made.lead)
    sent = {
        "name": "By a program",
        "question": "tone",
        "aim": "estimate",
        "n": 20,
        "stratify_by": "given",
        "allocation": "equal",
        "auditors": [user.username for user in made.auditors],
        "attribute": "vendor",
        "value": "Bolt",
    }
    made_url = f"/api/v1/projects/{made.project.slug}/audits/"

    drawn = lead.post(made_url, sent, content_type="application/json")

    assert drawn.status_code == 201, drawn.content
    assert (drawn.json()["n_labels"], drawn.json()["n_drawn"]) == (40, 20)
    audit = made.project.audits.get()
    assert [each["project"] for each in lead.get(made_url).json()] == [audit.project.slug]
    lead.post(page_of(audit, "open"))
    label(audit)
    url = f"/api/v1/projects/{audit.project.slug}/audit/"
    found = lead.get(url).json()
    assert found["result"]["n_audited"] == 20
    assert found["result"]["share"]["value"] == pytest.approx(0.25)
    labels = lead.get(url + "labels/", {"page_size": 5}).json()
    assert (labels["count"], len(labels["results"])) == (20, 5)
    wrong = next(each for each in lead.get(url + "labels/").json()["results"] if each["state"] == "wrong")
    reviewed = lead.put(
        f"{url}labels/{wrong['id']}/verdict/", {"verdict": "right"}, content_type="application/json"
    )
    assert (reviewed.json()["state"], reviewed.json()["verdict"]) == ("right", "right")
    certificate = lead.post(url + "certificates/").json()
    assert certificate["is_current"]
    assert digest_of(certificate["content"]) == certificate["digest"]
    [listed] = lead.get(url + "certificates/").json()["results"]
    assert (listed["id"], listed["digest"], "content" in listed) == (
        certificate["id"],
        certificate["digest"],
        False,
    )
    assert lead.get(f"{url}certificates/{certificate['id']}/").json() == certificate
    assert {each["rater"] for each in certificate["content"]["labels"]} == {"rater-1"}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"question": "none"}, "no_such_question"),
        ({"auditors": ["nobody"]}, "no_such_member"),
        ({"auditors": []}, "min_length"),
        ({"n": 81}, "audit_refused"),
        ({"attribute": "vendor"}, "invalid"),
        ({"size": 3}, "unknown_field"),
        ({"aim": "decide", "acceptable": 0.4, "rejectable": 0.2}, "invalid"),
    ],
)
def test_what_a_program_cannot_draw_is_refused(more, code):
    made = delivery()
    sent = {
        "name": "A",
        "question": "tone",
        "aim": "estimate",
        "n": 5,
        "auditors": [made.auditors[0].username],
    }

    answer = cast.signed_in(made.lead).post(
        f"/api/v1/projects/{made.project.slug}/audits/", sent | more, content_type="application/json"
    )

    assert (answer.status_code, answer.json()["error"]) == (400, code)
    assert not made.project.audits.exists()
