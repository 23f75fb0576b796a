"""What stands above every page of a pair."""

from typing import Any

from reports.models import PairAgreement
from reports.results.addresses import pair_address, question_address


def pair_head(pair: PairAgreement) -> dict[str, Any]:
    report = pair.agreement.report
    return {
        "project": report.project,
        "report": report,
        "agreement": pair.agreement,
        "pair": pair,
        "question_address": question_address(pair.agreement),
        "pair_address": pair_address(pair),
        "pictures": f"{pair_address(pair)}pictures/",
    }
