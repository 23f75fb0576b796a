"""The page of one rater, as one of the project's members sees it."""

from django.test import Client

from tests.reports.looking import text_of
from tests.reports.rated import Rated


def get(world: Rated, who: str, address: str, **query):
    client = Client()
    client.force_login(world.users[who])
    return client.get(address, query)


def shown(world: Rated, who: str, tail: str = "", rater: str = "ann", **query) -> str:
    response = get(world, who, world.address(rater, tail), **query)
    assert response.status_code == 200
    return text_of(response)
