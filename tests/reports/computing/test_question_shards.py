"""A report whose questions are computed in shards has the same rows, to the last bit."""

import pytest

from projects.models import Project, Question
from raters.models import Rater
from reports.agreement.blockwise import here
from reports.models import LabelBlock, OnDemandFigures, PairAgreement, Report, ReportShard
from reports.store import question_shards, report, sharing
from reports.store.verification import verify
from reports.tasks import compute_report
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.computing.test_shards import again, another_worker, change_a_label, choices, computed
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import only_in_full, some

__all__ = ["choices"]


@pytest.fixture
def four_questions(choices: Project) -> Project:
    """Choices in two rounds with a model, the same again, numbers, and one without categories, which is unfit."""
    first = choices.questions.get()
    Rater.objects.filter(project=choices, key="rater-003").update(kind="model")
    rows = list(first.labels.values_list("item__key", "rater__key", "category__key"))
    add_labels(new_question(choices, key="again", categories=("good", "fair", "bad")), rows)
    sets = new_question(choices, key="topics", categories="ABC", kind=Question.Kind.MULTIPLE)
    add_sets(sets, [["A" if (i + r) % 3 else "AB" for r in range(3)] for i in range(20)])
    numbers = new_question(choices, key="score", categories=(), kind=Question.Kind.NUMBER, level="interval")
    add_numbers(numbers, [[(i * 7 + r * (i % 3)) % 11 for r in range(3)] for i in range(20)])
    new_question(choices, key="unfit", categories=())
    return choices


@pytest.fixture
def questions_shared(settings, monkeypatch) -> list[int]:
    """All questions but the first are shared. Returns the shards computed."""
    settings.RUN_SHARD_SECONDS = 1e-9
    monkeypatch.setattr(question_shards, "MIN_MEASURABLE_SECONDS", 0)
    monkeypatch.setattr(report, "SharedWork", lambda *args: here)
    done: list[int] = []
    copied = question_shards.copied

    def noting(shard: ReportShard) -> bytes:
        done.append(shard.first)
        return copied(shard)

    monkeypatch.setattr(question_shards, "copied", noting)
    return done


def rows(report: Report) -> str:
    """All that is stored for its questions, without IDs and times."""
    of = {"agreement__report": report}
    questions = report.questions.order_by("question").defer("id", "report_id")
    pairs = PairAgreement.objects.filter(**of).order_by("agreement__question", "rater_a", "rater_b")
    figures = OnDemandFigures.objects.filter(**of).order_by("agreement__question", "what")
    blocks = LabelBlock.objects.filter(**of).order_by("agreement__question", "first_item")
    found: list[object] = [report.digest]
    for query, left_out in (
        (questions, {"id", "report_id"}),
        (pairs, {"id", "agreement_id"}),
        (figures, {"id", "agreement_id", "public", "asked_at", "started_at", "finished_at"}),
        (blocks, {"id", "agreement_id"}),
    ):
        names = [
            field.attname for field in query.model._meta.concrete_fields if field.attname not in left_out
        ]
        kept = list(query.values_list(*names))
        assert kept
        found.append(
            [[bytes(value) if isinstance(value, memoryview) else value for value in row] for row in kept]
        )
    return repr(found)


@pytest.mark.parametrize("by_another", some([True, False], every=2))
def test_shared_questions_have_the_same_rows(four_questions, lead, monkeypatch, request, by_another):
    alone = finished_report(four_questions, lead)
    assert alone.state == Report.State.DONE
    done = request.getfixturevalue("questions_shared")

    if by_another:
        # Labels that change meanwhile are not those of the report.
        with another_worker(monkeypatch, before=lambda: change_a_label(four_questions)):
            shared = computed(again(alone))
    else:
        shared = computed(again(alone))

    assert shared.state == Report.State.DONE, shared.failure
    assert sorted(done) == [1, 2, 3, 4]
    assert rows(shared) == rows(alone)
    assert verify(shared) == []
    assert not shared.shards.exists()


@only_in_full
def test_what_is_too_large_to_copy_is_computed_by_the_report(
    four_questions, lead, monkeypatch, questions_shared
):
    monkeypatch.setattr(question_shards, "MOST_BYTES", 4_000)
    shared = finished_report(four_questions, lead)
    monkeypatch.undo()

    assert shared.state == Report.State.DONE
    assert rows(shared) == rows(computed(again(shared)))


def test_a_lost_worker_costs_only_the_questions_it_had_not_finished(
    four_questions, lead, monkeypatch, questions_shared
):
    alone = finished_report(four_questions, lead)
    questions_shared.clear()
    report, share_left = again(alone), sharing._share_left

    def until_two_are_done(*args) -> float:
        if len(questions_shared) == 2:
            raise RuntimeError
        return share_left(*args)

    with monkeypatch.context() as patch:
        patch.setattr(sharing, "_share_left", until_two_are_done)
        # The worker is gone before it can say anything.
        patch.setattr(Report, "fail", lambda self, sentence: False)
        compute_report(report.pk)
    Report.lose(report.pk)
    change_a_label(four_questions)
    computed(report)

    assert report.state == Report.State.DONE
    assert sorted(questions_shared) == [1, 2, 3, 4]
    assert rows(report) == rows(alone)
