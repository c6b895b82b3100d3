"""A Sphinx extension: the fields of a JSON schema as a table, read from the schema itself.

    ```{schema-fields} reports/findings.schema.json finding
    ```

shows the definition `finding` of that file, or the whole document where no definition is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[1]
FEW = 4  # words that a cell names


class SchemaFields(SphinxDirective):
    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        schema = json.loads(path.read_text(encoding="utf-8"))
        found = schema["$defs"][self.arguments[1]] if len(self.arguments) > 1 else schema
        return self.parse_text_to_nodes("\n".join(rows(schema, found)))


def rows(schema: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name, field in found["properties"].items():
        needed = name in found.get("required", ())
        words = [field.get("description", "").rstrip("."), *([] if needed else ["may be missing"])]
        cells = f"`{name}`", kind(schema, field), "; ".join(filter(None, words))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def kind(schema: Mapping[str, Any], field: Mapping[str, Any]) -> str:
    """What the field holds, in a few words."""
    if "$ref" in field:
        return kind(schema, schema["$defs"][field["$ref"].rpartition("/")[2]])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if len(field.get("enum", ())) > FEW:
        return f"one of {len(field['enum'])} words"
    if "enum" in field:
        return ", ".join(f"`{each}`" if each else "empty" for each in field["enum"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(kind(schema, each) for each in field["anyOf"]))
    types = field.get("type", "object")
    if types == "array" and "items" in field:
        return f"list of: {kind(schema, field['items'])}"
    if types == "object" and isinstance(field.get("additionalProperties"), Mapping):
        return "object by name"
    return " or ".join(types) if isinstance(types, list) else str(types)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("schema-fields", SchemaFields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
