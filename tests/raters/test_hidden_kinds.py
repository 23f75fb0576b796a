"""Where names are hidden, the page and the history of an item do not say which letter is a model."""

import re

import pytest
from django.urls import reverse

from projects.models import Membership, Project
from raters.items import label_history
from raters.items.item_letters import letters_for_item
from raters.models import Rater
from tests import cast
from tests.labeling import add_labels, new_question


@pytest.fixture
def with_model(db):
    project = cast.new_project("Hidden kinds", unique=True)
    question = new_question(project)
    kinds = {"ann": Rater.Kind.HUMAN, "bot": Rater.Kind.MODEL, "gold": Rater.Kind.REFERENCE}
    for key, kind in kinds.items():
        Rater.objects.create(project=project, key=key, kind=kind)
    add_labels(question, [("i1", key, "yes") for key in kinds])
    return project


def kinds_shown(client, item) -> list[str]:
    page = client.get(reverse("item", args=[item.project.slug, item.pk]))
    assert page.status_code == 200
    return re.findall(r"<small>(Model|Reference)</small>", page.content.decode())


@pytest.mark.parametrize(("shows_names", "expected"), [(False, []), (True, ["Model", "Reference"])])
def test_the_page_of_an_item(with_model, shows_names, expected):
    Project.objects.filter(pk=with_model.pk).update(adjudicators_see_names=shows_names)
    user = cast.member(with_model, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    assert sorted(kinds_shown(cast.signed_in(user), with_model.items.get())) == expected


def test_the_history_of_an_item(with_model):
    user = cast.member(with_model, Membership.Role.ADJUDICATOR, username="ada", unique=True)
    item = with_model.items.get()
    revisions = list(label_history.revisions_of(item))

    hidden = label_history.changes(revisions, letters_for_item(user, item))
    shown = label_history.changes(revisions)

    assert sorted(each.rater_kind for each in hidden) == ["", "", "reference"]
    assert sorted(each.rater_kind for each in shown) == ["human", "model", "reference"]
