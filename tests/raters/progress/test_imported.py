"""A project whose labels were all imported: what stands there, and what to do next."""

from django.urls import reverse

from projects.models import Membership
from raters.progress.progress_figures import figures_of
from tests import cast
from tests.labeling import labeled_project


def test_imported_labels_are_told_as_labels_and_not_as_no_progress(client):
    project = labeled_project("Imported", n_items=6)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    client.force_login(lead)

    items = figures_of(project).items
    progress = client.get(reverse("progress", args=[project.slug])).content.decode()
    overview = client.get(project.get_absolute_url())

    assert (items.n_brought, items.n_planned) == (6, 0)
    assert "<dt>Labeled</dt><dd>6<small>" in progress
    assert "what=finished" not in progress
    assert [step.address for step in overview.context["steps"]] == [
        reverse("adjudicate", args=[project.slug]),
        reverse("agreement", args=[project.slug]),
    ]
    assert 'id="next-steps"' in overview.content.decode()


def test_a_rater_sees_no_steps(client):
    project = labeled_project("Imported", n_items=6)
    client.force_login(cast.member(project, Membership.Role.RATER, username="rita", unique=True))

    assert client.get(project.get_absolute_url()).context["steps"] is None
