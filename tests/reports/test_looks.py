"""Every route says what it shows of the labels of others."""

from collections import Counter

from django.conf import settings

from reports.looks import NotBlind
from reports.looks_of_routes import BY_ITEM, LEFT_OUT, LOOKS, NO_LABELS
from tests.faults.walking import patterns


def test_every_route_says_what_it_shows_of_the_labels_of_others():
    said = Counter([*LOOKS, *LEFT_OUT, *BY_ITEM, *NO_LABELS])

    assert {name for name, n in said.items() if n > 1} == set()
    assert set(said) == {str(pattern.name) for pattern in patterns()}


def test_every_view_that_shows_them_asks_before():
    views = {str(pattern.name): pattern.callback for pattern in patterns()}
    of_api = [name for name in LOOKS if hasattr(views[name], "cls")]

    assert "reports.looks.Looks" in settings.MIDDLEWARE
    assert [name for name in of_api if NotBlind not in views[name].cls.permission_classes] == []
