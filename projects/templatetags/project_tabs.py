"""The tabs of a project, as far as the person who looks may follow them."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse

from projects.access import rights_in
from projects.models import Project
from projects.roles import Right

register = template.Library()

# Route, words, the right that it takes. The pages of a tab stand under its address.
TABS = [
    ("project", "Overview", Right.SEE_PROJECT),
    ("label", "Label", Right.LABEL),
    ("progress", "Progress", Right.SEE_LABELS),
    ("items", "Items", Right.SEE_LABELS),
    ("agreement", "Agreement", Right.SEE_LABELS),
    ("adjudicate", "Adjudicate", Right.ADJUDICATE),
    ("rounds", "Rounds", Right.EDIT_PROJECT),
    ("imports", "Import", Right.IMPORT),
    ("export_labels", "Export", Right.SEE_LABELS),
    ("members", "Members", Right.EDIT_PROJECT),
    ("log", "Activity", Right.SEE_LOG),
    ("codebook", "Codebook", Right.SEE_PROJECT),
    ("project_edit", "Settings", Right.EDIT_PROJECT),
]
# Pages that stand elsewhere, and the tab that leads to them.
ELSEWHERE = {"raters": "members", "project_history": "log", "label_changes": "log"}


@dataclass(frozen=True, slots=True)
class Tab:
    address: str
    words: str
    is_current: bool


@register.inclusion_tag("projects/_tabs.html", takes_context=True)
def project_tabs(context: Context, project: Project) -> dict[str, Any]:
    """The tabs of a project; the longest address that the path begins with is the current one."""
    request = context["request"]
    rights = rights_in(request.user, project)
    addresses = {words: _address(route, project) for route, words, right in TABS if right in rights}
    found = {words: address for words, address in addresses.items() if address}
    path = _path_of_tab(request.path, project)
    current = max((a for a in found.values() if path.startswith(a)), key=len, default="")
    return {"tabs": [Tab(address, words, address == current) for words, address in found.items()]}


def _path_of_tab(path: str, project: Project) -> str:
    for route, tab in ELSEWHERE.items():
        address = _address(route, project)
        if address and path.startswith(address):
            return _address(tab, project)
    return path


def _address(route: str, project: Project) -> str:
    try:
        return reverse(route, args=[project.slug])
    except NoReverseMatch:
        return ""
