"""Studies of every kind of question and design, invented and seeded, each of which has a golden text."""

import random
from collections.abc import Callable, Sequence

from projects.models import Item, Membership, Project, Round
from raters.adjudication.deciding import NewDecision, decide
from raters.labeling.answers import Answer
from raters.models import Label, Rater, User
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets

Study = Callable[[User], Report]
STANCES, GRADES = ("against", "neutral", "for"), ("none", "mild", "moderate", "severe")


def _project(lead: User) -> Project:
    return led_by(lead, cast.new_project("Golden", unique=True))


def _labels(
    categories: Sequence[str], raters_of: Callable[[int], Sequence[str]], *, n_items: int, seed: int = 1
) -> list[tuple[str, str, str]]:
    """Raters say what is true in eight of ten cases. raters_of: who labels an item, by its number."""
    chance, rows = random.Random(seed), []
    for item in range(n_items):
        truth = chance.choice(categories)
        for rater in raters_of(item):
            answer = truth if chance.random() < 0.8 else chance.choice(categories)
            rows.append((f"item-{item:03}", rater, answer))
    return rows


def _numbers(
    n_items: int, n_raters: int, raters_of: Callable[[int], Sequence[int]]
) -> list[list[float | None]]:
    chance, rows = random.Random(2), []
    for item in range(n_items):
        truth = chance.gauss(50, 10)
        row: list[float | None] = [None] * n_raters
        for rater in raters_of(item):
            row[rater] = round(truth + rater + chance.gauss(0, 4), 1)
        rows.append(row)
    return rows


def nominal_two_raters(lead: User) -> Report:
    project = _project(lead)
    add_labels(
        new_question(project, key="animal", categories=("cat", "dog")),
        from_table([[22, 9], [7, 13]], ["cat", "dog"]),
    )
    return finished_report(project, lead)


def nominal_two_raters_overlapping(lead: User) -> Report:
    """A fifth of the items is labeled twice."""
    project = _project(lead)

    def who(item: int) -> Sequence[str]:
        return ("ann", "bob") if item % 5 == 0 else (("ann", "bob")[item % 2],)

    add_labels(new_question(project, key="stance", categories=STANCES), _labels(STANCES, who, n_items=150))
    return finished_report(project, lead)


def nominal_crossed(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "cem", "dee"), n_items=60))
    return finished_report(project, lead)


def nominal_rotation(lead: User) -> Report:
    """Three of eight raters label each item."""
    project = _project(lead)
    names = [f"rater-{n}" for n in range(1, 9)]
    question = new_question(project, key="stance", categories=STANCES)
    rows = _labels(STANCES, lambda item: [names[(3 * item + k) % 8] for k in range(3)], n_items=80)
    add_labels(question, rows)
    return finished_report(project, lead)


def nominal_overlapping(lead: User) -> Report:
    """Five raters; a third of the items has several labels."""
    project = _project(lead)
    names = [f"rater-{n}" for n in range(1, 6)]

    def who(item: int) -> Sequence[str]:
        return names if item % 6 == 0 else names[:3] if item % 6 == 3 else [names[item % 5]]

    add_labels(new_question(project, key="stance", categories=STANCES), _labels(STANCES, who, n_items=120))
    return finished_report(project, lead)


def nominal_with_gaps(lead: User) -> Report:
    """Four raters who skipped some items, could not tell, and relabeled one."""
    project = _project(lead)
    names = ("ann", "bob", "cem", "dee")
    question = new_question(project, key="stance", categories=STANCES)
    rows = _labels(STANCES, lambda item: [n for k, n in enumerate(names) if (item * 7 + k) % 11], n_items=50)
    add_labels(question, rows)
    unsure = Label.objects.filter(question=question, rater__key="cem").order_by("pk")[:5]
    Label.objects.filter(pk__in=[label.pk for label in unsure]).update(category=None, is_abstention=True)
    again = Label.objects.filter(question=question, rater__key="ann").order_by("-pk")[0]
    Label.objects.create(
        item=again.item, rater=again.rater, question=question, category=again.category, pass_number=2
    )
    return finished_report(project, lead)


def _cannot_tell(project: Project, *, n: int) -> None:
    """Some of the labels, of different items."""
    chosen = Label.objects.filter(question__project=project, rater__key="rater-1").order_by("pk")[:n]
    Label.objects.filter(pk__in=[label.pk for label in chosen]).update(category=None, is_abstention=True)


def crossed_cannot_tell(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("rater-1", "rater-2", "rater-3"), n_items=60))
    _cannot_tell(project, n=4)
    return finished_report(project, lead)


def rotation_cannot_tell(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    rows = _labels(STANCES, lambda item: [f"rater-{1 + (item + k) % 4}" for k in range(2)], n_items=80)
    add_labels(question, rows)
    _cannot_tell(project, n=1)
    return finished_report(project, lead)


def ordinal(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="severity", categories=GRADES, level="ordinal")
    add_labels(question, _labels(GRADES, lambda item: ("ann", "bob", "cem"), n_items=70))
    return finished_report(project, lead, interval="bca", replicates=2000, seed=7)


def ordinal_weighted_kappa(lead: User) -> Report:
    """The lead chose quadratic-weighted kappa and a criterion."""
    project = _project(lead)
    question = new_question(
        project, key="severity", categories=GRADES, level="ordinal", coefficient="cohen_kappa",
        weights="quadratic", criterion=0.7,
    )  # fmt: skip
    add_labels(question, _labels(GRADES, lambda item: ("ann", "bob"), n_items=100))
    return finished_report(project, lead)


def interval_crossed(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(question, _numbers(40, 3, lambda item: range(3)))
    return finished_report(project, lead)


def interval_with_gaps(lead: User) -> Report:
    """All but three items have a number of every rater."""
    project = _project(lead)
    question = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(question, _numbers(40, 3, lambda item: range(3) if item % 15 else range(2)))
    return finished_report(project, lead)


def ratio_rotation(lead: User) -> Report:
    """The lead chose the analysis for raters who differ from item to item."""
    project = _project(lead)
    question = new_question(
        project, key="length", categories=(), kind="number", level="ratio", coefficient="icc_1_1"
    )
    add_numbers(question, _numbers(60, 5, lambda item: [item % 5, (item + 2) % 5]))
    return finished_report(project, lead)


def interval_incomplete(lead: User) -> Report:
    """Two, three, or four of five raters judge an item, in no order."""
    project = _project(lead)
    question = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(question, _numbers(60, 5, lambda item: random.Random(item).sample(range(5), 2 + item % 3)))
    return finished_report(project, lead)


def sets(lead: User) -> Report:
    project, chance = _project(lead), random.Random(3)
    question = new_question(project, key="topics", categories=("health", "work", "money"), kind="multiple")
    rows = []
    for _ in range(60):
        truth = {topic for topic in ("health", "work", "money") if chance.random() < 0.5}
        rows.append([truth if chance.random() < 0.7 else truth ^ {"work"} for _ in range(3)])
    add_sets(question, rows)
    return finished_report(project, lead)


def with_reference(lead: User) -> Report:
    report_of = _project(lead)
    question = new_question(report_of, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "cem", "gold"), n_items=60))
    Rater.objects.filter(project=report_of, key="gold").update(kind="reference")
    return finished_report(report_of, lead)


def one_rater_and_reference(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="animal", categories=("cat", "dog"))
    add_labels(question, from_table([[22, 9], [7, 13]], ["cat", "dog"]))
    project.raters.filter(key="B").update(kind="reference")
    return finished_report(project, lead)


def with_models(lead: User) -> Report:
    """People lead; two models are compared with them."""
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "model-a", "model-b"), n_items=90))
    project.raters.filter(key__startswith="model").update(kind="model")
    return finished_report(project, lead)


def models_counted(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "model-a", "gold"), n_items=90))
    project.raters.filter(key="model-a").update(kind="model")
    project.raters.filter(key="gold").update(kind="reference")
    return finished_report(project, lead, counted=["human", "model"])


def _two_rounds(lead: User) -> Project:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "cem"), n_items=80))
    for place, key in enumerate(("pilot", "main")):
        round_ = Round.objects.create(project=project, key=key, state=Round.State.CLOSED)
        items = Item.objects.filter(project=project).order_by("key")
        chosen = items[:30] if place == 0 else items[30:]
        Label.objects.filter(item__in=[item.pk for item in chosen]).update(round=round_)
    return project


def two_rounds(lead: User) -> Report:
    return finished_report(_two_rounds(lead), lead, pooled=True)


def both_rounds_chosen(lead: User) -> Report:
    return finished_report(_two_rounds(lead), lead, rounds=["pilot", "main"], pooled=True)


def newest_of_two_rounds(lead: User) -> Report:
    """As rounds are unless somebody asks for something else."""
    return finished_report(_two_rounds(lead), lead)


def one_round_of_two(lead: User) -> Report:
    return finished_report(_two_rounds(lead), lead, rounds=["main"])


def adjudicated(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=STANCES)
    add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "cem"), n_items=60))
    adjudicator = cast.member(project, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    for item in Item.objects.filter(project=project).order_by("key")[:14]:
        decide(
            item,
            question,
            NewDecision(Answer(category="for"), reason=project.adjudication_reasons[0]),
            seen=0,
            by=adjudicator,
        )
    return finished_report(project, lead)


def declared_missing(lead: User) -> Report:
    project = _project(lead)
    question = new_question(project, key="stance", categories=(*STANCES, "unclear"))
    add_labels(question, _labels((*STANCES, "unclear"), lambda item: ("ann", "bob", "cem"), n_items=60))
    question.categories.filter(key="unclear").update(treated_as_missing=True)
    return finished_report(project, lead)


def all_alike(lead: User) -> Report:
    project = _project(lead)
    rows = [(f"i{n}", rater, "yes") for n in range(5) for rater in ("ann", "bob")]
    add_labels(new_question(project), rows)
    return finished_report(project, lead)


def full_agreement(lead: User) -> Report:
    project = _project(lead)
    rows = [(f"i{n}", rater, ("yes", "no")[n % 2]) for n in range(24) for rater in ("ann", "bob", "cem")]
    add_labels(new_question(project), rows)
    return finished_report(project, lead)


def nothing_shared(lead: User) -> Report:
    project = _project(lead)
    rows = [(f"i{n}", ("ann", "bob")[n % 2], ("yes", "no")[n % 3 % 2]) for n in range(12)]
    add_labels(new_question(project), rows)
    return finished_report(project, lead)


def three_questions(lead: User) -> Report:
    """Two are measured alike."""
    project = _project(lead)
    for place, key in enumerate(("stance", "tone")):
        question = new_question(project, key=key, categories=STANCES, position=place)
        add_labels(question, _labels(STANCES, lambda item: ("ann", "bob", "gold"), n_items=60, seed=place))
    score = new_question(project, key="score", categories=(), kind="number", level="interval", position=2)
    rows = [(f"item-{item:03}", *row) for item, row in enumerate(_numbers(30, 2, lambda item: range(2)))]
    items = dict(Item.objects.filter(project=project).values_list("key", "pk"))
    raters = dict(Rater.objects.filter(project=project).values_list("key", "pk"))
    for key, a, b in rows:
        for rater, number in (("ann", a), ("bob", b), ("gold", a)):
            Label.objects.create(item_id=items[key], rater_id=raters[rater], question=score, number=number)
    project.raters.filter(key="gold").update(kind="reference")
    return finished_report(project, lead)


STUDIES: dict[str, Study] = {
    study.__name__: study
    for study in (
        nominal_two_raters, nominal_two_raters_overlapping, nominal_crossed, nominal_rotation, nominal_overlapping,
        nominal_with_gaps, crossed_cannot_tell, rotation_cannot_tell, ordinal, ordinal_weighted_kappa, interval_crossed,
        interval_with_gaps, interval_incomplete, ratio_rotation, sets, with_reference, one_rater_and_reference,
        with_models, models_counted, two_rounds, both_rounds_chosen, newest_of_two_rounds, one_round_of_two,
        adjudicated, declared_missing, all_alike, full_agreement, nothing_shared, three_questions,
    )
}  # fmt: skip
