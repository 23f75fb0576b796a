"""Progress pages: figures for those who may see labels, and next steps for leads."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.templatetags.shown import count
from core.web.paging import page_of
from core.web.refusals import refusals_as_messages
from projects.access import permissions_in, project_to
from projects.models import Project, Question, Round
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.figures.pending_figures import when_stored
from raters.items.item_letters import hidden_letters
from raters.labeling.asking import ask_again, n_to_ask
from raters.labeling.missing_answers import missing_answers_for
from raters.labeling.progress import RECENT
from raters.models import Rater
from raters.progress.next_steps import disputes_address, next_steps
from raters.progress.progress_figures import figures_of
from raters.progress.progress_lists import OF_ITEMS, OF_PLACES, WORDS, ListFilter, ProgressCount
from raters.progress.rater_rows import rater_rows
from raters.progress.stored_lists import StoredRows, list_rows
from raters.reporting import reporting

# As many as a matrix of a report shows.
RATERS_ON_A_PAGE = 200


@require_safe
@when_stored
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    hidden = rounds_to_be_blind_in(request.user, project)
    letters = hidden_letters(request.user, project)
    figures = figures_of(project, hidden=hidden, letters=letters, by=request.user)
    permissions = permissions_in(request.user, project)
    leads, behind = Permission.EDIT_PROJECT in permissions, reverse("progress_items", args=[slug])
    page = page_of(request, figures.busy_raters, size=RATERS_ON_A_PAGE)
    shown = list(page)
    context = {
        "project": project,
        "figures": figures,
        "page": page,
        "is_hidden": bool(hidden),
        "has_last_seen": letters is None,
        # Each with the URL prefix of the lists behind its numbers.
        "rows": [(row, f"{behind}?rater={row.figures.rater.pk}&what=") for row in rater_rows(shown)],
        # If names are hidden, these pages have other URLs.
        "pages_of_raters": {}
        if letters
        else reporting().pages_of_raters(project, {row.rater.pk for row in shown}),
        "has_reference": any(row.reference.n for row in figures.raters),
        "has_repeats": any(row.repeats.n for row in figures.raters),
        "recent": RECENT,
        "leads": leads,
        "steps": next_steps(project, figures, hidden=hidden) if leads else [],
        "behind": behind,
        # Members who may not decide get the list.
        "disputes": disputes_address(project)
        if Permission.ADJUDICATE in permissions
        else f"{behind}?what=disputed",
    }
    return render(request, "progress/progress.html", context)


class ItemListForm(forms.Form):
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
@when_stored
def progress_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the items behind a number of the overview."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    form = ItemListForm(request.GET, project=project)
    if not form.is_valid():
        raise Http404("There is no such list.")
    chosen = form.cleaned_data
    what = ProgressCount(chosen["what"])
    hidden = rounds_to_be_blind_in(request.user, project)
    rater, round_, question = (chosen[name] for name in ("rater", "round", "question"))
    letters = hidden_letters(request.user, project)
    if rater is not None and letters is not None:
        rater.key = letters.visible_key(rater.key)
    wanted = ListFilter(what, _pk(rater), _pk(round_), _pk(question), tuple(hidden), letters)
    found = list_rows(project, wanted, by=request.user)
    page = page_of(request, found)
    context = {
        "project": project,
        "title": WORDS[what],
        "about": [str(thing) for thing in (rater, round_, question) if thing is not None],
        "page": page,
        "n": found.n if isinstance(found, StoredRows) else page.paginator.count,
        "figures": found,
        "rows": list(page),
        "is_of_items": what in OF_ITEMS,
        "is_of_labels": what not in OF_ITEMS | OF_PLACES,
        "is_unclear": what is ProgressCount.UNCLEAR,
        "leads": Permission.EDIT_PROJECT in permissions_in(request.user, project),
        "is_hidden": bool(hidden),
        "asking": _asking(request, project, question, round_)
        if what is ProgressCount.MISSING_ANSWERS and question is not None and rater is None
        else None,
    }
    return render(request, "progress/items.html", context)


@dataclass(frozen=True, slots=True)
class AskAgainPreview:
    """n: assignments that can be asked again. n_asked: those already asked. n_not: those that cannot be asked."""

    question: Question
    round: Round | None
    n: int
    n_asked: int
    n_not: int


def _asking(
    request: HttpRequest, project: Project, question: Question, round_: Round | None
) -> AskAgainPreview | None:
    """Return the counts; None if the user may not ask or no answer is missing."""
    if Permission.EDIT_PROJECT not in permissions_in(request.user, project):
        return None
    found = missing_answers_for(project, None if round_ is None else [round_.pk], by=request.user)
    missing = next((each for each in found if each.question == question), None)
    if missing is None:
        return None
    n = n_to_ask(project, question, round_, by=request.user)
    return AskAgainPreview(question, round_, n, missing.n_asked, missing.n_left - n)


class AskAgainForm(forms.Form):
    question = forms.ModelChoiceField(Question.objects.none())
    round = forms.ModelChoiceField(Round.objects.none(), required=False)

    def __init__(self, data: object, *, project: Project) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.fields["question"].queryset = project.questions.all()  # type: ignore[attr-defined]
        self.fields["round"].queryset = project.rounds.all()  # type: ignore[attr-defined]


@require_POST
def progress_ask(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask raters again about a question that they have not answered."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = AskAgainForm(request.POST, project=project)
    if not form.is_valid():
        raise Http404("There is no such question or round.")
    question, round_ = form.cleaned_data["question"], form.cleaned_data["round"]
    with refusals_as_messages(request):
        n = ask_again(project, question, by=request.user, round_=round_)
        s = "" if n == 1 else "s"
        messages.success(request, f"Asked again for “{question.key}”: {count(n)} assignment{s} reopened.")
    query = f"?what=missing_answers&question={question.pk}" + (f"&round={round_.pk}" if round_ else "")
    return redirect(reverse("progress_items", args=[slug]) + query)


def _pk(thing: Rater | Round | Question | None) -> int | None:
    return None if thing is None else thing.pk
