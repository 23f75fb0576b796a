"""The calculator in a browser without scripts: a file, pasted text, a typed matrix; nothing of it is stored."""

import re
import tempfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from raters.models import CachedValue
from reports.pages.calculator import limits, turns
from tests.reading import only_reads
from tests.reports.looking import text_of

pytestmark = pytest.mark.django_db

TEXT = "item\tanna\tben\n" + "".join(
    f"{n}\t{'yes' if n % 3 else 'no'}\t{'yes' if n % 4 else 'no'}\n" for n in range(1, 41)
)
LONG = "item,rater,label\n" + "".join(
    f"{n},{rater},{'abc'[(n + (n % 5 == place)) % 3]}\n" for n in range(30) for place, rater in enumerate(("ann", "ben", "cleo"))
)


@pytest.fixture
def client() -> Client:
    return Client()


def post(client: Client, **data):
    return client.post("/calculate/", data)


def hidden(response) -> dict[str, str]:
    """What the form of a page carries on."""
    page = response.content.decode()
    found = re.search(r'name="carried" value="([^"]+)"', page)
    return {"carried": found[1]} if found else {}


def calculated(client: Client, response, **data):
    return post(client, **hidden(response), do="calculate", **data)


def test_the_page_is_for_everyone_and_writes_nothing(client):
    with only_reads():
        response = client.get("/calculate/")

    assert response.status_code == 200
    assert "nothing of it is stored" in text_of(response)
    assert response["Cache-Control"] == "no-store"


def test_it_can_be_switched_off(client, settings):
    settings.CALCULATOR = False

    assert client.get("/calculate/").status_code == 404
    assert post(client, way="example").status_code == 404
    assert "/calculate/" not in client.get("/accounts/login/").content.decode()


def test_pasted_labels_are_previewed_and_calculated(client):
    preview = post(client, way="labels", text=TEXT)
    result = calculated(client, preview)

    assert preview.status_code == result.status_code == 200
    assert preview.context["questions"] == [
        {"key": "label", "kind": "single", "n_raters": 2, "n_labels": 80}
    ]
    text = text_of(result)
    assert "2 raters · 40 items · 80 labels" in text
    assert "Landis & Koch 1977" in text.replace("&amp;", "&")
    for name in ("Krippendorff’s α", "Gwet’s AC1", "PABAK", "prevalence index", "bias index", "maximum κ"):
        assert name in text
    assert "40 items" in "".join(result.context["prose"].methods)
