"""What a binary file holds, in words for somebody who opens it."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.code import CodeKind
from jitstudio.core.cubin_file import cubin_target, is_relocatable, keeps_ptx
from jitstudio.listing.fatbin import FatbinEntry, fatbin_entries

_MOST_ENTRIES = 1000


def contents(kind: CodeKind, content: bytes) -> str:
    """Kind and size; for a fatbin each entry, for a cubin its target."""
    head = f"{kind.title}, {len(content):,} bytes"
    if kind is CodeKind.CUBIN:
        return "\n".join((head, *_cubin_lines(content)))
    if kind is not CodeKind.FATBIN:
        return head
    entries = fatbin_entries(content)
    if not entries:
        return f"{head}\nIts entries cannot be read: this is no fatbin, or one of another layout."
    lines = [entry_line(entry) for entry in entries[:_MOST_ENTRIES]]
    if more := len(entries) - len(lines):
        lines.append(f"and {more:,} more")
    return "\n".join((head, *lines))


def _cubin_lines(content: bytes) -> Iterator[str]:
    target = cubin_target(content)
    if target is None:
        yield "Its header cannot be read: this is no cubin, or a damaged one."
        return
    yield f"Machine code for {target}"
    if is_relocatable(content):
        yield "Not linked yet: it may call functions of other modules"
    if keeps_ptx(content):
        yield "Keeps the PTX that it was made from, without comments"


def entry_line(entry: FatbinEntry) -> str:
    """What an entry of a fatbin is, in one line."""
    kind = entry.kind.title if entry.kind else "unknown kind"
    packed = f", {entry.unpacked:,} unpacked" if entry.unpacked not in (0, entry.size) else ""
    name = f", {entry.name}" if entry.name else ""
    return f"{kind} for {entry.target}: {entry.size:,} bytes{packed}{name}"
