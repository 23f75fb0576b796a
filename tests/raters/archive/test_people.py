"""The people of a project file become accounts here: under their names, under others, or as accounts that are here."""

import io
import secrets
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from projects.models import Event, Item, Project
from raters.archive.people import AccountChoice, NameTaken, offered
from raters.archive.project_export import project_file
from raters.archive.project_import import import_project
from raters.labeling.saving import set_history_context
from raters.models import Label, LabelRevision, Rater, User
from tests import cast
from tests.raters.archive.forging import forged


@pytest.fixture
def boss(committed_db):
    return cast.person("boss", unique=True)


@pytest.fixture
def petras_file(petra):
    """A project in which petra labels, as a file; its slug is free again."""
    project = cast.new_project("People", unique=True)
    question = project.questions.create(key="q")
    yes = question.categories.create(key="yes", position=0)
    item = Item.objects.create(project=project, key="i")
    rater = Rater.objects.create(project=project, key="petra", user=petra)
    with transaction.atomic():
        set_history_context(petra, "page")
        Label.objects.create(item=item, question=question, rater=rater, category=yes)
    content = b"".join(project_file(project))
    Project.objects.filter(pk=project.pk).update(slug=secrets.token_hex(8))
    return content


def imported(content, boss, **people):
    return import_project(io.BytesIO(content), lead=boss, people=people)


def who_labeled(project):
    revision = LabelRevision.objects.get(question_id=project.questions.get().pk)
    return User.objects.get(pk=revision.user_id)


def test_a_taken_name_is_refused_and_another_offered(petras_file, boss, petra):
    n_people = User.objects.count()

    with pytest.raises(NameTaken) as refused:
        imported(petras_file, boss)

    assert refused.value.people == {petra.username: f"{petra.username}-2"}
    assert User.objects.count() == n_people


def test_a_person_becomes_a_new_account_under_another_name(petras_file, boss, petra):
    project = imported(petras_file, boss, **{petra.username: AccountChoice(f"{petra.username}-2")})

    made = project.raters.get().user
    assert (made.username, made.is_active, made.has_usable_password()) == (
        f"{petra.username}-2",
        False,
        False,
    )
    assert who_labeled(project) == made
    event = Event.objects.get(kind="project_imported", project_id=project.pk)
    # No name, for it could not be erased there.
    assert event.detail["people"] == [made.pk]


def test_a_person_becomes_an_account_that_is_here(petras_file, boss, petra):
    n_people = User.objects.count()

    project = imported(petras_file, boss, **{petra.username: AccountChoice(petra.username, is_existing=True)})

    assert who_labeled(project) == project.raters.get().user == petra
    assert User.objects.count() == n_people
    # Who is named in the file is no member here for that.
    assert not project.memberships.filter(user=petra).exists()


def test_the_names_of_the_file_come_back_when_it_is_exported_again(petras_file, boss, petra):
    project = imported(petras_file, boss, **{petra.username: AccountChoice(petra.username, is_existing=True)})

    assert b"".join(project_file(project)) == petras_file


@pytest.mark.parametrize("change", [str.upper, str.title])
def test_a_name_that_differs_by_case_only_is_taken(petras_file, boss, petra, change):
    other = change(petra.username)
    petras_file = forged(petras_file, "people.jsonl", lambda rows: rows[0].update(username=other))

    with pytest.raises(NameTaken) as refused:
        imported(petras_file, boss)

    assert refused.value.people == {other: f"{other}-2"}


@pytest.mark.parametrize("name", ["реtra", "petra smith", "pe\u200btra", "petra@home", "-x"])
def test_a_name_that_nobody_could_sign_up_with_is_renamed(petras_file, boss, name):
    petras_file = forged(petras_file, "people.jsonl", lambda rows: rows[0].update(username=name))

    with pytest.raises(NameTaken) as refused:
        imported(petras_file, boss)

    free = refused.value.people[name]
    assert free.isascii()
    assert imported(petras_file, boss, **{name: AccountChoice(free)}).raters.get().user.username == free


def test_two_people_do_not_become_one_account(petras_file, boss, petra):
    two = forged(
        petras_file,
        "people.jsonl",
        lambda rows: [*rows, {"username": "Someone", "first_name": "", "last_name": ""}],
    )

    with pytest.raises(NameTaken, match="both use the account name"):
        imported(two, boss, **{petra.username: AccountChoice("someone")})


def test_an_account_that_is_not_here_and_a_person_who_is_not_in_the_file_are_refused(
    petras_file, boss, petra
):
    with pytest.raises(NameTaken, match="Account not found"):
        imported(petras_file, boss, **{petra.username: AccountChoice("nobody-here", is_existing=True)})
    with pytest.raises(NameTaken, match="nobody called"):
        imported(petras_file, boss, nobody=AccountChoice("x"))


def test_offered_names_are_free_and_differ_from_each_other(petra):
    name = petra.username
    people = offered([name, name.upper(), f"{name}-2", "Новый", "Другой", "free-one"])

    names = [person.offered for person in people]
    assert len({each.lower() for each in names}) == len(names)
    assert not User.objects.filter(username__in=names).exists()
    assert (people[0].taken_by, people[1].taken_by, people[5].offered) == (name, name, "free-one")


def test_the_command_names_the_options_and_takes_them(petras_file, boss, petra, tmp_path):
    file = tmp_path / "project.zip"
    file.write_bytes(petras_file)
    option = f"--as {petra.username}={petra.username}-2"

    with pytest.raises(CommandError, match=option):
        call_command("import_project", file, lead=boss.username, stdout=StringIO())
    call_command(
        "import_project", str(file), *option.split(" "), "--lead", boss.username, "--slug", f"x-{boss.username}",
        stdout=StringIO(),
    )  # fmt: skip
    call_command(
        "import_project", str(file), "--as", f"{petra.username}={petra.username}", "--lead", boss.username,
        stdout=StringIO(),
    )  # fmt: skip

    assert who_labeled(Project.objects.get(slug=f"x-{boss.username}")).username == f"{petra.username}-2"


@pytest.mark.parametrize("slug", ["../../x y", "UPPER", "a--b"])
def test_the_command_takes_no_bad_slug(petras_file, boss, tmp_path, slug):
    file = tmp_path / "project.zip"
    file.write_bytes(petras_file)

    with pytest.raises(CommandError, match="--slug"):
        call_command("import_project", file, lead=boss.username, slug=slug, stdout=StringIO())
