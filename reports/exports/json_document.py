"""All results of a report as one JSON document, streamed."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from core.tables.zipped import in_blocks
from reports.analysis.results import Json
from reports.models import QuestionAgreement, Report
from reports.results.queries import agreements_of
from reports.store.included_raters import counted_as_json
from reports.store.pairs_in_order import pairs_in_order

OF_PAIR = (
    "n", "counts", "observed", "expected", "kappa", "se", "ci_low", "ci_high", "is_clipped", "kappa_max", "figures"
)  # fmt: skip


def everything(report: Report) -> Iterator[bytes]:
    return in_blocks(_pieces(report))


def _pieces(report: Report) -> Iterator[str]:
    yield "{" + _inside(_head(report)) + ', "questions": ['
    for place, agreement in enumerate(agreements_of(report)):
        yield ("" if place == 0 else ",") + "\n{" + _inside(_question(agreement)) + ', "pairs": ['
        for number, pair in enumerate(_pairs(agreement)):
            yield ("" if number == 0 else ",") + "\n" + _json(pair)
        yield "]}"
    yield "]}\n"


def _head(report: Report) -> Json:
    return {
        "report": report.pk,
        **({"name": report.name} if report.name else {}),
        "project": {"slug": report.project.slug, "name": report.project_name},
        "scope": report.scope,
        "options": report.chosen.as_json(),
        "codebook": report.codebook,
        "asked_at": report.asked_at,
        "finished_at": report.finished_at,
        "digest": report.digest,
        "code_version": report.code_version,
    }


def _question(agreement: QuestionAgreement) -> Json:
    return {
        "key": agreement.question.key,
        "kind": agreement.asked["kind"],
        "level": agreement.asked["level"],
        "categories": agreement.categories,
        "raters": agreement.raters,
        "n_items": agreement.n_items,
        "n_raters": agreement.n_raters,
        "n_labels": agreement.n_labels,
        "n_abstentions": agreement.n_abstentions,
        # The key is left out if there is none, as in earlier releases.
        **({} if agreement.lead is None else {"lead": agreement.lead}),
        "counted": counted_as_json(agreement),
        "digest": agreement.digest,
        "reason": agreement.reason or None,
        "coefficients": agreement.coefficients,
        "statistics": {name: found for name, found in agreement.statistics.items() if name != "counted"},
    }


def _pairs(agreement: QuestionAgreement) -> Iterator[Json]:
    names = {rater["id"]: rater["key"] for rater in agreement.raters}
    for pair in pairs_in_order(agreement):
        shown = {"rater_a": names[pair.rater_a_id], "rater_b": names[pair.rater_b_id]}
        yield shown | {name: getattr(pair, name) for name in OF_PAIR} | {"reason": pair.reason or None}


def _json(value: Any) -> str:
    # JSON cannot represent NaN; undefined figures are null well before this point.
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, allow_nan=False)


def _inside(value: Json) -> str:
    """Return the members of an object, without its braces."""
    return _json(value)[1:-1]
