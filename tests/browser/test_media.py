"""Media in a real browser: uploaded by the lead, seen, zoomed, heard and played by a rater."""

import pytest
from playwright.sync_api import Page, expect

from projects.models import Item, Membership, Project
from raters.models import Assignment
from tests import cast
from tests.browser.access import faults_of
from tests.browser.people import sign_in
from tests.pictures import SVG, archive, image, wav, webm
from tests.sizes import only_in_full
from tests.working import Work, new_work


@pytest.fixture
def work_with_files(committed_db) -> Work:
    """An image beside a text, then a sound, then a file that nobody sent, then a film."""
    work = new_work(n_items=4)
    fields = [
        [
            {"name": "Report", "kind": "text", "value": "A shadow below the crown."},
            {"name": "X-ray", "kind": "image", "value": "photos/1.png", "alt": "A tooth from the side"},
        ],
        [{"name": "Call", "kind": "audio", "value": "calls/2.wav"}],
        [{"name": "Film", "kind": "video", "value": "gone.mp4"}],
        [{"name": "Film", "kind": "video", "value": "films/4.webm", "alt": "A teal wall"}],
    ]
    for item, content in zip(work.items, fields, strict=True):
        Item.objects.filter(pk=item.pk).update(content=content)
    return work


def send_files(page: Page, work: Work) -> None:
    """By the page, as the lead does: an archive with folders, and what is refused."""
    lead = cast.member(work.project, Membership.Role.LEAD, username="lena", unique=True)
    sign_in(page, lead)
    page.goto(f"/p/{work.project.slug}/import/")
    page.get_by_role("link", name="Media files").click()
    files = archive(
        {"photos/1.png": image("PNG", 1600, 1200), "calls/2.wav": wav(20), "films/4.webm": webm()}
    )
    page.get_by_label("Files", exact=True).set_input_files(
        [
            {"name": "all.zip", "mimeType": "application/zip", "buffer": files},
            {"name": "drawing.svg", "mimeType": "image/svg+xml", "buffer": SVG},
        ]
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Files: 3 added.")).to_be_visible()


def label(page: Page, work: Work, place: int) -> None:
    page.context.clear_cookies()
    sign_in(page, work.user())
    page.goto(f"/p/{work.project.slug}/label/{work.assignment(place).pk}/")


def test_an_upload_lists_refused_and_missing_files(page: Page, work_with_files: Work):
    send_files(page, work_with_files)

    expect(page.get_by_role("alert")).to_contain_text(
        "drawing.svg: SVG is not supported because it can contain scripts"
    )
    expect(page.get_by_text("1 file used by items is missing:")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="gone.mp4")).to_be_visible()
    expect(page.get_by_role("row", name="photos/1.png")).to_contain_text("1,600 × 1,200")
    assert faults_of(page) == []

    page.get_by_role("button", name="Remove calls/2.wav").click()

    expect(page.get_by_text("Removed calls/2.wav.")).to_be_visible()
    assert list(work_with_files.project.media.values_list("name", flat=True)) == [
        "films/4.webm",
        "photos/1.png",
    ]


def test_an_image_is_seen_and_zoomed_by_keys_and_by_mouse(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    label(page, work_with_files, 0)
    shown = page.get_by_role("main").get_by_role("img", name="A tooth from the side")
    expect(shown).to_be_visible()
    assert shown.evaluate("one => one.complete && one.naturalWidth") == 1600
    assert faults_of(page) == []

    page.keyboard.press("+")
    zoomed = page.get_by_role("dialog").get_by_role("img", name="A tooth from the side")
    expect(zoomed).to_be_visible()
    fitting = zoomed.bounding_box()["width"]
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert zoomed.bounding_box()["width"] == pytest.approx(fitting * 2.25, rel=0.02)
    page.keyboard.press("-")
    assert zoomed.bounding_box()["width"] == pytest.approx(fitting * 1.5, rel=0.02)
    page.keyboard.press("0")
    assert zoomed.bounding_box()["width"] == pytest.approx(fitting, rel=0.02)
    zoomed.click()
    assert zoomed.bounding_box()["width"] >= fitting * 1.9
    assert faults_of(page) == []

    # Keys of answers are not meant for the item while the image is in front.
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("link", name="A tooth from the side")).to_be_focused()
    expect(page.get_by_role("radio", name="good")).not_to_be_checked()


@only_in_full
def test_the_room_of_an_image_is_kept_before_it_is_there(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    page.route("**/media/*/file/", lambda route: None)
    page.context.clear_cookies()
    sign_in(page, work_with_files.user())
    address = f"/p/{work_with_files.project.slug}/label/{work_with_files.assignment(0).pk}/"
    page.goto(address, wait_until="domcontentloaded")

    box = page.get_by_role("link", name="A tooth from the side").locator("img").bounding_box()

    assert box["width"] / box["height"] == pytest.approx(4 / 3, rel=0.05)


@only_in_full
def test_an_image_has_the_full_width_and_short_fields_a_line_above_it(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    label(page, work_with_files, 0)
    page.set_viewport_size({"width": 1280, "height": 800})
    shown = page.get_by_role("main").get_by_role("img", name="A tooth from the side").bounding_box()
    room = page.locator("article.item").bounding_box()

    assert shown["width"] > room["width"] * 0.9
    assert shown["width"] > 1280 * 0.47
    assert shown["height"] <= 800
    assert page.get_by_text("A shadow below the crown.").bounding_box()["y"] < shown["y"]
    assert page.get_by_role("term").filter(has_text="Report").count() == 1


@only_in_full
def test_two_fields_stand_side_by_side_if_asked_and_below_each_other_on_a_phone(
    page: Page, work_with_files: Work
):
    Project.objects.filter(pk=work_with_files.project.pk).update(fields_side_by_side=["Report", "X-ray"])
    send_files(page, work_with_files)
    label(page, work_with_files, 0)
    report, shot = page.get_by_role("heading", name="Report"), page.get_by_role("heading", name="X-ray")

    assert report.bounding_box()["y"] == shot.bounding_box()["y"]
    page.set_viewport_size({"width": 390, "height": 800})

    assert report.bounding_box()["y"] < shot.bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@only_in_full
def test_sound_can_be_heard_from_any_moment(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    label(page, work_with_files, 1)
    sound = page.locator("audio[aria-label=Call]")

    reached = sound.evaluate(
        """async one => {
            if (!(one.duration > 0)) await new Promise(done => one.addEventListener("loadedmetadata", done));
            const sought = new Promise(done => one.addEventListener("seeked", done));
            one.currentTime = 15;
            await sought;
            return [one.duration, one.currentTime];
        }"""
    )

    assert reached == [20, 15]
    assert faults_of(page) == []


def test_a_film_is_played_from_any_moment_and_keeps_its_keys(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    label(page, work_with_files, 3)
    film = page.locator("video[aria-label='A teal wall']")
    expect(film).to_be_visible()

    reached = film.evaluate(
        """async one => {
            if (!(one.duration > 0)) await new Promise(done => one.addEventListener("loadedmetadata", done));
            const sought = new Promise(done => one.addEventListener("seeked", done));
            one.currentTime = 1;
            await sought;
            return [Math.round(one.duration), one.currentTime, one.videoWidth, one.videoHeight, one.error];
        }"""
    )
    film.focus()
    page.keyboard.press("Space")
    film.evaluate("async one => { while (one.currentTime <= 1) await new Promise(requestAnimationFrame); }")

    assert reached == [10, 1, 32, 24, None]
    # The keys that a player knows are its own; those of answers work beside it, and its own work beside the answers.
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="good")).to_be_focused()
    page.keyboard.press(".")
    assert film.evaluate("one => one.paused")
    film.evaluate("one => (one.currentTime = 7)")
    page.keyboard.press(",")
    assert film.evaluate("one => one.currentTime") < 6
    page.keyboard.press(";")
    assert film.evaluate("one => one.currentTime") > 6
    expect(page.get_by_role("radio", name="good")).to_be_checked()
    # Clicked, it gives the keys back.
    film.click()
    expect(film).not_to_be_focused()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="fair")).to_be_checked()
    assert faults_of(page) == []


@only_in_full
def test_missing_things_are_named(page: Page, work_with_files: Work):
    label(page, work_with_files, 2)

    expect(page.get_by_text("gone.mp4 is missing.")).to_be_visible()


@only_in_full
def test_without_javascript_the_link_opens_the_image_alone(
    page: Page, plain_page: Page, work_with_files: Work
):
    send_files(page, work_with_files)
    label(plain_page, work_with_files, 0)

    with plain_page.expect_popup() as opened:
        plain_page.get_by_role("link", name="A tooth from the side").click()

    opened.value.wait_for_load_state()
    assert opened.value.locator("img").evaluate("one => one.naturalWidth") == 1600


@only_in_full
def test_a_rater_is_not_sent_what_was_not_given_to_them(page: Page, work_with_files: Work):
    send_files(page, work_with_files)
    found = page.get_by_role("link", name="calls/2.wav").get_attribute("href")
    Assignment.objects.filter(item=work_with_files.items[1], rater=work_with_files.raters[0]).delete()

    label(page, work_with_files, 0)

    assert page.request.get(found).status == 404
