"""Agreement by subgroup: among the items, or the raters, with each value of an attribute stored with the report."""

from dataclasses import dataclass

from core.refusals import Refused
from reports.agreement.results import Reason
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import of_raters
from reports.analysis.reasons import words_of
from reports.analysis.results import Subgroups
from reports.analysis.steps import ReportStep, silent
from reports.analysis.subgroups import Members, subgroups
from reports.models import QuestionAgreement
from reports.sources.attribute_members import AttributeSummary, stored_attributes, stored_groups
from reports.sources.label_columns import read_columns
from reports.store.agreements import scope_of
from reports.store.included_raters import counted_in
from reports.store.over_time import MAX_LABELS


class SubgroupsRefused(Refused):
    """Agreement by subgroup that cannot be computed."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class SubgroupsRequest:
    """unit: item or rater. attribute: its name."""

    unit: str
    attribute: str
    coefficient: str


def coefficients_of_groups(agreement: QuestionAgreement) -> list[str]:
    return kind_of(scope_of(agreement)).part_names


def requested_attribute(agreement: QuestionAgreement, unit: str, name: str) -> AttributeSummary | None:
    found = (each for each in stored_attributes(agreement.report) if (each.unit, each.name) == (unit, name))
    return next(found, None)


def refuse_subgroups(agreement: QuestionAgreement, request: SubgroupsRequest) -> None:
    """Raise SubgroupsRefused if agreement by subgroup cannot be computed."""
    if agreement.reason:
        raise SubgroupsRefused("The report has no results for this question, so there are none by subgroup.")
    if counted_in(agreement).are_too_few:
        raise SubgroupsRefused(words_of(Reason.TOO_FEW_COUNTED).long)
    if agreement.n_labels > MAX_LABELS:
        raise SubgroupsRefused(f"More than {MAX_LABELS:,} labels are too many to compare by subgroup.")
    found = requested_attribute(agreement, request.unit, request.attribute)
    if found is None:
        raise SubgroupsRefused(
            f"When the report was computed, no {request.unit} had the attribute “{request.attribute}”. "
            "If it was added since, compute a new report."
        )
    if found.has_too_many:
        raise SubgroupsRefused(
            f"“{request.attribute}” has {found.n_values:,} different values, too many to compare. "
            "Add an attribute that puts them into groups."
        )
    if request.coefficient not in coefficients_of_groups(agreement):
        raise SubgroupsRefused(f"{request.coefficient!r} is not available by subgroup.")


def by_subgroup(
    agreement: QuestionAgreement, request: SubgroupsRequest, report_step: ReportStep = silent
) -> Subgroups:
    """Return agreement by subgroup on the labels that the report's figures use. Raises SubgroupsRefused."""
    refuse_subgroups(agreement, request)
    report_step("Reading labels", 0)
    labels = of_raters(read_columns(agreement), counted_in(agreement).ids)
    groups = stored_groups(agreement.report, request.unit, request.attribute)
    return subgroups(
        labels,
        kind_of(scope_of(agreement)),
        [Members(group.value, group.ids) for group in groups],
        unit=request.unit,
        attribute=request.attribute,
        coefficient=request.coefficient,
        report_step=report_step,
    )
