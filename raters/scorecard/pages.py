"""The raters' scorecard for one project, or for all projects that the user leads; as a page and as CSV."""

from collections.abc import Iterator
from itertools import chain

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.tables.safe_cells import Cell, csv_lines
from projects.access import AnyUser, permissions_in, project_to, projects_of
from projects.events import record
from projects.models import Event, Membership, Project
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.adjudication.exporting import TYPES, in_pieces
from raters.items.item_letters import hidden_letters
from raters.scorecard.cards import SHARES, Card, ScorecardFigures, cards_of, scorecard_figures

COLUMNS = [
    *("project", "rater", "account", "kind", "round", "n_labels", "median_seconds"),
    *(f"{name}_{part}" for name in SHARES for part in ("n", "count", "share", "low", "high")),
]


def cards_to(user: AnyUser, project: Project, *, of_all: bool) -> list[ScorecardFigures]:
    """Return the cards. of_all: for every project the user leads, sorted by account to group each person's rows."""
    projects = _led_by(user) if of_all else [project]
    cards: list[Card] = []
    for each in projects:
        hidden = rounds_to_be_blind_in(user, each)
        cards += cards_of(each, hidden=hidden, letters=hidden_letters(user, each))
    if of_all:
        cards = [card for card in cards if card.is_total]
        cards.sort(key=lambda card: (account_of(card) or card.rater.key, card.rater.key, card.project.name))
    return scorecard_figures(cards)


def account_of(card: Card) -> str:
    return str(card.rater.user) if card.rater.user else ""


def _led_by(user: AnyUser) -> list[Project]:
    memberships = Membership.objects.filter(user=user.pk, role=Membership.Role.LEAD).values("project")
    return list(projects_of(user).filter(pk__in=memberships).order_by("name"))


@require_safe
def scorecard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the scorecard; for leads, `?projects=all` covers all the projects they lead."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    leads = Permission.EDIT_PROJECT in permissions_in(request.user, project)
    of_all = leads and request.GET.get("projects") == "all"
    context = {
        "project": project,
        "rows": cards_to(request.user, project, of_all=of_all),
        "leads": leads,
        "of_all": of_all,
        "is_hidden": bool(rounds_to_be_blind_in(request.user, project)),
    }
    return render(request, "scorecard/scorecard.html", context)


@require_safe
def scorecard_file(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    leads = Permission.EDIT_PROJECT in permissions_in(request.user, project)
    of_all = leads and request.GET.get("projects") == "all"
    names_hidden = hidden_letters(request.user, project) is not None
    rows = cards_to(request.user, project, of_all=of_all)
    record(Event.Kind.EXPORTED, by=request.user, project=project, about="scorecard.csv")
    lines = csv_lines(chain([COLUMNS], _rows(rows, names_hidden=names_hidden)))
    response = StreamingHttpResponse(in_pieces(lines), content_type=TYPES["csv"])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-scorecard.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _rows(rows: list[ScorecardFigures], *, names_hidden: bool) -> Iterator[list[Cell]]:
    for shown in rows:
        card = shown.card
        cells: list[Cell] = [card.project.slug, card.rater.key, "" if names_hidden else account_of(card)]
        cells += [card.rater.kind, "all" if card.is_total else card.round, card.n_labels, card.seconds]
        for name in SHARES:
            matches, figure = getattr(card, name), shown.shares[name]
            cells += [matches.n, matches.n_same]
            cells += [figure.value, figure.low, figure.high] if figure else [None, None, None]
        yield cells
