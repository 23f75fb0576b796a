"""What raters say in the project of `reviews`: labels that were imported, and rounds in which they labeled."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4


def import_labels(project: Any, *, by: Any) -> None:
    from raters.imports.label_options import LabelOptions

    keys = ("good", "fair", "bad", "awful")
    rows = [
        f"r{n:03},{rater},{keys[(n * step + n // 7) % 4]},pilot,2026-01-{1 + n % 28:02}T12:00:00Z"
        for n in range(60)
        for step, rater in enumerate(("rater-a", "rater-b", "rater-c"), start=1)
    ]
    _import(project, by, "pilot.csv", ["item,rater,label,round,time", *rows], LabelOptions(question="tone"))
    # The same file with some labels changed, which replace the others.
    changed = [row.replace(",good,", ",fair,") if n % 9 == 0 else row for n, row in enumerate(rows)]
    _import(
        project,
        by,
        "pilot-2.csv",
        ["item,rater,label,round,time", *changed],
        LabelOptions(question="tone", replace=True),
    )
    wide = ["item,rater-a,rater-b", *(f"r{n:03},{(n % 2 and 'yes') or 'no'},no" for n in range(60))]
    _import(project, by, "spam.csv", wide, LabelOptions(layout="wide", question="spam"))
    sets = [f"r{n:03},{rater},price|{'staff' if n % 2 else 'quality'}" for n in range(40) for rater in "ab"]
    _import(
        project,
        by,
        "topics.csv",
        ["item,rater,label", *sets],
        LabelOptions(question="topics", question_kind="multiple"),
    )
    numbers = [f"r{n:03},rater-{r},{n / 3 + (r == 'b')}" for n in range(40) for r in "abc"]
    _import(
        project,
        by,
        "length.csv",
        ["item,rater,label", *numbers],
        LabelOptions(question="length", question_kind="number"),
    )
    for question, values in (("severity", ("1", "2", "3", "4")), ("rank", ("low", "mid", "high"))):
        rows = [
            f"r{n:03},rater-{r},{values[(n + (n % 5 == place)) % len(values)]}"
            for n in range(40)
            for place, r in enumerate("abc")
        ]
        _import(project, by, f"{question}.csv", ["item,rater,label", *rows], LabelOptions(question=question))
    reference = [f"r{n:03},tone,{keys[n % 4]}" for n in range(0, 90, 5)]
    _import(
        project,
        by,
        "gold.csv",
        ["item,question,label", *reference],
        LabelOptions(rater="reference", rater_kind="reference"),
    )
    model = [f"r{n:03},{keys[n * 7 % 4]}" for n in range(80)]
    _import(
        project,
        by,
        "model.csv",
        ["item,label", *model],
        LabelOptions(rater="model-1", rater_kind="model", question="tone"),
    )
    from raters.imports import actions

    given_up = actions.upload(project, "bad.csv", [b"item,rater,label\nx,y\n"], LabelOptions(), by=by)
    actions.give_up(given_up, by=by)
    # One that waits for its preview to be confirmed.
    actions.upload(project, "draft.csv", [b"item,rater,label\nr001,x,good\n"], LabelOptions(), by=by)


def _import(project: Any, by: Any, name: str, lines: list[str], options: Any) -> None:
    from raters.imports import actions
    from raters.tasks import load_import

    content = "\n".join(lines).encode()
    draft = actions.upload(project, name, [content], options, by=by)
    assert not draft.n_faults, draft.faults[:3]
    actions.confirm(draft, by=by)
    load_import(draft.pk)
    draft.refresh_from_db()
    assert draft.state == "done", draft.failure


def label_rounds(project: Any, raters: Sequence[Any], *, by: Any) -> None:
    """One round that is revealed, one that trains, one that goes on, and one that was only planned."""
    from raters.rounds import states
    from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
    from raters.rounds.plan_storage import plan_round, replan
    from raters.rounds.round_plan import ReferenceItems, RoundPlan

    some = Overlap(AssignmentDesign.SOME, 2)
    first = plan_round(
        project,
        "round 1",
        RoundPlan(
            overlap=some, seed=3, repeat_share=0.2, n_items=16, reference_items=ReferenceItems(number=2)
        ),
        raters,
        by=by,
    )
    states.open_round(first, by=by)
    _label(first)
    states.close_round(first, by=by)
    states.reveal_round(first, by=by)
    training = plan_round(
        project,
        "training",
        RoundPlan(
            overlap=Overlap(AssignmentDesign.EVERYONE),
            seed=4,
            n_items=5,
            reference_items=ReferenceItems(number=3),
        ),
        raters,
        by=by,
        reference_use="training",
    )
    states.open_round(training, by=by)
    _label(training)
    going_on = plan_round(
        project,
        "round 2",
        RoundPlan(
            overlap=Overlap(AssignmentDesign.SHARE_TWICE, share=0.5),
            seed=5,
            n_items=10,
            reference_items=ReferenceItems(share=0.2),
        ),
        raters[:2],
        by=by,
        idle_minutes=30,
    )
    states.open_round(going_on, by=by)
    _label(going_on, most=6)
    replan(going_on, raters, by=by, seed=9)
    plan_round(
        project,
        "later",
        RoundPlan(overlap=some, seed=6, is_on_demand=True, n_items=5),
        raters,
        by=by,
    )


def _label(round_: Any, *, most: int = 1000) -> None:
    from raters.models import Assignment

    places = Assignment.objects.filter(round=round_, rater__isnull=False).order_by("rater", "position")
    for turn, place in enumerate(list(places.select_related("rater__user", "item"))[:most]):
        _label_item(place, turn)


def _label_item(place: Any, turn: int) -> None:
    """Saved, and now and then skipped, changed or taken back."""
    from raters.labeling.saving import save_answers
    from raters.labeling.saving_records import ReferenceAlreadyShown, SubmittedAnswers
    from raters.labeling.skipping import skip
    from raters.labeling.undoing import undo

    rater, user = place.rater, place.rater.user
    if turn % 7 == 3:
        skip(rater, place.pk)
    saved = save_answers(
        rater,
        place.pk,
        SubmittedAnswers(_answers(turn), {}, seconds=3.5 + turn, is_guideline_unclear=turn % 6 == 0),
        key=uuid4(),
        by=user,
    )
    try:
        if turn % 5 == 0:
            more = SubmittedAnswers(_answers(turn + 1), saved.revisions, seconds=2.0, source="api")
            saved = save_answers(rater, place.pk, more, key=uuid4(), by=user)
        if turn % 10 == 0:
            saved = undo(rater, place.pk, saved.revisions, key=uuid4(), by=user)
        if turn % 20 == 0:
            saved = undo(rater, place.pk, saved.revisions, key=uuid4(), by=user)
    except ReferenceAlreadyShown:
        pass


def _answers(turn: int) -> dict[str, Any]:
    from raters.labeling.answers import Answer

    found = {
        "tone": Answer(
            category=("good", "fair", "bad", "awful")[turn % 4], note="Why? – ‘naïve’" * (turn % 2)
        ),
        "severity": Answer(category=str(1 + turn % 4)),
        "rank": Answer(category=("low", "mid", "high")[turn % 3]),
        "length": Answer(number=turn / 3),
        "spam": Answer(category="yes" if turn % 3 else "no"),
    }
    if turn % 4:
        found["topics"] = Answer(categories=("delivery", "price") if turn % 3 else ())
    if turn % 8 == 1:
        found["tone"] = Answer(is_abstention=True, reason="Unreadable", note="Blurred.")
    return found
