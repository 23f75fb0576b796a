"""The directive `endpoints`: every request of the API, from openapi.yaml."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

DOCUMENT = Path(__file__).parent / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
ROOT = "/api/v1/"


class Endpoints(SphinxDirective):
    """A section for each tag with its requests: method, address, and what it does."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(DOCUMENT))
        document = yaml.load(DOCUMENT.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        return [_section(group, rows) for group, rows in sorted(_by_group(document["paths"]).items())]


def _by_group(paths: dict[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    groups = defaultdict(list)
    for path, operations in paths.items():
        parts = [part for part in path.removeprefix(ROOT).split("/") if part and not part.startswith("{")]
        group = parts[1] if parts[0] == "projects" and len(parts) > 1 else parts[0]
        for method in METHODS:
            if method in operations:
                # Without a description, its name in words: "Raters list".
                name = operations[method]["operationId"].replace("_", " ").capitalize()
                sentence = operations[method].get("description", name).split("\n\n")[0]
                groups[group.replace("-", " ").capitalize()].append(
                    (method.upper(), path.removeprefix(ROOT), " ".join(sentence.split()))
                )
    return groups


def _section(group: str, rows: list[tuple[str, str, str]]) -> nodes.section:
    section = nodes.section(ids=[nodes.make_id(f"api-{group}")], names=[group])
    section += nodes.title(text=group)
    section += _table(rows)
    return section


def _table(rows: list[tuple[str, str, str]]) -> nodes.table:
    columns = nodes.tgroup(cols=3)
    columns += [nodes.colspec(colwidth=width) for width in (10, 45, 45)]
    columns += nodes.thead("", _row([nodes.Text(name) for name in ("Method", "Path", "What it does")]))
    columns += nodes.tbody(
        "",
        *(
            _row([nodes.Text(method), nodes.literal(text=path), nodes.Text(what)])
            for method, path, what in rows
        ),
    )
    return nodes.table("", columns, classes=["endpoints"])


def _row(cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("endpoints", Endpoints)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
