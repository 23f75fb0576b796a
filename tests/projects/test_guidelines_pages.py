"""The pages of the guidelines: written, looked back at, and never written over unseen."""

from django.urls import reverse

from projects.codebook.guidelines import write_guidelines
from projects.models import GuidelinesVersion
from tests import cast
from tests.projects.visiting import page, send, told


def test_write_guidelines_and_look_back(project, client, lead, rita):
    first = send(client, "guidelines_edit", project.slug, text="# Look\r\n\r\nRead *once*.", seen=0)
    second = send(client, "guidelines_edit", project.slug, text="# Look\n\nRead *twice*.", seen=1)
    third = send(client, "guidelines_edit", project.slug, text="# Look\n\nRead *twice*.", seen=2)

    reader = cast.signed_in(rita)
    assert [told(response) for response in (first, second, third)] == [
        "Saved.",
        "Saved.",
        "No changes.",
    ]
    assert GuidelinesVersion.objects.get(number=1).text == "# Look\n\nRead *once*."
    listed = page(reader, "guidelines", project.slug)
    assert "<h2>Look</h2>" in listed
    assert "Version 2" in listed
    assert "Edit" not in listed.partition("<main")[2]
    changed = page(reader, "guidelines_version", project.slug, 2)
    assert "<del>once</del>" in changed
    assert "<ins>twice</ins>" in changed
    assert "current version" in changed
    assert "Changes since" not in page(reader, "guidelines_version", project.slug, 1)
    assert reader.get(reverse("guidelines_version", args=[project.slug, 10**10])).status_code == 404


def test_guidelines_that_somebody_else_changed_are_not_written_over(project, client, lead):
    write_guidelines(project, "Theirs.", by=lead)

    response = send(client, "guidelines_edit", project.slug, text="Mine.", seen=0)
    again = send(
        client, "guidelines_edit", project.slug, text="Mine.", seen=response.context["form"]["seen"].value()
    )

    assert response.status_code == 409
    assert "Mine." in response.content.decode()
    assert "The current version is now 1" in response.content.decode()
    assert (again.status_code, GuidelinesVersion.objects.count()) == (302, 2)


def test_guidelines_do_no_harm(project, client, lead):
    write_guidelines(project, "<script>alert(1)</script>", by=lead)
    write_guidelines(project, "<img src=x onerror=alert(2)>", by=lead)

    for text in (
        page(client, "guidelines", project.slug),
        page(client, "guidelines_version", project.slug, 2),
    ):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
