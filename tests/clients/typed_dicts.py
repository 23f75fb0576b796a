"""The types of the Python client, from the OpenAPI document: python -m tests.clients.typed_dicts."""

import ast
import keyword
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.written_yaml import read_yaml

ROOT = Path(__file__).parents[2]
OPENAPI = ROOT / "docs" / "openapi.yaml"
PACKAGE = ROOT / "clients" / "python" / "interrater_client"
SCHEMAS = PACKAGE / "schemas.py"
HEADER = '''"""The JSON of the API, generated from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
REFERENCE = "#/components/schemas/"
Schema = Mapping[str, Any]


def written() -> str:
    """The module, formatted: a type for each schema that the client names, and for what these contain."""
    schemas: dict[str, Schema] = read_yaml(OPENAPI.read_text())["components"]["schemas"]
    wanted = [name for path in PACKAGE.glob("*.py") for name in _named_by(path)]
    found: dict[str, Schema] = {}
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = schemas[name]
            wanted += _named_in(schemas[name])
    lines = [HEADER, *(_declaration(name, found[name]) for name in sorted(found))]
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", SCHEMAS, "-"]
    formatted = subprocess.run(ruff, input="\n".join(lines), capture_output=True, text=True, check=True)
    return formatted.stdout


def _named_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Attribute(value=ast.Name(id="schemas"), attr=name):
                yield name


def _named_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "$ref" in value:
            yield value["$ref"].removeprefix(REFERENCE)
        for inner in value.values():
            yield from _named_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_in(inner)


def _declaration(name: str, schema: Schema) -> str:
    if "properties" not in schema:
        return f"{name} = {_type(schema)}\n"
    required = schema.get("required", [])
    fields = [
        (key, _type(inner) if key in required else f"NotRequired[{_type(inner)}]")
        for key, inner in schema["properties"].items()
    ]
    if any(keyword.iskeyword(key) for key, _ in fields):
        inside = ", ".join(f"{key!r}: {text!r}" for key, text in fields)
        return f"{name} = TypedDict({name!r}, {{{inside}}})\n"
    return "\n".join([f"class {name}(TypedDict):", *(f"    {key}: {text}" for key, text in fields), ""])


def _type(schema: Schema) -> str:
    found = _type_of_value(schema)
    return f"{found} | None" if schema.get("nullable") and not found.endswith("None") else found


def _type_of_value(schema: Schema) -> str:
    match schema:
        case {"$ref": name}:
            return str(name).removeprefix(REFERENCE)
        case {"allOf": [inner]}:
            return _type(inner)
        case {"oneOf": several} | {"anyOf": several}:
            return " | ".join(_type(inner) for inner in several)
        case {"enum": values}:
            return f"Literal[{', '.join(repr(value) for value in values)}]"
        case {"type": "array", "items": inner}:
            return f"list[{_type(inner)}]"
        case {"type": "object", "additionalProperties": Mapping() as inner} if inner:
            return f"dict[str, {_type(inner)}]"
        case {"type": str(plain)} if plain in PLAIN:
            return PLAIN[plain]
        case {"type": "object"}:
            return "dict[str, Any]"
    return "Any"


if __name__ == "__main__":
    SCHEMAS.write_text(written())
