"""Projects with a bit of everything, invented from a number: the same number, the same project."""

import random

from django.db import connection, models
from django.utils import timezone

from projects.models import (
    GuidelinesVersion,
    Item,
    ItemVersion,
    Project,
    Question,
    Round,
    RoundAttempt,
    RoundGate,
)
from raters.models import (
    Assignment,
    Audit,
    AuditedLabel,
    Message,
    ModelConfiguration,
    Qualification,
    Rater,
    Thread,
    User,
)
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.round_plan import ReferenceItems, RoundPlan
from tests import cast
from tests.raters.archive.inventing_questions import (
    ODD,
    ask_only_some,
    invented_question,
    label_with_history,
    sometime,
)


def invented_project(seed: int) -> Project:
    chance = random.Random(seed)
    project = cast.new_project(f"Invented {seed}", unique=True)
    fill_settings(project, seed, chance)
    people = [cast.person(f"person-{place}", unique=True) for place in range(chance.randint(1, 4))]
    for number in range(1, chance.randint(1, 3) + 1):
        GuidelinesVersion.objects.create(
            project=project, number=number, text=chance.choice(ODD), made_by=chance.choice(people)
        )
    questions = [invented_question(project, place, chance) for place in range(chance.randint(1, 3))]
    ask_only_some(questions)
    rounds = [invented_round(project, place, chance, people[0]) for place in range(chance.randint(0, 2))]
    items = [
        Item.objects.create(
            project=project,
            key=f"{chance.choice(ODD)} {place}",
            content=invented_content(chance),
            attributes=invented_attributes(place, chance),
            withdrawn_at=sometime(chance) if chance.random() < 0.3 else None,
        )
        for place in range(chance.randint(0, 8))
    ]
    raters = invented_raters(project, people, chance)
    invented_passes(rounds, raters, people, random.Random(seed))
    for item in items:
        for _ in range(chance.randint(0, 2)):
            ItemVersion.objects.create(
                item=item,
                content=[{"name": "text", "kind": "text", "value": chance.choice(ODD)}],
                replaced_by=chance.choice([None, *people]),
                replaced_at=sometime(chance),
            )
        invented_places(item, raters, rounds, chance)
        for rater in raters:
            for question in questions:
                if chance.random() < 0.6:
                    label_with_history(item, rater, question, rounds, people, chance)
    invented_threads(items, raters, people, random.Random(seed))
    if items and Project.objects.get(pk=project.pk).is_audit:
        invented_audit(questions[seed // 2 % len(questions)], items, people, seed)
    return project


def invented_threads(
    items: list[Item], raters: list[Rater], people: list[User], chance: random.Random
) -> None:
    """Raters ask about some items, and leads answer some of them."""
    for item in items:
        for rater in raters:
            if chance.random() < 0.5:
                continue
            thread = Thread.objects.create(
                item=item,
                rater=rater,
                is_open=chance.random() < 0.5,
                has_news=chance.random() < 0.5,
                in_guidelines_at=chance.choice([None, sometime(chance)]),
                last_at=sometime(chance),
            )
            for place in range(chance.randint(1, 3)):
                Message.objects.create(
                    thread=thread,
                    author=chance.choice(people),
                    is_answer=place % 2 == 1,
                    text=f"{chance.choice(ODD)} {place}?",
                    at=sometime(chance),
                )


def invented_audit(question: Question, items: list[Item], people: list[User], seed: int) -> None:
    """An audit of one label or two of each item, in two strata. What has few values differs from seed to seed."""
    chance, turn = random.Random(seed), seed // 2 % 2
    is_of_labels = turn == 0
    strata = [
        {
            "value": f"{chance.choice(ODD)} {place}",
            "size": len(items) + place,
            "n_labels": len(items) + place if is_of_labels else 20 + seed,
            "drawn": len(items),
        }
        for place in range(2)
    ]
    decides = chance.random() < 0.5
    rates = {name: chance.random() for name in ("acceptable", "rejectable", "producer", "consumer")}
    looks = [[5, -1, 2], [9, 1, 2]]
    audit = Audit.objects.create(
        project_id=question.project_id,
        source_name=chance.choice(ODD),
        question=question,
        source_position=chance.choice([None, 7]),
        source_digest=("", "ab" * 32)[turn],
        population=(
            {"rounds": None, "raters": ODD[:2]},
            {"rounds": ["one"], "raters": None, "attribute": ["vendor", "Acme"], "categories": ["b"]},
        )[turn],
        n_labels=sum(each["n_labels"] for each in strata),
        n_units=sum(each["size"] for each in strata),
        unit=Audit.Unit.values[turn],
        stratify_by=("", "item:site")[turn],
        allocation=chance.choice(Audit.Allocation.values),
        strata=strata,
        groups=chance.choice([[], [{"by": "rater", "value": chance.choice(ODD), "n_labels": 4}]]),
        plan={"aim": "decide", "confidence": 0.9, "sampling": "double", "looks": looks, **rates}
        if decides
        else {"aim": "estimate", "confidence": 0.95, "share": chance.random(), "margin": chance.random()},
        seed=chance.randrange(9),
        shows_given=turn == 0,
        double_share=chance.random(),
        drawn_by=chance.choice([None, *people]),
        drawn_at=sometime(chance),
    )
    for unit, item in enumerate(items):
        stratum = chance.randrange(2)
        for _ in range(chance.randint(1, 2)):
            verdict = chance.choice(["", *AuditedLabel.Verdict.values])
            AuditedLabel.objects.create(
                audit=audit,
                item=item,
                unit=unit,
                stratum=stratum,
                probability=chance.uniform(0.1, 1),
                given=chance.choice(["yes", ["a", "b"], 2.5]),
                rater=f"{chance.choice(ODD)} {unit}",
                rater_kind=chance.choice(["human", "model"]),
                rater_attributes=chance.choice([{}, {"vendor": "Acme"}]),
                round=chance.choice(["", "one"]),
                given_at=chance.choice([None, sometime(chance)]),
                verdict=verdict,
                verdict_about=chance.choice([None, "no"]),
                severity=chance.choice(AuditedLabel.Severity.values) if verdict else "",
                note=chance.choice(ODD),
                reviewed_by=chance.choice([None, *people]),
                reviewed_at=chance.choice([None, sometime(chance)]),
            )


def fill_settings(project: Project, seed: int, chance: random.Random) -> None:
    """Every setting, a new one too: each switch is on in every second project."""
    fields = list(enumerate(Project._meta.concrete_fields, start=seed))
    switches = {each.name: place % 2 == 0 for place, each in fields if isinstance(each, models.BooleanField)}
    chosen = {each.name: each.choices[place % len(each.choices)][0] for place, each in fields if each.choices}
    Project.objects.filter(pk=project.pk).update(
        guidelines=chance.choice(ODD),
        raters_per_item=chance.choice([None, 1, 3]),
        thresholds=[{"from": chance.random(), "name": chance.choice(ODD[:3])}],
        adjudication_reasons=chance.sample(ODD, 2),
        main_field=chance.choice(ODD),
        fields_hidden=chance.sample(ODD, 2),
        fields_side_by_side=chance.sample(ODD, 2),
        **switches,
        **chosen,
    )


def invented_round(project: Project, place: int, chance: random.Random, lead: User) -> Round:
    closed = chance.random() < 0.5
    opened_at, closed_at, revealed_at = sorted(sometime(chance) for _ in range(3))
    key = f"{chance.choice(ODD)} {place}"
    state = "closed" if closed else chance.choice(["draft", "open"])
    paused = (
        {"paused_at": opened_at, "paused_by": lead, "pause_note": f"Wait {key}"[:500]}
        if state == "open"
        else {}
    )
    return Round.objects.create(
        project=project,
        key=key,
        position=place,
        state=state,
        due_on=opened_at.date(),
        **paused,
        opened_at=opened_at,
        closed_at=closed_at if closed else None,
        revealed_at=revealed_at if closed else None,
        plans=[invented_plan(chance)],
        idle_minutes=chance.randint(1, 99),
        pass_mark=[None, 0.5][place % 2],
        reference_use=chance.choice(Round.ReferenceUse.values),
    )


def invented_passes(
    rounds: list[Round], raters: list[Rater], people: list[User], chance: random.Random
) -> None:
    """The first round opens the others; a lead decided about some of those who passed."""
    for round_ in rounds[1:]:
        RoundGate.objects.create(round=round_, gate=rounds[0])
        RoundGate.objects.create(round=rounds[0], gate=round_)
        RoundAttempt.objects.create(round=round_, first=rounds[0], number=chance.randint(2, 9))
    for round_ in rounds[1:2]:
        RoundAttempt.objects.create(round=rounds[0], first=round_, number=2)
    for place, round_ in enumerate(rounds):
        for rater in raters:
            n = chance.randint(0, 9)
            Qualification.objects.create(
                round=round_,
                rater=rater,
                n=n,
                n_right=chance.randint(0, n),
                is_passed=chance.random() < 0.5,
                at=sometime(chance),
                decided_by=people[place % len(people)] if chance.random() < 0.5 else None,
                note=chance.choice(ODD),
            )


def invented_plan(chance: random.Random) -> dict:
    """As `raters.rounds.plan_storage` keeps it."""
    reference_items = chance.choice([None, ReferenceItems(number=2), ReferenceItems(share=0.25)])
    plan = RoundPlan(
        overlap=Overlap(AssignmentDesign.SOME, 3),
        seed=chance.randint(0, 9),
        repeat_share=0.1,
        reference_items=reference_items,
    )
    about = {"n_planned": 7, "by": chance.choice(ODD), "at": timezone.now().isoformat()}
    left_out = chance.choice([{}, {"n_left_out": 3}])
    return plan.as_json() | {"raters": chance.sample(ODD, 2)} | about | left_out


def invented_content(chance: random.Random) -> list[dict]:
    kinds = chance.sample(Item.Field.values, 2)
    content = [{"name": "text", "kind": kind, "value": chance.choice(ODD)} for kind in kinds]
    return [*content, {"name": "photo", "kind": "image", "value": "a.png", "alt": chance.choice(ODD)}]


def invented_attributes(place: int, chance: random.Random) -> dict:
    if chance.random() < 0.3:
        return {}
    return {
        "site": chance.choice(ODD),
        "place": place,
        "share": chance.random(),
        "is new": chance.random() < 0.5,
    }


def invented_raters(project: Project, people: list[User], chance: random.Random) -> list[Rater]:
    """At least one model; of each other kind some, but one consensus at most."""
    kinds = ["model", *(chance.choice(["human", "model", "reference"]) for _ in range(chance.randint(0, 4)))]
    raters = [
        Rater.objects.create(
            project=project,
            key=f"{chance.choice(ODD)} {place}",
            kind=kind,
            attributes=invented_attributes(place, chance),
            user=people[place] if place < len(people) and chance.random() < 0.7 else None,
        )
        for place, kind in enumerate([*kinds, *(["consensus"] if chance.random() < 0.5 else [])])
    ]
    for rater in raters:
        if rater.kind == Rater.Kind.MODEL:
            content = {
                "model": chance.choice(ODD),
                "temperature": chance.random(),
                "system": f"# Questions\n\n{chance.choice(ODD)}",
                "questions": [],
                "seed": None,
                "endpoint": "https://models.example.org/v1",
                "answer_format": "schema",
                "fields_left_out": chance.sample(ODD, 1),
                "has_guidelines": True,
                "instructions": chance.choice(ODD),
                "schema": "",
            }
            ModelConfiguration.objects.create(rater=rater, digest=f"{rater.pk:064x}", content=content)
    return raters


def invented_places(item: Item, raters: list[Rater], rounds: list[Round], chance: random.Random) -> None:
    asked = list(
        Question.objects.filter(project=item.project_id).order_by("pk").values_list("pk", flat=True)[:2]
    )
    for rater in [None, *raters]:
        if chance.random() < 0.7:
            Assignment.objects.create(
                item=item,
                rater=rater,
                round=chance.choice([None, *rounds]),
                pass_number=chance.randint(1, 2),
                state="pending" if rater is None else chance.choice(["pending", "done"]),
                position=chance.randint(0, 99),
                is_on_demand=rater is None or chance.random() < 0.5,
                is_guideline_unclear=chance.random() < 0.5,
                asked_again=asked if rater and chance.random() < 0.5 else [],
                **{name: sometime(chance) if chance.random() < 0.5 else None for name in OF_PLACE},
            )


OF_PLACE = ("handed_out_at", "last_seen_at", "done_at", "skipped_at", "reference_shown_at")


def n_rows(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]
