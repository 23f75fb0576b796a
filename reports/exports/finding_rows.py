"""Table rows of findings, and of raters compared with the others."""

from collections.abc import Iterable, Iterator

from reports.exports.result_columns import Row
from reports.models import QuestionAgreement


def finding_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    """Yield findings, largest gain first, as on the page."""
    for agreement in agreements:
        found = agreement.result.findings
        for rank, each in enumerate(found.listed.found if found else (), start=1):
            use, contrast = each.use, each.contrast
            yield (
                agreement.question.key, rank, each.kind, ", ".join(each.raters), ", ".join(each.categories),
                each.n_items, each.p_value, found.coefficient if found else "", each.before, each.after,
                each.difference, each.ci_low, each.ci_high,
                *((None,) * 4 if use is None else (use.own, use.others, use.ci_low, use.ci_high)),
                each.share, each.expected, each.kappa, each.kappa_max, each.n_pairs,
                *((None,) * 5 if contrast is None else (contrast.own, contrast.others, contrast.effect, contrast.ci_low,
                contrast.ci_high)), each.offset,
            )  # fmt: skip


def rater_ranking_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    """Yield raters, farthest from the others first, as on the page."""
    for agreement in agreements:
        found = agreement.result.standings
        for each in found.lowest_first if found else ():
            yield (
                agreement.question.key, each.rater, found.measure if found else "", each.n_items, each.value,
                each.ci_low, each.ci_high, each.difference, each.difference_ci_low, each.difference_ci_high,
                each.p_value,
            )  # fmt: skip
