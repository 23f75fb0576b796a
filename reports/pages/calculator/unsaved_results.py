"""A calculated result as model instances like those of a report, which are never saved."""

from dataclasses import replace

from django.conf import settings

from projects.models import Project, Question
from raters.models import Rater
from reports.analysis.options import Options
from reports.analysis.question import CodebookJson
from reports.analysis.results import SCHEMA
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.calculator.exchange import PairResultRow, ResultRow
from reports.store.stored_result import StoredResult


def unstored_result(row: ResultRow, options: Options, reading_scale: str) -> StoredResult:
    """Return a result without a project, with the default coefficient. reading_scale: a ReadingScaleChoice."""
    asked, project = row["question"], Project(reading_scale=reading_scale)
    report = Report(
        project=project,
        scope={"questions": [asked["key"]], "rounds": None},
        options=options.as_json(),
        codebook=CodebookJson(questions=[asked], rounds=None),
        state=Report.State.DONE,
        code_version=settings.VERSION,
    )
    question = Question(
        pk=asked["id"], project=project, key=asked["key"], kind=asked["kind"], level=asked["level"]
    )
    agreement = QuestionAgreement(
        report=report,
        question=question,
        categories=asked["categories"],
        raters=row["raters"],
        coefficients=row["coefficients"],
        statistics=row["statistics"],
        n_items=row["n_items"],
        n_raters=len(row["raters"]),
        n_labels=row["n_labels"],
        n_abstentions=row["n_abstentions"],
        n_pairs=row["n_pairs"],
        reason=row["reason"],
        schema=SCHEMA,
    )
    raters = {
        rater["id"]: Rater(pk=rater["id"], key=rater["key"], kind=rater["kind"]) for rater in row["raters"]
    }
    pairs = [_pair(agreement, raters, pair) for pair in row["pairs"]]
    return replace(StoredResult.of(agreement), unstored=pairs)


def _pair(agreement: QuestionAgreement, raters: dict[int, Rater], row: PairResultRow) -> PairAgreement:
    figures = {name: value for name, value in row.items() if name not in {"rater_a", "rater_b"}}
    return PairAgreement(
        agreement=agreement, rater_a=raters[row["rater_a"]], rater_b=raters[row["rater_b"]], **figures
    )
