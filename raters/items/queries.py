"""All queries that read items with their labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Count, Max, Min, Q, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from projects.attributes import in_words
from projects.items.content import ContentPart, RenderedField, fields_in, fields_of, is_filled
from projects.models import Category, Item, Project, Question
from raters.confidence_scale import in_words as sure_in_words
from raters.models import Label, Rater
from raters.passes import NO_RATERS
from raters.voters import Voters, voters_among

MOST_VERSIONS = 20


# Whether a field with this name contains the words.
_IN_FIELD = """EXISTS (
    SELECT FROM jsonb_array_elements(projects_item.content) part
    WHERE part ->> 'name' = %s AND position(lower(%s) IN lower(part ->> 'value')) > 0
)"""


def items_of(project: Project, words: str = "", *, field: str = "") -> QuerySet[Item]:
    """Return items whose key or content contains the words literally; with `field`, only those that have them there."""
    items = Item.objects.filter(project=project).order_by("id")
    if not words:
        return items
    if field:
        # User input is passed as parameters.
        is_there = RawSQL(_IN_FIELD, (field, words), output_field=BooleanField())  # noqa: S611
        return items.filter(is_there)
    # Escaped as in the stored JSON, so that quotes and backslashes are found, too.
    as_json = words.replace("\\", "\\\\").replace('"', '\\"')
    return items.annotate(text=Cast("content", TextField())).filter(
        Q(key__icontains=words) | Q(text__icontains=as_json)
    )


def has_texts(project: Project) -> bool:
    """Return whether any question asks raters for free text."""
    return project.questions.filter(kind=Question.Kind.TEXT).exists()


def items_or_texts_of(project: Project, words: str, *, hidden: Sequence[int] = ()) -> QuerySet[Item]:
    """Return those of `items_of`, and items about which raters wrote the words. hidden: rounds whose items' labels
    the viewer may not see.
    """
    found = items_of(project, words)
    texts = Label.objects.filter(question__project=project, text__icontains=words)
    blind = Item.objects.filter(assignments__round__in=hidden)
    visible_texts = texts.exclude(item__in=blind) if hidden else texts
    of_either = Q(pk__in=found.order_by().values("pk")) | Q(pk__in=visible_texts.values("item"))
    return Item.objects.filter(of_either, project=project).order_by("id")


def label_counts(items: Sequence[int]) -> dict[int, int]:
    """Return how many labels raters gave to each item."""
    rows = (
        Label.objects.filter(item__in=items)
        .exclude(rater__kind=Rater.Kind.CONSENSUS)
        .order_by()
        .values_list("item")
        .annotate(n=Count("pk"))
    )
    return dict(rows)


def neighbors(item: Item) -> tuple[int | None, int | None]:
    """Return the items before and after this one in its project."""
    others = Item.objects.filter(project=item.project_id)
    before = others.filter(pk__lt=item.pk).aggregate(pk=Max("pk"))["pk"]
    after = others.filter(pk__gt=item.pk).aggregate(pk=Min("pk"))["pk"]
    return before, after


@dataclass(frozen=True, slots=True)
class DisplayedLabel:
    """One label as displayed. round: its name, "" for none. is_repeat: not the rater's first one in the round."""

    words: str
    is_abstention: bool
    reason: str
    note: str
    round: str
    is_repeat: bool
    # The rater's confidence in words; empty if none was given.
    sure: str = ""
    from_suggestion: bool = False


@dataclass(frozen=True, slots=True)
class ItemRater:
    rater: Rater
    cells: list[list[DisplayedLabel]]


@dataclass(frozen=True, slots=True)
class EarlierContent:
    """The content of an item before an import replaced it."""

    fields: list[RenderedField]
    replaced_at: datetime
    replaced_by: str


def earlier_contents(item: Item) -> list[EarlierContent]:
    """Return the most recently replaced contents, newest first."""
    versions = item.versions.select_related("replaced_by")[:MOST_VERSIONS]
    return [
        EarlierContent(
            fields_in(version.content, item.project_id), version.replaced_at, str(version.replaced_by or "")
        )
        for version in versions
    ]


@dataclass(frozen=True, slots=True)
class ItemPage:
    item: Item
    fields: list[RenderedField]
    earlier: list[EarlierContent]
    questions: list[Question]
    rows: list[ItemRater]
    # Adjudicators' decisions; they are not raters' labels and not counted as such.
    decided: ItemRater | None
    tallies: list[list[tuple[str, int]]]
    # Of people and models; references are not counted as raters.
    n_labels: int
    voters: Voters
    n_reference: int
    # Whether labels have to be distinguished by their rounds.
    shows_rounds: bool

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """The attributes by name, as displayed."""
        return [(name, in_words(value)) for name, value in sorted(self.item.attributes.items())]


def item_page(item: Item, hidden: Mapping[int, str] | None = None) -> ItemPage:
    """Return the item's content and a table of all its labels, with one row per rater and one column per question.

    hidden: the names to use for raters by ID, if their own must not be shown.
    """
    questions = list(item.project.questions.all())
    labels = list(
        Label.objects.filter(item=item)
        .select_related("rater", "category", "round")
        .order_by("rater__key", "rater", "pass_number")
    )
    names = category_names(labels)
    answered_by = [_rater_row(rater, own_labels, questions, names) for rater, own_labels in _by_rater(labels)]
    if hidden is not None:
        for row in answered_by:
            row.rater.key = hidden[row.rater.pk]
        # Sorting by name would reveal them.
        answered_by.sort(key=lambda row: (len(row.rater.key), row.rater.key))
    rows = [row for row in answered_by if row.rater.kind != Rater.Kind.CONSENSUS]
    by_raters = [row for row in rows if row.rater.kind != Rater.Kind.REFERENCE]
    n_labels = _n_labels(by_raters)
    of_rounds = [label for label in labels if label.rater.kind not in NO_RATERS]
    return ItemPage(
        item=item,
        fields=fields_of(item),
        earlier=earlier_contents(item),
        questions=questions,
        rows=rows,
        decided=next((row for row in answered_by if row.rater.kind == Rater.Kind.CONSENSUS), None),
        tallies=[
            _tally(by_raters, place) if each.is_compared else [] for place, each in enumerate(questions)
        ],
        n_labels=n_labels,
        voters=voters_among(row.rater for row in by_raters),
        n_reference=_n_labels(rows) - n_labels,
        shows_rounds=len({label.round_id for label in of_rounds}) > 1
        or any(label.pass_number > 1 for label in of_rounds),
    )


def _n_labels(rows: Sequence[ItemRater]) -> int:
    return sum(len(cell) for row in rows for cell in row.cells)


def category_names(labels: Sequence[Label]) -> dict[int, str]:
    """Return the names of categories in sets; those of single choices are loaded with their labels."""
    ids = {pk for label in labels for pk in label.category_set or ()}
    return {category.pk: str(category) for category in Category.objects.filter(pk__in=ids)} if ids else {}


def _by_rater(labels: Sequence[Label]) -> list[tuple[Rater, list[Label]]]:
    grouped: dict[int, tuple[Rater, list[Label]]] = {}
    for label in labels:
        grouped.setdefault(label.rater_id, (label.rater, []))[1].append(label)
    return list(grouped.values())


def _rater_row(
    rater: Rater, labels: Sequence[Label], questions: Sequence[Question], names: dict[int, str]
) -> ItemRater:
    cells = []
    for question in questions:
        own = [label for label in labels if label.question_id == question.pk]
        rounds = [label.round_id for label in own]
        cells.append(
            [
                _displayed_label(label, names, is_repeat=label.round_id in rounds[:place])
                for place, label in enumerate(own)
            ]
        )
    return ItemRater(rater, cells)


def _displayed_label(label: Label, names: dict[int, str], *, is_repeat: bool) -> DisplayedLabel:
    return DisplayedLabel(
        label_in_words(label, names),
        label.is_abstention,
        label.reason,
        label.note,
        str(label.round or ""),
        is_repeat,
        sure_in_words(label.confidence),
        label.from_suggestion,
    )


def label_in_words(label: Label, names: dict[int, str]) -> str:
    if label.is_abstention:
        return "cannot tell"
    if label.category is not None:
        return str(label.category)
    if label.category_set is not None:
        return ", ".join(names.get(pk, str(pk)) for pk in label.category_set) or "none of these"
    if label.text is not None:
        return label.text
    return f"{label.number:.12g}"


def _tally(rows: Sequence[ItemRater], place: int) -> list[tuple[str, int]]:
    """Return how often each answer to one question was given, most frequent first."""
    return Counter(answer.words for row in rows for answer in row.cells[place]).most_common()


def excerpt(item: Item, length: int = 140) -> str:
    """Return the beginning of the item's first nonempty field, on one line."""
    return excerpt_of(item.content, length)


def excerpt_of(content: Sequence[ContentPart], length: int = 140) -> str:
    first = next((str(part["value"]) for part in content if is_filled(part)), "")
    text = " ".join(first.split())
    return text if len(text) <= length else text[: length - 1] + "…"
