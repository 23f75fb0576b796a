"""Guidelines by version: kept, told, guarded by the database, and compared."""

import io
import threading

import pytest
from django.db import DatabaseError, connection, transaction

from core.web.markdown import rendered
from projects import actions
from projects.codebook.guidelines import DiffLine, GuidelinesChanged, difference, write_guidelines
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.media.media_files import store_media
from projects.media.names import address_of
from projects.models import Event, GuidelinesVersion, Project
from projects.queries import current_guidelines_version
from tests import cast
from tests.pictures import png, wav


def test_each_new_text_is_a_version(project, lead):
    assert current_guidelines_version(project) == 0

    numbers = [write_guidelines(project, text, by=lead) for text in ("a", "b", "b", "a")]

    stored = list(GuidelinesVersion.objects.order_by("number").values_list("number", "text", "made_by"))
    project.refresh_from_db()
    assert numbers == [1, 2, 2, 3]
    assert stored == [(1, "a", lead.pk), (2, "b", lead.pk), (3, "a", lead.pk)]
    assert (project.guidelines, current_guidelines_version(project.pk)) == ("a", 3)
    assert Event.objects.filter(kind=Event.Kind.GUIDELINES_CHANGED).count() == 3


def test_a_project_made_with_guidelines_has_their_first_version(lead):
    made = actions.create_project("With", by=lead, guidelines="Look.")
    empty = actions.create_project("Without", by=lead)

    assert (current_guidelines_version(made), current_guidelines_version(empty)) == (1, 0)


def test_guidelines_that_are_changed_with_the_project_are_a_version_too(project, lead):
    changed = actions.change_project(project, by=lead, guidelines="New", name="Renamed")

    stored = Project.objects.get(pk=project.pk)
    assert (stored.guidelines, stored.name, changed.guidelines) == ("New", "Renamed", "New")
    assert current_guidelines_version(project) == 1


def test_nobody_writes_over_what_they_did_not_see(project, lead):
    write_guidelines(project, "a", by=lead, seen=0)

    with pytest.raises(GuidelinesChanged, match="The current version is now 1"):
        write_guidelines(project, "b", by=lead, seen=0)

    project.refresh_from_db()
    assert project.guidelines == "a"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE projects_guidelinesversion SET text = 'forged'",
        "DELETE FROM projects_guidelinesversion",
        "TRUNCATE projects_guidelinesversion CASCADE",
    ],
)
def test_the_database_refuses_to_rewrite_them(project, lead, sql):
    write_guidelines(project, "a", by=lead)

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)

    assert GuidelinesVersion.objects.get().text == "a"


def test_writers_at_once_each_get_a_number_of_their_own(committed_db):
    project = cast.new_project("Writers", unique=True)
    by = cast.person("lena", unique=True)
    numbers = []

    def write(text: str) -> None:
        try:
            numbers.append(write_guidelines(Project.objects.get(pk=project.pk), text, by=by))
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[f"text {place}"]) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(numbers) == list(range(1, 9))


def signs(lines: list[DiffLine]) -> list[str]:
    return [f"{line.sign}{''.join(text for text, _ in line.parts)}" for line in lines]


def test_a_difference_shows_what_went_and_what_came():
    assert signs(difference("a\nb\nc", "a\nc\nd")) == [" a", "-b", " c", "+d"]


def test_within_a_line_the_words_that_changed_are_marked():
    removed, added = difference("Read it once.", "Read it twice.")

    assert removed == DiffLine("-", (("Read it ", False), ("once", True), (".", False)))
    assert added == DiffLine("+", (("Read it ", False), ("twice", True), (".", False)))


def test_lines_far_from_a_change_are_left_out():
    old = [f"line {number}" for number in range(20)]
    new = [*old[:10], "new", *old[10:]]

    shown = signs(difference("\n".join(old), "\n".join(new)))

    assert shown == [
        "…8 unchanged lines", " line 8", " line 9", "+new", " line 10", " line 11",
        "…8 unchanged lines",
    ]  # fmt: skip
    assert [line.words for line in difference("a", "b")] == ["Removed", "Added"]


def test_a_replacement_may_have_more_lines_than_it_replaces():
    assert signs(difference("one\nx", "two\nthree\nx")) == ["-one", "+two", "+three", " x"]


def test_very_long_texts_and_lines_are_compared_whole():
    long = "word " * 1000

    assert difference(long + "a", long + "b") == [
        DiffLine("-", ((long + "a", True),)), DiffLine("+", ((long + "b", True),)),
    ]  # fmt: skip
    assert len(difference("a\n" * 2001, "a\n" * 2001 + "b")) == 4003


def test_images_of_the_project_are_shown_and_no_others(project, media_folder):
    store_media(project, "figures/a scan.png", io.BytesIO(png()), by=None)
    store_media(project, "call.wav", io.BytesIO(wav()), by=None)
    store_media(cast.new_project("Other", unique=True), "theirs.png", io.BytesIO(png()), by=None)
    address = address_of(project.media.get(name="figures/a scan.png"))
    rel = 'rel="noopener noreferrer nofollow"'
    image = f'<img src="{address}" alt="A “scan”">'

    for text, html in {
        "![A “scan”](figures/a%20scan.png)": image,
        "![A “scan”](<./figures/a scan.png>)": image,
        "![A “scan”][1]\n\n[1]: <figures/a scan.png>": image,
        "![Sound](call.wav)": "Sound (image call.wav is missing)",
        "![Theirs](theirs.png)": "Theirs (image theirs.png is missing)",
        f"![Straight]({address})": f"Straight (image {address} is missing)",
        "![Far](https://example.org/x.png)": f'<a href="https://example.org/x.png" {rel}>Far</a>',
        "![Far](//example.org/x.png)": f'<a href="//example.org/x.png" {rel}>Far</a>',
        "![x](data:image/png;base64,AAAA)": None,
        "![x](javascript:alert(1))": None,
        '<img src="figures/a scan.png">': None,
        '![" onerror="alert(1)](figures/a%20scan.png)': f'<img src="{address}" alt="&quot; onerror=&quot;alert(1)">',
    }.items():
        shown = rendered_guidelines(project, text)
        assert shown == f"<p>{html}</p>\n" if html else "<img" not in shown


def test_markdown_elsewhere_shows_no_images(project, media_folder):
    store_media(project, "a.png", io.BytesIO(png()), by=None)

    assert "<img" not in rendered("![A](a.png)")
