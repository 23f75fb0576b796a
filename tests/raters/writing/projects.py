"""Projects to export, their files, and what comes back of them."""

from datetime import UTC, datetime

from core.tables.sources import bytes_of
from projects.models import Category, Item, Project, Question, Round
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.models import Label, Rater
from raters.writing.downloading import pieces_of
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.targets import BY_KEY
from tests import cast
from tests.labeling import new_question

GOOD, BAD, ODD = "good, really", '=1+1 "bad"', "so/so 😀"
FOOD, ROOM = "food", "naïve\tκ|room".replace("\t", " ").replace("|", "/")
ANN, BEN, MODEL, GOLD = "ann@example.org", "ben/b, jr.", "clf-2", "expert"
TEXTS = ['Good "soup", cold\nroom 😀', "=1+1", "<b>&amp;</b>, 'quoted'", "plain", "|pipe|", "last"]
AT = datetime(2026, 3, 2, 10, 11, 0, tzinfo=UTC)


def rich_project(name: str) -> Project:
    """Single, multiple and number questions; six items; two people, a model and a reference; two rounds; all extras."""
    project = cast.new_project(name, unique=True)
    tone, topics, score = questions_of(project)
    rounds = [Round.objects.create(project=project, key=f"round {n}", position=n) for n in (1, 2)]
    items = [
        Item.objects.create(
            project=project,
            key=f"item/{n}",
            content=[
                {"name": "text", "kind": "text", "value": text},
                {"name": "site", "kind": "text", "value": f"north, {n}"},
            ],
        )
        for n, text in enumerate(TEXTS)
    ]
    kinds = {
        ANN: Rater.Kind.HUMAN,
        BEN: Rater.Kind.HUMAN,
        MODEL: Rater.Kind.MODEL,
        GOLD: Rater.Kind.REFERENCE,
    }
    raters = {key: Rater.objects.create(project=project, key=key, kind=kind) for key, kind in kinds.items()}
    tones = dict(tone.categories.values_list("key", "pk"))
    ids = dict(topics.categories.values_list("key", "pk"))
    labels = {ANN: [GOOD, BAD, ODD, GOOD, GOOD, BAD], BEN: [GOOD, BAD, GOOD, GOOD, BAD, ODD]}
    labels[MODEL] = [GOOD, GOOD, ODD, GOOD, BAD, BAD]
    labels[GOLD] = [GOOD, BAD, ODD]
    sets = {ANN: [{FOOD}, set(), {FOOD, ROOM}], BEN: [{FOOD, ROOM}, {ROOM}, set()]}
    numbers = {ANN: [1.5, -3.0, 1e-9], BEN: [2.0, -3.25, 0.0]}
    for rater, keys in labels.items():
        for n, key in enumerate(keys):
            Label.objects.create(
                item=items[n], question=tone, rater=raters[rater], round=rounds[n // 3], category_id=tones[key],
                note=f"see, “{n}”\n=2" if n == 1 and rater == ANN else "", seconds=n + 0.5 if rater == BEN else None,
                labelled_at=AT,
            )  # fmt: skip
    for rater, chosen in sets.items():
        for n, keys in enumerate(chosen):
            Label.objects.create(
                item=items[n], question=topics, rater=raters[rater], round=rounds[0],
                category_set=sorted(ids[key] for key in keys), seconds=n + 0.5 if rater == BEN else None,
                labelled_at=AT,
            )  # fmt: skip
    for rater, values in numbers.items():
        for n, number in enumerate(values):
            Label.objects.create(
                item=items[n], question=score, rater=raters[rater], round=rounds[0], number=number,
                seconds=n + 0.5 if rater == BEN else None, labelled_at=AT,
            )  # fmt: skip
    # An abstention with its reason and a note, and a second pass.
    Label.objects.create(
        item=items[3], question=score, rater=raters[ANN], is_abstention=True, reason="blurred", note="why?"
    )
    Label.objects.create(
        item=items[0],
        question=tone,
        rater=raters[ANN],
        category_id=tones[BAD],
        pass_number=2,
        round=rounds[1],
    )
    return project


def questions_of(project: Project) -> tuple[Question, Question, Question]:
    tone = new_question(project, key="tone, =1", categories=[GOOD, BAD, ODD], position=0)
    topics = new_question(project, key="topics", categories=[FOOD, ROOM], kind="multiple", position=1)
    score = new_question(project, key="score", categories=(), kind="number", level="interval", position=2)
    return tone, topics, score


def file_in(project: Project, format: str, what: str = "labels", *, questions=None, rounds=None) -> bytes:
    chosen = None if questions is None else [project.questions.get(key=key) for key in questions]
    some = None if rounds is None else [project.rounds.get(key=key) for key in rounds]
    return b"".join(pieces_of(scope_of(project, ExportKind(what), chosen, some), BY_KEY[format]))


def copied(project: Project, name: str, content: bytes, **options) -> Project:
    """A project with the same codebook, into which the file was imported."""
    copy = cast.new_project("Copy", unique=True)
    questions_of(copy)
    import_now(copy, NamedSource(name, bytes_of(content)), LabelOptions(**options), by=None)
    return copy


def labels_in(project: Project, *, kinds: bool = True) -> set[tuple]:
    """Item, question, rater, pass, value; and the rater's kind."""
    keys = dict(Category.objects.filter(question__project=project).values_list("pk", "key"))
    found = Label.objects.filter(question__project=project).select_related("item", "question", "rater")
    return {
        (
            *(label.item.key, label.question.key, label.rater.key, label.pass_number),
            "cannot tell" if label.is_abstention
            else keys[label.category_id] if label.category_id
            else frozenset(keys[pk] for pk in label.category_set) if label.category_set is not None
            else label.number,
            *([label.rater.kind] if kinds else []),
        )
        for label in found
    }  # fmt: skip


def losses_in(project: Project, format: str, what: str = "labels", **scope) -> dict[str, int | None]:
    from raters.writing.contents import contents_of

    chosen = [project.questions.get(key=key) for key in scope["questions"]] if "questions" in scope else None
    contents = contents_of(scope_of(project, ExportKind(what), chosen))
    return {loss.what: loss.n for loss in BY_KEY[format].losses(contents)}
