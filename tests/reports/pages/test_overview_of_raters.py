"""The overview of a project in which nobody has labeled yet: for its lead, and for a rater."""

from projects.models import Membership, Round
from tests import cast
from tests.labeling import new_question
from tests.working import new_work


def test_who_has_joined_is_counted_before_they_rate(db):
    project = cast.new_project()
    client = cast.signed_in(cast.member(project, Membership.Role.LEAD, username="lena"))
    before = client.get(project.get_absolute_url()).content.decode()
    for name in ("ann", "bob"):
        cast.member(project, Membership.Role.RATER, username=name)
    after = client.get(project.get_absolute_url()).content.decode()

    assert "No raters yet." in before
    assert "No raters yet." not in after
    assert "2 people have joined as raters, and are listed here once you plan a round with them." in after


def test_a_rater_sees_the_button_only_with_something_to_label_and_no_scales(db):
    work = new_work()
    new_question(work.project, key="theme", level="ordinal", position=1)
    rater = cast.signed_in(work.user())

    at_work = rater.get(work.project.get_absolute_url()).content.decode()
    Round.objects.update(state="closed")
    idle = rater.get(work.project.get_absolute_url()).content.decode()

    button = f'<a class="button primary" href="/p/{work.project.slug}/label/">Label</a>'
    assert (button in at_work, button in idle) == (True, False)
    assert "You have nothing to label right now." not in at_work
    assert "You have nothing to label right now." in idle
    assert "Single choice" in at_work
    assert "nominal" not in at_work
    assert "ordinal" not in at_work
