"""A findings document as SARIF 2.1.0, which code-scanning tools read: a result for each unexpected verdict.

Verdicts that are as expected are no results, because such tools show every result as a problem. A check that failed is
a notification, and the invocation was then not successful.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.claims.records import Document, Entry, ErrorRecord
from dpbandits.reference.claims.text import note_in_full

SCHEMA_ADDRESS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


RULES: Mapping[str, str] = {  # what an unexpected verdict means
    Verdict.REFUTED: "The claim is false, and was expected to hold.",
    Verdict.PROVED: "The claim is proved, and another verdict was expected.",
    Verdict.ARGUED: "The claim is shown by an argument in words, and another verdict was expected.",
    Verdict.CONSISTENT: "The claim was not refuted, and another verdict was expected.",
    Verdict.NOT_APPLICABLE: "A precondition of the claim is false, so that nothing could be tested.",
    Verdict.NOT_EXERCISED: "The test had no power, so that nothing was tested.",
    Verdict.UNSUPPORTED: "There is no method to check the claim.",
}


def as_sarif(document: Document, name: str) -> str:
    """Returns the document as the text of a SARIF file.
    Every verdict that is unexpected somewhere is a rule.

    name: of the run, such as "dpbandits audit"; code-scanning tools compare a run with earlier ones of the same name.
    """
    surprises = [found for found in document["findings"] if found["surprise"]]
    rules = [
        {"id": verdict, "shortDescription": {"text": words}}
        for verdict, words in RULES.items()
        if any(found["verdict"] == verdict for found in surprises)
    ]
    driver = {"name": "dpbandits", "version": str(document.get("version", "")), "rules": rules}
    failed = [
        {
            "level": "error",
            "message": {"text": "\n".join(filter(None, (f"{each['id']}: {each['error']}", repeat_text(each))))},
        }
        for each in document["errors"]
    ]
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"{name}/"},
        "invocations": [{"executionSuccessful": not failed, "toolExecutionNotifications": failed}],
        "results": [sarif_result(found) for found in surprises],
    }
    content = {"$schema": SCHEMA_ADDRESS, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def sarif_result(found: Entry) -> dict[str, object]:
    """Returns a SARIF result for one finding: what was found, where, and how to repeat it."""
    wanted = f"{found['id']}: {found['verdict']}, expected {' or '.join(found['expect'])}"
    words = wanted, found["statement"], found["summary"], note_in_full(found), found["resolution"], repeat_text(found)
    own, page = found.get("own", {}), found.get("page_file", "")
    file, line = own.get("file") or first_file(own.get("subject", "").split()), own.get("line")
    if not file:
        file = page or f"reference/papers/{found['paper']}"
        file = file if file.endswith(".py") else f"{file}/__init__.py"
    physical: dict[str, object] = {"artifactLocation": {"uri": Path(file).as_posix(), "uriBaseId": "%SRCROOT%"}}
    if line is not None:
        physical["region"] = {"startLine": line}
    return {
        "ruleId": found["verdict"],
        "level": "error",
        "message": {"text": "\n".join(filter(None, words))},
        "locations": [{"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": found["id"]}]}],
        "partialFingerprints": {"dpbanditsClaim/v1": found["id"]},
    }


def repeat_text(item: Entry | ErrorRecord) -> str:
    """The command that repeats the check, after "repeat: "; "" if there is none."""
    return f"repeat: {item['repro']}" if item.get("repro") else ""


def first_file(words: Sequence[str]) -> str:
    """Returns the first word that names a file, or FILE.py:NAME; "" if there is none."""
    files = (word.rpartition(":")[0] if ".py:" in word else word for word in words)
    return next((file for file in files if Path(file).is_file() and not Path(file).is_absolute()), "")
