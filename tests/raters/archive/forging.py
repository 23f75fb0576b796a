"""Project files that were edited by somebody who also wrote all digests again."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def parts_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows_of(content: bytes, name: str) -> list[Row]:
    return [json.loads(line) for line in parts_of(content).get(name, b"").splitlines()]


def forged(content: bytes, name: str, change: Callable[[list[Row]], Any]) -> bytes:
    """The file with the rows of one of its files changed in place, or replaced by what `change` returns."""
    rows = rows_of(content, name)
    return with_rows(content, name, change(rows) or rows)


def with_rows(content: bytes, name: str, rows: list[Any]) -> bytes:
    lines = [json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for row in rows]
    return with_part(content, name, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


def with_part(content: bytes, name: str, data: bytes) -> bytes:
    parts = parts_of(content) | {name: data}
    manifest = json.loads(parts["manifest.json"])
    manifest["files"][name] = {
        "n": len(data) if name.startswith("media/") else data.count(b"\n"),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    head = hashlib.sha256().hexdigest()
    for line in parts["labelrevision.jsonl"].splitlines(keepends=True):
        head = hashlib.sha256(head.encode() + line).hexdigest()
    manifest["head_of_history"] = head
    return zipped(parts | {"manifest.json": json.dumps(manifest).encode()})


def zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()
