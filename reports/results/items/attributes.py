"""Items by an attribute, as the report kept it."""

from reports.models import AttributeGroup, Report
from reports.results.items.query import ItemQuery, known
from reports.sources.attributes import Group, groups_kept


def group_asked(query: ItemQuery, report: Report) -> Group:
    """The items with the value of the attribute that the query names. Raises Http404 for none such."""
    name = (query.attribute or "")[:300]
    groups = {group.value: group for group in groups_kept(report, AttributeGroup.Unit.ITEM, name)}
    return known(groups, query.value or "", "value of the attribute")
