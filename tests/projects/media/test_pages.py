"""The page and the API of media files, and the command: what they take, and what they say."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from projects.models import Item, MediaFile, Project
from tests import cast
from tests.pictures import SVG, archive, png, wav


def file(name: str, content: bytes) -> io.BytesIO:
    sent = io.BytesIO(content)
    sent.name = name
    return sent


def send(client, project, *files: tuple[str, bytes], **more):
    return client.post(
        reverse("media", args=[project.slug]), {"file": [file(*one) for one in files], **more}, follow=True
    )


def send_api(client, project, *files: tuple[str, bytes], **more):
    address = reverse("api_media", args=[project.slug])
    return client.post(address, {"file": [file(*one) for one in files], **more})


def names(project) -> list[str]:
    return list(project.media.values_list("name", flat=True))


def test_several_files_at_once_into_a_folder(client, project):
    response = send(client, project, ("1.png", png()), ("2.wav", wav(0.1)), folder="photos")

    assert "Files: 2 added." in response.content.decode()
    assert names(project) == ["photos/1.png", "photos/2.wav"]


def test_what_is_refused_is_listed_and_the_others_are_taken(client, project):
    response = send(client, project, ("<b>.svg", SVG), ("1.png", png()), ("empty.png", b""))

    text = response.content.decode()
    assert response.status_code == 200
    assert "2 files could not be uploaded" in text
    assert "&lt;b&gt;.svg</bdi></b>: SVG is not supported" in text
    assert "empty.png</bdi></b>: The file is empty." in text
    assert names(project) == ["1.png"]


def test_where_nothing_is_taken_the_page_says_so(client, project):
    assert send(client, project, ("1.svg", SVG)).status_code == 400
    assert "This field is required" in send(client, project).content.decode()
    assert "The upload contains no files." in send(client, project, ("1.zip", archive({}))).content.decode()


def test_a_name_that_is_taken_and_replacing_it(client, project):
    send(client, project, ("1.png", png(1, 1)))

    refused = send(client, project, ("1.png", png(2, 2)))
    replaced = send(client, project, ("1.png", png(2, 2)), replace="on")
    same = send(client, project, ("1.png", png(2, 2)))

    assert (refused.status_code, project.media.get().width) == (409, 2)
    assert "1 replaced" in replaced.content.decode()
    assert "1 unchanged" in same.content.decode()


def test_an_upload_above_the_limit_is_refused_while_it_is_read(client, project, settings):
    settings.MEDIA_MAX_BYTES = 1000

    response = send(client, project, ("1.wav", wav()))
    large = send(client, project, ("1.wav", wav(100)))

    for answer in (response, large):
        assert answer.status_code == 413
        assert "An upload can contain at most 1,000 bytes" in answer.content.decode()
    assert not MediaFile.objects.exists()


def test_too_many_files_at_once(client, project, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2

    response = send(client, project, *((f"{n}.png", png()) for n in range(3)))

    assert response.status_code == 413
    assert "Select at most 2 files at a time, or upload a ZIP archive" in response.content.decode()


def test_a_closed_project_says_so(client, project):
    Project.objects.update(state=Project.State.CLOSED)

    response = send(client, project, ("1.png", png()))

    assert response.status_code == 409
    assert "The project is closed. Reopen it to upload files." in response.content.decode()


def test_the_token_of_the_form_is_asked_for(project, lead):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(lead)

    assert send(strict, project, ("1.png", png())).status_code == 403
    assert not MediaFile.objects.exists()


def test_files_are_listed_found_and_removed(client, project):
    send(client, project, ("photo.png", png(30, 20)), ("call.wav", wav(0.1)))
    page = reverse("media", args=[project.slug])

    found = client.get(page, {"q": "PHOTO"}).content.decode()
    client.post(reverse("media_remove", args=[project.slug, project.media.get(name="photo.png").pk]))

    assert "30 × 20" in found
    assert "call.wav" not in found
    assert "No files match your search" in client.get(page, {"q": "x"}).content.decode()
    assert names(project) == ["call.wav"]


def test_files_that_items_name_but_that_are_missing_are_listed(client, project):
    for n in range(25):
        content = [{"name": "x", "kind": "image", "value": f"{n:02}.png"}]
        Item.objects.create(project=project, key=f"i{n}", content=content)
    send(client, project, ("00.png", png()))

    text = client.get(reverse("media", args=[project.slug])).content.decode()

    assert "24 files used by items are missing" in text
    assert "20.png" in text
    assert "… and 4 more." in text


def test_upload_list_read_and_remove_over_the_api(client, project):
    done = send_api(client, project, ("1.png", png(3, 2)), ("a.svg", SVG), folder="photos").json()

    listed = client.get(reverse("api_media", args=[project.slug])).json()
    one = listed["results"][0]
    assert (done["added"], done["refused"][0]["code"]) == (["photos/1.png"], "type")
    assert (listed["count"], one["name"], one["width"], one["type"]) == (1, "photos/1.png", 3, "image/png")
    assert client.get(one["file"]).getvalue() == png(3, 2)
    by_name = client.get(reverse("api_media", args=[project.slug]), {"name": "photos/1.png"}).json()
    assert by_name["count"] == 1
    detail = reverse("api_medium", args=[project.slug, one["id"]])
    assert client.get(detail).json() == one
    assert (client.delete(detail).status_code, names(project)) == (204, [])


@pytest.mark.parametrize(
    ("files", "more", "status", "code"),
    [
        ([("a.svg", SVG)], {}, 400, "type"),
        ([("a.svg", SVG), ("b.svg", SVG)], {}, 400, "type"),
        ([], {}, 400, "no_file"),
        ([("1.png", png())], {"folder": "../up"}, 400, "bad_name"),
        ([("1.png", png())], {"folder": "x" * 201}, 400, "invalid"),
        ([("1.png", png())], {"folder": "a\0b"}, 400, "nul"),
        ([("1.png", png())], {"replace": "yes"}, 400, "invalid"),
        ([("1.png", png())], {"other": "x"}, 400, "unknown_field"),
        ([("1.wav", wav())], {}, 413, "too_large"),
    ],
)
def test_what_the_api_refuses(client, project, settings, files, more, status, code):
    settings.MEDIA_MAX_BYTES = 5000

    response = send_api(client, project, *files, **more)

    assert (response.status_code, response.json()["error"]) == (status, code)
    assert not MediaFile.objects.exists()


def test_a_folder_by_the_command(project, lead, tmp_path, capsys):
    folder = tmp_path / "sent"
    (folder / "photos").mkdir(parents=True)
    (folder / "photos" / "1.png").write_bytes(png())
    (folder / ".hidden.png").write_bytes(png(9, 9))
    (folder / "link.png").symlink_to(folder / "photos" / "1.png")

    call_command("import_media", project.slug, folder, by="lena", below="pilot")

    assert "1 added, 0 replaced, 0 unchanged" in capsys.readouterr().out
    assert (names(project), project.media.get().added_by) == (["pilot/photos/1.png"], lead)


def test_the_command_tells_what_it_refuses(project, tmp_path, capsys):
    (tmp_path / "a.svg").write_bytes(SVG)
    (tmp_path / "b.png").write_bytes(png())

    with pytest.raises(CommandError, match="1 file rejected"):
        call_command("import_media", project.slug, tmp_path)
    with pytest.raises(CommandError, match="Folder not found"):
        call_command("import_media", project.slug, tmp_path / "none")

    assert "a.svg: SVG is not supported" in capsys.readouterr().err
    assert names(project) == ["b.png"]


def test_files_of_other_projects_are_not_mine(client, project):
    other = cast.new_project("Other")
    send(client, project, ("1.png", png()))

    assert client.get(reverse("media", args=[other.slug])).status_code == 404
    assert not other.media.exists()
