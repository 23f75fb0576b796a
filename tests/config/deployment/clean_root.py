"""The steps of the image without an engine for images: each stage of the Dockerfile in a root folder of its own.

The base images come from elsewhere: Python and PostgreSQL's programs from packages of Debian. Needs root, mmdebstrap,
and the release of Debian that the image is built on.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from packaging.requirements import Requirement

from config.environment import BASE_DIR

RELEASE = "bookworm"
PYTHON = ["python3", "python3-venv", "python-is-python3", "ca-certificates"]
CAN_BUILD = (
    hasattr(os, "geteuid")
    and os.geteuid() == 0
    and shutil.which("mmdebstrap") is not None
    and f"VERSION_CODENAME={RELEASE}" in Path("/etc/os-release").read_text(encoding="utf-8")
)
# pip finds there what was downloaded for it: it runs without the settings that it has outside.
WHEELS = "wheels"
# In a mount namespace, so that nothing stays mounted, whatever dies: $0 is the folder, $1 user, $2 working folder.
_ENTER = """
mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" || exit 1
root=$0 user=$1 folder=$2
shift 2
exec chroot --userspec="$user" "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""


PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(slots=True)
class Root:
    """A stage: its root folder, and what its instructions have set."""

    folder: Path
    user: str = "root"
    workdir: str = "/"
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health_check: list[str] = field(default_factory=list)

    def inside(self, *command: str, **environment: str) -> list[str]:
        """The command that runs a command in it, as an engine would."""
        variables = [f"{name}={value}" for name, value in {**self.environment, **environment}.items()]
        return [
            *("unshare", "--mount", "--", "sh", "-c", _ENTER, str(self.folder), self.user, self.workdir),
            *("env", "-i", *variables, *command),
        ]

    def run(self, *command: str, **environment: str) -> str:
        done = subprocess.run(
            self.inside(*command, **environment), capture_output=True, text=True, check=False, timeout=900
        )
        assert done.returncode == 0, f"{shlex.join(command)}:\n{(done.stdout + done.stderr)[-4000:]}"
        return done.stdout

    def at(self, path: str) -> Path:
        return self.folder / os.path.normpath(f"{self.workdir}/{path}" if path[0] != "/" else path).lstrip(
            "/"
        )


def build_image(folder: Path) -> Root:
    """Follow the Dockerfile; returns the root of its last stage."""
    context, base = _context(folder / "context"), _base(folder / "base")
    stages: dict[str, Root] = {}
    stage = Root(base)
    for word, rest in instructions((BASE_DIR / "Dockerfile").read_text(encoding="utf-8")):
        match word:
            case "FROM":
                image, _, name = rest.partition(" AS ")
                stage = Root(_copy(base, folder / f"stage-{len(stages)}"))
                stages[name or "last"] = stage
                if image.startswith("postgres:"):
                    _add_postgres(stage, version=image.partition(":")[2].partition("-")[0])
            case "COPY":
                _copy_files(stage, rest, stages, context)
            case "RUN":
                stage.run("sh", "-c", rest, PIP_NO_INDEX="1", PIP_FIND_LINKS=f"/{WHEELS}")
            case "ENV":
                stage.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
                stage.environment["PATH"] = stage.environment["PATH"].replace("$PATH", PATH)
            case "WORKDIR":
                stage.workdir = rest
                stage.at(rest).mkdir(parents=True, exist_ok=True)
            case "USER":
                stage.user = f"{rest}:{rest}"
            case "ENTRYPOINT":
                stage.entrypoint = json.loads(rest)
            case "CMD":
                stage.command = json.loads(rest)
            case "HEALTHCHECK":
                stage.health_check = json.loads(rest.partition(" CMD ")[2])
            case "EXPOSE":
                pass
            case _:
                raise AssertionError(f"{word} is not known here")
    return stage


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Each instruction of a Dockerfile in one line: its word, and the rest."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for line in re.sub(r"\\\n", "", text).splitlines():
        if line.strip():
            word, _, rest = line.partition(" ")
            yield word, re.sub(r"\s+", " ", rest).strip()


def _context(folder: Path) -> Path:
    """What .dockerignore lets in."""
    lines = (BASE_DIR / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept_out = [line.rpartition("/")[2] for line in lines if not line.startswith("!") and line != "*"]

    def ignored(_folder: str, names: list[str]) -> Sequence[str]:
        return [name for name in names if any(fnmatch(name, pattern) for pattern in kept_out)]

    for name in (line[1:] for line in lines if line.startswith("!")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (BASE_DIR / name).is_dir():
            shutil.copytree(BASE_DIR / name, target, ignore=ignored)
        else:
            shutil.copy(BASE_DIR / name, target)
    return folder


def _base(folder: Path) -> Path:
    """Debian with Python, and the packages of Python that the image asks for, by the clients of this machine."""
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted(Path("/etc/apt").glob("sources.list*"))
        for path in ([path] if path.is_file() else sorted(path.glob("*.sources")))
    )
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PYTHON)}", RELEASE, folder, "-"],
        input=sources,
        text=True,
        check=True,
        timeout=900,
    )
    shutil.rmtree(folder / "etc/apt")
    shutil.copytree("/etc/apt", folder / "etc/apt", symlinks=True)
    shutil.copytree("/usr/share/keyrings", folder / "usr/share/keyrings", dirs_exist_ok=True)
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    _download(folder)
    return folder


def _download(folder: Path) -> None:
    """What its Python needs, which may be another than this one."""
    python = Root(folder).run("python", "-c", "import platform; print(platform.python_version())").strip()
    for name in ("base", "docs"):
        text = (BASE_DIR / f"requirements/{name}.txt").read_text(encoding="utf-8")
        # A requirement and its hashes are one line that is continued.
        needed = [line for line in re.split(r"(?<!\\)\n", text) if _is_needed(line, python)]
        wanted = folder / f"{name}.txt"
        wanted.write_text(re.sub(r" ;.*? \\", r" \\", "\n".join(needed)), encoding="utf-8")
        command = ["pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        subprocess.run(
            [sys.executable, "-m", *command, "-d", folder / WHEELS, "-r", wanted], check=True, timeout=900
        )


def _is_needed(line: str, python: str) -> bool:
    if not line.strip() or line.lstrip().startswith("#"):
        return False
    marker = Requirement(line.partition(" \\")[0]).marker
    return marker is None or marker.evaluate({"python_full_version": python, "python_version": "3.11"})


def _add_postgres(stage: Root, *, version: str) -> None:
    """The programs of Debian's PostgreSQL, where the image of the named version has its own."""
    stage.run("sh", "-c", "apt-get update && apt-get install -y --no-install-recommends postgresql-client")
    [found] = (stage.folder / "usr/lib/postgresql").iterdir()
    found.rename(found.with_name(version))


def _copy(root: Path, copy: Path) -> Path:
    subprocess.run(["cp", "-a", root, copy], check=True)
    return copy


def _copy_files(stage: Root, rest: str, stages: dict[str, Root], context: Path) -> None:
    *sources, target = rest.split()
    origin = context
    if sources[0].startswith("--from="):
        origin = stages[sources.pop(0).removeprefix("--from=")].folder
    found = [path for source in sources for path in sorted(origin.glob(source.lstrip("/")))]
    assert len(found) >= len(sources), rest
    place = stage.at(target)
    for path in found:
        into = place / path.name if target.endswith("/") else place
        into.parent.mkdir(parents=True, exist_ok=True)
        # The content of a folder, not the folder.
        subprocess.run(["cp", "-a", *([f"{path}/.", into] if path.is_dir() else [path, into])], check=True)
