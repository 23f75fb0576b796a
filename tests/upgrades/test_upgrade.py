"""A database that an earlier release made, with every feature in use, is upgraded and gives the same exports (P19)."""

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse

from config.backups.tools import libpq, tool
from core import database_roles
from projects.codebook.content import stored_codebook
from projects.codebook.shortcut_keys import assign_shortcuts
from projects.codebook.versions import content_of, current_version, is_published, store_version
from projects.models import Project
from raters.archive.project_export import project_file
from raters.archive.project_import import contents_of
from raters.models import Rater, User
from reports.analysis.equality import same_figures
from reports.models import QuestionAgreement, Report
from reports.store.verification import verified
from tests import live
from tests.sizes import only_in_full, some
from tests.upgrades.filling import PASSWORD
from tests.upgrades.make_fixture import project_digests, report_digests

FOLDER = Path(__file__).parent
# What exports say in words, and what these releases said; every figure is the same.
_UNTIL_0_2 = {
    '"rounds":': '"batches":',
    "labeled_at": "labelled_at",
    "raters, excluding the reference": "raters, without the reference",
    "raters, excluding models": "raters, without models",
    "raters, including the reference": "raters, the reference among them",
}
REWORDED = {"0.1.0": _UNTIL_0_2, "0.2.0a1": _UNTIL_0_2}
# In these releases the program's role owned everything.
OWNED_BY_PROGRAM = {"0.1.0"}
VERSIONS = sorted(path.stem.removeprefix("interrater-") for path in FOLDER.glob("interrater-*.dump"))


@pytest.fixture(scope="module", params=some(VERSIONS, every=2))
def upgraded(request, live_database, django_db_blocker, tmp_path_factory):
    """The version whose database Django is pointed at, after the migrations of the present code."""
    version = request.param
    name = f"{live_database}_{version.replace('.', '_')}"
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        live.make_database(
            name, owner=database_roles.PROGRAM if version in OWNED_BY_PROGRAM else database_roles.OWNER
        )
        media = tmp_path_factory.mktemp("media")
        shutil.copytree(FOLDER / f"media-{version}", media, dirs_exist_ok=True)
        # The storage notices, even if an earlier test has used it.
        with override_settings(MEDIA_ROOT=media), live.use_database(name):
            if version in OWNED_BY_PROGRAM:
                restore(FOLDER / f"interrater-{version}.dump")
            else:
                restore_as_owner(FOLDER / f"interrater-{version}.dump")
            patch.setenv("BACKUP_FOLDER", str(tmp_path_factory.mktemp("backups")))
            with live.administering():
                database_roles.ensure_database()
                call_command("migrate", interactive=False, verbosity=0)
            yield version
        live.drop_database(name)


def restore(file):
    database, environment = libpq()
    command = [
        tool("pg_restore"),
        "--single-transaction",
        "--no-owner",
        "--no-acl",
        "--dbname",
        database,
        file,
    ]
    subprocess.run(command, check=True, env=environment)


def restore_as_owner(file):
    with live.administering() as url, database_roles.as_owner(url):
        restore(file)


@pytest.fixture
def expected(upgraded):
    return json.loads((FOLDER / f"digests-{upgraded}.json").read_text(encoding="utf-8"))


def test_there_are_databases_of_the_first_release_and_of_the_second_in_the_making():
    assert {"0.1.0", "0.2.0a1"} <= set(VERSIONS)


@only_in_full
def test_every_project_gives_the_same_project_file(upgraded, expected):
    """But for the coefficient that every project had by default, which is left to its questions now."""
    by_default = Project.objects.filter(coefficient="fitting")
    projects = list(by_default.values_list("pk", flat=True))
    by_default.update(coefficient="fleiss_kappa")
    try:
        assert project_digests() == expected["projects"]
    finally:
        Project.objects.filter(pk__in=projects).update(coefficient="fitting")
    assert projects


def test_every_report_gives_the_same_exports(upgraded, expected):
    done = Report.objects.filter(state="done").order_by("pk")
    assert {str(report.pk) for report in done} == expected["reports"].keys()
    assert len(done) >= 8

    found = report_digests(some(done, every=3), REWORDED[upgraded])
    assert found == {pk: expected["reports"][pk] for pk in found}


def test_every_report_can_be_recomputed_from_its_history(upgraded):
    for report in some(Report.objects.filter(state="done").order_by("pk"), every=2):
        assert verified(report).differences == [], report


def test_every_stored_result_is_read_and_written_the_same(upgraded):
    agreements = QuestionAgreement.objects.filter(reason="")

    for agreement in agreements:
        result = agreement.result
        written = (result.coefficients_to_json(), result.statistics_to_json())
        assert same_figures(written, (agreement.coefficients, agreement.statistics)), agreement
    assert len(agreements) >= 8


def test_everything_that_was_there_opens(upgraded):
    client = Client()
    client.force_login(User.objects.get(username="lena"))
    addresses = [reverse("projects")]
    for project in Project.objects.filter(memberships__user__username="lena", deletion_due_at=None):
        names = (
            "project",
            "project_edit",
            "items",
            "imports",
            "media",
            "members",
            "rounds",
            "raters",
            "agreement",
        )
        addresses += [
            reverse(name, args=[project.slug]) for name in (*names, "progress", "adjudicate", "finals")
        ]
    for report in Report.objects.filter(state="done", project__memberships__user__username="lena"):
        of_report = [report.project.slug, report.pk]
        addresses += [reverse(name, args=of_report) for name in ("report_exports", "provenance")]
        for agreement in report.questions.all():
            args = [*of_report, agreement.question_id]
            names = ("report_question",)
            if agreement.question.kind == "single" and not report.options.get("matrices"):
                names += ("report_items", "report_raters", "report_categories")
            addresses += [reverse(name, args=args) for name in names]

    statuses = {address: client.get(address).status_code for address in some(addresses, every=2)}

    assert {address: status for address, status in statuses.items() if status != 200} == {}
    assert len(addresses) > 50


def test_media_files_are_served_as_they_were(upgraded):
    client = Client()
    client.force_login(User.objects.get(username="lena"))
    media = list(Project.objects.get(slug="scans").media.all())

    for file in media:
        response = client.get(reverse("api_media_file", args=["scans", file.pk]))
        assert len(response.getvalue()) == file.n_bytes
    assert len(media) == 3


def test_people_sign_in_with_the_password_that_they_had(upgraded):
    assert User.objects.get(username="rita").check_password(PASSWORD)
    answer = Client().post(reverse("account_login"), {"login": "lena", "password": PASSWORD})
    assert answer["Location"] == reverse("mfa_authenticate")


def test_the_published_codebook_has_the_keys_that_raters_know(upgraded):
    """The first version of each project with an open or closed round; nothing is another for those who labeled."""
    published = [project for project in Project.objects.all() if is_published(project)]
    known = [project for project in published if project.questions.exists()]

    for project in published:
        questions = list(project.questions.prefetch_related("categories"))
        assert content_of(current_version(project)) == stored_codebook(questions, assign_shortcuts(questions))
        assert store_version(project) == 1
    seen = Rater.objects.filter(project__in=published, kind="human", assignments__state="done")
    assert set(seen.values_list("codebook_seen", flat=True)) == {1}
    assert known


def test_its_project_files_are_right_and_can_be_imported(upgraded):
    for project in Project.objects.all():
        contents = contents_of(io.BytesIO(b"".join(project_file(project))))
        assert contents.slug == project.slug


# Nothing of these releases writes them, or only for a moment.
EMPTY = {
    "0.1.0": {"account_emailconfirmation", "auth_group", "auth_group_permissions", "raters_user_groups",
              "raters_user_user_permissions", "raters_cachedvalue"},
    "0.2.0a1": {"account_emailconfirmation", "auth_group", "auth_group_permissions", "raters_user_groups",
                "raters_user_user_permissions", "raters_cachedvalue", "raters_stagedrevision"},
}  # fmt: skip


def test_the_fixture_has_rows_in_every_table_of_its_time(upgraded):
    """So that an upgrade meets every feature. Tables of later versions are not in the backup."""
    listed = subprocess.run(
        [tool("pg_restore"), "--list", FOLDER / f"interrater-{upgraded}.dump"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    with connection.cursor() as cursor:
        empty = set()
        for table in re.findall(r" TABLE public (\w+) ", listed):
            cursor.execute(f"SELECT NOT EXISTS (SELECT FROM {connection.ops.quote_name(table)})")
            if cursor.fetchone()[0]:
                empty.add(table)

    assert sorted(empty - EMPTY[upgraded]) == []
