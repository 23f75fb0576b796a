"""Who also rates: the items behind the pages of agreement are hidden while a round is open, and each look is logged."""

from django.test import Client
from django.urls import reverse

from projects.models import Event, Round
from raters.models import Assignment, Rater
from tests.finished import new_world


def test_the_items_of_a_pair_are_logged_and_hidden_like_all_others(committed_db):
    world = new_world("looks", n_items=4, n_raters=2)
    mine = Rater.objects.create(project=world.project, key="me", user=world.lead)
    round_ = Round.objects.create(project=world.project, key="open", state=Round.State.OPEN)
    Assignment.objects.create(item=world.item, round=round_, rater=mine)
    client = Client()
    client.force_login(world.lead)
    pair, args = world.pair, [world.project.slug, world.report.pk, world.agreement.question_id]
    args += [pair.rater_a_id, pair.rater_b_id]

    refused = client.get(reverse("pair_items", args=args))
    hidden = client.get(reverse("pair_item", args=[*args, world.item.pk]))
    Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED)
    listed = client.get(reverse("pair_items", args=args))
    shown = client.get(reverse("pair_item", args=[*args, world.item.pk]))

    assert [each.status_code for each in (refused, hidden, listed, shown)] == [403, 403, 200, 200]
    looks = Event.objects.filter(kind=Event.Kind.LABELS_SEEN, project_id=world.project.pk).order_by("id")
    assert [look.about for look in looks] == ["items of a pair", world.item.key]
