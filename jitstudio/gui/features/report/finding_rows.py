"""What may cost time, as rows of a table."""

from __future__ import annotations

from pathlib import PurePath

from jitstudio.analysis.findings.model import Finding
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


def place_text(finding: Finding) -> str:
    """The line it is about, such as ``kernel.cu:12`` or ``PTX:46``; empty if it is not known."""
    if finding.places:
        place = finding.places[0]
        return f"{PurePath(place.file).name}:{place.line}"
    return f"PTX:{finding.ptx_line}" if finding.ptx_line else ""


def explanation(finding: Finding) -> str:
    """Why it matters and what to do, in two paragraphs."""
    return f"{finding.reason}\n\n{finding.remedy}"


def _order(finding: Finding) -> int:
    return finding.places[0].line if finding.places else finding.ptx_line


FINDING_COLUMNS: tuple[Column[Finding], ...] = (
    Column(
        QT_TRANSLATE_NOOP("Columns", "Finding"),
        lambda finding: finding.title,
        tooltip=explanation,
        mark=lambda finding: finding.severity.value,
    ),
    Column(QT_TRANSLATE_NOOP("Columns", "Line"), place_text, sort_key=_order),
    Column(
        QT_TRANSLATE_NOOP("Columns", "Instructions"),
        lambda finding: f"{len(finding.indices):,}" if finding.indices else "",
        sort_key=lambda finding: len(finding.indices),
        number=True,
    ),
)


def findings_as_text(findings: tuple[Finding, ...]) -> str:
    """All findings with their reasons and remedies, fit for a mail."""
    return "\n\n".join(
        f"{' '.join(filter(None, (place_text(one), one.title)))}\n{one.reason}\n{one.remedy}"
        for one in findings
    )
