"""An item and question as shown to adjudicators: all labels side by side, and the possible decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db.models import Q

from projects.items.content import RenderedField, fields_of
from projects.models import Category, Item, Project, Question, Round
from raters.adjudication.deciding import CurrentDecision, current_decision
from raters.items.item_letters import lettered_names
from raters.items.queries import category_names, label_in_words
from raters.labeling.submitted_answers import CANNOT_TELL
from raters.missing_codes import declared_by
from raters.models import Assignment, Label, Rater
from raters.passes import CurrentLabels
from raters.voters import Voters, voters_among

# Shortcuts of the answers given by raters; others are under “Otherwise”.
KEYS, NONE_KEY = "123456789", "0"
# The form value of the empty set.
NO_CATEGORIES = "set-"


@dataclass(frozen=True, slots=True)
class Opinion:
    """One rater's label. name: the rater's key, or a letter. choice: the form value that adopts the label.

    is_missing: it is treated as missing, so it is not part of a dispute.
    """

    name: str
    words: str
    choice: str
    is_abstention: bool
    reason: str
    note: str
    pass_number: int
    # Whether it is the rater's first label not superseded by a later round: the only one that counts.
    counts: bool
    is_superseded: bool
    is_guideline_unclear: bool
    is_reference: bool
    round: str
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class DecisionChoice:
    """A possible decision. given_by: who gave it; empty if nobody did."""

    value: str
    words: str
    definition: str = ""
    color: str = ""
    key: str = ""
    given_by: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.given_by)


@dataclass(frozen=True, slots=True)
class Case:
    """given: raters' answers, most frequent first. others: categories that no rater chose.

    The answers of references are not among the given ones: they are not shown until the adjudicator asks for them.
    """

    project: Project
    item: Item
    question: Question
    fields: list[RenderedField]
    opinions: list[Opinion]
    given: list[DecisionChoice]
    others: list[DecisionChoice]
    categories: list[Category]
    current_decision: CurrentDecision
    voters: Voters
    # Raters' answers to text questions, which are not adjudicated.
    texts: list["ItemTextAnswers"] = field(default_factory=list)

    @property
    def by_raters(self) -> list[Opinion]:
        return [opinion for opinion in self.opinions if not opinion.is_reference]

    @property
    def by_references(self) -> list[Opinion]:
        return [opinion for opinion in self.opinions if opinion.is_reference]

    @property
    def revision(self) -> int:
        return self.current_decision.revision

    @property
    def decided(self) -> str:
        """The decision in words; "" if there is none."""
        label = self.current_decision.label
        return label_in_words(label, category_names([label])) if label else ""

    @property
    def chosen(self) -> str:
        return choice_of(self.current_decision.label) if self.current_decision.label else ""


def case_of(item: Item, question: Question, names: Mapping[int, str] | None = None) -> Case:
    """Return the case of an item and question. names: display names of raters by ID; by default, as in `names_of`."""
    project = item.project
    labels = opinions_of(item, question, names)
    opinions = [opinion for _, opinion in labels]
    categories = list(question.categories.all())
    given = list(_given_answers([opinion for opinion in opinions if not opinion.is_reference], categories))
    taken = {choice.value for choice in given}
    return Case(
        project=project,
        item=item,
        question=question,
        fields=fields_of(item),
        opinions=opinions,
        given=given,
        others=[choice for choice in _categories_and_none(question, categories) if choice.value not in taken],
        categories=categories,
        current_decision=current_decision(item, question),
        voters=voters_among(label.rater for label, _ in labels),
    )


def _categories_and_none(question: Question, categories: Sequence[Category]) -> Iterable[DecisionChoice]:
    if question.kind == Question.Kind.SINGLE:
        for category in categories:
            yield DecisionChoice(
                f"category-{category.pk}", str(category), category.definition, category.color
            )
    elif question.kind == Question.Kind.MULTIPLE:
        yield DecisionChoice(NO_CATEGORIES, "None of these", key=NONE_KEY)


@dataclass(frozen=True, slots=True)
class ItemTextAnswers:
    """The answers to one text question."""

    question: Question
    opinions: list[Opinion]


def case_and_texts(item: Item, question: Question) -> Case:
    """Return the case with the answers to text questions, using the same rater names throughout the page."""
    raters = Rater.objects.filter(
        Q(labels__question=question) | Q(labels__question__kind=Question.Kind.TEXT), labels__item=item
    )
    known = list(raters.exclude(kind=Rater.Kind.CONSENSUS).distinct())
    names = names_of(item.project, item, known)
    return replace(case_of(item, question, names), texts=text_answers_of(item, names))


def text_answers_of(item: Item, names: Mapping[int, str] | None = None) -> list[ItemTextAnswers]:
    """Return text answers by question, in codebook order. names: as in `case_of`."""
    questions = item.project.questions.filter(kind=Question.Kind.TEXT, labels__item=item).distinct()
    return [
        ItemTextAnswers(question, [opinion for _, opinion in opinions_of(item, question, names)])
        for question in questions
    ]


def _labels(item: Item, question: Question) -> list[Label]:
    rows = Label.objects.filter(item=item, question=question).exclude(rater__kind=Rater.Kind.CONSENSUS)
    return list(rows.select_related("rater", "category", "round").order_by("rater", "pass_number"))


def opinions_of(
    item: Item, question: Question, known: Mapping[int, str] | None = None
) -> list[tuple[Label, Opinion]]:
    """Return labels and opinions sorted by rater name, references last. The item's project must be loaded."""
    labels = _labels(item, question)
    declared = declared_by([question])
    names = category_names(labels)
    raters = known or names_of(item.project, item, [label.rater for label in labels])
    current = {label.pk for label in CurrentLabels.of(item.project, [item.pk]).among(labels)}
    counting: dict[int, int] = {}
    for label in labels:
        if label.pk in current:
            counting.setdefault(label.rater_id, label.pk)
    unclear = set(
        Assignment.objects.filter(item=item, is_guideline_unclear=True).values_list("rater", "pass_number")
    )
    found = [
        (
            label,
            Opinion(
                name=raters[label.rater_id],
                words=declared.in_words(label, label_in_words(label, names)),
                choice=choice_of(label),
                is_abstention=label.is_abstention,
                reason=label.reason,
                note=label.note,
                pass_number=label.pass_number,
                counts=counting.get(label.rater_id) == label.pk,
                is_superseded=label.pk not in current,
                is_guideline_unclear=(label.rater_id, label.pass_number) in unclear,
                is_reference=label.rater.kind == Rater.Kind.REFERENCE,
                round=_round(label.round),
                is_missing=declared.holds(label),
            ),
        )
        for label in labels
    ]
    return sorted(found, key=lambda pair: _place(pair[1]))


def _place(opinion: Opinion) -> tuple[bool, int, str, int]:
    # One letter comes before two. Round and time are not used, since they would reveal who gave a label.
    return opinion.is_reference, len(opinion.name), opinion.name, opinion.pass_number


def _round(round_: Round | None) -> str:
    return round_.key if round_ else ""


def names_of(project: Project, item: Item, raters: Iterable[Rater]) -> dict[int, str]:
    """Return the display names of raters on adjudication pages, by ID."""
    known = list(raters)
    if project.adjudicators_see_names:
        return {rater.pk: _open_name(rater) for rater in known}
    return lettered_names(item, known)


def _open_name(rater: Rater) -> str:
    return "Reference" if rater.kind == Rater.Kind.REFERENCE else rater.key


def choice_of(label: Label) -> str:
    """Return the form value of a label, the same for equal labels."""
    if label.is_abstention:
        return CANNOT_TELL
    if label.category_id is not None:
        return f"category-{label.category_id}"
    if label.category_set is not None:
        return "set-" + ".".join(map(str, label.category_set))
    return f"number-{label.number!r}"


def _given_answers(opinions: Sequence[Opinion], categories: Sequence[Category]) -> Iterable[DecisionChoice]:
    """Yield the given answers, most frequent first; ties are in the order of the scale.

    Answers treated as missing come last but can still be chosen.
    """
    by_choice: dict[str, list[Opinion]] = {}
    for opinion in opinions:
        if not opinion.is_abstention and not opinion.is_superseded:
            by_choice.setdefault(opinion.choice, []).append(opinion)
    places = {f"category-{c.pk}": (place, c) for place, c in enumerate(categories)}
    end = (len(categories), None)
    order = sorted(by_choice, key=lambda value: _order(value, by_choice[value], places.get(value, end)[0]))
    for number, value in enumerate(order):
        category = places.get(value, end)[1]
        yield DecisionChoice(
            value=value,
            words=by_choice[value][0].words,
            definition=category.definition if category else "",
            color=category.color if category else "",
            key=KEYS[number] if number < len(KEYS) else "",
            given_by=_names(by_choice[value]),
        )


def _order(value: str, opinions: Sequence[Opinion], place: int) -> tuple[bool, int, int, float, str]:
    return opinions[0].is_missing, -len(opinions), place, _size(value), value


def _size(value: str) -> float:
    return float(value.removeprefix("number-")) if value.startswith("number-") else 0.0


def _names(opinions: Sequence[Opinion]) -> list[str]:
    return [opinion.name if opinion.counts else f"{opinion.name} again" for opinion in opinions]
