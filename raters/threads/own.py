"""A rater's questions, each with the assignment that links to its page."""

from raters.models import Assignment, Rater, Thread
from raters.threads.actions import own_threads

MAX_SHOWN = 50


def with_assignments(rater: Rater) -> list[tuple[Thread, int]]:
    """Return threads with an unread answer first; threads whose assignment was removed are left out."""
    threads = list(own_threads(rater)[:MAX_SHOWN])
    rows = Assignment.objects.filter(rater=rater.pk or 0, item__in=[thread.item_id for thread in threads])
    assignments = dict(rows.order_by("pk").values_list("item", "pk"))
    return [(each, assignments[each.item_id]) for each in threads if each.item_id in assignments]
