"""A project of millions of labels, written by the database itself: triggers, which would check each row, are off."""

from django.db import connection

from projects.models import Category, Item, Membership, Project, Question, Round
from raters.models import Rater, User
from tests import live as living

N_RATERS, RATERS_OF_AN_ITEM = 200, 10
CATEGORIES = ("positive", "neutral", "negative", "mixed", "none")
# Of each hundred items, the last has a decision and the one before it a reference; of each 20, the raters of the last
# have not labeled it yet.
ITEMS = """
INSERT INTO projects_item (project_id, key, content, attributes)
SELECT %(project)s, 'item-' || lpad(n::text, 8, '0'),
    jsonb_build_array(jsonb_build_object('name', 'text', 'type', 'text',
        'value', 'Review ' || n || ' of the hotel: ' || md5(n::text) || ' ' || md5((n + 1)::text))), '{}'
FROM generate_series(1, %(n)s) n"""
# Which raters label the item, in which round.
PLACED = """
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM projects_item WHERE project_id = %(project)s) item
CROSS JOIN generate_series(0, %(of_item)s - 1) place
CROSS JOIN LATERAL (SELECT
    (%(raters)s::bigint[])[1 + (item.n * 7 + place * 17) %% %(n_raters)s] AS rater,
    (%(rounds)s::bigint[])[1 + item.n %% 2] AS round,
    abs(hashint8(item.n * 1009 + place))::bigint AS hash,
    timestamptz '2026-03-02 09:00+00' + make_interval(secs => item.n) AS moment
) drawn"""
VALUE = """CASE WHEN hash %% 100 = 0 THEN NULL
    WHEN hash %% 10 < 7 THEN (%(categories)s::bigint[])[1 + item.n %% %(n_categories)s]
    ELSE (%(categories)s::bigint[])[1 + hash / 100 %% %(n_categories)s] END"""
LABELS = f"""
INSERT INTO raters_label (item_id, question_id, rater_id, category_id, is_abstention, pass_number, batch_id,
    labelled_at, seconds, revision)
SELECT item.id, %(question)s, rater, {VALUE}, hash %% 100 = 0, 1, round, moment, 1 + hash %% 600 / 10.0, 1
{PLACED} WHERE item.n %% 20 > 0 OR item.n %% 100 = 0"""
PLACES = f"""
INSERT INTO raters_assignment (rater_id, item_id, batch_id, pass_number, position, state, is_on_demand, done_at,
    is_guideline_unclear)
SELECT rater, item.id, round, 1, item.n, state, false, CASE WHEN state = 'done' THEN moment END, false
{PLACED}
CROSS JOIN LATERAL (
    SELECT CASE WHEN item.n %% 20 > 0 OR item.n %% 100 = 0 THEN 'done' ELSE 'pending' END AS state
) standing"""
TRUTH = """
INSERT INTO raters_label (item_id, question_id, rater_id, category_id, is_abstention, pass_number, labelled_at,
    revision)
SELECT id, %(question)s, CASE n %% 100 WHEN 0 THEN %(consensus)s ELSE %(reference)s END::bigint,
    (%(categories)s::bigint[])[1 + n %% %(n_categories)s], false, 1, timestamptz '2026-04-02 09:00+00', 1
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM projects_item WHERE project_id = %(project)s) item
WHERE n %% 100 IN (0, 99)"""
DECISIONS = """
INSERT INTO raters_decision (label_id, decided_by_id, is_for_guidelines)
SELECT id, %(lead)s, id %% 10 = 0 FROM raters_label WHERE rater_id = %(consensus)s"""
ENTRY = """
INSERT INTO core_historyentry (project_id, kind, n_rows, content, position, digest)
VALUES (%(project)s, 'R', (SELECT count(*) FROM raters_label WHERE question_id = %(question)s), ''::bytea,
    (SELECT coalesce(max(position), 0) + 1 FROM core_historyentry WHERE project_id = %(project)s), ''::bytea)
RETURNING id"""
REVISIONS = """
INSERT INTO raters_labelrevision (label_id, change, item_id, question_id, rater_id, batch_id, pass_number, revision,
    category_id, is_abstention, reason, note, source, at, labelled_at, entry_id)
SELECT id, 'I', item_id, question_id, rater_id, batch_id, 1, 1, category_id, is_abstention, '', '', 'import',
    labelled_at, labelled_at, %(entry)s
FROM raters_label WHERE question_id = %(question)s"""


def make_large_project(n_labels: int) -> Project:
    """About so many labels by 200 raters in two rounds, one of them closed; each item has ten raters."""
    lead = User.objects.create_user("lead", password="only for a benchmark")
    project = Project.objects.create(name="Large", slug="large")
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
    question = Question.objects.create(project=project, key="mood", prompt="How is it?")
    categories = Category.objects.bulk_create(
        Category(question=question, key=key, name=key, position=place) for place, key in enumerate(CATEGORIES)
    )
    raters = Rater.objects.bulk_create(Rater(project=project, key=f"rater-{n:03}") for n in range(N_RATERS))
    consensus, reference = (
        Rater.objects.create(project=project, key=kind, kind=kind)
        for kind in (Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE)
    )
    rounds = [
        Round.objects.create(project=project, key=key, position=place, state=state)
        for place, (key, state) in enumerate((("a", Round.State.CLOSED), ("b", Round.State.OPEN)))
    ]
    params = {
        "project": project.pk,
        "question": question.pk,
        "n": n_labels // RATERS_OF_AN_ITEM,
        "of_item": RATERS_OF_AN_ITEM,
        "raters": [rater.pk for rater in raters],
        "n_raters": N_RATERS,
        "rounds": [round_.pk for round_ in rounds],
        "categories": [category.pk for category in categories],
        "n_categories": len(categories),
        "consensus": consensus.pk,
        "reference": reference.pk,
        "lead": lead.pk,
    }
    _write(params)
    assert Item.objects.filter(project=project).count() == params["n"]
    return project


def _write(params: dict[str, object]) -> None:
    """As a superuser, for whom no trigger need run; the program may not turn them off."""
    with living.as_superuser() as superuser:
        superuser.execute("SET session_replication_role = replica")
        superuser.execute("SET synchronous_commit = off")
        for statement in (ITEMS, PLACES, LABELS, TRUTH, DECISIONS):
            superuser.execute(statement, params)
        [entry] = superuser.execute(ENTRY, params).fetchone() or ()
        superuser.execute(REVISIONS, {**params, "entry": entry})
        for table in (
            "projects_item",
            "raters_assignment",
            "raters_label",
            "raters_decision",
            "raters_labelrevision",
        ):
            superuser.execute(f"VACUUM (FREEZE, ANALYZE) {table}")
    connection.close()
