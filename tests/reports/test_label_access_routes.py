"""Every route says what it shows of the labels of others."""

from collections import Counter

import pytest
from django.conf import settings
from django.http import QueryDict

from reports.label_access import NotLabelingPermission
from reports.label_access_routes import BY_ITEM, LABEL_ACCESS, LEFT_OUT, NO_LABELS
from reports.store.sides import reports_named
from tests.faults.walking import patterns


def test_every_route_says_what_it_shows_of_the_labels_of_others():
    n_lists = Counter([*LABEL_ACCESS, *LEFT_OUT, *BY_ITEM, *NO_LABELS])

    assert {name for name, n in n_lists.items() if n > 1} == set()
    assert set(n_lists) == {str(pattern.name) for pattern in patterns()}


def test_every_view_that_shows_them_asks_before():
    views = {str(pattern.name): pattern.callback for pattern in patterns()}
    of_api = [name for name in LABEL_ACCESS if hasattr(views[name], "cls")]

    assert "reports.label_access.LabelAccessMiddleware" in settings.MIDDLEWARE
    assert [name for name in of_api if NotLabelingPermission not in views[name].cls.permission_classes] == []


@pytest.mark.parametrize(
    "address",
    [
        "first=report:7",
        "also=report%3A7",
        # In the address of a list that a filter is of, and with more of it written as bytes.
        "items=%3Falso%3Dreport:7",
        "items=%3Fhas%3D2%26also%3Dreport%253A7",
        "items=%3Falso%3D%2572eport%253A7",
    ],
)
def test_reports_that_an_address_names_are_found_wherever_they_are(address):
    assert reports_named(QueryDict(address)) == {7}
