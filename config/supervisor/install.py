"""Create or complete `.venv/`; runs on a bare Python, before anything is installed.

Usage: install.py embedded|dev. The stamp, written last, records what the environment contains; without it, the
environment is incomplete and is recreated. `dev` includes everything in `embedded`.
"""

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
STAMP = VENV / "interrater.json"
PYTHON = VENV / "bin" / "python"
# How often a long installation reports that it is still running (seconds).
EVERY = 10
NO_PIP = (
    "This Python cannot create a virtual environment: it has neither ensurepip nor pip. "
    "On Debian or Ubuntu: apt-get install python3-venv python3-pip"
)


def main() -> None:
    wanted = sys.argv[1]
    with (ROOT / ".venv.lock").open("w") as lock:
        # Two simultaneous starts create one environment; the second finds it complete.
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = read_stamp()
        if VENV.is_symlink() and (found is None or not is_complete(found, wanted)):
            # It belongs to another folder, which may need it as it is.
            sys.exit(linked())
        if found is None:
            make_environment()
            found = identity()
        if not is_complete(found, wanted):
            install(wanted, found)


def digest(wanted: str) -> str:
    return hashlib.sha256((ROOT / "requirements" / f"{wanted}.txt").read_bytes()).hexdigest()


def identity() -> "dict[str, str]":
    """What an environment depends on: the Python version, and the path, which its scripts contain."""
    return {"python": sys.version, "place": str(VENV.resolve())}


def linked() -> str:
    return (
        f".venv is a link to {VENV.resolve()}, which does not have the packages of this version for this Python. "
        "Remove the link (rm .venv) and start again, to create an environment here."
    )


def read_stamp() -> "dict[str, str] | None":
    """The stamp of an environment that is complete and fits this Python and path, or None."""
    try:
        found = dict(json.loads(STAMP.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    fits = all(found.get(name) == value for name, value in identity().items())
    return found if fits and works() else None


def works() -> bool:
    try:
        return subprocess.run([PYTHON, "-c", ""], check=False).returncode == 0
    except OSError:
        return False


def is_complete(found: "dict[str, str]", wanted: str) -> bool:
    return any(found.get(name) == digest(name) for name in {wanted, "dev"})


def make_environment() -> None:
    if VENV.exists():
        say("The environment in .venv is incomplete or belongs to another Python. Recreating it ...")
        shutil.rmtree(VENV)
    say("Creating .venv ...")
    if run([sys.executable, "-m", "venv", VENV]) == 0:
        return
    # Debian packages ensurepip separately; pip can also install into an environment from outside.
    shutil.rmtree(VENV, ignore_errors=True)
    if run([sys.executable, "-m", "pip", "--version"]) != 0:
        sys.exit(NO_PIP)
    if run([sys.executable, "-m", "venv", "--without-pip", VENV]) != 0:
        sys.exit(NO_PIP)


def install(wanted: str, found: "dict[str, str]") -> None:
    requirements = ROOT / "requirements" / f"{wanted}.txt"
    count = sum("==" in line for line in requirements.read_text(encoding="utf-8").splitlines())
    say(f"Installing {count} packages into .venv (about a minute the first time) ...")
    STAMP.unlink(missing_ok=True)
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--require-hashes",
        "--only-binary=:all:",
    ]
    command = [*pip(), "install", *options, "-r", requirements]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as installing:
        errors = finished(installing)
    if installing.returncode != 0:
        sys.exit(failure(errors))
    write_stamp({**found, wanted: digest(wanted)})


def finished(installing: "subprocess.Popen[str]") -> str:
    """pip's error output once it ends; reports now and then that it is still running."""
    began = time.monotonic()
    while True:
        try:
            return installing.communicate(timeout=EVERY)[1]
        except subprocess.TimeoutExpired:
            say(f"Still installing ({time.monotonic() - began:.0f} s) ...")


def pip() -> "list[str | Path]":
    if subprocess.run([PYTHON, "-c", "import pip"], check=False, capture_output=True).returncode == 0:
        return [PYTHON, "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", PYTHON]


def failure(output: str) -> str:
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return f"The disk that contains {ROOT} is full. Free about 1 GB and start again."
    output = "\n".join(line for line in output.splitlines() if not line.startswith("WARNING"))
    return f"{output}\nThe packages could not be installed. Fix the problem above and start again. Nothing was lost."


def write_stamp(found: "dict[str, str]") -> None:
    draft = STAMP.with_suffix(".new")
    draft.write_text(json.dumps(found), encoding="utf-8")
    draft.replace(STAMP)


def run(command: "list[str | Path]") -> int:
    return subprocess.run(command, check=False, capture_output=True).returncode


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(failure(str(error)))
    except KeyboardInterrupt:
        sys.exit("Stopped. The next start continues from here.")
