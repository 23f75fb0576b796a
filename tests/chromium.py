"""A real browser for the tests: the system's Chromium or Playwright's own. Run as a program it installs one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The first is Chromium without windows, which takes half as long for a page and a third for a new session.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NONE = "NO BROWSER: Chromium could not be found or installed, so the browser tests do not run."


def find() -> Path | None:
    """The browser to drive, or None where there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return Path(path)
    return _of_playwright()


def _of_playwright() -> Path | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def _install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium for the browser tests …", flush=True)
        _apt_get("update")
        for name in NAMES[:2]:
            if find() is None:
                _apt_get("install", "-y", "--no-install-recommends", name, "fonts-dejavu-core")
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _apt_get(*arguments: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "-qq", *arguments], check=False, stdout=subprocess.DEVNULL, env=environment)


def main() -> None:
    if find() is None:
        _install()
    if find() is None:
        print(f"\n{'!' * 100}\n{NONE}\n{'!' * 100}\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
