"""Draw an audit: a project of its own with copies of the drawn items, to be labeled blind by auditors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction

from core.history import head_of
from projects.actions import create_project
from projects.codebook.rendered_guidelines import images_in
from projects.events import record
from projects.items.content import media_names
from projects.items.submitted_items import ValidatedItem, save_items
from projects.models import Category, Event, Item, MediaFile, Membership, Project, Question
from raters.audits.assigning import assign
from raters.audits.population import (
    GIVEN,
    AuditRefused,
    IntArray,
    Population,
    SamplingUnits,
    counted_groups,
    drawn_units,
    names_by_key,
)
from raters.models import Audit, AuditedLabel, Label
from raters.models.audits import StoredAuditPlan, StoredPopulation, Value, words_of

# The most labels of a sample; estimates and pages are made for as many.
MOST_DRAWN = 50_000
SEND = 1_000
# The field that shows the given label to auditors.
GIVEN_FIELD = "Label given"
# What the audit's question takes over. Conditions and rules for final labels stay with the source.
_OF_QUESTION = (
    "key", "prompt", "kind", "level", "allows_abstention", "missing_values", "minimum", "maximum", "is_whole", "step",
    "unit", "tolerance", "coefficient", "weights", "criterion",
)  # fmt: skip
_OF_CATEGORY = (
    "key", "name", "definition", "examples", "position", "value", "shortcut", "color", "treated_as_missing",
)  # fmt: skip
_OF_PROJECT = ("guidelines", "main_field", "fields_hidden", "fields_side_by_side", "one_key_saving")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDesign:
    """How an audit is drawn. drawn: (H,) units of each stratum. n_first: units assigned at once; the rest are for a
    second sample. auditors: users.
    """

    name: str
    wanted: StoredPopulation
    unit: str
    stratify_by: str
    allocation: str
    drawn: IntArray
    n_first: int
    plan: StoredAuditPlan
    seed: int
    shows_given: bool
    double_share: float
    auditors: Sequence[Any]


@transaction.atomic
def draw_audit(population: Population, units: SamplingUnits, design: AuditDesign, *, by: Any) -> Audit:
    """Create the project of an audit, with its items, members, and a planned round.

    Raises AuditRefused if nobody may audit an item, or the sample has more than MOST_DRAWN labels.
    """
    source = population.question.project
    order = drawn_units(units, design.drawn, design.seed)
    n_labels = int(np.isin(units.of_label, order).sum())
    if n_labels > MOST_DRAWN:
        raise AuditRefused(
            f"A sample can have at most {MOST_DRAWN:,} labels, and this one has {n_labels:,}. Draw fewer."
        )
    sample = _sample_of(population, units, order, design)
    taken_over = {name: getattr(source, name) for name in _OF_PROJECT}
    project = create_project(design.name, by=by, is_audit=True, **taken_over)
    question = _copy_question(population.question, project)
    items = _copy_items(population.question, project, sample, design, by=by)
    audit = _audit(population, units, design, project, question, by=by)
    AuditedLabel.objects.bulk_create(
        (AuditedLabel(audit=audit, item_id=items[drawn.item], **drawn.fields) for drawn in sample),
        batch_size=SEND,
    )
    record(
        Event.Kind.AUDIT_DRAWN,
        by=by,
        project=project,
        about=source.name,
        n_labels=len(sample),
        n_population=len(population),
        seed=design.seed,
        shows_given=design.shows_given,
    )
    record(Event.Kind.AUDIT_DRAWN, by=by, project=source, about=project.name, n_labels=len(sample))
    _join(project, design.auditors, by=by)
    assign(audit, design.auditors, up_to_unit=design.n_first, by=by)
    return audit


@dataclass(frozen=True, slots=True)
class _SampledLabel:
    """A drawn label. item: the ID of its item in the source. fields: of its row."""

    item: int
    given: Value
    fields: dict[str, object]


def _sample_of(
    population: Population, units: SamplingUnits, order: IntArray, design: AuditDesign
) -> list[_SampledLabel]:
    place = np.full(len(units.strata), -1)
    place[order] = np.arange(len(order))
    of_label = place[units.of_label]
    chosen = np.flatnonzero(of_label >= 0)
    chosen = chosen[np.argsort(of_label[chosen], kind="stable")]
    ids = population.labels[chosen].tolist()
    rows = Label.objects.filter(pk__in=ids).select_related("rater", "round", "category")
    labels = {label.pk: label for label in rows}
    strata = units.strata[units.of_label]
    keys = dict(Category.with_merged.filter(question=population.question).values_list("pk", "key"))
    probabilities = design.drawn / np.maximum(units.sizes, 1)
    found = []
    for at, pk in zip(chosen.tolist(), ids, strict=True):
        label = labels.get(pk)
        if label is None or (
            design.stratify_by == GIVEN
            and label.category_id != population.categories[at]  # drawn as another one
        ):
            raise AuditRefused("Labels changed while the sample was drawn. Try again.")
        value = _value(label, keys)
        fields = {
            "unit": int(of_label[at]),
            "stratum": int(strata[at]),
            "probability": float(probabilities[strata[at]]),
            "given": value,
            "rater": label.rater.key,
            "rater_kind": label.rater.kind,
            "rater_attributes": label.rater.attributes,
            "round": label.round.key if label.round else "",
            "given_at": label.labelled_at,
            "source_label": pk,
        }
        found.append(_SampledLabel(label.item_id, value, fields))
    return found


def _value(label: Label, keys: dict[int, str]) -> Value:
    if label.category_id is not None:
        return keys[label.category_id]
    if label.category_set is not None:
        return [keys[pk] for pk in label.category_set]
    return float(label.number or 0.0)


def _copy_question(question: Question, project: Project) -> Question:
    made = Question.objects.create(
        project=project,
        final_takes_references=False,
        **{name: getattr(question, name) for name in _OF_QUESTION},
    )
    for category in question.categories.order_by("position", "pk"):
        Category.objects.create(question=made, **{name: getattr(category, name) for name in _OF_CATEGORY})
    return made


def _copy_items(
    question: Question, project: Project, sample: Iterable[_SampledLabel], design: AuditDesign, *, by: Any
) -> dict[int, int]:
    """Copy the drawn items, with the files that they or the guidelines show.

    Returns the ID of each copy, by the ID in the source.
    """
    source, names = question.project, names_by_key(question)
    given: dict[int, list[Value]] = {}
    for drawn in sample:
        given.setdefault(drawn.item, []).append(drawn.given)
    originals = list(Item.objects.filter(pk__in=given).order_by("pk"))
    # Other files belong to items that were not drawn, which auditors need not see.
    shown = images_in(source.guidelines).union(*(media_names(item.content) for item in originals))
    MediaFile.objects.bulk_create(
        MediaFile(
            project=project,
            added_by=by,
            name=file.name,
            type=file.type,
            sha256=file.sha256,
            n_bytes=file.n_bytes,
            width=file.width,
            height=file.height,
        )
        for file in source.media.filter(name__in=shown)
    )
    sent: list[ValidatedItem] = []
    for item in originals:
        content = [*item.content]
        if design.shows_given:
            words = _in_words(given[item.pk], names)
            content.append({"name": _free_name(content), "kind": "text", "value": words})
        sent.append({"key": item.key, "content": content, "attributes": item.attributes})
    for start in range(0, len(sent), SEND):
        save_items(project, sent[start : start + SEND], replace=False, by=by)
    copies = dict(project.items.values_list("key", "pk"))
    return {item.pk: copies[item.key] for item in originals}


def _free_name(content: Sequence[dict[str, object]]) -> str:
    taken = {part["name"] for part in content}
    names = (GIVEN_FIELD, *(f"{GIVEN_FIELD} ({number})" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _in_words(values: Iterable[Value], names: Mapping[str, str]) -> str:
    """Each different value once, in an order that does not depend on who gave it."""
    return "; ".join(sorted({words_of(value, names) for value in values}))


def _audit(
    population: Population,
    units: SamplingUnits,
    design: AuditDesign,
    project: Project,
    question: Question,
    *,
    by: Any,
) -> Audit:
    source = population.question.project
    with connection.cursor() as cursor:
        head = head_of(source.pk, cursor)
    strata = zip(
        units.values, units.sizes.tolist(), units.n_labels.tolist(), design.drawn.tolist(), strict=True
    )
    return Audit.objects.create(
        project=project,
        source=source,
        source_name=source.name,
        question=question,
        source_position=head.position,
        source_digest=head.digest or "",
        population=design.wanted,
        n_labels=len(population),
        n_units=len(units.strata),
        unit=design.unit,
        stratify_by=design.stratify_by,
        allocation=design.allocation,
        strata=[
            {"value": value, "size": size, "n_labels": n_labels, "drawn": drawn}
            for value, size, n_labels, drawn in strata
        ],
        groups=counted_groups(population),
        plan=design.plan,
        seed=design.seed,
        shows_given=design.shows_given,
        double_share=design.double_share,
        drawn_by=by,
    )


def _join(project: Project, users: Iterable[Any], *, by: Any) -> None:
    known = set(project.memberships.values_list("user", flat=True))
    for user in users:
        if user.pk not in known:
            Membership.objects.create(project=project, user=user, role=Membership.Role.RATER)
            role = Membership.Role.RATER.value
            record(Event.Kind.MEMBER_JOINED, by=by, project=project, about=user.username, role=role)
