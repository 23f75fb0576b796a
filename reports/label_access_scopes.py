"""Whose labels a request shows: the project, and the rounds.

Each function takes the request and the arguments of its URL, and returns None if no labels of others are shown.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.numbers import whole_number
from projects.models import Membership, Project
from projects.roles import PERMISSIONS, Permission
from raters.access import rounds_chosen_by_labels
from raters.models import LabelImport
from reports.models import Report
from reports.store import links
from reports.store.sides import reports_named


@dataclass(frozen=True, slots=True)
class VisibleLabels:
    """The labels that a request would show: of the rounds with these keys, or for None, of the whole project."""

    project: Project
    rounds: frozenset[str] | None


Scope = Callable[[HttpRequest, Mapping[str, Any]], VisibleLabels | None]


def all_labels(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    project = _project_of(request, args)
    return None if project is None else VisibleLabels(project, None)


def of_reports(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the report in the URL, and of those in its query string to compare it with."""
    project = _project_of(request, args)
    if project is None:
        return None
    named = [request.GET.get(name, "") for name in ("first", "second")]
    pks = [pk for text in named if (pk := whole_number(text)) is not None]
    pks += [*reports_named(request.GET), args.get("pk", 0)]
    return VisibleLabels(project, rounds_of(project.reports.filter(pk__in=pks).only("scope")))


def of_import(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for an import of labels, whose preview reveals existing ones; None for items and questions."""
    project = _project_of(request, args)
    if project is None or not project.imports.filter(pk=args["pk"], kind=LabelImport.Kind.LABELS).exists():
        return None
    return VisibleLabels(project, None)


def when_posted(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for a request that creates something from them; the list itself shows none."""
    return all_labels(request, args) if request.method == "POST" else None


def of_imports(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for the list of imports; the view itself refuses uploads, depending on their kind."""
    return None if request.method == "POST" else all_labels(request, args)


def of_round(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the round in the query string, or all; a POST response reveals existing labels."""
    project = _project_of(request, args)
    if project is None:
        return None
    is_one = request.method != "POST" and "round" in request.GET
    return VisibleLabels(project, frozenset({request.GET["round"]}) if is_one else None)


def of_chosen_round(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels by which the round in the query string was chosen; None if it was not chosen by labels."""
    project = _project_of(request, args)
    if project is None or request.method != "GET" or "round" not in request.GET:
        return None
    keys = rounds_chosen_by_labels(project, [request.GET["round"]])
    return VisibleLabels(project, frozenset(keys)) if keys else None


def of_deletion(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return all labels for a deletion: refusing it would reveal that there are labels."""
    return all_labels(request, args) if request.method == "DELETE" else None


def of_link(request: HttpRequest, args: Mapping[str, Any]) -> VisibleLabels | None:
    """Return the labels of the report of a link, which raters and former members may open, too."""
    link = links.find(args["token"])
    return None if link is None else VisibleLabels(link.report.project, rounds_of([link.report]))


def _project_of(request: HttpRequest, args: Mapping[str, Any]) -> Project | None:
    """Return the project if the user is a member who sees its labels; the view handles others."""
    membership = Membership.objects.filter(
        project__slug=args["slug"], project__deletion_due_at=None, user=request.user.pk
    )
    found = membership.select_related("project").first()
    return found.project if found and Permission.SEE_LABELS in PERMISSIONS.get(found.role, ()) else None


def rounds_of(reports: Iterable[Report]) -> frozenset[str] | None:
    """Return the keys of the rounds whose labels these reports use; None for all labels."""
    rounds = [report.scope["rounds"] for report in reports]
    return None if None in rounds else frozenset(key for keys in rounds for key in keys)
