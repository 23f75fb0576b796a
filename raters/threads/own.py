"""The questions of a rater, each with the assignment that leads to its page."""

from raters.models import Assignment, Rater, Thread
from raters.threads.actions import own_threads

MOST_SHOWN = 50


def with_assignments(rater: Rater) -> list[tuple[Thread, int]]:
    """With an unread answer first; an assignment that was taken away leaves its thread out."""
    threads = list(own_threads(rater)[:MOST_SHOWN])
    rows = Assignment.objects.filter(rater=rater.pk or 0, item__in=[thread.item_id for thread in threads])
    assignments = dict(rows.order_by("pk").values_list("item", "pk"))
    return [(each, assignments[each.item_id]) for each in threads if each.item_id in assignments]
