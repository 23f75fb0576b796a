"""Labels from the stored answers of a model."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from projects.models import Project, Question
from raters.labeling.answers import Columns
from raters.labeling.saving import questions_of, set_history_context
from raters.model_runs.replies import InvalidAnswer, columns_of
from raters.models import Label, ModelRequest, ModelRun, Rater

State = ModelRequest.State


@transaction.atomic
def save_answers(run: ModelRun) -> None:
    """Save the labels of all stored answers; one that does not fit the codebook is asked for once more, then fails.

    Answers for a closed project stay stored until it is reopened.
    """
    if (
        not run.requests.filter(state=State.ANSWERED).exists()
        or Project.objects.get(pk=run.project_id).is_closed
    ):
        return
    # Serializes the runs of a rater, so that each takes its own pass.
    rater = Rater.objects.select_for_update(no_key=True).get(model_runs=run)
    answered = list(run.requests.select_for_update(no_key=True).filter(state=State.ANSWERED))
    questions = [each for each in questions_of(run.project_id) if each.key in run.content["questions"]]
    fitting: dict[int, dict[int, Columns]] = {}
    for request in answered:
        try:
            fitting[request.item_id] = _columns(request, questions)
        except InvalidAnswer as invalid:
            _refuse(request, str(invalid))
    if fitting:
        set_history_context(run.asked_by, run.origin)
        Label.objects.bulk_create(_labels(run, rater, fitting))
    done = [request.pk for request in answered if request.item_id in fitting]
    run.requests.filter(pk__in=done).update(state=State.DONE, fault="")


def _columns(request: ModelRequest, questions: Sequence[Question]) -> dict[int, Columns]:
    if request.fault:
        raise InvalidAnswer(request.fault)
    return columns_of(request.answer, questions)


def _refuse(request: ModelRequest, why: str) -> None:
    request.state = State.FAILED if request.n_invalid else State.PENDING
    request.n_invalid += 1
    request.fault = why
    request.save(update_fields=["state", "n_invalid", "fault"])


def _labels(run: ModelRun, rater: Rater, fitting: Mapping[int, Mapping[int, Columns]]) -> list[Label]:
    """Return new labels, each in the pass after the last one of the rater for the item."""
    passes = Label.objects.filter(rater=rater, item__in=fitting).order_by().values_list("item")
    last = dict(passes.annotate(last=Max("pass_number")))
    at = timezone.now()
    return [
        Label(
            item_id=item,
            question_id=question,
            rater=rater,
            round_id=run.round_id,
            pass_number=last.get(item, 0) + 1,
            guidelines_version=run.guidelines_version,
            labelled_at=at,
            **columns,
        )
        for item, by_question in fitting.items()
        for question, columns in by_question.items()
    ]
