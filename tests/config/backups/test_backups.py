"""Backups hold one moment of everything, are checked, and come back in an empty place alone (P18)."""

import io
import json
import re
import tarfile
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import psycopg
import pyrage
import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from config.backups.backing_up import write_backup
from config.backups.encrypting import Keys
from config.backups.keeping import backups_in, due_at, is_current, new_name, remove_all_but
from config.backups.manifest import BackupError
from config.backups.restoring import checked, restore
from config.backups.snapshot import snapshot
from projects.media.media_files import place_of
from projects.models import Project
from raters.archive.project_export import project_file
from raters.models import Label, LabelRevision
from tests import live
from tests.sizes import only_in_full, some

PLAIN = Keys()
IDENTITY = pyrage.x25519.Identity.generate()
FOR_KEY = Keys(recipients=(str(IDENTITY.to_public()),), identities=(str(IDENTITY),))


def taken(project):
    return b"".join(project_file(project))


def restored(file, keys, name, settings, folder):
    """What is in the file, in a database and a media folder that were empty."""
    settings.MEDIA_ROOT = folder
    with live.use_database(name), file.open("rb") as source:
        manifest = restore(source, keys)
        return manifest, {project.slug: taken(project) for project in Project.objects.all()}


def test_everything_comes_back_in_an_empty_place(filled, empty_database, settings, tmp_path):
    file = tmp_path / "all.tar"
    before = taken(filled)

    manifest = write_backup(file, PLAIN)
    found, projects = restored(file, PLAIN, empty_database(), settings, tmp_path / "elsewhere")

    assert found == manifest
    assert projects[filled.slug] == before
    assert manifest.n_media == 2
    assert 0 < manifest.counts["raters_label"] <= manifest.counts["raters_labelrevision"]
    assert manifest.heads


def test_guards_and_sequences_are_there_after_a_restore(filled, empty_database, settings, tmp_path):
    file = tmp_path / "all.tar"
    write_backup(file, PLAIN)
    name = empty_database()
    restored(file, PLAIN, name, settings, tmp_path / "elsewhere")

    with live.use_database(name):
        label = Label.objects.filter(question__project__slug=filled.slug).first()
        n = LabelRevision.objects.count()
        Label.objects.filter(pk=label.pk).update(note="changed")

        assert LabelRevision.objects.count() == n + 1
        with pytest.raises(Exception, match="permission denied"), connection.cursor() as cursor:
            cursor.execute("DELETE FROM raters_labelrevision")


@only_in_full
def test_a_backup_under_load_is_one_moment(filled, empty_database, settings, tmp_path):
    """Four threads save pairs of labels: of each pair both are in a backup, or none, and so says the history."""
    labels = list(Label.objects.filter(question__project=filled).order_by("pk").values_list("pk", flat=True))
    categories = list(filled.questions.get().categories.values_list("pk", flat=True))
    params = connection.get_connection_params()
    params = {name: value for name, value in params.items() if name not in {"cursor_factory", "context"}}
    stop, turns, errors = threading.Event(), [0] * 4, []

    def save(place):
        try:
            with psycopg.connect(**params) as own:
                while not stop.wait(0.002):
                    turns[place] += 1
                    pair, chosen = (
                        labels[2 * place : 2 * place + 2],
                        categories[turns[place] % len(categories)],
                    )
                    own.execute("UPDATE raters_label SET category_id = %s, note = %s WHERE id = ANY (%s)",
                                [chosen, str(turns[place]), pair])  # fmt: skip
                    own.commit()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    try:
        manifests = [write_backup(tmp_path / f"{n}.tar", PLAIN) for n in range(3)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    assert errors == []
    assert len({manifest.counts["raters_labelrevision"] for manifest in manifests}) == 3
    for n, manifest in enumerate(manifests):
        name = empty_database()
        restored(tmp_path / f"{n}.tar", PLAIN, name, settings, tmp_path / f"media-{n}")
        with live.use_database(name):
            assert LabelRevision.objects.count() == manifest.counts["raters_labelrevision"]
            for place in range(4):
                assert_one_moment(labels[2 * place : 2 * place + 2])


def assert_one_moment(pair):
    first, second = Label.objects.filter(pk__in=pair).order_by("pk")
    if first.note or second.note:
        assert (first.note, first.category_id) == (second.note, second.category_id)
    for label in (first, second):
        last = LabelRevision.objects.filter(label_id=label.pk).latest("revision")
        assert (last.revision, last.note, last.category_id) == (label.revision, label.note, label.category_id)


@only_in_full
def test_the_digest_of_a_restored_project_is_that_of_the_snapshot(filled, empty_database, settings, tmp_path):
    """Changed after the backup, and not in it."""
    file, before = tmp_path / "all.tar", taken(filled)
    write_backup(file, PLAIN)
    Label.objects.filter(question__project=filled).update(note="later")

    _, projects = restored(file, PLAIN, empty_database(), settings, tmp_path / "elsewhere")

    assert projects[filled.slug] == before != taken(filled)


@pytest.mark.parametrize("way", some(["recipient", "passphrase"], every=2))
def test_an_encrypted_backup_comes_back_with_its_key_alone(filled, empty_database, settings, tmp_path, way):
    identity = pyrage.x25519.Identity.generate()
    if way == "passphrase":
        keys = right = Keys(passphrase="a long sentence")
        wrong = Keys(passphrase="another sentence")
    else:
        keys = Keys(recipients=(str(identity.to_public()),))
        right = Keys(identities=(str(identity),))
        wrong = Keys(identities=(str(pyrage.x25519.Identity.generate()),))
    file, before = tmp_path / "all.tar.age", taken(filled)
    write_backup(file, keys)

    for bad in (wrong, PLAIN):
        with file.open("rb") as source, pytest.raises(BackupError):
            checked(source, bad)
    _, projects = restored(file, right, empty_database(), settings, tmp_path / "elsewhere")

    assert projects[filled.slug] == before
    assert filled.slug.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0


@only_in_full
def test_a_passphrase_that_takes_this_machine_too_long_is_not_called_wrong(filled, tmp_path):
    file, keys = tmp_path / "all.tar.age", Keys(passphrase="a long sentence")
    write_backup(file, keys)
    # The header of the key says how much work the passphrase takes, as a power of two.
    data = re.sub(rb"(-> scrypt \S+) \d\d\n", rb"\1 60\n", file.read_bytes(), count=1)

    with pytest.raises(BackupError, match="too slow or too busy"):
        checked(io.BytesIO(data), keys)


@pytest.mark.parametrize("keys", [PLAIN, FOR_KEY], ids=["plain", "locked"])
@pytest.mark.parametrize("share", some([0.2, 0.0, 0.5, 0.001, 0.9], every=5))
def test_a_damaged_backup_is_refused_and_nothing_restored(
    filled, empty_database, settings, tmp_path, keys, share
):
    file = tmp_path / "all.tar"
    write_backup(file, keys)
    data = file.read_bytes()
    place = int(len(data) * share)
    name = empty_database()

    for damaged in (data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], data[:place]):
        file.write_bytes(damaged)
        with pytest.raises(BackupError):
            restored(file, keys, name, settings, tmp_path / "elsewhere")

    assert not (tmp_path / "elsewhere").exists()
    with live.use_database(name):
        assert connection.introspection.table_names() == []


def rewritten(file, change):
    """The backup with its parts changed: name -> content."""
    with tarfile.open(file) as tar:
        parts = {member.name: tar.extractfile(member).read() for member in tar}
    parts = change(parts)
    with tarfile.open(file, "w") as tar:
        for name, data in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def in_manifest(**values):
    def change(parts):
        manifest = json.loads(parts["manifest.json"]) | values
        return parts | {"manifest.json": json.dumps(manifest).encode()}

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_manifest(format=9), "format"),
        (in_manifest(program="other"), "format"),
        (in_manifest(migrations=["raters.0999_from_the_future"], version="9.9"), "newer"),
        (in_manifest(parts={}), "damaged"),
        (lambda parts: {"other.txt": b"x"}, "not a backup"),
        (lambda parts: parts | {"media/../../evil": b"x"}, "evil"),
        (lambda parts: {**parts, "database.dump": parts["database.dump"][:-10]}, "database.dump"),
        (lambda parts: {**parts, "database.dump": b"hello"}, "pg_restore"),
    ],
)  # fmt: skip
def test_what_is_no_backup_of_ours_is_refused(filled, empty_database, settings, tmp_path, change, words):
    file = tmp_path / "all.tar"
    write_backup(file, PLAIN)
    rewritten(file, change)
    name = empty_database()

    with pytest.raises(BackupError, match=words):
        restored(file, PLAIN, name, settings, tmp_path / "elsewhere")

    with live.use_database(name):
        assert connection.introspection.table_names() == []


def test_a_place_that_is_not_empty_is_refused(filled, empty_database, settings, tmp_path):
    file = tmp_path / "all.tar"
    write_backup(file, PLAIN)

    with file.open("rb") as source, pytest.raises(BackupError, match=r"database .* is not empty"):
        restore(source, PLAIN)
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").write_text("x")
    with pytest.raises(BackupError, match="media folder"):
        restored(file, PLAIN, empty_database(), settings, tmp_path / "used")


def test_a_restore_that_fails_leaves_the_place_empty(filled, empty_database, settings, tmp_path, monkeypatch):
    """The dump is restored in one transaction, and the media files that came before are taken back."""
    file = tmp_path / "all.tar"
    write_backup(file, PLAIN)
    name = empty_database()
    with live.use_database(name), live.as_superuser() as cursor:
        # What pg_restore meets at the very end of its work.
        cursor.execute(
            "CREATE FUNCTION public.refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'"
        )

    with pytest.raises(BackupError, match="pg_restore failed"):
        restored(file, PLAIN, name, settings, tmp_path / "elsewhere")

    with live.use_database(name):
        assert connection.introspection.table_names() == []
    assert [path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()] == []


def test_nothing_is_overwritten_and_nothing_left_by_a_backup_that_failed(filled, tmp_path):
    file = tmp_path / "all.tar"
    file.write_text("mine")
    with pytest.raises(BackupError, match="exists"):
        write_backup(file, PLAIN)
    assert file.read_text() == "mine"

    default_storage.delete(place_of(filled.media.first().sha256))
    with pytest.raises(BackupError, match="media files are missing"):
        write_backup(tmp_path / "other.tar", PLAIN)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.tar", "media"]


@only_in_full
def test_lost_media_files_are_left_out_if_that_is_allowed(filled, empty_database, settings, tmp_path):
    lost = filled.media.get(name="3.wav").sha256
    default_storage.delete(place_of(lost))

    manifest = write_backup(tmp_path / "all.tar", PLAIN, allow_missing_media=True)

    assert (manifest.missing_media, manifest.n_media) == ([lost], 1)
    restored(tmp_path / "all.tar", PLAIN, empty_database(), settings, tmp_path / "elsewhere")


def test_a_restore_names_media_files_that_are_not_in_the_backup(filled, empty_database, settings, tmp_path):
    write_backup(tmp_path / "all.tar", PLAIN, has_media=False)

    settings.MEDIA_ROOT, errors = tmp_path / "elsewhere", StringIO()
    with live.use_database(empty_database()):
        call_command("restore", tmp_path / "all.tar", stdout=StringIO(), stderr=errors)

    assert "3.wav" in errors.getvalue()


def test_a_media_file_that_is_not_its_digest_fails_the_backup(filled, tmp_path):
    media = filled.media.get(name="3.wav")
    Path(default_storage.path(place_of(media.sha256))).write_bytes(b"x" * media.n_bytes)

    with pytest.raises(BackupError, match=media.sha256):
        write_backup(tmp_path / "all.tar", PLAIN)

    assert not (tmp_path / "all.tar").exists()


def test_pg_dump_sees_the_moment_that_is_counted(filled):
    with snapshot() as moment:
        before = moment.counts()["raters_labelrevision"]
        Label.objects.filter(question__project=filled).update(note="later")
        assert moment.counts()["raters_labelrevision"] == before
        assert moment.media() == sorted({media.sha256 for media in filled.media.all()})


def test_the_commands_back_up_rotate_check_and_restore(filled, empty_database, settings, tmp_path):
    folder, secret = tmp_path / "backups", tmp_path / "secret"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    secret.write_text(f"# a key of age\n{IDENTITY}\n")
    for day in (1, 2, 3):
        (folder / f"interrater-2026010{day}T000000Z.tar").write_text("old")

    out = StringIO()
    call_command("backup", folder, recipient=[*FOR_KEY.recipients], identity_file=secret, keep=2, stdout=out)

    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert {"interrater-20260103T000000Z.tar", "mine.txt"} < set(names)
    newest = backups_in(folder)[-1]
    assert newest.name.endswith(".tar.age")
    assert str(newest) in out.getvalue()
    call_command("restore", newest, identity_file=secret, check=True, stdout=out)
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    with live.use_database(empty_database()):
        call_command("restore", newest, identity_file=secret, stdout=out)
        assert Project.objects.filter(slug=filled.slug).exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": 0}, "at least 1"),
        ({"every": "soon"}, "--every"),
        ({"passphrase_file": Path("/no/such")}, "Cannot read"),
        ({"recipient": ["age1wrong"]}, "not an age recipient"),
    ],
)
def test_the_command_refuses_options_that_mean_nothing(filled, tmp_path, options, words):
    with pytest.raises(CommandError, match=words):
        call_command("backup", tmp_path, stdout=StringIO(), **options)


def test_the_command_needs_a_folder_to_rotate_in(filled, tmp_path):
    with pytest.raises(CommandError, match="folder"):
        call_command("backup", tmp_path / "file.tar", keep=3, stdout=StringIO())


def test_the_next_backup_is_due_by_the_name_of_the_last(tmp_path):
    day = timedelta(days=1)
    assert due_at(tmp_path, day) <= datetime.now(UTC)

    (tmp_path / "interrater-20260101T000000Z.tar.age").touch()
    (tmp_path / "interrater-20260301T120000Z.tar").touch()

    assert due_at(tmp_path, day) == datetime(2026, 3, 2, 12, tzinfo=UTC)
    assert [path.name for path in remove_all_but(1, tmp_path)] == ["interrater-20260101T000000Z.tar.age"]
    assert not is_current(tmp_path, day)
    (tmp_path / new_name(is_locked=True)).touch()
    assert is_current(tmp_path, day)
    assert new_name(is_locked=True).endswith("Z.tar.age")
