"""A rater's home page: work left, and own labels, which can be changed while their round is open."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.web.paging import page_of
from raters.access import rater_or_newcomer
from raters.labeling.assignment_context import last_done
from raters.labeling.own_rounds import own_rounds
from raters.labeling.own_work import OwnLabelSearch, own_labels, own_labels_page, questions_and_rounds
from raters.labeling.own_work_form import OwnLabelsForm
from raters.labeling.pages import answer_in_words
from raters.labeling.progress import progress_of
from raters.models import Label
from raters.threads.own import with_assignments


@require_safe
def own_work(request: HttpRequest, slug: str) -> HttpResponse:
    rater = rater_or_newcomer(request.user, slug)
    form = OwnLabelsForm(*questions_and_rounds(rater), request.GET)
    wanted = form.wanted
    page = page_of(request, Label.objects.none() if wanted is None else own_labels(rater, wanted))
    labels = own_labels_page(rater, list(page))
    context = {
        "project": rater.project,
        "rounds": own_rounds(rater),
        "progress": progress_of(rater),
        "has_labeled": last_done(rater) is not None,
        "form": form,
        "threads": with_assignments(rater),
        "is_filtered": wanted != OwnLabelSearch(),
        "page": page,
        "rows": [
            (each, [(question, answer_in_words(question, answer)) for question, answer in each.answers])
            for each in labels
        ],
    }
    return render(request, "labeling/own_work.html", context, status=400 if wanted is None else 200)
