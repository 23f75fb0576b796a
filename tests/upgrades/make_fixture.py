"""A database of this version with every feature in use, made by the program's own actions and kept as a backup.

`python -m tests.upgrades.make_fixture 0.1.0 tests/upgrades` with the code of that version writes interrater-0.1.0.dump,
the folder media-0.1.0 and digests-0.1.0.json. Later versions upgrade it and compare (test_upgrade).
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

# Exports that a later version makes of the same report to the byte.
EXPORTS = ("results.json", "labels-long.csv", "labels-wide.csv")


def main(version: str, folder: Path) -> None:
    prepare()
    from django.core.management import call_command

    from core import database_roles
    from tests import live, services
    from tests.upgrades.filling import fill

    services.ensure_started()
    with live.administering():
        database_roles.ensure_database()
        call_command("migrate", interactive=False, verbosity=0, no_backup=True)
    fill()
    name = f"interrater-{version}.dump"
    dump(services.own().postgres, folder / name)
    media = folder / f"media-{version}"
    shutil.rmtree(media, ignore_errors=True)
    shutil.copytree(services.media_folder(), media)
    (folder / f"digests-{version}.json").write_text(
        json.dumps(digests(), indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    print(f"{name}: {(folder / name).stat().st_size:,} bytes")


def prepare() -> None:
    """Services of our own, and the settings of the program itself: their passwords are hashed as anyone's."""
    from tests import services

    os.environ |= {"ALLOWED_HOSTS": "testserver", "SIGN_UP": "open"}
    services.prepare()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    from django.conf import settings

    # Pages are asked for below, and no static files were collected.
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"


def dump(server: Any, file: Path) -> None:
    command = [str(server.binaries / "bin" / "pg_dump"), "--format=custom", "--compress=gzip:9", "--no-owner"]
    subprocess.run([*command, "--no-acl", "--file", str(file), server.admin_url], check=True)


def digests() -> dict[str, Any]:
    """Of each project its project file; of each finished report its own digest, and that of its exports."""
    from reports.models import Report

    return {
        "projects": project_digests(),
        "reports": report_digests(Report.objects.filter(state="done").order_by("pk")),
    }


def project_digests() -> dict[str, str]:
    from projects.models import Project

    return {project.slug: sha256(project_pieces(project)) for project in Project.objects.order_by("slug")}


def report_digests(
    reports: Iterable[Any], words: Mapping[str, str] = MappingProxyType({})
) -> dict[str, dict[str, str]]:
    """words: phrases of the exports that have been reworded since, and what that version wrote."""
    return {str(report.pk): {"digest": report.digest, **exports_of(report, words)} for report in reports}


def project_pieces(project: Any) -> Iterable[bytes]:
    from raters.archive.project_export import project_file

    return project_file(project)


def exports_of(report: Any, words: Mapping[str, str]) -> dict[str, str]:
    from reports.exports.export_list import LABELS, RESULTS

    files = {file.name: file for file in (*RESULTS, *LABELS)}
    return {name: sha256([_reworded(b"".join(files[name].pieces(report)), words)]) for name in EXPORTS}


def _reworded(export: bytes, words: Mapping[str, str]) -> bytes:
    for now, then in words.items():
        export = export.replace(now.encode(), then.encode())
    return export


def sha256(pieces: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).absolute())
