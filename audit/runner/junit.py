"""A findings document as JUnit XML, which CI services display: one test case for each claim or check.

An expected verdict is a passed test, an unexpected verdict a failure, and an exception an error. A claim that is
expected not to be tested, and was not, is a skipped test.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from dpbandits.reference.claims.model import UNTESTED, Verdict
from dpbandits.reference.claims.records import Document, Entry
from dpbandits.reference.claims.text import note_in_full

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that no XML holds


def as_junit(document: Document, name: str) -> str:
    """The document as JUnit XML, with one test suite of this name."""
    findings, errors = document["findings"], document["errors"]
    counts = {
        "tests": len(findings) + len(errors),
        "failures": sum(found["surprise"] for found in findings),
        "errors": len(errors),
        "skipped": sum(is_skipped(found) for found in findings),
    }
    told = {each: str(count) for each, count in counts.items()}
    suites = ElementTree.Element("testsuites", {"name": "dpbandits", **told})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": xml(name), **told})
    for found in findings:
        add_outcome(add_test_case(suite, found["paper"], found["id"], found.get("own", {}).get("seconds")), found)
    for failed in errors:
        said = ElementTree.SubElement(
            add_test_case(suite, failed["id"].partition("/")[0], failed["id"]),
            "error",
            {"message": xml(failed["error"])},
        )
        said.text = xml(failed.get("repro", ""))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def add_test_case(
    suite: ElementTree.Element, group: str, name: str, seconds: float | None = None
) -> ElementTree.Element:
    """Adds a test case to a suite of JUnit XML, and returns it. group, name: its class and name."""
    timed = {} if seconds is None else {"time": f"{seconds:g}"}
    return ElementTree.SubElement(suite, "testcase", {"classname": xml(group), "name": xml(name), **timed})


def add_outcome(case: ElementTree.Element, found: Entry) -> None:
    """Adds the result to a test case, as its XML element besides the name.
    For an expected refutation it contains the reason for the refutation, or its consequences."""
    summary = f"{found['verdict']}: {found['summary']}"
    if found["verdict"] == Verdict.REFUTED and note_in_full(found):  # why it was expected, where it was
        summary += f"\n{note_in_full(found)}"
    if found["surprise"]:
        wanted = f"{found['verdict']}, expected {' or '.join(found['expect'])}"
        said = ElementTree.SubElement(case, "failure", {"type": xml(wanted), "message": xml(found["summary"])})
        texts = found["statement"], note_in_full(found), found["resolution"], found["repro"]
        said.text = xml("\n".join(filter(None, texts)))
    elif is_skipped(found):
        ElementTree.SubElement(case, "skipped", {"message": xml(summary)})
    else:
        ElementTree.SubElement(case, "system-out").text = xml(summary)


def is_skipped(found: Entry) -> bool:
    """Whether a claim was not tested, as expected."""
    return found["verdict"] in UNTESTED and not found["surprise"]


def xml(text: object) -> str:
    """The text without characters that XML does not allow."""
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(text))
