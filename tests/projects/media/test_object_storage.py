"""Media files in a bucket, of a real server of the S3 protocol on this machine."""

import hashlib
import io
import os
from collections.abc import Iterator

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from moto.server import ThreadedMotoServer

from config.backups.restoring import Member
from core.web.unavailable import FILES_AWAY, unavailable
from projects.media.lost import lost_media
from projects.media.media_files import UploadResult, place_of, remove, store_media
from projects.media.objects import ObjectStorage
from projects.models import MediaFile
from tests.pictures import png

BUCKET = "media"
KEYS = {"access_key": "key", "secret_key": "secret"}


@pytest.fixture(scope="module")
def storage_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(storage_server, settings):
    """An empty bucket, where all media files are kept."""
    found = boto3.resource(
        "s3",
        endpoint_url=storage_server,
        region_name="us-east-1",
        aws_access_key_id=KEYS["access_key"],
        aws_secret_access_key=KEYS["secret_key"],
    ).Bucket(BUCKET)
    found.create()
    found.objects.all().delete()
    options = {"bucket_name": BUCKET, "endpoint_url": storage_server, "region_name": "us-east-1", **KEYS}
    ours = {"BACKEND": "projects.media.objects.ObjectStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": ours}
    return found


def names(bucket) -> list[str]:
    return [each.key for each in bucket.objects.all()]


def test_a_file_is_an_object_named_by_its_content(project, bucket):
    content = png(30, 20)

    assert store_media(project, "1.png", io.BytesIO(content), by=None) == UploadResult.ADDED
    assert store_media(project, "1.png", io.BytesIO(content), by=None) == UploadResult.UNCHANGED

    place = place_of(hashlib.sha256(content).hexdigest())
    assert names(bucket) == [place]
    assert bucket.Object(place).get()["Body"].read() == content


def test_a_file_goes_with_its_last_row(project, lead, bucket, django_capture_on_commit_callbacks):
    store_media(project, "1.png", io.BytesIO(png()), by=None)

    with django_capture_on_commit_callbacks(execute=True):
        remove(project.media.get(), by=lead)

    assert names(bucket) == []


@pytest.mark.parametrize(
    ("asked", "first", "last", "status"),
    [
        ("", 0, None, 200),
        ("bytes=10-19", 10, 19, 206),
        ("bytes=70000-", 70_000, None, 206),
        ("bytes=-5", -5, None, 206),
    ],
)
def test_a_browser_gets_the_part_that_it_asks_for(client, project, bucket, asked, first, last, status):
    content = png(8, 8) + os.urandom(200_000)
    store_media(project, "1.png", io.BytesIO(content), by=None)
    media = project.media.get()

    answer = client.get(
        reverse("api_media_file", args=[project.slug, media.pk]), headers={"Range": asked} if asked else {}
    )

    assert answer.status_code == status
    wanted = content[first:] if last is None else content[first : last + 1]
    assert b"".join(answer.streaming_content) == wanted


def test_a_lost_object_is_a_missing_file(client, project, bucket):
    store_media(project, "1.png", io.BytesIO(png()), by=None)
    bucket.objects.all().delete()

    answer = client.get(reverse("api_media_file", args=[project.slug, project.media.get().pk]))

    assert answer.status_code == 404
    with pytest.raises(FileNotFoundError), default_storage.open("ab/abcd") as file:
        file.read()


def test_lost_objects_are_found_by_listing_the_bucket(project, bucket):
    digests = [f"{folder}{n:062}" for folder in ("00", "01") for n in range(6)]
    MediaFile.objects.bulk_create(
        MediaFile(project=project, name=f"{digest}.png", type="image/png", sha256=digest, n_bytes=1)
        for digest in digests
    )
    for digest in digests[:4]:
        default_storage.save(place_of(digest), ContentFile(b"x"))

    assert lost_media(project.media.all()) == [f"{digest}.png" for digest in digests[4:]]


def test_a_part_of_a_backup_is_stored_as_it_is_read(bucket):
    content = os.urandom(20 << 20)
    member = Member("media/x", io.BytesIO(content))

    default_storage.save("ab/abcd", member)

    assert member.part().n_bytes == len(content)
    with default_storage.open("ab/abcd") as file:
        assert file.read() == content
    assert default_storage.size("ab/abcd") == len(content)
    assert default_storage.listdir("") == (["ab"], [])


def test_an_upload_that_is_cut_off_leaves_nothing(bucket):
    class Cut(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"x" * (9 << 20)
            raise OSError("the connection was cut")

    with pytest.raises(OSError, match="cut"):
        default_storage.save("ab/abcd", Cut(b"something"))

    assert names(bucket) == []


def test_reading_goes_on_from_any_position(bucket):
    content = os.urandom(600_000)
    default_storage.save("ab/abcd", ContentFile(content))

    with default_storage.open("ab/abcd") as file:
        assert file.read(10) == content[:10]
        file.seek(500_000)
        assert file.read(100) == content[500_000:500_100]
        assert file.tell() == 500_100
        file.seek(-7, io.SEEK_END)
        assert file.read() == content[-7:]
        file.seek(600_000)
        assert file.read() == b""


def test_unavailable_storage_differs_from_a_lost_file(settings):
    away = ObjectStorage(
        bucket_name=BUCKET, endpoint_url="http://127.0.0.1:1", region_name="us-east-1", **KEYS
    )

    with pytest.raises(EndpointConnectionError) as error:
        away.exists("ab/abcd")

    assert unavailable(error.value) == FILES_AWAY
