"""What is in a database that is kept for later versions to upgrade, besides its largest project."""

import io
from typing import Any

from tests.upgrades.make_fixture import project_pieces
from tests.upgrades.review_reports import report_on
from tests.upgrades.reviews import Reviews

PASSWORD = "correct horse battery staple"


def fill() -> None:
    from raters.demo.demo_projects import PROJECTS, _ensure
    from raters.models import User

    owner = User.objects.create_user("owner", password=PASSWORD, is_superuser=True)
    people = {
        name: User.objects.create_user(name, password=PASSWORD, first_name=name.title())
        for name in ("lena", "rita", "ravi", "rosa", "ada", "otto", "nina", "gone")
    }
    User.objects.filter(username="gone").update(is_active=False)
    Reviews(owner, people).fill()
    keep_archive(scans(people), by=owner)
    delete_project(people["lena"])
    demo = next(each for each in PROJECTS if each[0] == "demo-diagnoses")
    project = _ensure(*demo, owner)
    report_on(project, owner)
    sign_in_with_second_factor(people["lena"])
    sign_up()


def scans(people: dict[str, Any]) -> Any:
    """A closed project with media files."""
    from projects import actions
    from projects.codebook.questions import create_question
    from projects.media.media_uploads import Upload
    from tests.files import load_items
    from tests.pictures import png, wav

    lena = people["lena"]
    project = actions.create_project("Scans", by=lena, slug="scans")
    create_question(project, by=lena, key="carious", categories=[{"key": "no"}, {"key": "yes"}])
    files = [("scans/1.png", png(30, 20)), ("scans/2.png", png(12, 40)), ("calls/1.wav", wav())]
    Upload(project, by=lena).take_all((name, io.BytesIO(data)) for name, data in files)
    table = (
        b"item,image:scan,alt:scan,audio:call\n"
        b"s1,scans/1.png,A tooth,calls/1.wav\ns2,scans/2.png,,\ns3,scans/missing.png,,\n"
    )
    load_items(project, table)
    actions.change_project(project, by=lena, state="closed", is_codebook_closed=True)
    return project


def keep_archive(project: Any, *, by: Any) -> None:
    """Uploaded, and its preview not yet confirmed."""
    from django.core.files.base import ContentFile

    from raters.archive.uploads import store_upload

    store_upload(ContentFile(b"".join(project_pieces(project)), name="scans.zip"), by=by)


def delete_project(by: Any) -> None:
    """Asked for, and not yet done."""
    from projects import actions
    from projects.deletion.actions import request_deletion

    project = actions.create_project("Trial", by=by, slug="trial")
    request_deletion(project, by=by, name="Trial")


def sign_in_with_second_factor(user: Any) -> None:
    """By the pages, which write events, sessions and recovery codes."""
    import re

    from allauth.mfa.totp.internal import auth as totp
    from django.test import Client
    from django.urls import reverse

    client = Client()
    client.post(reverse("account_login"), {"login": user.username, "password": "wrong"})
    client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    found = re.search(
        "<code>([A-Z2-7]{32})</code>", client.get(reverse("mfa_activate_totp")).content.decode()
    )
    assert found
    code = totp.format_hotp_value(totp.hotp_value(found[1], next(totp.yield_hotp_counters_from_time())))
    client.post(reverse("mfa_activate_totp"), {"code": code})


def sign_up() -> None:
    from django.test import Client
    from django.urls import reverse

    password = {"password1": f"{PASSWORD} nora", "password2": f"{PASSWORD} nora"}
    answer = Client().post(
        reverse("account_signup"), {"username": "nora", "email": "nora@example.org", **password}
    )
    assert answer.status_code == 302, answer.content
