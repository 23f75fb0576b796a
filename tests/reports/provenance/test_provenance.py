"""Verifying a report, what changed since, and links by which it is read without an account."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.logs import SecretsFilter
from projects.models import Event
from raters.models import Label
from reports.models import QuestionAgreement, Report, ReportLink
from reports.results.report_changes import changes_since
from reports.store import links, verification
from tests.finished import finished_report
from tests.reports.looking import text_of


@pytest.fixture
def report(cats_computed):
    return cats_computed


@pytest.fixture
def own_report(lead, own_cats):
    return finished_report(own_cats, lead)


def page(client, report, name="provenance", method="get", **data):
    return getattr(client, method)(reverse(name, args=[report.project.slug, report.pk]), data)


def opened(report, **more):
    """A link to the report, opened by somebody without an account."""
    link, token = links.share(report, by=report.asked_by, **more)
    return link, reverse("shared_report", args=[token])


def test_the_page_shows_the_provenance_of_the_report(client, report):
    text = text_of(page(client, report))

    assert report.digest in text
    assert f"by version {report.code_version}" in text
    assert "Nothing. A report computed now" in text


def test_the_page_shows_the_head_and_leads_to_the_history(client, report):
    shown = page(client, report).content.decode()

    report.refresh_from_db()
    assert f"<code>{report.head_position}:{report.head_digest}</code>" in shown
    assert f'href="{reverse("project_history", args=[report.project.slug])}"' in shown


def test_verify_says_yes_even_after_labels_changed(client, own_report):
    Label.objects.filter(question__project=own_report.project).first().delete()

    answer = page(client, own_report, "verify", "post")

    assert "Verified: every figure of this report was recomputed" in text_of(answer)


def test_verify_says_no_of_a_figure_that_was_altered(client, report):
    agreement = report.questions.get()
    agreement.coefficients["fleiss_kappa"]["value"] = 0.99
    QuestionAgreement.objects.filter(pk=agreement.pk).update(coefficients=agreement.coefficients)

    answer = page(client, report, "verify", "post")
    api = client.post(reverse("api_report_verify", args=[report.project.slug, report.pk])).json()

    assert "Not verified: this report differs" in text_of(answer)
    assert api["is_same"] is False
    assert "fleiss_kappa" in api["differences"][0]


def test_verify_says_what_of_an_earlier_report_it_did_not_compare(client, report):
    agreement = report.questions.get()
    agreement.coefficients["percent_agreement"] |= {"ci_low": -5.853, "interval_method": "t over items"}
    QuestionAgreement.objects.filter(pk=agreement.pk).update(coefficients=agreement.coefficients)
    Report.objects.filter(pk=report.pk).update(code_version="0.1.0")

    answer = page(client, report, "verify", "post")
    api = client.post(reverse("api_report_verify", args=[report.project.slug, report.pk])).json()

    assert (api["is_same"], len(api["not_compared"])) == (True, 8)
    assert "data-not-compared" in answer.content.decode()


def test_verify_says_no_of_another_digest(client, report):
    Report.objects.filter(pk=report.pk).update(digest="0" * 64)

    api = client.post(reverse("api_report_verify", args=[report.project.slug, report.pk])).json()

    assert api["differences"] == ["The digest of the labels differs from the report's."]


def test_a_large_report_is_left_to_the_command(monkeypatch, client, report):
    monkeypatch.setattr(verification, "MAX_LABELS", 10)

    answer = client.post(reverse("verify", args=[report.project.slug, report.pk]), follow=True)
    api = client.post(reverse("api_report_verify", args=[report.project.slug, report.pk]))

    assert f"manage.py verify_report {report.pk}" in text_of(answer)
    assert api.status_code == 413


def test_new_changed_and_withdrawn_labels_are_counted(client, own_report):
    first, second, *_ = Label.objects.filter(question__project=own_report.project).order_by("pk")
    second.category = first.question.categories.get(key="dog")
    second.save(update_fields=["category"])
    first.delete()

    assert changes_since(own_report).labels == ["answer: labels changed 1, withdrawn 1."]
    assert "answer: labels changed 1, withdrawn 1." in text_of(page(client, own_report))


def test_changes_of_the_codebook_are_listed(own_report):
    question = own_report.project.questions.get()
    question.categories.filter(key="cat").update(name="Cat")
    question.categories.create(key="fox", position=5)
    type(question).objects.filter(pk=question.pk).update(level="ordinal")

    assert changes_since(own_report).codebook == [
        "answer: level changed from nominal to ordinal.",
        "answer: name of category cat changed.",
        "answer: category fox was added.",
    ]


def test_another_version_is_reported(settings, report):
    settings.VERSION = "9.9"

    assert changes_since(report).program == [f"Software version: {report.code_version} → 9.9."]


def test_the_api_tells_what_changed(client, own_report):
    Label.objects.filter(question__project=own_report.project).first().delete()

    found = client.get(reverse("api_report_changes", args=[own_report.project.slug, own_report.pk])).json()

    assert found == {
        "has_changed": True,
        "labels": ["answer: labels withdrawn 1."],
        "items": [],
        "codebook": [],
        "program": [],
        "since_before": None,
    }


def test_a_link_shows_the_report_without_an_account_or_a_cookie(client, report):
    answer = page(client, report, "report_share", "post", days=3, note="the editor")
    address = address_in(client.get(answer["Location"]))

    anonymous = Client()
    shown = anonymous.get(address)

    assert shown.status_code == 200
    assert "Cohen’s kappa was 0.35" in text_of(shown)
    assert not shown.cookies
    assert shown["Referrer-Policy"] == "no-referrer"
    assert "noindex" in shown["X-Robots-Tag"]
    assert "no-store" in shown["Cache-Control"]


def address_in(response) -> str:
    return response.content.decode().partition('readonly value="')[2].partition('"')[0]


def test_the_link_is_shown_once_and_a_reload_makes_no_second(client, report):
    answer = page(client, report, "report_share", "post", days=3)

    shown = client.get(answer["Location"])
    again = client.get(answer["Location"])

    assert (answer.status_code, report.links.count()) == (302, 1)
    assert "/r/" in address_in(shown)
    assert "no-store" in shown["Cache-Control"]
    assert address_in(again) == ""


def test_the_link_of_one_report_is_not_shown_on_the_page_of_another(client, report):
    answer = page(client, report, "report_share", "post", days=3)
    other = finished_report(report.project, report.asked_by, confidence=0.9)
    client.cookies["report_link"] = answer.cookies["report_link"].value

    shown = client.get(reverse("provenance", args=[report.project.slug, other.pk]))

    assert address_in(shown) == ""


def test_a_link_shows_no_name_of_a_rater_and_leads_nowhere(report):
    report.project.raters.filter(key="A").update(key="Annabel")
    _, address = opened(report)

    content = Client().get(address).content.decode()

    assert "Annabel" not in content
    assert "<a " not in content
    assert "<form" not in content
    assert "the editor" not in content


def test_the_token_is_kept_only_as_a_hash(report):
    link, address = opened(report)
    token = address.strip("/").split("/")[-1]

    assert link.token_hash == links.hashed(token)
    assert token not in str(list(ReportLink.objects.values())) + str(list(Event.objects.values()))


def test_an_expired_link_is_not_found(report):
    link, address = opened(report)
    ReportLink.objects.filter(pk=link.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    assert Client().get(address).status_code == 404


def test_a_revoked_link_is_not_found(client, report):
    link, address = opened(report)

    client.post(reverse("report_link_revoke", args=[report.project.slug, report.pk, link.pk]))

    assert Client().get(address).status_code == 404
    assert "revoked" in text_of(page(client, report))


@pytest.mark.parametrize("token", ["x", "x" * 43, "x" * 5000, "%00"])
def test_another_token_is_not_found(committed_db, token):
    assert Client().get(f"/r/{token}/").status_code == 404


def test_who_came_by_a_link_gets_nowhere_else(report):
    _, address = opened(report)
    visitor = Client()
    visitor.get(address)

    answers = [
        visitor.get(reverse(name, args=[report.project.slug, report.pk])).status_code
        for name in ("report", "provenance", "report_exports", "report_share")
    ]

    assert answers == [302, 302, 302, 302]
    assert visitor.post(address).status_code == 405


def test_making_opening_and_revoking_a_link_are_in_the_log(report):
    link, address = opened(report, note="the editor")
    Client().get(address)
    links.revoke(link, by=report.asked_by)
    links.revoke(link, by=report.asked_by)

    kinds = Event.objects.filter(project_id=report.project_id).order_by("pk").values_list("kind", flat=True)

    assert list(kinds) == ["report_shared", "report_link_opened", "report_link_withdrawn"]


def test_each_opening_is_counted(client, report):
    _, address = opened(report)
    Client().get(address)
    Client().get(address)

    [link] = client.get(reverse("api_report_links", args=[report.project.slug, report.pk])).json()

    assert (link["n_opened"], link["state"]) == (2, "open")


def test_the_api_makes_and_revokes_a_link(client, report):
    args = [report.project.slug, report.pk]

    made = client.post(reverse("api_report_links", args=args), {"days": 1}, content_type="application/json")
    shown = Client().get(made.json()["address"])
    gone = client.delete(reverse("api_report_link", args=[*args, made.json()["id"]]))

    assert (made.status_code, shown.status_code, gone.status_code) == (201, 200, 204)
    assert Client().get(made.json()["address"]).status_code == 404


@pytest.mark.parametrize("days", ["0", "366", "", "x"])
def test_a_link_works_for_a_day_to_a_year(client, report, days):
    answer = page(client, report, "report_share", "post", days=days)

    assert answer.status_code == 400
    assert not report.links.exists()


def test_the_log_of_the_program_never_holds_the_token(caplog, report):
    caplog.handler.addFilter(SecretsFilter())

    Client().get("/r/abcdefghijklmnopqrstuvwxyz/")

    assert "abcdefghijklmnop" not in caplog.text


def test_who_may_share_a_report_finds_it_on_its_first_page(client, report, adjudicator, stranger):
    report.project.memberships.create(user=adjudicator, role="adjudicator")
    share = f'href="{reverse("provenance", args=[report.project.slug, report.pk])}#share"'

    shown = client.get(report.get_absolute_url(), follow=True).content.decode()
    client.force_login(adjudicator)
    not_shown = client.get(report.get_absolute_url(), follow=True).content.decode()
    _, address = opened(report, choices=links.LinkChoices(opens=ReportLink.Opens.REPORT))
    read = Client().get(address, follow=True).content.decode()

    assert share in shown
    assert "#share" not in not_shown + read


def test_a_new_link_has_a_button_that_copies_it(client, report):
    shown = client.post(
        reverse("report_share", args=[report.project.slug, report.pk]), {"days": 7}, follow=True
    ).content.decode()

    assert '<input id="address" class="wide" readonly' in shown
    assert (
        '<p class="copying" hidden><button type="button" class="button copy" data-copies="address">' in shown
    )
