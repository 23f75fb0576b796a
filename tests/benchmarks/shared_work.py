"""Questions whose reports take long although intervals are analytic: crowds with many pairs, and findings."""

from dataclasses import dataclass

from projects.models import Category, Item, Membership, Project, Question
from raters.models import Rater, User
from tests import live as living

KEYS = "abcde"
LABELS = """
INSERT INTO raters_label (item_id, question_id, rater_id, {column}, is_abstention, pass_number, labelled_at, seconds,
    revision)
SELECT item.id, %(question)s, (%(raters)s::bigint[])[1 + (first + place * step) %% %(n_raters)s], {value}, false, 1,
    timestamptz '2026-03-02 09:00+00' + make_interval(secs => item.n), 5, 1
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM projects_item WHERE project_id = %(project)s) item
CROSS JOIN generate_series(0, %(of_item)s - 1) place
CROSS JOIN LATERAL (SELECT abs(hashint8(item.n * 1009 + place))::bigint AS hash,
    CASE WHEN %(of_item)s < %(n_raters)s THEN abs(hashint8(item.n * 7919))::bigint ELSE 0 END AS first,
    CASE WHEN %(of_item)s < %(n_raters)s THEN 1 + item.n %% 199 ELSE 1 END AS step) drawn"""
# Seven or six of ten labels are what the item suggests, the others random.
VALUES = {
    Question.Kind.SINGLE: (
        "category_id",
        "(%(categories)s::bigint[])[1 + (CASE WHEN hash %% 10 < 7 THEN item.n ELSE hash / 100 END) %% 5]",
    ),
    Question.Kind.NUMBER: ("number", "(item.n * 7 %% 100 + hash %% 30)::float8"),
    Question.Kind.MULTIPLE: (
        "category_set",
        """(SELECT array_agg(c ORDER BY c) FROM unnest(%(categories)s::bigint[]) c
        WHERE ((CASE WHEN hash %% 10 < 6 THEN item.n + c * 7 ELSE hash / 100 + c END) * 2654435761 >> 7) %% 3 = 0
            OR c = (%(categories)s::bigint[])[1 + item.n %% 5])""",
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """of_item: the number of raters of each item."""

    kind: str
    n_raters: int
    n_items: int
    of_item: int
    what: str

    @property
    def words(self) -> str:
        return f"{self.what} of {self.n_items * self.of_item:,} labels by {self.n_raters:,} raters"


LONG = (
    Asked(Question.Kind.SINGLE, 2_000, 50_000, 10, "pairs in choices"),
    Asked(Question.Kind.NUMBER, 2_000, 20_000, 10, "pairs in numbers"),
    Asked(Question.Kind.NUMBER, 20, 50_000, 20, "findings in numbers"),
    Asked(Question.Kind.MULTIPLE, 20, 20_000, 20, "findings in sets"),
)


def project_of(asked: Asked, lead: User) -> Project:
    name = f"{asked.kind}-{asked.n_raters}"
    project = Project.objects.create(name=name, slug=name)
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
    level = "interval" if asked.kind == Question.Kind.NUMBER else "nominal"
    question = Question.objects.create(project=project, key="mood", kind=asked.kind, level=level)
    keys = "" if asked.kind == Question.Kind.NUMBER else KEYS
    categories = Category.objects.bulk_create(
        Category(question=question, key=key, name=key, position=place) for place, key in enumerate(keys)
    )
    raters = Rater.objects.bulk_create(
        Rater(project=project, key=f"rater-{place:04}") for place in range(asked.n_raters)
    )
    items = (Item(project=project, key=f"item-{place:06}") for place in range(asked.n_items))
    Item.objects.bulk_create(items, batch_size=5_000)
    column, value = VALUES[Question.Kind(asked.kind)]
    params = {
        "question": question.pk,
        "project": project.pk,
        "raters": [rater.pk for rater in raters],
        "n_raters": asked.n_raters,
        "of_item": asked.of_item,
        "categories": [category.pk for category in categories],
    }
    with living.as_superuser() as superuser:
        # Without the triggers, which would check each row.
        superuser.execute("SET session_replication_role = replica")
        superuser.execute(LABELS.format(column=column, value=value), params)
        superuser.execute("ANALYZE raters_label")
    return project
