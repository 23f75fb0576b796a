import pytest


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(media_folder):
    """All tests of this folder keep files."""
