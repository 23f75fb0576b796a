"""Labels that are numbers or sets, and finished reports on them."""

from projects.models import Item
from raters.models import Rater
from tests.labeling import copy_labels, keyed


def add_numbers(question, values, **more) -> None:
    """values: rows of items with a number for each rater, None where there is none."""
    rows = [(f"i{i:03}", f"r{r}", number) for i, row in enumerate(values) for r, number in enumerate(row)]
    items = keyed(Item, question.project, (item for item, _, _ in rows))
    raters = keyed(Rater, question.project, (rater for _, rater, _ in rows))
    copy_labels(
        question,
        "number",
        ((items[i].pk, raters[r].pk, number) for i, r, number in rows if number is not None),
        **more,
    )


def add_sets(question, rows) -> None:
    ids = dict(question.categories.values_list("key", "pk"))
    items = keyed(Item, question.project, (f"i{i:03}" for i in range(len(rows))))
    raters = keyed(Rater, question.project, (f"r{r}" for r in range(len(rows[0]))))
    copy_labels(
        question,
        "category_set",
        (
            (items[f"i{i:03}"].pk, raters[f"r{r}"].pk, sorted(ids[key] for key in chosen))
            for i, row in enumerate(rows)
            for r, chosen in enumerate(row)
            if chosen is not None
        ),
    )
