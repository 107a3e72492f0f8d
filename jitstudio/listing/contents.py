"""What a binary file holds, in words for somebody who opens it."""

from __future__ import annotations

from jitstudio.core.code import CodeKind
from jitstudio.listing.fatbin import FatbinEntry, fatbin_entries


def contents(kind: CodeKind, content: bytes) -> str:
    """Kind and size, and for a fatbin each entry."""
    head = f"{kind.title}, {len(content):,} bytes"
    if kind is not CodeKind.FATBIN:
        return head
    entries = fatbin_entries(content)
    if not entries:
        return f"{head}\nIts entries cannot be read: this is no fatbin, or one of another layout."
    return "\n".join((head, *(entry_line(entry) for entry in entries)))


def entry_line(entry: FatbinEntry) -> str:
    """What an entry of a fatbin is, in one line."""
    kind = entry.kind.title if entry.kind else "unknown kind"
    packed = f", {entry.unpacked:,} unpacked" if entry.unpacked not in (0, entry.size) else ""
    name = f", {entry.name}" if entry.name else ""
    return f"{kind} for {entry.target}: {entry.size:,} bytes{packed}{name}"
