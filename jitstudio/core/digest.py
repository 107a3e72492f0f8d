"""What tells one content from another. A module of its own, as Python's hashes load slowly."""

from __future__ import annotations

import hashlib


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
