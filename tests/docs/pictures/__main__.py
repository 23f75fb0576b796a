"""Take the pictures of the documents: python -m tests.docs.pictures docs/pictures.

It starts the program in a folder that is thrown away, with the demo and an invented project, and looks at it.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests import chromium

# Of each, so that the folder stays small enough for the README.
MOST_BYTES = 48_000
WIDEST = 960
STARTING = 300.0
FILL = """
import json, time
from raters.models import User
from reports.models import Report
from tests.docs.pictures.notes import fill
reports = fill(User.objects.get(username="owner"))
while Report.objects.exclude(state__in=["done", "failed", "cancelled"]).exists():
    time.sleep(1)
found = {project.slug: {} for project in {report.project for report in Report.objects.all()}}
for report in Report.objects.order_by("pk"):
    for agreement in report.questions.select_related("question"):
        found[report.project.slug][agreement.question.key] = {
            "report": report.pk, "question": agreement.question_id,
            "raters": {rater["key"]: rater["id"] for rater in agreement.raters},
        }
found["first"], found["last"] = reports[0].pk, reports[1].pk
print("FOUND", json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: of which address, how large, and what is looked for before it is taken."""

    name: str
    address: str
    width: int = 1200
    height: int = 860
    is_dark: bool = False
    scroll_to: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.docs.pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with running() as (address, password, found), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        for shot in shots(found):
            taken = picture(browser, address, password, shot)
            (folder / f"{shot.name}.webp").write_bytes(taken)
            print(f"{shot.name}.webp: {len(taken):,} bytes")
        browser.close()


@contextmanager
def running() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The program with its demo and the invented project: its address, the owner's password, and what is in it."""
    password = secrets.token_urlsafe(16)
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        environment = {**os.environ, "STATE_DIR": folder, "OWNER_NAME": "owner", "OWNER_PASSWORD": password}
        environment = {
            name: value for name, value in environment.items() if name not in {"DATABASE_URL", "PORT"}
        }
        program = subprocess.Popen(
            [sys.executable, "-m", "config.supervisor"], env=environment, stdout=subprocess.DEVNULL
        )
        try:
            yield _address(Path(folder), program), password, _filled(environment)
        finally:
            program.send_signal(signal.SIGINT)
            program.wait()


def _address(folder: Path, program: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + STARTING
    while time.monotonic() < until and program.poll() is None:
        if (folder / "address").exists() and (told := (folder / "address").read_text()):
            return str(json.loads(told)["address"]).rstrip("/")
        time.sleep(0.5)
    raise SystemExit("The program did not start.")


def _filled(environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", FILL],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    [line] = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    found: dict[str, Any] = json.loads(line.removeprefix("FOUND "))
    return found


def shots(found: dict[str, Any]) -> list[Shot]:
    caries, topic, finding = (
        found["demo-caries"]["caries"],
        found["demo-messages"]["topic"],
        found["notes"]["finding"],
    )
    of_caries = f"/p/demo-caries/agreement/{caries['report']}/{caries['question']}/"
    of_topic = f"/p/demo-messages/agreement/{topic['report']}/{topic['question']}/"
    of_notes = f"/p/notes/agreement/{finding['report']}/{finding['question']}/"
    first, third = (caries["raters"][f"dentist-{n}"] for n in (1, 3))
    two = f"/p/notes/agreement/compare/?first={found['first']}&second={found['last']}&question=finding"
    return [
        Shot("report", of_caries, height=1000),
        Shot("pair", f"{of_caries}{first}/{third}/"),
        Shot("categories", f"{of_topic}categories/", height=1000),
        Shot("rater", f"{of_notes}raters/{finding['raters']['Dmitri']}/", scroll_to="#consensus"),
        Shot("time", f"{of_notes}time/?by=round"),
        Shot("items", f"{of_topic}items/?in=dispute", height=700),
        Shot("two-reports", two, height=1000),
        Shot("labeling", "/p/notes/label/", height=620),
        Shot("planning", "/p/notes/rounds/new/", height=900),
        Shot("phone", of_caries, width=390, height=844),
        Shot("dark", of_notes, height=900, is_dark=True),
    ]


def picture(browser: Browser, address: str, password: str, shot: Shot) -> bytes:
    context = browser.new_context(
        base_url=address,
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.is_dark else "light",
    )
    page = context.new_page()
    sign_in(page, password)
    page.goto(shot.address)
    page.wait_for_load_state("networkidle")
    # What is left to a worker is there when the page has been asked for again.
    page.locator("[data-progress], .progress").first.wait_for(state="detached", timeout=60_000)
    if shot.scroll_to:
        page.locator(shot.scroll_to).evaluate("element => element.scrollIntoView()")
    taken = page.screenshot()
    context.close()
    return small(taken)


def sign_in(page: Page, password: str) -> None:
    page.goto("/")
    page.get_by_label("Username").fill("owner")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("load")


def small(png: bytes) -> bytes:
    """The same as WebP, as good as fits."""
    image = Image.open(BytesIO(png)).convert("RGB")
    image.thumbnail((WIDEST, WIDEST), Image.Resampling.LANCZOS)
    for quality in range(50, 10, -6):
        file = BytesIO()
        image.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
    raise SystemExit("A picture is too large.")


if __name__ == "__main__":
    main()
