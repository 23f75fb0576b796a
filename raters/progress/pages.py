"""How far a project has come, for those who see labels; what to do next, for its lead."""

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.web.paging import page_of
from projects.access import project_to, rights_in
from projects.models import Project, Question, Round
from projects.roles import Right
from raters.access import rounds_to_be_blind_in
from raters.labeling.progress import RECENT
from raters.models import Rater
from raters.progress.figures import figures_of
from raters.progress.lists import OF_ITEMS, OF_PLACES, WORDS, ListFilter, ListRows, What
from raters.progress.next_steps import disputes_address, next_steps
from raters.progress.rows import rater_rows
from raters.reporting import reporting


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_LABELS)
    hidden = rounds_to_be_blind_in(request.user, project)
    figures = figures_of(project, hidden=hidden)
    rights = rights_in(request.user, project)
    leads, behind = Right.EDIT_PROJECT in rights, reverse("progress_items", args=[slug])
    context = {
        "project": project,
        "figures": figures,
        "is_hidden": bool(hidden),
        # Each with the beginning of the addresses behind its numbers.
        "rows": [(row, f"{behind}?rater={row.figures.rater.pk}&what=") for row in rater_rows(figures)],
        "pages_of_raters": reporting().pages_of_raters(project),
        "has_reference": any(row.reference.n for row in figures.raters),
        "has_repeats": any(row.repeats.n for row in figures.raters),
        "recent": RECENT,
        "leads": leads,
        "steps": next_steps(project, figures) if leads else [],
        "behind": behind,
        # Who may not decide looks at them.
        "disputes": disputes_address(project) if Right.ADJUDICATE in rights else f"{behind}?what=disputed",
    }
    return render(request, "progress/progress.html", context)


class BehindForm(forms.Form):
    what = forms.ChoiceField(choices=[(what.value, words) for what, words in WORDS.items()])
    rater = forms.ModelChoiceField(Rater.objects.none(), required=False)
    round = forms.ModelChoiceField(Round.objects.none(), required=False)
    question = forms.ModelChoiceField(Question.objects.none(), required=False)

    def __init__(self, data: object, *, project: Project) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        for name, rows in (
            ("rater", project.raters.all()),
            ("round", project.rounds.all()),
            ("question", project.questions.all()),
        ):
            self.fields[name].queryset = rows  # type: ignore[attr-defined]


@require_safe
def progress_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind one number of the overview."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    form = BehindForm(request.GET, project=project)
    if not form.is_valid():
        raise Http404("There is no such list.")
    chosen = form.cleaned_data
    what = What(chosen["what"])
    hidden = rounds_to_be_blind_in(request.user, project)
    rater, round_, question = (chosen[name] for name in ("rater", "round", "question"))
    wanted = ListFilter(what, _pk(rater), _pk(round_), _pk(question), tuple(hidden))
    page = page_of(request, ListRows(project, wanted))
    context = {
        "project": project,
        "title": WORDS[what],
        "about": [str(thing) for thing in (rater, round_, question) if thing is not None],
        "page": page,
        "rows": list(page),
        "is_of_items": what in OF_ITEMS,
        "is_of_labels": what not in OF_ITEMS | OF_PLACES,
        "is_hidden": bool(hidden),
    }
    return render(request, "progress/items.html", context)


def _pk(thing: Rater | Round | Question | None) -> int | None:
    return None if thing is None else thing.pk
