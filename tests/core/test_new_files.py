"""Files that commands write are complete, or not there at all."""

import resource
import signal

import pytest
from django.core.management.base import CommandError

from core.new_files import write_new_file


@pytest.fixture
def limited_disk():
    """A limit on the size of files stands in for a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_new_file_is_private_and_complete(tmp_path):
    write_new_file(tmp_path / "x.zip", [b"one", b"two"])

    [file] = tmp_path.iterdir()
    assert (file.name, file.read_bytes(), file.stat().st_mode & 0o777) == ("x.zip", b"onetwo", 0o600)


def test_nothing_is_left_on_a_full_disk(limited_disk, tmp_path):
    with pytest.raises(CommandError, match=r"x\.zip was not written"):
        write_new_file(tmp_path / "x.zip", [b"x" * 600] * 3)

    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_after_another_error(tmp_path):
    def pieces():
        yield b"x"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write_new_file(tmp_path / "x.zip", pieces())

    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_kept(tmp_path):
    file = tmp_path / "x.zip"
    file.write_text("mine")

    with pytest.raises(CommandError, match="already exists"):
        write_new_file(file, [b"x"])

    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    file = tmp_path / "x.zip"

    def pieces():
        file.write_text("theirs")
        yield b"x"

    with pytest.raises(CommandError, match="already exists"):
        write_new_file(file, pieces())

    assert [path.read_text() for path in tmp_path.iterdir()] == ["theirs"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(CommandError, match="was not written: No such file"):
        write_new_file(tmp_path / "none" / "x.zip", [b"x"])
