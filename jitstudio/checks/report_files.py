"""Reports for other programs: SARIF 2.1.0 for code hosts and editors, JUnit for CI servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from jitstudio import __version__
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.checks.forms import FORMS
from jitstudio.checks.remarks import BUILD, Remark, place_of, remarks
from jitstudio.checks.verdicts import BudgetReport, from_repository
from jitstudio.core.diagnostics import Severity, diagnostic_line

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_ROOT = "%SRCROOT%"


def sarif(reports: Sequence[BudgetReport]) -> bytes:
    """Returns a SARIF 2.1.0 log of failed conditions; an empty list where all hold.

    Files of the repository are called as from its folder, as code hosts want them.
    """
    root, reports = from_repository(reports)
    results = [_result(remark) for report in reports for remark in remarks(report)]
    rules = [
        {"id": rule, "shortDescription": {"text": _meaning(rule)}}
        for rule in dict.fromkeys(result["ruleId"] for result in results)
    ]
    driver = {"name": "jitstudio", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.as_uri().rstrip('/')}/"}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2).encode()


def _meaning(rule: str) -> str:
    if rule == BUILD:
        return "What is checked can be built."
    meaning = FORMS[rule].meaning if rule in FORMS else f"{rule} instructions"
    return f"A condition on {rule}: {meaning}."


def _result(remark: Remark) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": remark.rule,
        "level": _LEVELS[remark.severity],
        "message": {"text": remark.text},
    }
    if remark.place is not None:
        region = {"startLine": remark.place.line}
        if remark.column:
            region["startColumn"] = remark.column
        where = {"artifactLocation": _artifact(remark.place.file), "region": region}
        result["locations"] = [{"physicalLocation": where}]
    return result


def _artifact(file: str) -> dict[str, str]:
    path = PurePath(file)
    # Outside of the repository no path is relative to the root.
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}


def junit(reports: Sequence[BudgetReport]) -> bytes:
    """Returns a JUnit report: a suite for each budget and target, a case for each verdict."""
    root = ElementTree.Element("testsuites", name="jitstudio check")
    for report in from_repository(reports)[1]:
        _suite(root, report)
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return content


def _suite(root: ElementTree.Element, report: BudgetReport) -> None:
    failed = sum(not verdict.holds for verdict in report.verdicts)
    counts = {"failures": failed, "errors": int(bool(report.status))}
    # A build that failed counts as a case, too: its suite would have none.
    tests = len(report.verdicts) + counts["errors"]
    texts = {key: str(count) for key, count in {"tests": tests, **counts}.items()}
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(report.title), **texts})
    for verdict in report.verdicts:
        case = _case(suite, verdict.demangled, verdict.condition.text, verdict.place)
        if not verdict.holds:
            element = ElementTree.SubElement(case, "failure", message=_xml(verdict.reason))
            element.text = _xml(verdict.failure)
    if report.status:
        place = next(filter(None, map(place_of, report.diagnostics)), None)
        case = _case(suite, report.budget.name, "build", place)
        reasons = [report.problem, *map(diagnostic_line, report.diagnostics)]
        text = "\n".join(filter(None, reasons)) or report.outcome
        element = ElementTree.SubElement(case, "error", message=_xml(text.splitlines()[0]))
        element.text = _xml(text)


def _case(
    suite: ElementTree.Element, kernel: str, name: str, place: SourceLocation | None
) -> ElementTree.Element:
    words = {"classname": _xml(kernel), "name": _xml(name)}
    if place is not None:
        words |= {"file": _xml(place.file), "line": str(place.line)}
    return ElementTree.SubElement(suite, "testcase", words)


def _xml(text: str) -> str:
    """Returns the text without the characters that XML 1.0 cannot hold."""
    return "".join(c if _is_xml(ord(c)) else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_xml(code: int) -> bool:
    # XML 1.0, section 2.2: all other control characters are forbidden even as references.
    return code in (9, 10, 13) or 32 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code > 0xFFFF
