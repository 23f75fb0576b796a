"""A reference is not a rater in overall figures unless a report is requested in which it counts."""

from dataclasses import dataclass
from functools import cache

import pytest

from projects.models import Project, Question
from raters.linking.actions import change_kind
from raters.models import Label, Rater, User
from reports.models import QuestionAgreement, Report
from reports.pictures.bars import bars_of
from reports.store.included_raters import counted_in, raters_words
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.drawn import words
from tests.reports.looking import led_by, question_page, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets

KEYS = ("single", "sets", "size")
LABELS = ["xyz", "xxy", "yyx", "zzx", "zyx", "yxz", "xxz", "zzy", " yz", "  y", "  z"]
SETS = [["a", "a", "b"], ["ab", "b", ""], ["", "a", "ab"], ["b", "b", "a"], [None, None, "a"]]
NUMBERS = [[1.0, 2.0, 9.0], [4.0, 4.5, 1.0], [7.0, 6.0, 2.0], [None, 3.0, 8.0], [None, None, 5.0]]
# What is of all raters whoever counts: pairs that look like a mistake, and each rater's own use of the categories.
OF_EVERYONE = {"checks", "distributions", "counted"}


@dataclass(frozen=True)
class Asked:
    """plain: as by default; with_all: the reference counts; without: asked for when its labels were gone."""

    project: Project
    lead: User
    plain: Report
    with_all: Report
    without: Report


def labeled() -> Project:
    """r0 and r1 label three questions, and r2, the reference, says something else, on more items than they."""
    project = cast.new_project("Kinds", unique=True)
    single = new_question(project, key="single", categories="xyz")
    sets = new_question(project, key="sets", kind="multiple", categories="ab", position=1)
    size = Question.objects.create(project=project, key="size", kind="number", level="interval", position=2)
    rows = [
        (f"i{place:03}", f"r{rater}", answer)
        for place, row in enumerate(LABELS)
        for rater, answer in enumerate(row)
        if answer != " "
    ]
    add_labels(single, rows)
    add_sets(sets, [[None if answer is None else list(answer) for answer in row] for row in SETS])
    add_numbers(size, NUMBERS)
    gold = Rater.objects.get(project=project, key="r2")
    # Gold could not tell of one item, which nobody else has.
    Label.objects.filter(rater=gold, question=single, item__key="i010").update(
        category=None, is_abstention=True
    )
    Rater.objects.filter(pk=gold.pk).update(kind=Rater.Kind.REFERENCE)
    return project


@cache
def asked() -> Asked:
    project = labeled()
    lead = cast.person("lena", unique=True)
    led_by(lead, project)
    plain = finished_report(project, lead)
    with_all = finished_report(project, lead, counted=["reference", "human", "model"])
    Label.objects.filter(rater__project=project, rater__key="r2").delete()
    return Asked(project, lead, plain, with_all, finished_report(project, lead))


@pytest.fixture
def asked_world(committed_db):
    return asked()


def of(report: Report, key: str) -> QuestionAgreement:
    return report.questions.select_related("report__project", "question").get(question__key=key)


def of_all(found: QuestionAgreement) -> tuple:
    statistics = {name: each for name, each in found.statistics.items() if name not in OF_EVERYONE}
    return found.coefficients, statistics


def names_in(found: QuestionAgreement) -> set[str]:
    """But those of incomplete designs: everybody may be one where people alone are not."""
    return {name for name in found.coefficients if not name.endswith("_reml")}


@pytest.mark.parametrize("key", KEYS)
def test_figures_of_all_are_those_without_the_labels_of_the_reference(asked_world, key):
    plain, without, with_all = (
        of(each, key) for each in (asked_world.plain, asked_world.without, asked_world.with_all)
    )

    assert of_all(plain) == of_all(without)
    assert of_all(plain) != of_all(with_all)
    assert names_in(plain) == names_in(with_all)


@pytest.mark.parametrize("key", KEYS)
def test_the_reference_stays_in_the_pairs(asked_world, key):
    plain, with_all = of(asked_world.plain, key), of(asked_world.with_all, key)

    figures = [
        list(each.pairs.order_by("rater_a", "rater_b").values_list("n", "kappa", "figures"))
        for each in (plain, with_all)
    ]

    assert plain.n_pairs == with_all.n_pairs == 3
    assert figures[0] == figures[1]


def test_the_report_names_who_counts_and_their_number_of_labels(asked_world):
    plain, with_all = (
        counted_in(of(asked_world.plain, "single")),
        counted_in(of(asked_world.with_all, "single")),
    )

    assert plain.words == "2 raters, excluding the reference"
    assert (plain.n_items, plain.n_labels, plain.n_abstentions) == (9, 17, 0)
    assert with_all.words == "3 raters, including the reference"
    assert (with_all.n_items, with_all.n_labels, with_all.n_abstentions) == (10, 27, 1)


def test_reports_in_which_others_count_are_others_and_verify(asked_world):
    assert len({asked_world.plain.pk, asked_world.with_all.pk, asked_world.without.pk}) == 3
    assert asked_world.plain.options["counted"] == []
    assert asked_world.with_all.options["counted"] == ["human", "model", "reference"]
    assert [verify(each) for each in (asked_world.plain, asked_world.with_all)] == [[], []]


def test_with_one_rater_and_the_reference_the_pair_is_shown(client, lead):
    project = led_by(lead, cast.new_project("One rater", unique=True))
    question = new_question(project, categories=("cat", "dog"))
    add_labels(question, from_table([[22, 9], [7, 13]], ["cat", "dog"]))
    Rater.objects.filter(project=project, key="B").update(kind=Rater.Kind.REFERENCE)
    report = finished_report(project, lead)
    found = report.questions.get()

    shown = text_of(question_page(client, report))

    assert {each["reason"] for each in found.coefficients.values()} == {"too_few_counted"}
    assert found.statistics["consensus"]["majority_vote"]["n_decided"] == 0
    assert found.pairs.get().kappa == pytest.approx(0.353407, abs=1e-6)
    assert "1 rater, excluding the reference" in shown
    assert "A and B: Agreement is below the criterion: Cohen’s κ = 0.35" in shown
    assert "compute a report that also includes the reference" in shown
    assert verify(report) == []


def test_pages_say_of_whom_spread_means_and_bars_are(client, asked_world):
    client.force_login(asked_world.lead)
    agreement = of(asked_world.plain, "single")

    shown = text_of(question_page(client, asked_world.plain))
    bars = bars_of(StoredResult.of(agreement))

    assert "Overall coefficients are based on 2 raters, excluding the reference." in shown
    assert "means: excluding the reference" in shown
    assert bars is not None
    named = [word for word in words(bars) if word in {"all raters", "r0", "r1", "r2", "17"}]
    assert named == ["all raters", "r0", "r1", "r2", "17"]


@pytest.mark.parametrize(
    ("kinds", "n_left_out", "n_references", "words"),
    [
        (["human", "model"], 0, 0, "1,200 raters"),
        (["human", "model"], 2, 0, "1,200 raters, excluding the references"),
        (["human", "reference"], 1, 1, "1,200 raters, excluding models"),
        (["model", "reference"], 3, 1, "1,200 raters, excluding people"),
        (["human"], 2, 0, "1,200 raters, people only"),
        (["human", "model", "reference"], 0, 2, "1,200 raters, including 2 references"),
    ],
)
def test_words_say_without_whom(kinds, n_left_out, n_references, words):
    assert raters_words(1200, kinds, n_left_out=n_left_out, n_references=n_references) == words


def test_people_lead_where_there_are_two_and_models_are_compared_with_them(lead):
    project = led_by(lead, cast.new_project("People and models", unique=True))
    question = new_question(project, categories=("cat", "dog"))
    labels = {"ann": "ccddc", "ben": "cdddc", "gpt": "ddccd"}
    add_labels(
        question,
        [
            (f"i{place}", key, {"c": "cat", "d": "dog"}[each])
            for key, row in labels.items()
            for place, each in enumerate(row)
        ],
    )
    Rater.objects.filter(project=project, key="gpt").update(kind="model")

    people, both = finished_report(project, lead), finished_report(project, lead, counted=["human", "model"])

    assert counted_in(of(people, question.key)).words == "2 raters, people only"
    # By hand: the people agree on 4 of 5 items; the model differs from ann on all five and from ben on four.
    assert of(people, question.key).coefficients["percent_agreement"]["value"] == pytest.approx(4 / 5)
    assert of(both, question.key).coefficients["percent_agreement"]["value"] == pytest.approx(
        (4 + 0 + 1) / 15
    )
    assert of(people, question.key).n_pairs == 3


def test_a_rater_who_became_a_reference_is_left_out_of_the_next_report(committed_db):
    project = labeled()
    lead = cast.person("lena", unique=True)
    led_by(lead, project)
    client = cast.signed_in(lead)
    Rater.objects.filter(project=project).update(kind=Rater.Kind.HUMAN)
    before = finished_report(project, lead, reference="r2")
    single = before.questions.get(question__key="single")
    address = f"{before.get_absolute_url()}{single.question_id}/"
    page_before = client.get(address).context

    change_kind(project.raters.get(key="r2"), Rater.Kind.REFERENCE, by=lead)
    page_after = client.get(address).context
    after = finished_report(project, lead, reference="r2")

    assert before.pk != after.pk
    assert (page_before["has_changed"], page_after["has_changed"]) == (False, True)
    assert page_before["counted_reference"] == "r2"
    assert counted_in(single).words == "3 raters"
    assert (
        counted_in(after.questions.get(question__key="single")).words == "2 raters, excluding the reference"
    )
    assert client.get(f"{after.get_absolute_url()}{single.question_id}/").context["counted_reference"] == ""
    assert verify(before) == []
