"""The entries of a project: seven at most, each role its own, and the pages of the current one."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Membership
from tests import cast

SET_UP = ["Codebook", "Import", "Export", "Members", "Activity", "Settings"]


def entries(client: Client, address: str) -> tuple[list[str], list[str]]:
    """The words of the sections, and those of the pages of the current section."""
    page = client.get(address).content.decode()
    navs = {
        name: re.findall(r"<a [^>]*>([^<]+)</a>", nav)
        for name, nav in re.findall(r'<nav class="tabs[^"]*" aria-label="([^"]+)">(.*?)</nav>', page, re.S)
    }
    return navs["This project"], navs.get("This section", [])


@pytest.mark.parametrize(
    ("role", "sections", "pages"),
    [
        ("lead", ["Overview", "Items", "Rounds", "Label", "Agreement", "Adjudicate", "Set-up"], SET_UP),
        # Exports would name the raters.
        ("adjudicator", ["Overview", "Items", "Rounds", "Agreement", "Adjudicate", "Codebook"], []),
        (
            "auditor",
            ["Overview", "Items", "Rounds", "Agreement", "Adjudicate", "Set-up"],
            ["Codebook", "Import", "Export", "Activity"],
        ),
        # One page alone is called by its name.
        ("rater", ["Overview", "Label", "Codebook"], []),
    ],
)
def test_each_role_has_its_own_entries(project, role, sections, pages):
    client = cast.signed_in(cast.member(project, Membership.Role(role), username=f"a-{role}"))

    found = entries(client, reverse("codebook", args=[project.slug]))

    assert found == (sections, pages)


def test_who_may_know_names_may_export(project):
    type(project).objects.filter(pk=project.pk).update(adjudicators_see_names=True)
    client = cast.signed_in(cast.member(project, Membership.Role.ADJUDICATOR, username="mia"))

    sections, pages = entries(client, reverse("codebook", args=[project.slug]))
    assert (sections[-1], pages) == ("Set-up", SET_UP[:3:2])


def test_the_page_and_its_section_are_current(client, project):
    page = client.get(reverse("members", args=[project.slug])).content.decode()

    assert re.findall(r'aria-current="([^"]+)">([^<]+)<', page)[:2] == [
        ("true", "Set-up"),
        ("page", "Members"),
    ]
