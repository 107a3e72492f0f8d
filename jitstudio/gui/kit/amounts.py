"""Times and sizes as short as a picture needs them."""

from __future__ import annotations

_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
_FINE = 10.0
_SECOND = 1000.0
_MINUTE = 60.0


def size_text(size: int) -> str:
    """Returns bytes, such as ``12.3 KB``."""
    for unit, name in _SIZES:
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} B"


def duration_text(ms: float) -> str:
    """Returns a time, such as ``0.012 ms``, ``34 ms``, ``1.2 s`` or ``2:05 min``."""
    if ms < 1:
        return f"{ms:.3f} ms"
    if ms < _SECOND:
        return f"{ms:.1f} ms" if ms < _FINE else f"{ms:.0f} ms"
    seconds = ms / _SECOND
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), int(_MINUTE))
    return f"{minutes}:{rest:02} min"
