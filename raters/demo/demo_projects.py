"""The demo projects, created with the same imports that users have."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

from django.db import transaction

from core.tables.sources import bytes_of, file_at
from projects.actions import create_project
from projects.codebook.imports import QuestionFile
from projects.imports.read_options import ReadOptions
from projects.items.imports import ItemFile
from projects.items.item_columns import ItemOptions
from projects.models import Membership, Project
from raters.demo.simulate import messages
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.models import Rater, User

FOLDER = Path(__file__).parent
DIAGNOSES = ("depression", "personality disorder", "schizophrenia", "neurosis", "other")


def load_demo(*, owner: User) -> list[Project]:
    """Create every demo project, with the owner as lead; existing ones stay unchanged."""
    return [_ensure(slug, name, fill, owner) for slug, name, fill in PROJECTS]


@transaction.atomic
def _ensure(slug: str, name: str, fill: Callable[[Project, User], None], owner: User) -> Project:
    if project := Project.objects.filter(slug=slug).first():
        Membership.objects.get_or_create(project=project, user=owner, defaults={"role": Membership.Role.LEAD})
        return project
    guidelines = (FOLDER / slug.removeprefix("demo-") / "guidelines.md").read_text(encoding="utf-8")
    project = create_project(name, by=owner, slug=slug, guidelines=guidelines)
    fill(project, owner)
    return project


def _fill_diagnoses(project: Project, owner: User) -> None:
    _import_questions(
        project, ["diagnosis", "Which diagnosis does the patient have?", "nominal", "|".join(DIAGNOSES)]
    )
    rows = []
    with (FOLDER / "diagnoses" / "counts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            chosen = [name for name in DIAGNOSES for _ in range(int(row[name]))]
            rows += [
                (f"patient-{int(row['patient']):02}", f"rating-{place}", diagnosis)
                for place, diagnosis in enumerate(chosen, start=1)
            ]
    _import_labels(project, "diagnoses.csv", [("item", "rater", "label"), *rows], owner)


def _fill_caries(project: Project, owner: User) -> None:
    _import_questions(project, ["caries", "Is the tooth carious?", "nominal", "sound|carious"])
    rows: list[tuple[str, ...]] = []
    with (FOLDER / "caries" / "patterns.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            answers = tuple(
                "carious" if row[f"dentist_{dentist}"] == "1" else "sound" for dentist in range(1, 6)
            )
            rows += [(f"tooth-{len(rows) + tooth:04}", *answers) for tooth in range(1, int(row["teeth"]) + 1)]
    header = ("item", *(f"dentist-{dentist}" for dentist in range(1, 6)))
    _import_labels(project, "caries.csv", [header, *rows], owner, LabelOptions(layout="wide"))


def _fill_messages(project: Project, owner: User) -> None:
    folder = FOLDER / "messages"
    QuestionFile(project, file_at(folder / "questions.csv"), ReadOptions()).load()
    texts = [("item", "message"), *((row["item"], row["message"]) for row in messages())]
    ItemFile(project, bytes_of(_csv(texts)), ItemOptions()).load()
    import_now(project, NamedSource("labels.csv", file_at(folder / "labels.csv")), LabelOptions(), by=owner)
    model = LabelOptions(rater_kind=Rater.Kind.MODEL)
    import_now(project, NamedSource("model.csv", file_at(folder / "model.csv")), model, by=owner)
    reference_labels = [
        (row["item"], question, row[question]) for row in messages() for question in ("topic", "urgency")
    ]
    reference = LabelOptions(rater="reference", rater_kind=Rater.Kind.REFERENCE)
    _import_labels(
        project, "reference.csv", [("item", "question", "label"), *reference_labels], owner, reference
    )


PROJECTS: tuple[tuple[str, str, Callable[[Project, User], None]], ...] = (
    ("demo-diagnoses", "Psychiatric diagnoses (Fleiss 1971)", _fill_diagnoses),
    ("demo-caries", "Caries on X-rays (Espeland & Handelman 1989)", _fill_caries),
    ("demo-messages", "Customer messages (simulated raters)", _fill_messages),
)


def _import_questions(project: Project, row: list[str]) -> None:
    table = [("question", "prompt", "scale", "labels"), row]
    QuestionFile(project, bytes_of(_csv(table)), ReadOptions()).load()


def _import_labels(
    project: Project,
    name: str,
    rows: Iterable[Iterable[str]],
    owner: User,
    options: LabelOptions | None = None,
) -> None:
    import_now(project, NamedSource(name, bytes_of(_csv(rows))), options or LabelOptions(), by=owner)


def _csv(rows: Iterable[Iterable[str]]) -> bytes:
    """Return CSV with quoted cells, separated by commas."""
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return ("\n".join(lines) + "\n").encode()
