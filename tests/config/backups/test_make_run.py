"""What the program's role may do under `make run`: back up, restore at a first start, and import a project file."""

import subprocess
import sys
from pathlib import Path

from config.environment import BASE_DIR
from tests.config.running import Run, ended, environment, new_folder, query
from tests.sizes import only_in_full

COUNTS = (
    "SELECT (SELECT count(*) FROM raters_label), (SELECT count(*) FROM raters_labelrevision),"
    " (SELECT count(*) FROM projects_event)"
)


def command(run: Run, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env=environment(run),
        capture_output=True,
        text=True,
        check=False,
    )


@only_in_full
def test_a_backup_of_one_folder_starts_another(tmp_path: Path):
    backup, project = tmp_path / "all.tar", tmp_path / "project.zip"
    with new_folder() as first, ended(run := Run(first / "var")):
        run.start(OWNER_NAME="lena").until_ready()
        assert command(run, "export_project", "demo-diagnoses", str(project)).returncode == 0
        done = command(
            run, "import_project", str(project), "--lead", "lena", "--slug", "again", "--as", "lena=lena"
        )
        assert done.returncode == 0, done.stderr
        counts = query(run, COUNTS)
        done = command(run, "backup", str(backup))
        assert done.returncode == 0, done.stderr
        assert command(run, "restore", str(backup)).stderr.startswith(
            "CommandError: The database interrater is not"
        )

    with new_folder() as second, ended(run := Run(second / "var")):
        run.start(RESTORE=str(backup)).until_ready()

        assert query(run, COUNTS) == counts
        assert query(run, "SELECT username FROM raters_user WHERE is_superuser") == [("lena",)]
        assert "with the password" not in run.output()
