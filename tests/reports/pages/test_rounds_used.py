"""Which round the figures of each question use: on the first page, the shared page, provenance, and the list."""

import pytest
from django.urls import reverse

from reports.results.round_wording import round_rule
from reports.store import links
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, add_labels_in_round, new_question
from tests.reports.looking import led_by, text_of


@pytest.fixture
def project_in_rounds(lead):
    return led_by(lead, cast.new_project("Rounds in words", unique=True))


@pytest.fixture
def tone_in_rounds(project_in_rounds):
    """A question whose second round has only begun: 20 items are shared in the first, and two in the second."""
    question = new_question(project_in_rounds, key="tone", categories="xy")
    add_labels_in_round(question, "Pilot", {"a": "xyxy" * 5, "b": "xyyy" * 5})
    add_labels_in_round(question, "Round 2", {"a": "xyxy" * 5, "b": "xy"})
    return question


@pytest.fixture
def topic(project_in_rounds, tone_in_rounds):
    question = new_question(project_in_rounds, key="topic", categories="xy")
    add_labels_in_round(question, "Pilot", {"a": "xyxy" * 5, "b": "xyyy" * 5})
    add_labels_in_round(question, "Round 2", {"a": "xyxy" * 5, "b": "yyxy" * 5})
    return question


def pages_of(client, report):
    """The text of the first page, of provenance, and of the shared page."""
    args = [report.project.slug, report.pk]
    _, token = links.share(report, by=report.asked_by)
    return [
        text_of(client.get(address))
        for address in (
            reverse("report", args=args),
            reverse("provenance", args=args),
            reverse("shared_report", args=[token]),
        )
    ]


def in_list(client, project_in_rounds):
    return client.get(reverse("agreement", args=[project_in_rounds.slug]))


def test_pages_name_the_round_of_each_question_and_the_rule(client, lead, project_in_rounds, topic):
    report = finished_report(project_in_rounds, lead)

    for text in pages_of(client, report):
        assert (
            "Questions use different rounds: “tone” uses round “Pilot”; “topic” uses round “Round 2”." in text
        )
        assert round_rule() in text
    [listed] = in_list(client, project_in_rounds).context["listed"]
    assert listed.rounds == "Round “Pilot”: tone; round “Round 2”: topic"


def test_one_sentence_says_it_if_all_questions_use_one_round(client, lead, project_in_rounds, topic):
    report = finished_report(project_in_rounds, lead, rounds=["Pilot"])

    for text in pages_of(client, report):
        assert "All figures use round “Pilot”." in text
        assert "Rounds are not pooled." not in text
    [listed] = in_list(client, project_in_rounds).context["listed"]
    assert listed.rounds == "Round “Pilot”"


def test_pooled_rounds_are_called_so(client, lead, project_in_rounds, topic):
    report = finished_report(project_in_rounds, lead, pooled=True)

    for text in pages_of(client, report):
        assert "All figures use all labels, with the rounds pooled." in text


def test_a_question_asked_in_one_of_several_rounds_uses_that_one(client, lead, project_in_rounds, topic):
    other = new_question(project_in_rounds, key="other", categories="xy")
    add_labels_in_round(other, "Pilot", {"a": "xyxy", "b": "xyyy"})

    assert (
        "“tone” and “other” use round “Pilot”; “topic” uses"
        in pages_of(client, finished_report(project_in_rounds, lead))[0]
    )


def test_a_later_round_changes_nothing_in_a_report(client, lead, project_in_rounds):
    question = new_question(project_in_rounds, key="tone", categories="xy")
    add_labels(question, [(f"i{at}", rater, "x") for at in range(4) for rater in "ab"])
    report = finished_report(project_in_rounds, lead)
    args = [project_in_rounds.slug, report.pk]
    methods = reverse("report_export", args=[*args, "methods-apa.txt"])

    def texts():
        rounds = client.get(reverse("provenance", args=args)).context["rounds"]
        return rounds, b"".join(client.get(methods).streaming_content)

    before = texts()

    for key in ("Later", "Last"):
        add_labels_in_round(question, key, {"a": "xyxy" * 5, "b": "xyyy" * 5})

    assert texts() == before
    compare, filtered = (
        client.get(reverse(name, args=[*args, question.pk])).context
        for name in ("report_compare", "report_filter")
    )
    assert [*compare["sides"]] == ["all"]
    assert filtered["rounds"] == []


def test_raters_who_share_no_round_count_together(client, lead, project_in_rounds, topic):
    other = new_question(project_in_rounds, key="other", categories="xy")
    add_labels_in_round(other, "Pilot", {"a": "xyxy"})
    add_labels_in_round(other, "Round 2", {"b": "xyyy"})

    text = pages_of(client, finished_report(project_in_rounds, lead))[0]

    assert "“other” uses the labels of all rounds, because no two raters share enough items" in text


def test_the_form_states_the_rule_and_what_the_latest_report_used(client, lead, project_in_rounds, topic):
    finished_report(project_in_rounds, lead)

    text = text_of(in_list(client, project_in_rounds))

    assert "Rounds (none selected: each question uses its latest round with enough labels)" in text
    assert round_rule() in text
    assert "In the latest report: Questions use different rounds: “tone” uses round “Pilot”" in text
    assert "newest of" not in text


def test_without_rounds_nothing_is_added(client, lead, project_in_rounds):
    question = new_question(project_in_rounds, key="tone", categories="xy")
    new_question(project_in_rounds, key="topic", categories="xy")
    add_labels(question, [("i1", "a", "x"), ("i1", "b", "x")])

    first, provenance, shared = pages_of(client, finished_report(project_in_rounds, lead))

    assert "All figures use" not in first + provenance + shared
    assert "Rounds all labels" in " ".join(provenance.split())
