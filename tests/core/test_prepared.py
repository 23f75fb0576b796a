"""Queries that are composed once and prepared once find the same rows as Django's own."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext

from core.prepared import USES_BEFORE, Param, PreparedQuery, insert_rows, keep_fetched
from projects.models import Category, Membership
from raters.models import Assignment, Label, Submission
from tests.labeling import new_question

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def memberships(slug, user):
    theirs = Membership.objects.filter(project=OuterRef("project")).exclude(user=OuterRef("user"))
    found = Membership.objects.filter(project__slug=slug, user=user).annotate(has_others=Exists(theirs))
    return found.select_related("project", "user")


def columns(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_it_finds_what_the_query_finds_with_what_it_joins_and_annotates(work):
    prepared = PreparedQuery(lambda: memberships(Param("slug"), Param("user")))
    asked = {"slug": work.project.slug, "user": work.user().pk}
    [expected] = memberships(**asked)

    for _ in range(USES_BEFORE + 3):
        [found] = prepared.all(**asked)
        assert columns(found) == columns(expected)
        assert columns(found.project) == columns(expected.project)
        assert columns(found.user) == columns(expected.user)
        assert found.has_others is expected.has_others is True
    assert prepared.all(slug=work.project.slug, user=0) == []
    assert prepared.first(slug="elsewhere", user=work.user().pk) is None


def test_each_time_it_runs_is_logged_with_its_sql(work):
    prepared = PreparedQuery(lambda: Assignment.objects.filter(rater=Param("rater")))

    with CaptureQueriesContext(connection) as seen:
        for _ in range(USES_BEFORE + 3):
            prepared.all(rater=work.raters[0].pk)

    assert ["raters_assignment" in query["sql"] for query in seen] == [True] * (USES_BEFORE + 3)


def test_fields_left_out_are_read_when_they_are_needed(work):
    prepared = PreparedQuery(lambda: Membership.objects.filter(user=Param("user")).only("role"))

    found = prepared.first(user=work.user().pk)

    assert found.get_deferred_fields() == {"project_id", "user_id", "joined_at"}
    assert (found.role, found.project_id) == ("rater", work.project.pk)


def test_nobody_is_not_the_row_of_nobody(work):
    Assignment.objects.filter(rater=work.raters[0]).update(rater=None, is_on_demand=True)

    assert PreparedQuery(lambda: Assignment.objects.filter(rater=Param("rater"))).all(rater=None) == []


def test_it_is_composed_once_and_planned_once(work, monkeypatch):
    composed = []
    compose = SQLCompiler.as_sql

    def noting(self, *args, **more):
        composed.append(self.query.model)
        return compose(self, *args, **more)

    monkeypatch.setattr(SQLCompiler, "as_sql", noting)
    prepared = PreparedQuery(
        lambda: Assignment.objects.filter(rater=Param("rater"), state="pending", position__lt=987_654)
    )

    for rater in (*work.raters, *work.raters, work.raters[0]):
        assert {each.rater_id for each in prepared.all(rater=rater.pk)} == {rater.pk}

    assert len(composed) == 1
    # A partial index has such a condition, which a parameter would not meet.
    assert [statement.count("'pending'") for statement in kept_statements("987654")] == [1]


def kept_statements(part):
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE strpos(statement, %s) > 0", [part])
        return [statement for (statement,) in cursor.fetchall()]


def test_a_percent_sign_in_a_constant_stays_one(work):
    work.items[0].key = "100% sure"
    work.items[0].save()
    prepared = PreparedQuery(
        lambda: Assignment.objects.filter(rater=Param("rater"), item__key="100% sure").select_related("item")
    )

    assert [each.item.key for each in prepared.all(rater=work.raters[0].pk)] == ["100% sure"]


def test_rows_are_inserted_with_all_kinds_of_values(work):
    other = new_question(work.project, key="more", kind="multiple", position=1)
    size = new_question(work.project, key="size", kind="number", categories=(), position=2)
    good, chosen = work.question.categories.first(), [each.pk for each in other.categories.all()]
    same = {"item_id": work.items[0].pk, "rater_id": work.raters[0].pk, "pass_number": 1, "labelled_at": AT}
    rows = [
        {
            "question_id": work.question.pk,
            "category_id": good.pk,
            "category_set": None,
            "number": None,
            "note": "",
        },
        {"question_id": other.pk, "category_id": None, "category_set": chosen, "number": None, "note": "“é”"},
        {"question_id": size.pk, "category_id": None, "category_set": None, "number": 0.1, "note": "100%"},
    ]

    insert_rows(Label, [{**same, **row, "is_abstention": False, "revision": 1} for row in rows])

    names = tuple(rows[0])
    assert list(Label.objects.order_by("question__position").values(*names)) == rows
    assert set(Label.objects.values_list("labelled_at", "reason", "from_suggestion")) == {(AT, "", False)}


def test_inserting_nothing_asks_nothing(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        insert_rows(Label, [])


def test_json_and_bytes_come_back_as_they_were(work):
    key, answer = "6a1f8f0e-6a0e-4a5e-9d3f-0a0c9a3c9f10", {"revisions": {"tone": 1}, "reference": None}
    insert_rows(
        Submission, [{"user_id": 7, "key": key, "digest": b"\x00\xff%s", "status": 200, "answer": answer}]
    )

    found = PreparedQuery(lambda: Submission.objects.filter(user_id=Param("user"))).first(user=7)

    assert (str(found.key), bytes(found.digest), found.answer) == (key, b"\x00\xff%s", answer)


def test_what_a_constraint_refuses_is_an_integrity_error_of_django(work):
    row = {
        "user_id": 7,
        "key": "6a1f8f0e-6a0e-4a5e-9d3f-0a0c9a3c9f10",
        "digest": b"",
        "status": 200,
        "answer": {},
    }
    insert_rows(Submission, [row])

    with pytest.raises(IntegrityError, match="submission_once_per_key"), transaction.atomic():
        insert_rows(Submission, [row])


def test_rows_that_are_kept_are_those_of_the_relation(work, django_assert_num_queries):
    rows = list(Category.objects.filter(question=work.question))
    work.question.refresh_from_db()

    keep_fetched(work.question.categories, rows)

    with django_assert_num_queries(0):
        assert list(work.question.categories.all()) == rows
    # What is asked beyond that still is about this question alone.
    new_question(work.project, key="other", categories=("good",))
    assert [each.question_id for each in work.question.categories.filter(key="good")] == [work.question.pk]
