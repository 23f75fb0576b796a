"""Items by an attribute, as stored with the report."""

from reports.models import AttributeGroup, Report
from reports.results.items.query import ItemQuery, known
from reports.sources.attribute_members import ValueGroup, stored_groups


def requested_group(query: ItemQuery, report: Report) -> ValueGroup:
    """Return the items with the attribute value in the query. Raises Http404 if there is no such value."""
    name = (query.attribute or "")[:300]
    groups = {group.value: group for group in stored_groups(report, AttributeGroup.Unit.ITEM, name)}
    return known(groups, query.value or "", "value of the attribute")
