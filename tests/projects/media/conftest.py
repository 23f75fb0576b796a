import pytest


@pytest.fixture(autouse=True)
def media_folder(settings, tmp_path):
    """A folder of this test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT
