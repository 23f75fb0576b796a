"""The navigation of a project, as far as the person who looks may follow it: sections, and the pages of one."""

from dataclasses import dataclass

from django import template
from django.conf import settings
from django.template import Context
from django.urls import NoReverseMatch, reverse

from projects.access import permissions_in
from projects.models import Project
from projects.roles import Permission

register = template.Library()

# Of each section its pages: route, words, the permission that it takes. What belongs to a page is under its URL.
SECTIONS = [
    ("Overview", [("project", "Overview", Permission.SEE_PROJECT)]),
    ("Items", [("items", "Items", Permission.SEE_LABELS)]),
    (
        "Rounds",
        [
            ("rounds", "Rounds", Permission.SEE_ORIGINS),
            ("progress", "Progress", Permission.SEE_LABELS),
            ("scorecard", "Scorecard", Permission.SEE_LABELS),
            ("threads", "Questions", Permission.EDIT_PROJECT),
            ("quality", "Quality", Permission.SEE_ORIGINS),
            ("audits", "Audits", Permission.SEE_ORIGINS),
        ],
    ),
    ("Label", [("label", "Label", Permission.LABEL)]),
    ("Audit", [("audit", "Audit", Permission.SEE_LABELS)]),
    ("Agreement", [("agreement", "Agreement", Permission.SEE_LABELS)]),
    ("Adjudicate", [("adjudicate", "Adjudicate", Permission.SEE_DISPUTES)]),
    (
        "Set-up",
        [
            ("codebook", "Codebook", Permission.SEE_PROJECT),
            ("imports", "Import", Permission.SEE_ORIGINS),
            ("model_runs", "Models", Permission.IMPORT),
            ("export_labels", "Export", Permission.SEE_LABELS),
            ("members", "Members", Permission.EDIT_PROJECT),
            ("log", "Activity", Permission.SEE_LOG),
            ("project_edit", "Settings", Permission.EDIT_PROJECT),
        ],
    ),
]
# What adjudicators are refused who are not to know the names of raters.
WITH_NAMES = frozenset({"export_labels"})
# Pages without a tab of their own, and the page that leads to them.
ELSEWHERE = {
    "raters": "members",
    "item_lists": "items",
    "project_history": "log",
    "label_changes": "log",
    "webhooks": "project_edit",
}


@dataclass(frozen=True, slots=True)
class Tab:
    address: str
    words: str
    is_current: bool


@register.inclusion_tag("projects/_tabs.html", takes_context=True)
def project_tabs(context: Context, project: Project) -> dict[str, object]:
    """tabs: of the sections; one with a single page is called as that. pages: of the current section, if several.

    The longest address that the path begins with is the current page.
    """
    request = context["request"]
    permissions = permissions_in(request.user, project)
    adjudicates = Permission.ADJUDICATE in permissions and Permission.EDIT_PROJECT not in permissions
    withheld = WITH_NAMES if adjudicates and not project.adjudicators_see_names else frozenset()
    withheld |= {"audits"} if project.is_audit else {"audit"}
    if not settings.MODEL_ENDPOINT:
        withheld |= {"model_runs"}
    sections = [
        (
            title,
            [
                (words, address)
                for route, words, permission in pages
                if permission in permissions
                and route not in withheld
                and (address := _address(route, project))
            ],
        )
        for title, pages in SECTIONS
    ]
    sections = [(title, pages) for title, pages in sections if pages]
    path = _path_of_page(request.path, project)
    addresses = [address for _, pages in sections for _, address in pages]
    current = max((address for address in addresses if path.startswith(address)), key=len, default="")
    tabs, inner = [], []
    for title, pages in sections:
        is_current = current in [address for _, address in pages]
        tabs.append(Tab(pages[0][1], title if len(pages) > 1 else pages[0][0], is_current))
        if is_current and len(pages) > 1:
            inner = [Tab(address, words, address == current) for words, address in pages]
    return {"tabs": tabs, "pages": inner}


def _path_of_page(path: str, project: Project) -> str:
    for route, page in ELSEWHERE.items():
        address = _address(route, project)
        if address and path.startswith(address):
            return _address(page, project)
    return path


def _address(route: str, project: Project) -> str:
    try:
        return reverse(route, args=[project.slug])
    except NoReverseMatch:
        return ""
