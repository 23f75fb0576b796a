"""Who is sent which media file, and how: by role, by item, in parts, and once."""

import hashlib
import io

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from knox.models import AuthToken

from projects.codebook.guidelines import write_guidelines
from projects.media.media_files import place_of, store_media
from projects.models import Item, MediaFile, Round
from raters.models import Assignment
from tests import cast
from tests.live import as_superuser
from tests.pictures import png, wav
from tests.working import Work, new_work

pytestmark = pytest.mark.usefixtures("media_folder")


@pytest.fixture
def work_with_media(project, lead) -> Work:
    """Item 1 shows an image, item 2 none, item 3 a sound; each is the first rater's, and item 3 the first's alone."""
    work = new_work(project=project, n_items=3)
    show(work.items[0], "photos/1.png", png(30, 20))
    show(work.items[2], "3.wav", wav(), kind="audio")
    Assignment.objects.filter(rater=work.raters[1], item=work.items[2]).delete()
    return work


def show(item: Item, name: str, content: bytes, *, kind: str = "image") -> MediaFile:
    store_media(item.project, name, io.BytesIO(content), by=None)
    item.content = [*item.content, {"name": "what", "kind": kind, "value": name}]
    item.save()
    return item.project.media.get(name=name)


def get(user, media: MediaFile, **headers):
    return read(cast.signed_in(user).get(address(media), headers=headers))


def read(response):
    """The answer with its whole body, as `sent`; a file that nobody reads stays open."""
    response.sent = response.getvalue()
    return response


def address(media: MediaFile) -> str:
    return reverse("api_media_file", args=[media.project.slug, media.pk])


def image(work: Work) -> MediaFile:
    return work.project.media.get(type="image/png")


def sound(work: Work) -> MediaFile:
    return work.project.media.get(type="audio/wav")


def test_the_file_is_sent_with_headers_that_let_it_do_nothing(work_with_media):
    response = get(work_with_media.user(), image(work_with_media))

    assert (response.status_code, response.sent) == (200, png(30, 20))
    assert response["Content-Type"] == "image/png"
    assert response["Content-Length"] == str(len(png(30, 20)))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["Cache-Control"] == "private, no-cache"
    assert "Cookie" in response["Vary"]
    assert response["ETag"] == f'"{hashlib.sha256(png(30, 20)).hexdigest()}"'
    assert response["Content-Disposition"] == 'inline; filename="1.png"'


def test_who_asks_for_images_alone_is_sent_one(work_with_media):
    assert get(work_with_media.user(), image(work_with_media), accept="image/*").status_code == 200


def test_the_browser_that_has_it_shows_that(work_with_media):
    etag = get(work_with_media.user(), image(work_with_media))["ETag"]

    again = get(work_with_media.user(), image(work_with_media), if_none_match=etag)
    other = get(work_with_media.user(), image(work_with_media), if_none_match='"other"')

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert again["Cache-Control"] == "private, no-cache"
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=100-199", 100, 199),
        ("bytes=16000-", 16000, 16043),
        ("bytes=-10", 16034, 16043),
        ("bytes=-99999", 0, 16043),
        ("bytes=16000-99999999", 16000, 16043),
    ],
)
def test_a_player_asks_for_a_part(work_with_media, asked, first, last):
    response = get(work_with_media.user(), sound(work_with_media), range=asked)

    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{last}/16044"
    assert response["Content-Length"] == str(last - first + 1)
    assert response.sent == wav()[first : last + 1]


@pytest.mark.parametrize(
    "asked", ["bytes=5-2", "bytes=-", "bytes=0-1,5-6", "items=0-1", "bytes=a-b", "bytes=²-", "nonsense"]
)
def test_what_is_no_part_asks_for_the_whole(work_with_media, asked):
    response = get(work_with_media.user(), sound(work_with_media), range=asked)

    assert (response.status_code, len(response.sent)) == (200, 16044)
    assert response["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize("asked", ["bytes=16044-", "bytes=99999-100000", "bytes=-0"])
def test_a_part_beyond_the_end_is_refused(work_with_media, asked):
    response = get(work_with_media.user(), sound(work_with_media), range=asked)

    assert (response.status_code, response["Content-Range"]) == (416, "bytes */16044")


def test_a_part_of_another_version_is_sent_as_a_whole(work_with_media):
    etag = get(work_with_media.user(), sound(work_with_media))["ETag"]

    assert (
        get(work_with_media.user(), sound(work_with_media), range="bytes=0-9", if_range=etag).status_code
        == 206
    )
    assert (
        get(work_with_media.user(), sound(work_with_media), range="bytes=0-9", if_range='"old"').status_code
        == 200
    )


def test_the_head_alone(work_with_media):
    response = cast.signed_in(work_with_media.user()).head(address(sound(work_with_media)))

    assert (response.status_code, response["Content-Length"], response.content) == (200, "16044", b"")


def test_a_file_whose_bytes_are_lost_is_not_found(work_with_media, media_folder):
    (media_folder / place_of(image(work_with_media).sha256)).unlink()

    assert get(work_with_media.user(), image(work_with_media)).status_code == 404


def test_those_who_see_labels_see_all_files(work_with_media, lead, adjudicator, auditor):
    spare = show(Item.objects.create(project=work_with_media.project, key="spare"), "spare.png", png(5, 5))

    for user in (lead, adjudicator, auditor):
        assert get(user, spare).status_code == 200


def test_a_rater_sees_the_files_of_the_items_given_to_them_and_no_others(work_with_media):
    assert get(work_with_media.user(0), sound(work_with_media)).status_code == 200
    assert get(work_with_media.user(1), sound(work_with_media)).status_code == 404
    assert get(work_with_media.user(1), image(work_with_media)).status_code == 200


def test_what_is_not_theirs_looks_like_what_is_not(work_with_media):
    theirs = get(work_with_media.user(1), sound(work_with_media)).json()
    none = (
        cast.signed_in(work_with_media.user(1))
        .get(address(sound(work_with_media)).replace(str(sound(work_with_media).pk), "999999"))
        .json()
    )

    assert {**theirs, "request_id": ""} == {**none, "request_id": ""}


def test_not_before_the_round_was_opened(work_with_media):
    Round.objects.update(state=Round.State.DRAFT)

    assert get(work_with_media.user(), sound(work_with_media)).status_code == 404


def test_still_when_the_item_is_done_and_its_round_closed(work_with_media):
    Assignment.objects.update(state=Assignment.State.DONE)
    Round.objects.update(state=Round.State.CLOSED)

    assert get(work_with_media.user(), sound(work_with_media)).status_code == 200


def test_a_free_place_is_nobodys(work_with_media):
    Assignment.objects.filter(item=work_with_media.items[2]).update(rater=None, is_on_demand=True)

    assert get(work_with_media.user(), sound(work_with_media)).status_code == 404


def test_a_name_in_a_text_gives_no_right(work_with_media):
    work_with_media.items[1].content = [{"name": "text", "kind": "text", "value": "3.wav"}]
    work_with_media.items[1].save()

    assert get(work_with_media.user(1), sound(work_with_media)).status_code == 404


def test_a_name_written_otherwise_is_the_same_file(work_with_media):
    show(work_with_media.items[1], "ü.png", png(7, 7))
    work_with_media.items[1].content = [{"name": "what", "kind": "image", "value": "./u\u0308.png"}]
    work_with_media.items[1].save()

    assert get(work_with_media.user(1), work_with_media.project.media.get(name="ü.png")).status_code == 200


def test_strangers_former_members_and_nobody(work_with_media, stranger):
    removed = work_with_media.user()
    removed.memberships.all().delete()

    assert get(stranger, image(work_with_media)).status_code == 404
    assert get(removed, image(work_with_media)).status_code == 404
    assert Client().get(address(image(work_with_media))).status_code == 401


def test_a_file_of_another_project_is_not_found_in_mine(work_with_media, lead):
    other = cast.new_project("Other")
    store_media(other, "x.png", io.BytesIO(png()), by=None)

    found = reverse("api_media_file", args=[work_with_media.project.slug, other.media.get().pk])

    assert cast.signed_in(lead).get(found).status_code == 404


def test_a_program_is_sent_it_by_its_token(work_with_media):
    _, token = AuthToken.objects.create(user=work_with_media.user())

    response = read(
        Client().get(address(image(work_with_media)), headers={"Authorization": f"Token {token}"})
    )

    assert (response.status_code, response.sent) == (200, png(30, 20))


def page(work: Work, place: int, rater: int = 0) -> str:
    url = reverse("label_item", args=[work.project.slug, work.assignment(place, rater).pk])
    return cast.signed_in(work.user(rater)).get(url).content.decode()


def test_the_labeling_page_shows_the_image_in_its_own_room(work_with_media):
    text = page(work_with_media, 0)

    assert f'<img src="{address(image(work_with_media))}" alt="what" width="30" height="20">' in text
    assert f'href="{address(image(work_with_media))}"' in text


def test_a_wide_image_has_its_width_in_plain_digits(work_with_media):
    MediaFile.objects.update(width=12_345, height=6_789)

    assert 'width="12345" height="6789"' in page(work_with_media, 0)


def test_alternative_text_is_that_of_the_item(work_with_media):
    work_with_media.items[0].content[-1]["alt"] = 'A "tooth"'
    work_with_media.items[0].save()

    assert 'alt="A &quot;tooth&quot;"' in page(work_with_media, 0)


def test_sound_and_video_have_the_controls_of_the_browser(work_with_media):
    text = page(work_with_media, 2)

    assert (
        f'<audio controls preload="metadata" src="{address(sound(work_with_media))}" aria-label="what">'
        in text
    )


def test_a_missing_file_is_named(work_with_media):
    MediaFile.objects.all().delete()

    assert "photos/1.png is missing." in page(work_with_media, 0)


def test_a_file_of_another_kind_is_recognized(work_with_media):
    work_with_media.items[0].content = [{"name": "film", "kind": "video", "value": "photos/1.png"}]
    work_with_media.items[0].save()

    assert "photos/1.png can’t be shown: its type is PNG image, not video." in page(work_with_media, 0)


def test_other_hosts_stay_links(work_with_media):
    work_with_media.items[0].content = [{"name": "x", "kind": "image", "value": "https://example.org/1.png"}]
    work_with_media.items[0].save()

    text = page(work_with_media, 0)
    assert "Open the image" in text
    assert "<img src" not in text.partition("<main")[2]


def test_the_item_page_shows_the_same(work_with_media, lead):
    text = (
        cast.signed_in(lead)
        .get(reverse("item", args=[work_with_media.project.slug, work_with_media.items[0].pk]))
        .content.decode()
    )

    assert f'<img src="{address(image(work_with_media))}" alt="what" width="30" height="20">' in text


def test_files_of_an_item_take_one_query_however_many(work_with_media, django_assert_num_queries):
    from projects.items.content import fields_of

    for n in range(5):
        show(work_with_media.items[0], f"{n}.png", png(n + 1, 1))

    with django_assert_num_queries(1):
        assert [field.kind for field in fields_of(work_with_media.items[0])] == ["", *["image"] * 6]
    with django_assert_num_queries(0):
        fields_of(work_with_media.items[1])


def test_who_may_see_a_file_is_found_by_an_index(work_with_media):
    # What earlier tests took back still lies in the table and its index, and makes the index dear.
    with as_superuser() as superuser:
        superuser.execute("VACUUM (TRUNCATE false) projects_item, raters_assignment")
    with connection.cursor() as cursor:
        cursor.execute(
            MANY,
            {
                "project": work_with_media.project.pk,
                "round": work_with_media.round.pk,
                "rater": work_with_media.raters[0].pk,
            },
        )
    with CaptureQueriesContext(connection) as asked:
        get(work_with_media.user(), image(work_with_media))
    [query] = [each["sql"] for each in asked if "@>" in each["sql"]]

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query}")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "item_content" in plan


# As after the first vacuum: the index has taken up what was added.
MANY = """
SET LOCAL gin_pending_list_limit = 64;
WITH more AS (
    INSERT INTO projects_item (project_id, key, content)
    SELECT %(project)s, 'more-' || n, jsonb_build_array(jsonb_build_object('value', n || repeat('.', 200)))
    FROM generate_series(1, 10000) n
    RETURNING id
)
INSERT INTO raters_assignment
    (rater_id, item_id, batch_id, pass_number, state, position, is_on_demand, is_guideline_unclear)
SELECT %(rater)s, id, %(round)s, 1, 'pending', 0, false, false FROM more;
SELECT analyze_tables(ARRAY['projects_item', 'raters_assignment'])
"""


def test_every_member_is_sent_what_the_guidelines_show_and_nobody_else(work_with_media, lead, stranger):
    project = work_with_media.project
    for name in ("figure.png", "unused.png"):
        store_media(project, name, io.BytesIO(png()), by=lead)
    figure, unused = project.media.get(name="figure.png"), project.media.get(name="unused.png")
    rater = work_with_media.user(1)
    assert get(rater, figure).status_code == 404

    write_guidelines(project, "See ![the figure](figure.png), not unused.png", by=lead)

    assert get(rater, figure).status_code == 200
    assert get(rater, unused).status_code == 404
    assert get(stranger, figure).status_code == 404
    assert Client().get(address(figure)).status_code == 401
    # Whoever looks back at an earlier version sees it too.
    write_guidelines(project, "No figure any more", by=lead)
    assert get(rater, figure).status_code == 200


def test_an_assignment_over_the_api_says_where_its_files_are(work_with_media):
    """Not of a field that is hidden from raters, and not of a file that is missing."""
    user, none = work_with_media.user(), work_with_media.items[1]
    media = image(work_with_media)
    client = cast.signed_in(user)

    def files_of(place):
        args = [work_with_media.project.slug, work_with_media.assignment(place).pk]
        return client.get(reverse("api_assignment", args=args)).json()["media"]

    [found] = files_of(0)
    assert found == {
        "field": "what",
        "name": "photos/1.png",
        "type": "image/png",
        "file": address(media),
    }
    assert read(client.get(found["file"])).sent == png(30, 20)
    assert files_of(1) == []

    none.content = [*none.content, {"name": "what", "kind": "image", "value": "lost.png"}]
    none.save()
    assert files_of(1) == []

    work_with_media.project.fields_hidden = ["what"]
    work_with_media.project.save()
    assert files_of(0) == []
    assert get(user, media).status_code == 404
