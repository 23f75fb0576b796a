"""A database with a project and media files that was committed, and empty ones to restore into."""

import io
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from projects.media.media_files import store_media
from projects.models import Project
from tests import live, services
from tests.labeling import labeled_project
from tests.pictures import png, wav


@pytest.fixture
def filled(committed_db: None, settings, tmp_path: Path) -> Project:
    """With two files of the same bytes, and a third."""
    settings.MEDIA_ROOT = tmp_path / "media"
    project = labeled_project("Kept", n_items=30, n_raters=3)
    for name, data in {"1.png": png(30, 20), "2.png": png(30, 20), "3.wav": wav()}.items():
        store_media(project, name, io.BytesIO(data), by=None)
    # Media files that other tests named are not here.
    other = Project.objects.exclude(pk=project.pk)
    for each in other:
        each.media.all().delete()
    return project


@pytest.fixture(autouse=True)
def administering(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of these tests may make tables."""
    monkeypatch.setenv("ADMIN_DATABASE_URL", services.admin_url())


@pytest.fixture
def empty_database(live_database: str) -> Iterator[Callable[[], str]]:
    """Makes databases without any table."""
    made = []

    def make() -> str:
        name = f"{live_database}_{secrets.token_hex(4)}"
        live.make_database(name)
        made.append(name)
        return name

    yield make
    for name in made:
        live.drop_database(name)
