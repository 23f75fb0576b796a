"""Findings on the page of a question: in words, with the items behind them, or that there are none."""

import random
import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Membership, Project, Round
from raters.models import Label
from reports.analysis.results import Finding
from reports.exports.finding_rows import finding_rows
from reports.models import FindingNote
from reports.results.finding_words import FindingWords
from reports.store.stored_result import StoredResult
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, question_page, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.sharing.reader import shared


def report_of(lead, **raters: list[str]):
    project = led_by(lead, cast.new_project("Found", unique=True))
    rows = [
        (f"item-{place:03}", rater, label)
        for rater, labels in raters.items()
        for place, label in enumerate(labels)
    ]
    add_labels(new_question(project, categories=("yes", "no")), rows)
    return finished_report(project, lead)


def test_a_rater_who_differs_is_reported_with_effect_and_items(client, lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)

    page = question_page(client, report)

    shown = text_of(page)
    assert "dora labels differently from the others" in shown
    assert "“yes” on 100% of items, the others on 50% of the same items (+50 points" in shown
    # Observed .75, chance 34/64, as worked out in `test_findings`.
    assert "Without dora, Fleiss’ κ would be 1.00 instead of 0.47 (+0.53" in shown
    [address] = re.findall(
        r'href="([^"]*/items/\?in=dispute)"[^>]*>Items on which dora', page.content.decode()
    )
    assert "30 items" in text_of(client.get(address))


def test_a_gain_too_small_for_two_digits_has_a_third(lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    result = StoredResult.of(report.questions.get())
    found = result.figures.findings
    small = replace(
        found.found[0], before=0.9662, after=0.9741, difference=0.0079, ci_low=0.0011, ci_high=0.0147
    )

    gain = FindingWords(result, found).of(small).gain

    assert "0.974 instead of 0.966 (+0.008" in gain
    assert "[0.001, 0.015]" in gain


def test_corrections_that_would_lower_agreement_are_only_counted(client, lead, monkeypatch):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    n = len(report.questions.get().result.findings.found)
    key = report.project.questions.get().key
    address = reverse("api_report_findings", args=[report.project.slug, report.pk, key])
    monkeypatch.setattr(Finding, "is_loss", property(lambda each: True))

    shown = text_of(question_page(client, report))
    found = client.get(address).json()

    assert f"Nothing to correct. {n} finding" in shown
    assert "whose correction would lower agreement" in shown
    assert "dora labels differently" not in shown
    assert (found["found"], found["n_tested"] > 0) == ([], True)
    assert not list(finding_rows(report.questions.all()))
    assert report.questions.get().result.findings.found, "what is stored stays"


def test_chance_agreement_is_called_chance(client, lead):
    chance = random.Random(5)
    report = report_of(
        lead, **{name: [chance.choice(["yes", "no"]) for _ in range(40)] for name in ("ana", "ben", "cleo")}
    )

    assert 'data-findings="none"' in question_page(client, report).content.decode()


def test_the_items_on_which_all_differ_are_listed(client, lead):
    project = led_by(lead, cast.new_project("Scattered", unique=True))
    every = ("yes", "no", "maybe")
    rows = [
        (f"item-{place:03}", rater, every[(place + (column if place < 20 else 0)) % 3])
        for column, rater in enumerate(("ana", "ben", "cleo"))
        for place in range(100)
    ]
    add_labels(new_question(project, categories=every), rows)
    report = finished_report(project, lead)

    page = question_page(client, report)

    assert "No two raters agree on 20 items" in text_of(page)
    [address] = re.findall(r'href="([^"]*\?in=scattered)"', page.content.decode())
    assert "20 items" in text_of(client.get(address))


def test_numbers_have_findings(client, lead):
    chance = random.Random(3)
    project = led_by(lead, cast.new_project("Numbers found", unique=True))
    truths = [chance.gauss(50, 10) for _ in range(60)]
    values = [[round(truth + more + chance.gauss(0, 2), 1) for more in (0, 0, 8)] for truth in truths]
    add_numbers(new_question(project, kind="number", level="interval", categories=()), values)
    report = finished_report(project, lead)

    page = question_page(client, report)

    assert "r2 rates higher than the others" in text_of(page)
    [address] = re.findall(
        r'href="([^"]*/items/\?in=compared)"[^>]*>Items by how far r2', page.content.decode()
    )
    assert "60 items" in text_of(client.get(address))


def test_sets_have_findings(client, lead):
    chance = random.Random(4)
    project = led_by(lead, cast.new_project("Sets found", unique=True))
    truths = [[key for key in ("a", "b") if chance.random() < 0.5] for _ in range(60)]
    rows = [[truth, truth, [*truth, "c"] if place < 12 else truth] for place, truth in enumerate(truths)]
    add_sets(new_question(project, kind="multiple", categories=("a", "b", "c")), rows)
    report = finished_report(project, lead)

    page = question_page(client, report)

    assert "Only r2 chooses “c”" in text_of(page)
    [address] = re.findall(r'href="([^"]*/items/\?has=c)"[^>]*>Items with', page.content.decode())
    assert "12 items" in text_of(client.get(address))


@pytest.mark.parametrize("kind", ["single", "multiple", "number"])
def test_raters_are_ranked_and_marked(client, lead, kind):
    chance = random.Random(6)
    project = led_by(lead, cast.new_project(f"Ranked {kind}", unique=True))
    rows = [[chance.choice("ab")] * 3 + [chance.choice("ab")] for _ in range(80)]
    if kind == "number":
        add_numbers(
            new_question(project, kind=kind, categories=()),
            [["ab".index(each) for each in row] for row in rows],
        )
    elif kind == "multiple":
        add_sets(new_question(project, kind=kind, categories=("a", "b")), rows)
    else:
        labels = [
            (f"i{i}", f"r{place}", each) for i, row in enumerate(rows) for place, each in enumerate(row)
        ]
        add_labels(new_question(project, categories=("a", "b")), labels)
    report = finished_report(project, lead)

    page = client.get(f"{question_page(client, report).request['PATH_INFO']}raters/")

    [first, *_] = re.findall(r'<th scope="row"><a[^>]*>(r\d)</a>', page.content.decode())
    assert first == "r3"
    assert "significantly lower" in text_of(page)
    assert page.content.decode().count("data-flag") >= 1
    # These numbers have no order, so that they are equal or not.
    assert "(points)" in text_of(page)
    [address, *_] = re.findall(r'href="([^"]*/items/\?in=compared)"', page.content.decode())
    assert "80 items" in text_of(client.get(address))


def test_a_note_stays_with_the_finding_in_the_next_report(client, lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    question = report.questions.get().question_id
    where = f"/p/{report.project.slug}/agreement/{report.pk}/{question}/findings/note/"
    finding = report.questions.get().result.findings.found[0].identity

    sent = client.post(where, {"finding": finding, "text": "Dora <met> us on Monday."})
    add_labels(report.project.questions.get(), [("item-000", "eve", "yes")])
    later = finished_report(report.project, lead)

    assert sent.status_code == 302
    for each in (report, later):
        page = question_page(client, each)
        assert "<q>Dora &lt;met&gt; us on Monday.</q>" in page.content.decode()
        assert lead.username in text_of(page)
    assert client.post(where, {"finding": finding, "text": " "}).status_code == 302
    assert client.post(where, {"finding": "[]", "text": "Nothing."}).status_code == 404
    assert FindingNote.objects.filter(question=question).count() == 1


def test_the_api_has_findings_with_notes_and_what_became_of_earlier_ones(client, lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    question = report.project.questions.get()
    identity = report.questions.get().result.findings.found[0].identity
    add_labels(question, [("item-000", "eve", "yes")])
    later = finished_report(report.project, lead)
    first, second = (
        reverse("api_report_findings", args=[report.project.slug, each.pk, question.key])
        for each in (report, later)
    )

    noted = client.post(
        f"{first}notes/", {"identity": identity, "text": " Met us. "}, content_type="application/json"
    )
    unknown = client.post(f"{first}notes/", {"identity": "[]", "text": "x"}, content_type="application/json")
    empty = client.post(
        f"{first}notes/", {"identity": identity, "text": " "}, content_type="application/json"
    )
    of_first, of_second = client.get(first).json(), client.get(second).json()

    assert (noted.status_code, unknown.status_code, empty.status_code) == (201, 404, 400)
    assert (noted.json()["text"], noted.json()["written_by"]) == ("Met us.", lead.username)
    for shown in (of_first, of_second):
        [found] = [each for each in shown["found"] if each["identity"] == identity]
        assert (found["kind"], found["raters"]) == ("rater", ["dora"])
        assert found["title"] == "dora labels differently from the others"
        assert found["gain"].startswith("Without dora")
        assert [note["text"] for note in found["notes"]] == ["Met us."]
    assert of_first["followed"] is None
    assert of_second["followed"]["report"] == report.pk
    assert {"identity": identity, "is_found": True}.items() <= of_second["followed"]["findings"][0].items()


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [
        (Membership.Role.ADJUDICATOR, 200, 302),
        (Membership.Role.AUDITOR, 200, 403),
        (Membership.Role.RATER, 404, 404),
    ],
)
def test_who_sees_the_report_reads_notes_and_who_asks_for_reports_writes_them(lead, role, reads, writes):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    agreement = report.questions.get()
    finding = agreement.result.findings.found[0].identity
    FindingNote.objects.create(question=agreement.question, finding=finding, text="Seen.", written_by=lead)
    # Where names are hidden, adjudicators write no notes: they could name raters by letters.
    Project.objects.filter(pk=report.project_id).update(adjudicators_see_names=True)
    own = cast.signed_in(cast.member(report.project, role, username="mia", unique=True))
    where = f"/p/{report.project.slug}/agreement/{report.pk}/{agreement.question_id}/"

    page = own.get(where)

    assert (page.status_code, "Seen." in page.content.decode()) == (reads, reads == 200)
    assert ("Add a note" in page.content.decode()) == (writes == 302)
    assert own.post(f"{where}findings/note/", {"finding": finding, "text": "Mine."}).status_code == writes


def test_notes_are_not_shared_by_a_link(lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    agreement = report.questions.get()
    finding = agreement.result.findings.found[0].identity
    FindingNote.objects.create(
        question=agreement.question, finding=finding, text="Between us.", written_by=lead
    )

    _, address = shared(report, names=True)
    page = Client().get(f"{address}p/{report.project.slug}/agreement/{report.pk}/{agreement.question_id}/")

    assert "dora labels differently from the others" in text_of(page)
    assert "Between us." not in page.content.decode()
    assert "Add a note" not in page.content.decode()


@pytest.mark.parametrize(("n_alike", "is_listed"), [(29, False), (20, True)])
def test_a_round_in_which_agreement_fell_is_one_test_more_of_all_findings(client, lead, n_alike, is_listed):
    project = led_by(lead, cast.new_project("Fell", unique=True))
    question = new_question(project, categories=("yes", "no"))
    for place, (key, alike) in enumerate((("first", 38), ("second", n_alike))):
        round_ = Round.objects.create(project=project, key=key, position=place)
        truth = ["yes", "no"] * 20
        other = [*truth[:alike], *("no" if answer == "yes" else "yes" for answer in truth[alike:])]
        rows = [
            (f"{key}-{item:02}", rater, answer)
            for rater, labels in (("ana", truth), ("ben", other))
            for item, answer in enumerate(labels)
        ]
        add_labels(question, rows)
        Label.objects.filter(question=question, item__key__startswith=key).update(round=round_)
    report = finished_report(project, lead)

    page = question_page(client, report)

    # Among the rounds alone both changes are beyond chance.
    leading = next(row for row in page.context["rounds_overview"].rows if row.leads)
    assert leading.step.is_beyond_chance
    assert (b'data-finding="round"' in page.content) == is_listed


def test_the_next_report_says_what_became_of_a_finding(client, lead):
    truth = ["yes", "no"] * 30
    report = report_of(lead, ana=truth, ben=truth, cleo=truth, dora=["yes"] * 60)
    question = report.project.questions.get()
    # Of 30 items that dora got wrong, 20 are put right.
    no = question.categories.get(key="no")
    wrong = Label.objects.filter(question=question, rater__key="dora").order_by("item__key")[1:40:2]
    for label in wrong:
        label.category, label.revision = no, label.revision + 1
        label.save()

    page = question_page(client, finished_report(report.project, lead))

    followed = page.context["followed"].findings[0]
    assert followed.title == "dora labels differently from the others"
    # 30 and 10 of 60; 20 items fell by 1: SE sqrt(40 / 3 / (60 * 59)) = .06137, t(59) 2.00100.
    assert followed.words == (
        "Labels of others that differ from theirs: 50% then, 17% now (−33 points, 95% CI −46 to −21, paired on 60"
        " shared items)."
    )
    assert followed.is_found == ("dora labels differently" in text_of(page).split("What became of")[0])
    assert question_page(client, report).context["followed"] is None


def test_a_confusion_is_followed_item_by_item(client, lead):
    project = led_by(lead, cast.new_project("Followed", unique=True))
    question = new_question(project, categories=("red", "pink", "blue"))
    chance = random.Random(3)
    rows = []
    for place in range(90):
        truth = ("red", "pink", "blue")[place % 3]
        for rater in ("ana", "ben", "cleo"):
            answer = truth if truth == "blue" else chance.choice(["red", "pink"])
            rows.append((f"item-{place:03}", rater, answer))
    add_labels(question, rows)
    finished_report(project, lead)
    pink, red = (question.categories.get(key=key) for key in ("pink", "red"))
    Label.objects.filter(question=question, category=pink).update(category=red, revision=2)

    page = question_page(client, finished_report(project, lead))

    followed = next(each for each in page.context["followed"].findings if "are confused" in each.title)
    assert not followed.is_found
    assert followed.words.startswith("Pairs of labels that confuse them: ")
    assert "% then, 0% now (" in followed.words
